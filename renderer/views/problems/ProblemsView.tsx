import { useMemo, useState } from 'react';
import { useClient } from '../../data/DataProvider.tsx';
import { useFilterLink } from '../../data/filterLink.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { ChartMenu, chartFileName } from '../../widgets/charts/ChartMenu.tsx';
import { DerivedChips } from '../../widgets/DerivedChips.tsx';
import { FilterBox } from '../../widgets/filter/FilterBox.tsx';
import { FilterChips } from '../../widgets/filter/FilterChips.tsx';
import { Changes } from './Changes.tsx';
import { Detectors } from './Detectors.tsx';
import { Failures } from './Failures.tsx';
import { HeatMap, MapReadout, readingOf } from './HeatMap.tsx';
import { MapTable } from './MapTable.tsx';
import {
  cellAt,
  type MapPoint,
  type MapRow,
  mapRows,
  PROBLEM_SORTS,
  type ProblemSort,
  REGRESSED_MEANS,
  SORT_LABELS,
  SORTS_OVER_STEPS,
  sortedMap,
} from './mapModel.ts';
import { mapCsv, mapPng } from './paintMap.ts';
import { Suspicious } from './Suspicious.tsx';
import './problems.css';

const TABS = [
  { id: 'map' as const, label: 'Map', title: 'Pass rate by step' },
  { id: 'changes' as const, label: 'Changes', title: 'Problems that became correct or incorrect' },
  { id: 'failures' as const, label: 'Failures', title: 'Incorrect rollouts with similar actions' },
  { id: 'detectors' as const, label: 'Detectors', title: 'Reward hacking and degeneration, by rule' },
  { id: 'suspicious' as const, label: 'Suspicious', title: 'Ground truths and rewards worth a look' },
];

/** The problems of a run: which were solved when, and which are suspicious. */
export default function ProblemsView({ runKey }: { readonly runKey: string }) {
  const run = useRequest('run.get', { runKey });
  const [query, setQuery] = useUrlQuery();
  const tab = TABS.find(({ id }) => id === query.get('tab'))?.id ?? 'map';
  if (run.error !== null)
    return (
      <FailedState
        isPage
        title="This run could not be opened"
        error={run.error}
        onRetry={() => void run.refetch()}
      />
    );
  if (run.data === undefined) return <WaitingState title="Opening the run…" />;
  return (
    <div className="page">
      <header className="page-head is-one-line">
        <h1>Problems</h1>
        <Segmented
          label="View"
          chosen={tab}
          onChoose={(next) =>
            setQuery({
              tab: next === 'map' ? undefined : next,
              ...{ view: undefined, sort: undefined, step: undefined },
            })
          }
          choices={TABS}
        />
        <DerivedChips run={run.data} />
        <div className="end">
          <span className="page-facts">
            {plainLogText(run.data.name)} ·{' '}
            {run.data.hasSteps ? counted(run.data.steps, 'step') : 'no training steps in this log'} ·{' '}
            {counted(run.data.groups, 'group')}
          </span>
        </div>
      </header>
      {tab === 'suspicious' ? (
        <Suspicious runKey={runKey} runId={run.data.runId} />
      ) : tab === 'failures' ? (
        <Failures run={run.data} />
      ) : tab === 'detectors' ? (
        <Detectors run={run.data} />
      ) : tab === 'changes' ? (
        <Changes run={run.data} />
      ) : (
        <MapOfRun
          runKey={runKey}
          runId={run.data.runId}
          runName={run.data.name}
          hasSteps={run.data.hasSteps}
        />
      )}
    </div>
  );
}

interface MapOfRunProps {
  readonly runKey: string;
  readonly runId: number;
  readonly runName: string;
  readonly hasSteps: boolean;
}

function MapOfRun({ runKey, runId, runName, hasSteps }: MapOfRunProps) {
  const [query, setQuery] = useUrlQuery();
  const filter = useFilterLink();
  const client = useClient();
  const sorts = hasSteps ? PROBLEM_SORTS : PROBLEM_SORTS.filter((each) => !SORTS_OVER_STEPS.has(each));
  const sort: ProblemSort = sorts.find((known) => known === query.get('sort')) ?? 'order';
  const map = useRequest('problem.map', { runId, filter: filter.applied }, { keepPrevious: true });
  const all = useMemo(() => (map.data === undefined ? [] : mapRows(map.data)), [map.data]);
  const rows = useMemo(() => sortedMap(all, sort), [all, sort]);
  const [cursor, setCursor] = useState<MapPoint>();
  const [isTable, setTable] = useState(false);
  const steps = map.data?.steps ?? [];
  const labels = useMemo(
    () => (map.data?.steps ?? []).map((step) => (hasSteps ? String(step) : '')),
    [map.data, hasSteps],
  );
  const row = cursor === undefined ? undefined : rows[cursor.row];
  const cell = cellAt(rows, cursor);
  const at = { at: cursor?.step, step: cursor === undefined || !hasSteps ? undefined : steps[cursor.step] };

  const open = async (point: MapPoint | undefined, view: 'group' | 'problem') => {
    const found = cellAt(rows, point) ?? (point === undefined ? undefined : rows[point.row]?.cells.at(-1));
    if (found === undefined) return;
    const [group] = await client.request('group.rows', { groupIds: [found.groupId] });
    if (group === undefined) return;
    goTo({ view, runKey, step: group.step, groupKey: group.groupKey });
  };
  useCommands({ 'problem.open': () => void open(cursor, 'problem') });

  return (
    <>
      <div className="filters">
        <FilterBox runId={runId} runKey={runKey} what="rollouts" />
        <Segmented
          label="Order"
          chosen={sort}
          onChoose={(next) => {
            setCursor(undefined);
            setQuery({ sort: next === 'order' ? undefined : next });
          }}
          choices={sorts.map((id) => ({ id, ...SORT_LABELS[id] }))}
        />
      </div>
      {map.error !== null ? (
        <FailedState
          title="The problems could not be loaded"
          error={map.error}
          onRetry={() => void map.refetch()}
        />
      ) : map.data === undefined ? (
        <WaitingState title="Loading problems…" />
      ) : (
        <>
          <div className="filter-note problem-note">
            <p role="status">
              {map.isPlaceholderData
                ? 'Filtering…'
                : rows.length === all.length
                  ? counted(all.length, 'problem')
                  : `${rows.length.toLocaleString('en')} of ${counted(all.length, 'problem')}`}
            </p>
            <FilterChips />
            {!isTable && <Legend hasUnmatched={rows.some(({ unmatched }) => unmatched.length > 0)} />}
            {rows.length > 0 && (
              <MapMenu
                {...{ runName, filter: filter.applied, rows, steps, hasSteps, sort }}
                {...{ isTable, onTable: setTable }}
              />
            )}
          </div>
          {sort === 'regressed' && <p className="regressed-means dim">{REGRESSED_MEANS}</p>}
          {rows.length === 0 ? (
            <EmptyState title={NOTHING[sort]} />
          ) : isTable ? (
            <div className="page-list">
              <MapTable
                rows={rows}
                steps={labels}
                sort={sort}
                onOpen={(point) => void open(point, 'group')}
              />
            </div>
          ) : (
            <div className="problem-map">
              <HeatMap
                rows={rows}
                steps={labels}
                sort={sort}
                cursor={cursor}
                onCursor={setCursor}
                onOpen={(point) => void open(point, 'group')}
                onHistory={(point) => void open(point, 'problem')}
                reading={readingOf(row, cell, at)}
              />
              <MapReadout
                row={row}
                cell={cell}
                at={at}
                steps={labels}
                onOpen={() => void open(cursor, 'group')}
                onOpenCell={({ step }) => cursor !== undefined && void open({ ...cursor, step }, 'group')}
                onHistory={() => void open(cursor, 'problem')}
              />
            </div>
          )}
        </>
      )}
    </>
  );
}

const NOTHING: Readonly<Record<ProblemSort, string>> = {
  order: 'No problem has a rollout that matches',
  rate: 'No problem has a rollout that matches',
  regressed: 'No problem regressed',
  change: 'No problem changed between two steps',
  never: 'Every problem was solved at least once',
  always: 'No problem was always solved',
  answers: 'No answers in this log',
};

function Legend({ hasUnmatched }: { readonly hasUnmatched: boolean }) {
  return (
    <p className="map-legend">
      <span className="map-swatch is-none" /> all incorrect
      <span className="map-swatch is-half" /> half correct
      <span className="map-swatch is-all" /> all correct
      <span className="map-swatch is-unknown" /> unknown
      {hasUnmatched && <span className="map-blank">–: no rollout matches</span>}
      <span className="map-blank">blank: not tried</span>
    </p>
  );
}

interface MapMenuProps {
  readonly runName: string;
  readonly filter: string;
  /** In the page's order. */
  readonly rows: readonly MapRow[];
  readonly steps: readonly number[];
  readonly hasSteps: boolean;
  readonly sort: ProblemSort;
  readonly isTable: boolean;
  readonly onTable: (isTable: boolean) => void;
}

/** The host's maximum per request. */
const CHUNK = 500;

/** The map as a table, PNG and CSV. */
function MapMenu({ runName, filter, rows, steps, hasSteps, sort, ...table }: MapMenuProps) {
  const client = useClient();
  const of = [
    runName,
    ...(filter === '' ? [] : [`rollouts that match ${filter}`]),
    `order: ${SORT_LABELS[sort].label}`,
  ].join(' · ');
  const csv = async (): Promise<string> => {
    const ids = rows.flatMap(({ cells }) => cells.map(({ groupId }) => groupId));
    const keys = new Map<number, string>();
    for (let from = 0; from < ids.length; from += CHUNK) {
      const groups = await client.request('group.rows', { groupIds: ids.slice(from, from + CHUNK) });
      for (const { groupId, groupKey } of groups) keys.set(groupId, groupKey);
    }
    return mapCsv(of, rows, hasSteps ? steps : undefined, (groupId) => keys.get(groupId));
  };
  return (
    <ChartMenu
      {...table}
      title="Problems"
      fileName={chartFileName(runName, 'problems')}
      png={() => mapPng(of, rows, hasSteps ? steps.map(String) : [''], sort)}
      csv={csv}
      provenance="from rollouts"
    />
  );
}
