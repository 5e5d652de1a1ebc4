import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { useMemo, useState } from 'react';
import type { RunSummary, StepSummary } from '../../shared/api/contract.ts';
import { quoted } from '../../shared/domain/filter/lexer.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { wordsOf } from '../../shared/domain/filter/words.ts';
import { useLibrary } from '../data/DataProvider.tsx';
import { hrefInLibrary, pastedLink } from '../data/libraryLink.ts';
import { useLibraries } from '../data/otherLibraries.ts';
import { distinctNames } from '../data/runNames.ts';
import { useRequest } from '../data/useRequest.ts';
import { goTo, navigateTo, useRoute } from '../data/useRoute.ts';
import { useSteps } from '../data/warehouse.ts';
import { useDialog, useInterface } from '../state/interface.ts';
import { Modal } from '../ui/Modal.tsx';
import { count, counted } from '../ui/numbers.ts';
import { canRun, runCommand } from './keys/commands.ts';
import { Keys } from './keys/Keys.tsx';
import type { CommandId } from './keys/keymap.ts';
import { useBoundCommands } from './keys/keysInForce.ts';

export function Palette() {
  const isOpen = useDialog('palette') !== undefined;
  const showDialog = useInterface((state) => state.showDialog);
  return (
    <Modal isOpen={isOpen} onClose={() => showDialog(undefined)} className="dialog palette">
      <Dialog.Title className="visually-hidden">Command palette</Dialog.Title>
      <PaletteBody onDone={() => showDialog(undefined)} />
    </Modal>
  );
}

function PaletteBody({ onDone }: { readonly onDone: () => void }) {
  const route = useRoute();
  const [typed, setTyped] = useState('');
  const commands = useBoundCommands();
  const words = searchFor(typed);
  const runs = useRequest('run.list', {}).data ?? NO_RUNS;
  const run = 'runKey' in route ? runs.find((candidate) => candidate.runKey === route.runKey) : undefined;
  const here = useLibrary();
  const known = useLibraries() ?? [];
  const libraries = known.filter(({ id, isGone }) => id !== here && isGone !== true);
  const link = pastedLink(
    typed,
    known.map(({ id }) => id),
  );
  const steps = useSteps(run?.runKey, run?.runId).all ?? NO_STEPS;

  const foundRuns = useMemo(() => {
    const names = distinctNames(runs);
    const values = runs.map((item, i) => ({
      ...{ item, name: names[i] },
      value: `run ${names[i]}\n${item.runKey}`,
    }));
    return bestOf(values, typed);
  }, [runs, typed]);
  const foundSteps = useMemo(
    () =>
      bestOf(
        steps.map((item) => ({ item, value: `step ${item.step}` })),
        typed,
      ),
    [steps, typed],
  );

  const after = (act: () => void) => () => {
    onDone();
    act();
  };
  const runById = (id: CommandId) => after(() => runCommand(id));
  return (
    <Command loop filter={rankOf}>
      <Command.Input
        placeholder="A command, a run, a step, a copied link, or words to search for…"
        autoFocus
        value={typed}
        onValueChange={setTyped}
      />
      <Command.List>
        <Command.Empty>No command, run or step of that name.</Command.Empty>
        {link !== undefined && (
          <Command.Group heading="Link" forceMount>
            <Command.Item forceMount value={`open link ${typed}`} onSelect={after(() => navigateTo(link))}>
              Open <code>{link}</code>
            </Command.Item>
          </Command.Group>
        )}
        <Command.Group heading="Commands">
          {commands
            .filter((command) => !command.isMotion && command.id !== 'palette.show' && canRun(command.id))
            .map((command) => (
              <Command.Item
                key={command.id}
                value={`${command.label} ${command.id}`}
                onSelect={runById(command.id)}
              >
                {command.label}
                <span className="end">
                  {command.keys.map((keys) => (
                    <Keys key={keys} keys={keys} />
                  ))}
                </span>
              </Command.Item>
            ))}
        </Command.Group>
        {runs.length > 0 && (
          <Command.Group heading={headingOf('Runs', foundRuns.length, runs.length)}>
            {foundRuns.map(({ item, value, name }) => (
              <Command.Item
                key={item.runKey}
                value={value}
                onSelect={after(() => goTo({ view: 'run', runKey: item.runKey }))}
              >
                {name}
                <span className="end">{counted(item.rollouts, 'rollout')}</span>
              </Command.Item>
            ))}
          </Command.Group>
        )}
        {libraries.length > 0 && (
          <Command.Group heading="Libraries">
            {libraries.map(({ id, name, path, isOpen }) => (
              <Command.Item
                key={id}
                value={`library ${name} ${id}`}
                onSelect={after(() => navigateTo(hrefInLibrary(id, '/')))}
              >
                {name}
                <span className="end" title={path}>
                  {isOpen ? 'open' : 'closed'}
                </span>
              </Command.Item>
            ))}
          </Command.Group>
        )}
        {run?.hasSteps && steps.length > 0 && (
          <Command.Group heading={headingOf(`Steps of ${run.name}`, foundSteps.length, steps.length)}>
            {foundSteps.map(({ item, value }) => (
              <Command.Item
                key={item.step}
                value={value}
                onSelect={after(() => goTo({ view: 'step', runKey: run.runKey, step: item.step }))}
              >
                step {item.step}
                <span className="end">{counted(item.rollouts, 'rollout')}</span>
              </Command.Item>
            ))}
          </Command.Group>
        )}
        {words !== undefined && (
          // Last, because groups keep their order and the first entry is chosen: what has that name comes before.
          <Command.Group heading="Texts" forceMount>
            <Command.Item
              forceMount
              value={`search texts ${typed}`}
              onSelect={after(() => goTo({ view: 'search' }, `?${new URLSearchParams({ q: words })}`))}
            >
              Search all texts for <code>{words}</code>
            </Command.Item>
          </Command.Group>
        )}
      </Command.List>
    </Command>
  );
}

function headingOf(heading: string, found: number, all: number): string {
  return found === MOST_ENTRIES && found < all
    ? `${heading}: ${found} of ${count(all)}; type to find others`
    : heading;
}

const NO_RUNS: readonly RunSummary[] = [];
const NO_STEPS: readonly StepSummary[] = [];

/** A run may have 40,000 steps, and a library as many runs. */
const MOST_ENTRIES = 200;

/** The entries that the typed text names best, in their order. */
export function bestOf<Entry extends { readonly value: string }>(
  entries: readonly Entry[],
  typed: string,
): readonly Entry[] {
  if (entries.length <= MOST_ENTRIES) return entries;
  const ranked = entries.flatMap((entry) => {
    const rank = rankOf(entry.value, typed);
    return rank === 0 ? [] : [{ entry, rank }];
  });
  return ranked
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MOST_ENTRIES)
    .map(({ entry }) => entry);
}

/**
 * Ranks an entry by the typed text. The entry must contain every typed word.
 *
 * @returns 0…1, as cmdk expects; 0 hides the entry
 */
export function rankOf(value: string, typed: string): number {
  const entry = value.toLowerCase();
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => entry.includes(word))) return 0;
  const name = entry.replace(/^(?:run|library) /, '');
  if (name.startsWith(words.join(' '))) return 1;
  const isAtWords = words.every((word) =>
    [...entry.matchAll(/[\p{L}\p{N}]+/gu)].some(({ index }) => entry.startsWith(word, index)),
  );
  return isAtWords ? 0.8 : 0.4;
}

/** The typed text as a search query: unchanged if it parses as one, else as words. */
function searchFor(typed: string): string | undefined {
  const text = typed.trim();
  if (wordsOf(text).length === 0) return undefined;
  return readFilter(text).ok ? text : quoted(text);
}
