/** Pickers for additional lines: up to five other runs, and metrics that the trainer logged. */

import { ChevronDown } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { Fragment, useState } from 'react';
import type { LoggedMetric, RunDetail } from '../../../shared/api/contract.ts';
import { useOtherLibraries, useRunsOf } from '../../data/otherLibraries.ts';
import { distinctNames, type NamedRun } from '../../data/runNames.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useRunsElsewhere } from '../../data/warehouse.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import { useFirstItems } from '../../ui/useFirstItems.tsx';
import { overlayOf } from './overviewLines.ts';
import { MOST_RUNS, type RunRef, refText } from './overviewLink.ts';
import { SPLIT_LABELS, SPLITS, type SplitName } from './splits.ts';

interface RunPickerProps {
  readonly run: RunDetail;
  readonly compared: readonly RunRef[];
  readonly onCompare: (runs: readonly RunRef[]) => void;
}

export function RunPicker(props: RunPickerProps) {
  const { compared } = props;
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <button type="button" className="button" title={`Up to ${MOST_RUNS} runs on the same charts`}>
          {compared.length === 0 ? 'Compare runs' : `${compared.length + 1} runs`} <ChevronDown size={13} />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu run-menu"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label="Compare with"
        >
          <Choices {...props} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface Choice extends NamedRun {
  readonly ref: RunRef;
  readonly steps: number;
}

/** Mounted only while the menu is open, so that other libraries' runs are not requested before. */
function Choices({ run, compared, onCompare }: RunPickerProps) {
  const runs = useRequest('run.list', {}).data ?? [];
  const there = useRunsElsewhere().runs.filter(({ isOwn, steps }) => isOwn !== true && steps > 0);
  const libraries = useOtherLibraries();
  const lists = useRunsOf(libraries.map(({ id }) => id));
  const own = runs
    .filter((one) => one.runKey !== run.runKey && one.hasSteps)
    .sort((a, b) => Number(isNear(b, run)) - Number(isNear(a, run)))
    .map((one): Choice => {
      const { steps = 0 } = there.find((each) => each.run === one.runKey) ?? {};
      return { ...one, ref: { runKey: one.runKey }, steps: Math.max(one.steps, steps) };
    });
  const held = new Set([run, ...runs].map(({ runKey }) => runKey));
  const inWarehouse = there
    .filter((one) => !held.has(one.run))
    .map(({ run: runKey, split: kind, steps }): Choice => {
      return { ref: { runKey }, runKey, name: runKey, kind, directory: '', steps };
    });
  const others = libraries.map(({ id, name }, i) => ({
    id,
    name,
    isKnown: lists[i]?.runs !== undefined,
    error: lists[i]?.error ?? null,
    choices: (lists[i]?.runs ?? [])
      .filter((one) => one.hasSteps)
      .map((one): Choice => ({ ...one, libraryName: name, ref: { runKey: one.runKey, library: id } })),
  }));
  const named = [...own, ...inWarehouse, ...others.flatMap(({ choices }) => choices)];
  const names = distinctNames([run, ...named]).slice(1);
  const nameOf = new Map(named.map(({ ref }, i) => [refText(ref), names[i]]));
  const isFull = compared.length >= MOST_RUNS - 1;
  const chosen = new Set(compared.map(refText));
  const itemOf = ({ ref, ...other }: Choice) => {
    const isChosen = chosen.has(refText(ref));
    return (
      <DropdownMenu.CheckboxItem
        key={refText(ref)}
        checked={isChosen}
        disabled={isFull && !isChosen}
        // Keep the menu open, so that several can be chosen.
        onSelect={(event) => event.preventDefault()}
        onCheckedChange={(isOn) =>
          onCompare(isOn ? [...compared, ref] : compared.filter((one) => refText(one) !== refText(ref)))
        }
      >
        <span className="menu-check">{isChosen ? '✓' : ''}</span>
        <span
          className="run-menu-name"
          title={plainLogText([nameOf.get(refText(ref)) ?? other.name, other.directory].join('\n').trim())}
        >
          {plainLogText(nameOf.get(refText(ref)) ?? other.name)}
        </span>
        <code className="menu-hint">
          {other.kind} · {counted(other.steps, 'step')}
        </code>
      </DropdownMenu.CheckboxItem>
    );
  };
  return (
    <>
      <DropdownMenu.Label className="menu-label">
        {isFull
          ? `${MOST_RUNS} runs are the most`
          : own.length === 0
            ? 'This library has no other run with steps'
            : 'Compare with'}
      </DropdownMenu.Label>
      {own.map(itemOf)}
      {inWarehouse.length > 0 && (
        <>
          <DropdownMenu.Separator />
          <DropdownMenu.Label className="menu-label">In the warehouse</DropdownMenu.Label>
          {inWarehouse.map(itemOf)}
        </>
      )}
      {others.map(({ id, name, isKnown, error, choices }) => (
        <Fragment key={id}>
          <DropdownMenu.Separator />
          <DropdownMenu.Label className="menu-label">
            In the library {name}
            {error !== null && `: ${error.message}`}
            {error === null && !isKnown && ': loading…'}
            {isKnown && choices.length === 0 && ': no run with steps'}
          </DropdownMenu.Label>
          {choices.map(itemOf)}
        </Fragment>
      ))}
      {compared.length > 0 && (
        <>
          <DropdownMenu.Separator />
          <DropdownMenu.Item onSelect={() => onCompare([])}>This run alone</DropdownMenu.Item>
        </>
      )}
    </>
  );
}

interface SplitPickerProps {
  readonly split: SplitName | undefined;
  /** Filter of the page, which can become the split. */
  readonly filter: string;
  readonly onSplit: (split: SplitName | undefined) => void;
}

export function SplitPicker({ split, filter, onSplit }: SplitPickerProps) {
  const [isOpen, setOpen] = useState(false);
  useCommands({ 'charts.split': () => setOpen(true) });
  return (
    <DropdownMenu.Root open={isOpen} onOpenChange={setOpen}>
      <DropdownMenu.Trigger asChild>
        <button
          type="button"
          className="button"
          title="A line for each class of rollouts, and the share of each class"
        >
          {split === undefined ? 'Split' : `Split: ${SPLIT_LABELS[split].toLowerCase()}`}{' '}
          <ChevronDown size={13} />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu run-menu"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label="Split by"
        >
          <DropdownMenu.Label className="menu-label">Split by</DropdownMenu.Label>
          {SPLITS.map((name) => {
            const isOff = name === 'filter' && filter === '' && split !== 'filter';
            return (
              <DropdownMenu.CheckboxItem
                key={name}
                checked={split === name}
                disabled={isOff}
                onCheckedChange={(isOn) => onSplit(isOn ? name : undefined)}
              >
                <span className="menu-check">{split === name ? '✓' : ''}</span>
                <span className="run-menu-name">{SPLIT_LABELS[name]}</span>
                <span className="menu-hint">{isOff ? 'type a filter first' : SPLIT_HINTS[name]}</span>
              </DropdownMenu.CheckboxItem>
            );
          })}
          {split !== undefined && (
            <>
              <DropdownMenu.Separator />
              <DropdownMenu.Item onSelect={() => onSplit(undefined)}>No split</DropdownMenu.Item>
            </>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

const SPLIT_HINTS: Readonly<Record<SplitName, string>> = {
  tools: 'with and without tool calls',
  correct: 'correct and incorrect',
  stop: 'answer, length, …',
  rerun: 'after Verify calls below a list',
  label: 'each label, and no label',
  filter: 'what matches, and all others',
};

/** Training and evaluation runs of the same log. */
function isNear(other: NamedRun, run: RunDetail): boolean {
  return other.directory === run.directory;
}

interface MetricPickerProps {
  readonly logged: readonly LoggedMetric[];
  readonly chosen: readonly string[];
  readonly onChoose: (names: readonly string[]) => void;
}

export function MetricPicker({ logged, chosen, onChoose }: MetricPickerProps) {
  // A log may name a metric per problem.
  const { shown, more } = useFirstItems(logged, 'metric', 200);
  if (logged.length === 0) return null;
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <button type="button" className="button" title="Metrics the trainer logged">
          {counted(logged.length, 'logged metric')} <ChevronDown size={13} />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu run-menu"
          align="start"
          sideOffset={4}
          aria-label="Logged metrics"
        >
          <DropdownMenu.Label className="menu-label">As charts of their own</DropdownMenu.Label>
          {shown.map(({ name, steps }) => {
            const isChosen = chosen.includes(name);
            return (
              <DropdownMenu.CheckboxItem
                key={name}
                checked={isChosen}
                onSelect={(event) => event.preventDefault()}
                onCheckedChange={(isOn) =>
                  onChoose(isOn ? [...chosen, name] : chosen.filter((one) => one !== name))
                }
              >
                <span className="menu-check">{isChosen ? '✓' : ''}</span>
                {plainLogText(name.length > 200 ? `${name.slice(0, 200).toWellFormed()}…` : name)}
                <code className="menu-hint">
                  {counted(steps.length, 'step')}
                  {overlayOf(name) !== undefined && ' · dashed over ours'}
                </code>
              </DropdownMenu.CheckboxItem>
            );
          })}
          {more}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
