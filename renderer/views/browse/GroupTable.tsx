/** Prompt groups of a step. */
import { useState } from 'react';
import type { GroupRow, GroupSort } from '../../../shared/api/contract.ts';
import { useTableCommands } from '../../app/useTableCommands.ts';
import { type Place, pathOfPlace } from '../../data/place.ts';
import { useFilteredGroups } from '../../data/useFilteredIds.ts';
import { goTo, useUrlQuery } from '../../data/usePlace.ts';
import { useRequest } from '../../data/useRequest.ts';
import { type IndexRange, useGroupWindow } from '../../data/useRowWindow.ts';
import { listPosition, rememberListPosition } from '../../state/listMemory.ts';
import { count, decimal, ratio, reward } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { ShareCell } from './cells.tsx';
import { FilterNote, noMatch } from './FilterNote.tsx';
import { useUrlSort } from './useUrlSort.ts';

interface GroupColumn extends Column<GroupRow> {
  readonly id: GroupSort | 'prompt' | 'truth';
}

const COLUMNS: readonly GroupColumn[] = [
  {
    id: 'problemId',
    label: 'problem',
    minWidth: 100,
    grow: 0.8,
    sorts: 'ascending',
    cell: (row) => (
      <span className="mono" title={row.problemId}>
        {row.problemId}
      </span>
    ),
  },
  {
    id: 'prompt',
    label: 'prompt',
    hint: 'The last user message, its beginning',
    minWidth: 180,
    grow: 5,
    cell: (row) => <span title={row.promptPreview}>{row.promptPreview}</span>,
  },
  {
    id: 'truth',
    label: 'ground truth',
    minWidth: 80,
    grow: 0.8,
    cell: (row) => (
      <span className="mono" title={row.groundTruth}>
        {row.groundTruth}
      </span>
    ),
  },
  {
    id: 'rollouts',
    label: 'rollouts',
    align: 'end',
    minWidth: 54,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) => count(row.rollouts),
  },
  {
    id: 'correct',
    label: 'right',
    hint: 'Right rollouts of those whose correctness is known',
    align: 'end',
    minWidth: 88,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) =>
      row.correctKnown === 0 ? null : (
        <>
          {row.correct}
          <span className="dim">/{row.correctKnown}</span>
          <span className="bar-cell">
            <i
              style={{
                width: `${(ratio(row.correct, row.correctKnown) ?? 0) * 100}%`,
                background: 'var(--right)',
              }}
            />
          </span>
        </>
      ),
  },
  {
    id: 'meanReward',
    label: 'reward',
    hint: 'Mean reward',
    align: 'end',
    minWidth: 50,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) =>
      row.meanReward !== undefined && Number.isInteger(row.meanReward)
        ? reward(row.meanReward)
        : decimal(row.meanReward),
  },
  {
    id: 'kept',
    label: 'kept',
    hint: 'Kept by the down-sampling, of the rollouts with a logged decision',
    align: 'end',
    minWidth: 48,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) =>
      row.decided === 0 ? null : (
        <>
          {row.kept}
          <span className="dim">/{row.decided}</span>
        </>
      ),
  },
  {
    id: 'toolCalls',
    label: 'calls',
    align: 'end',
    minWidth: 44,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) => count(row.toolCalls),
  },
  {
    id: 'toolErrors',
    label: 'failed calls',
    hint: 'Share of the tool calls that failed; sorted by their number',
    unit: '%',
    align: 'end',
    minWidth: 96,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) => <ShareCell share={ratio(row.toolErrors, row.toolCalls)} color="var(--wrong)" />,
  },
  {
    id: 'meanTurns',
    label: 'turns',
    hint: 'Mean turns',
    align: 'end',
    minWidth: 42,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) => decimal(row.meanTurns, 1),
  },
  {
    id: 'meanResponseChars',
    label: 'length',
    unit: 'chars',
    hint: 'Mean response length',
    align: 'end',
    minWidth: 82,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) => count(row.meanResponseChars),
  },
];

const BY_ORDER = { column: 'order', direction: 'ascending' } as const;
const FIRST_WINDOW: IndexRange = { first: 0, end: 60 };
const SORTS = ['order', ...COLUMNS.filter((column) => column.sorts !== undefined).map((column) => column.id)];

interface GroupTableProps {
  readonly runKey: string;
  readonly runId: number;
  readonly step: number;
}

export function GroupTable({ runKey, runId, step }: GroupTableProps) {
  const [sort, setSort] = useUrlSort(SORTS, BY_ORDER);
  const sortColumn = COLUMNS.find((one) => one.id === sort.column)?.id;
  const column =
    sortColumn === undefined || sortColumn === 'prompt' || sortColumn === 'truth' ? 'order' : sortColumn;
  const order = useRequest(
    'group.order',
    { runId, step, sort: column, direction: sort.direction },
    { keepPrevious: true },
  );
  const [range, setRange] = useState<IndexRange>(FIRST_WINDOW);
  const [query] = useUrlQuery();
  const text = query.get('filter') ?? '';
  const filtered = useFilteredGroups(order.data?.ids, text);
  const { ids } = filtered;
  const total = order.data?.ids.length ?? 0;
  const rows = useGroupWindow(ids, range);
  const table = useTableCommands();

  if (order.error !== null) {
    return (
      <FailedState
        title="The groups of this step could not be listed"
        error={order.error}
        onRetry={() => void order.refetch()}
      />
    );
  }
  if (ids === undefined) return <WaitingState title="Sorting groups…" />;
  if (ids.length === 0) {
    if (!filtered.isComplete) return <WaitingState title="Looking through the groups…" />;
    return (
      <EmptyState
        title={text === '' ? 'This step has no groups' : noMatch('group', filtered.looked, total)}
      />
    );
  }
  const length = Math.max(0, range.end - range.first);
  const loaded = Array.from({ length }, (_, i) => rows.rowAt(range.first + i)).filter(
    (row) => row !== undefined,
  );
  const isKnown = (has: (row: GroupRow) => boolean) => loaded.length === 0 || loaded.some(has);
  const columns = COLUMNS.filter(
    (column) =>
      (column.id !== 'kept' || isKnown((row) => row.decided > 0)) &&
      (column.id !== 'truth' || isKnown((row) => row.groundTruth !== undefined)),
  );
  const placeOf = ({ groupKey }: GroupRow): Place => ({ view: 'group', runKey, step, groupKey });
  const list = `groups ${runKey} ${step} ${sort.column} ${sort.direction} ${text}`;
  return (
    <div className="list-column">
      {text !== '' && (
        <FilterNote
          matches={ids.length}
          looked={filtered.looked}
          total={total}
          isComplete={filtered.isComplete}
        />
      )}
      <div className="list-rest">
        <VirtualTable
          key={list}
          handle={table}
          label={`Groups of step ${step}`}
          columns={columns}
          count={ids.length}
          rowAt={rows.rowAt}
          sort={sort}
          onSort={setSort}
          onOpen={(row) => goTo(placeOf(row))}
          hrefOf={(row) => pathOfPlace(placeOf(row))}
          onWindow={setRange}
          position={listPosition(list)}
          onPosition={(position) => rememberListPosition(list, position)}
        />
      </div>
    </div>
  );
}
