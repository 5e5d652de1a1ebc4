/** Clusters of incorrect rollouts with similar actions, with what sets each apart and actions for all of its rollouts. */

import { type CSSProperties, useMemo, useState } from 'react';
import type {
  FailureCluster,
  FailureClusters,
  FailureMembers,
  RunSummary,
} from '../../../shared/api/contract.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { FLAG_MEANINGS, FLAGS } from '../../../shared/domain/flags.ts';
import { useAnnotate, useTaxonomy } from '../../data/annotations.ts';
import { comparePath } from '../../data/compareLink.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { notSaved } from '../../data/failures.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { PLAIN_QUEUE, writeQueue } from '../../data/labelsLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useLongQuery } from '../../data/useLongQuery.ts';
import { useRequest } from '../../data/useRequest.ts';
import { navigateTo, useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed, keyWord } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { useLabelling } from '../../state/labelling.ts';
import { Button } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted, percent } from '../../ui/numbers.ts';
import { EmptyState, FailedState } from '../../ui/States.tsx';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { FilterBox } from '../../widgets/filter/FilterBox.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { STEP_LINE_WIDTH, StepLine } from './StepLine.tsx';

export function Failures({ run }: { readonly run: RunSummary }) {
  const { applied } = useFilterLink();
  const range = useStepRange(run);
  const filter = bothFilters(range.filter, applied);
  const state = useLongQuery('problem.failures', { runId: run.runId, filter });
  const { data, error, progress, isStopped, stop, restart } = state;
  return (
    <>
      <div className="filters">
        <FilterBox runId={run.runId} runKey={run.runKey} what="rollouts" within={range.filter} />
        <StepRange range={range} />
      </div>
      {error !== null ? (
        <FailedState
          title="The incorrect rollouts could not be clustered"
          error={error}
          onRetry={() => void restart()}
        />
      ) : isStopped ? (
        <EmptyState title="Stopped">
          <Button onClick={() => void restart()}>Cluster the incorrect rollouts</Button>
        </EmptyState>
      ) : data === undefined || state.isFormer ? (
        <p className="failure-waiting waiting" role="status">
          <progress aria-label="Steps read" value={progress?.share} max={1} /> clustering…{' '}
          <Button onClick={stop}>Cancel</Button>
        </p>
      ) : data.wrong === 0 ? (
        <EmptyState title="No incorrect rollout matches">
          <p>{totals(data)}</p>
        </EmptyState>
      ) : (
        <Clusters key={`${run.runId} ${filter}`} run={run} found={data} />
      )}
    </>
  );
}

interface StepRangeChoice {
  /** All steps of the run, ascending. */
  readonly steps: readonly number[];
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** Empty: all steps. */
  readonly filter: string;
  readonly choose: (end: 'first' | 'last', step: string) => void;
}

/** The steps whose rollouts are clustered. The URL holds them beside the filter. */
function useStepRange(run: RunSummary): StepRangeChoice {
  const [query, setQuery] = useUrlQuery();
  const { data } = useRequest('step.list', run.hasSteps ? { runId: run.runId } : undefined);
  const steps = useMemo(() => data?.map(({ step }) => step) ?? [], [data]);
  const numberIn = (name: string) =>
    /^\d{1,9}$/.test(query.get(name) ?? '') ? Number(query.get(name)) : undefined;
  const [first, last] = [numberIn('first'), numberIn('last')];
  return {
    ...{ steps, first, last },
    filter: first === undefined && last === undefined ? '' : `step:${first ?? ''}..${last ?? ''}`,
    choose: (end, step) => setQuery({ [end]: step === '' ? undefined : step }),
  };
}

function StepRange({ range: { steps, first, last, choose } }: { readonly range: StepRangeChoice }) {
  if (steps.length < 2) return null;
  const end = (
    name: 'first' | 'last',
    label: string,
    chosen: number | undefined,
    all: number | undefined,
  ) => (
    <label className="overview-field">
      {label}
      <select value={chosen ?? ''} onChange={({ target }) => choose(name, target.value)}>
        <option value="">
          {all} ({name})
        </option>
        {steps.map((step) => (
          <option
            key={step}
            value={step}
            disabled={name === 'first' ? step > (last ?? step) : step < (first ?? step)}
          >
            {step}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <span className="step-range">
      {end('first', 'from step', first, steps[0])}
      {end('last', 'to step', last, steps.at(-1))}
    </span>
  );
}

const totals = ({ wrong, known, rollouts }: FailureClusters): string =>
  `${count(wrong)} incorrect of ${counted(known, 'rollout')} whose correctness is known${
    rollouts === known ? '' : `; it is unknown for ${count(rollouts - known)} more`
  }.`;

interface ClustersProps {
  readonly run: RunSummary;
  readonly found: FailureClusters;
}

/** The content of a row: a cluster, or the rollouts outside all clusters. */
interface Entry {
  readonly members: FailureMembers;
  readonly cluster: FailureCluster | undefined;
}

function Clusters({ run, found }: ClustersProps) {
  const [cursor, setCursor] = useState(0);
  const table = useTableCommands();
  const { clusters, unlike, wrong, steps } = found;
  const entries: readonly Entry[] = [
    ...clusters.map((cluster) => ({ members: cluster, cluster })),
    ...(unlike.ids.length === 0 ? [] : [{ members: unlike, cluster: undefined }]),
  ];
  const chosen = entries[Math.min(cursor, entries.length - 1)];
  const open = ({ members, cluster }: Entry) => {
    if (cluster === undefined) void review(members);
    else navigateTo(pathOf(run, cluster.medoid));
  };
  const { compare, review } = useMembers(run);
  const compareChosen =
    chosen?.cluster !== undefined && chosen.members.ids.length > 1
      ? () => chosen.cluster !== undefined && void compare(chosen.cluster)
      : undefined;
  useCommands({ 'failure.compare': compareChosen });
  return (
    <>
      <p className="suspect-why" role="status">
        {totals(found)}{' '}
        <span title="Groups of incorrect rollouts with similar actions: tools with outcome and error type, their order, stop reason, class of the answer, flags, number of turns and calls. No model is used. The typical rollout (the medoid) is the one most like the rest of its cluster.">
          {counted(clusters.length, 'cluster')} of rollouts with similar actions
        </span>
        .
      </p>
      <div className="failures" style={{ '--list-rows': entries.length } as CSSProperties}>
        <div className="page-list">
          <VirtualTable
            handle={table}
            label="Clusters of incorrect rollouts"
            columns={columnsOf(wrong, run.hasSteps ? steps : [])}
            count={entries.length}
            rowAt={(index) => entries[index]}
            onPosition={(position) => setCursor(position.cursor)}
            onOpen={open}
          />
        </div>
        {chosen !== undefined && (
          <section className="failure-detail" aria-label="Chosen cluster">
            <h2>{nameOf(chosen)}</h2>
            <div className="failure-actions">
              {chosen.cluster !== undefined && (
                <Button
                  title={keyed('The rollout most like the rest of its cluster (the medoid)', 'row.open')}
                  onClick={() => open(chosen)}
                >
                  Open the typical rollout
                </Button>
              )}
              {compareChosen !== undefined && (
                <Button
                  title={keyed('The typical rollout beside another one of the cluster', 'failure.compare')}
                  onClick={compareChosen}
                >
                  Compare
                </Button>
              )}
              <Button
                title="One after another, where labels are corrected singly"
                onClick={() => void review(chosen.members)}
              >
                {chosen.members.ids.length > MOST_REVIEWED
                  ? `Review the first ${count(MOST_REVIEWED)}`
                  : 'Review'}
              </Button>
              <LabelAll members={chosen.members} />
            </div>
            {chosen.cluster === undefined ? (
              <p className="dim">
                Far from every typical rollout: these rollouts have little in common with a cluster.
              </p>
            ) : (
              <>
                <p className="dim">
                  Named after its typical rollout. At least half of the cluster shares each part of the name;
                  the table counts how many.
                </p>
                <Features cluster={chosen.cluster} wrong={wrong} />
              </>
            )}
          </section>
        )}
      </div>
    </>
  );
}

const nameOf = ({ cluster }: Entry): string =>
  cluster === undefined ? 'Unlike the others' : plainLogText(cluster.name);

const pathOf = ({ runKey }: RunSummary, place: Omit<FailureCluster['medoid'], 'rolloutId'>): string =>
  pathOfRoute({
    view: 'rollout',
    runKey,
    step: place.step,
    groupKey: place.groupKey,
    ordinal: place.ordinal,
  });

/** A queue of more would not fit into a link. */
const MOST_REVIEWED = 300;

function useMembers(run: RunSummary) {
  const client = useClient();
  const { setNotice } = useInterface.getState();
  const rowOf = async (rolloutId: number) => {
    try {
      const [row] = await client.request('rollout.rows', { rolloutIds: [rolloutId] });
      return row;
    } catch (error) {
      setNotice(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
  return {
    compare: async ({ medoid, ids }: FailureCluster) => {
      const other = ids.find((id) => id !== medoid.rolloutId);
      const row = other === undefined ? undefined : await rowOf(other);
      if (row !== undefined) navigateTo(comparePath([pathOf(run, medoid), pathOf(run, row)]));
    },
    review: async ({ ids }: FailureMembers) => {
      const rolloutIds = [...ids.subarray(0, MOST_REVIEWED)];
      const row = rolloutIds[0] === undefined ? undefined : await rowOf(rolloutIds[0]);
      if (row === undefined) return;
      const queue = writeQueue({ ...PLAIN_QUEUE, runKey: run.runKey, rolloutIds, includesRead: true });
      navigateTo(`${pathOf(run, row)}?${new URLSearchParams({ queue })}`);
    },
  };
}

/** The contract's limit of one change, which is one step of undo. */
const MOST_LABELLED = 10_000;

/** Gives one label to all rollouts of a cluster, as one step of undo. */
function LabelAll({ members: { ids } }: { readonly members: FailureMembers }) {
  const labels = useTaxonomy()?.labels ?? [];
  const annotate = useAnnotate();
  const reader = useLabelling((state) => state.reader);
  const { setNotice } = useInterface.getState();
  const give = async (label: string, name: string) => {
    const target = { kind: 'rollout' as const };
    try {
      await annotate.apply(
        reader,
        [...ids].map((rolloutId) => ({ put: { rolloutId, target, label } })),
      );
      setNotice(`${counted(ids.length, 'rollout')} labelled ${name}. ${keyWord('label.undo')} undoes it`);
    } catch (error) {
      setNotice(notSaved(error));
    }
  };
  const undo = async () => {
    try {
      const { words } = await annotate.undo(reader);
      setNotice(words === undefined ? 'Nothing to undo' : `Undone: ${words}`);
    } catch (error) {
      setNotice(error instanceof Error ? error.message : String(error));
    }
  };
  useCommands({ 'label.undo': () => void undo() });
  if (ids.length > MOST_LABELLED)
    return (
      <span className="dim">
        At most {counted(MOST_LABELLED, 'rollout')} are labelled at once, and these are {count(ids.length)}:
        choose fewer steps, or filter.
      </span>
    );
  return (
    <select
      aria-label="Label these"
      title={`All ${counted(ids.length, 'rollout')}`}
      value=""
      onChange={({ target }) => {
        const label = labels.find(({ id }) => id === target.value);
        if (label !== undefined) void give(label.id, label.name);
      }}
    >
      <option value="">Label these {count(ids.length)}…</option>
      {labels.map(({ id, name }) => (
        <option key={id} value={id}>
          {plainLogText(name)}
        </option>
      ))}
    </select>
  );
}

/** The meaning of a feature's flag, and its name in a filter. */
function flagHint(feature: string): string | undefined {
  const flag = FLAGS.find((one) => feature === `flag: ${one}`);
  return flag === undefined ? undefined : `${FLAG_MEANINGS[flag]} (flag:${flag})`;
}

function Features({ cluster, wrong }: { readonly cluster: FailureCluster; readonly wrong: number }) {
  const { features, ids } = cluster;
  const others = wrong - ids.length;
  return (
    <div className="suspect-table">
      <table aria-label="What sets the cluster apart">
        <thead>
          <tr>
            <th>feature</th>
            <th className="is-figure">in the cluster</th>
            <th className="is-figure">other incorrect</th>
            <th
              className="is-figure"
              title="Odds of the feature in the cluster over those in the other incorrect rollouts, each cell plus 0.5, with a 95 % interval. It describes the cluster and is no test, since the cluster was made of these features."
            >
              odds ratio (95 %)
            </th>
          </tr>
        </thead>
        <tbody>
          {features.map(({ feature, inside, outside, odds }) => (
            <tr key={feature}>
              <td title={feature.startsWith('flag: ') ? flagHint(feature) : undefined}>
                {plainLogText(feature.startsWith('flag: ') ? feature.replaceAll('_', ' ') : feature)}
              </td>
              <td className="is-figure">
                {count(inside)} ({percent(inside / ids.length)} %)
              </td>
              <td className="is-figure">
                {count(outside)} {others > 0 && `(${percent(outside / others)} %)`}
              </td>
              <td className="is-figure">
                {odds === undefined
                  ? '–'
                  : `${figure(odds.ratio)} (${figure(odds.low)}–${figure(odds.high)})`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const figure = (value: number): string =>
  value >= 100 ? count(Math.round(value)) : value.toLocaleString('en', { maximumSignificantDigits: 3 });

function columnsOf(wrong: number, steps: readonly number[]): readonly Column<Entry>[] {
  return [
    {
      ...{ id: 'rollouts', label: 'rollouts', align: 'end', minWidth: 80, grow: 0 },
      cell: ({ members }) => count(members.ids.length),
    },
    {
      ...{ id: 'share', label: 'share', align: 'end', minWidth: 70, grow: 0 },
      cell: ({ members }) => `${percent(members.ids.length / wrong)} %`,
    },
    {
      ...{ id: 'name', label: 'what most of them did', minWidth: 200, grow: 4 },
      cell: (entry) => <span title={nameOf(entry)}>{nameOf(entry)}</span>,
    },
    ...(steps.length < 2
      ? []
      : [
          {
            ...{ id: 'steps', label: 'by step', minWidth: STEP_LINE_WIDTH, grow: 0 },
            cell: ({ members }: Entry) => <StepLine values={members.byStep} steps={steps} />,
          },
        ]),
  ];
}
