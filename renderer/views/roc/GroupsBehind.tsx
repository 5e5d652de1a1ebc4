import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { GroupRow, ResultOf, RocReport } from '../../../shared/api/contract.ts';
import type { Client } from '../../../shared/api/transport.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { ApiError } from '../../data/failures.ts';
import { rocQuery } from '../../data/rocChoice.ts';
import { pathOfRoute, type Route } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { type IndexRange, useGroupWindow } from '../../data/useRowWindow.ts';
import { listPosition, rememberListPosition } from '../../state/routeMemory.ts';
import { IconButton } from '../../ui/Controls.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { sortedBy } from '../../ui/sorting.ts';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { GROUP_COLUMNS, GROUP_SORT_IDS } from '../../widgets/rollouts/groupColumns.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { useUrlSort } from '../../widgets/tables/useUrlSort.ts';

interface GroupsBehindProps {
  readonly runKey: string;
  readonly runId: number;
  /** Undefined: the report covers the whole run. */
  readonly step: number | undefined;
  readonly reportId: number;
  readonly numberKey: string;
  readonly title: string;
  /** Whether rows show their step, as in reports of a whole run. */
  readonly showsStep: boolean;
  readonly recompute: () => Promise<RocReport | undefined>;
}

const FIRST_WINDOW: IndexRange = { first: 0, end: 40 };

const BY_ORDER = { column: 'order', direction: 'ascending' } as const;

/** Sorts in log order: by step, then by appearance. */
const STEP_COLUMN: Column<GroupRow> = {
  id: 'order',
  label: 'step',
  align: 'end',
  minWidth: 40,
  grow: 0,
  sorts: 'ascending',
  cell: (row) => count(row.step),
};

const CHANGES = [
  {
    id: 'differences',
    label: 'differ',
    hint: 'Rollouts of the group whose logged and recomputed decisions differ',
  },
  {
    id: 'flips',
    label: 'flips',
    hint: 'Rollouts of the group that the what-if decides differently from the decisions in force',
  },
] as const;

const SORT_IDS: readonly string[] = [...GROUP_SORT_IDS, ...CHANGES.map(({ id }) => id)];

type Change = (typeof CHANGES)[number] & {
  /** Undefined if no rollout of the group has both decisions. */
  readonly of: (groupId: number) => number | undefined;
};

/** The changed decisions that the report counts by group. */
export function changesOf(groups: ResultOf<'roc.groups'> | undefined): readonly Change[] {
  return CHANGES.flatMap((change): Change[] => {
    const counts = groups?.[change.id];
    if (groups === undefined || counts === undefined) return [];
    const byId = new Map(Array.from(groups.ids, (id, i) => [id, counts[i]] as const));
    return [
      {
        ...change,
        of: (groupId) => {
          const rollouts = byId.get(groupId);
          return rollouts === -1 ? undefined : rollouts;
        },
      },
    ];
  });
}

function changeColumn({ id, label, hint, of }: Change): Column<GroupRow> {
  return {
    ...{ id, label, hint, align: 'end', minWidth: 48, grow: 0.3, sorts: 'descending' },
    value: ({ groupId }) => of(groupId),
    cell: ({ groupId }) => count(of(groupId)),
  };
}

/** The groups behind a number. Each opens its ledger under the same what-if. */
export function GroupsBehind(props: GroupsBehindProps) {
  const { runKey, runId, step, reportId, numberKey, title, showsStep, recompute } = props;
  const [query, setQuery] = useUrlQuery();
  const groups = useGroupsBehind(reportId, numberKey, recompute);
  const [sort, setSort] = useUrlSort(SORT_IDS, BY_ORDER);
  const ofHost = GROUP_SORT_IDS.find((one) => one === sort.column);
  const order = useRequest(
    'group.order',
    {
      ...{ runId, ...(step === undefined ? {} : { step }) },
      ...(ofHost === undefined
        ? { sort: 'order', direction: 'ascending' }
        : { sort: ofHost, direction: sort.direction }),
    },
    { keepPrevious: true },
  );
  const changes = useMemo(() => changesOf(groups.data), [groups.data]);
  const found = groups.data?.ids;
  const sorted = order.data?.ids;
  const ids = useMemo(() => {
    if (found === undefined || sorted === undefined) return undefined;
    const inOrder = inOrderOf(found, sorted);
    const change = changes.find(({ id }) => id === sort.column);
    return change === undefined
      ? inOrder
      : Uint32Array.from(sortedBy([...inOrder], (id) => change.of(id), sort.direction));
  }, [found, sorted, changes, sort.column, sort.direction]);
  const error = groups.error ?? order.error;
  const [range, setRange] = useState<IndexRange>(FIRST_WINDOW);
  const rows = useGroupWindow(ids, range);
  const table = useTableCommands();
  const routeOf = (row: GroupRow): Route => ({
    view: 'group',
    runKey,
    step: row.step,
    groupKey: row.groupKey,
  });
  const search = rocQuery(query);
  const list = `behind ${runKey} ${numberKey} ${sort.column} ${sort.direction}`;
  const columns = [
    ...(showsStep ? [STEP_COLUMN] : []),
    ...GROUP_COLUMNS.flatMap((column) =>
      column.id === 'kept' ? [column, ...changes.map(changeColumn)] : [column],
    ),
  ];
  return (
    <section className="behind" aria-label="Groups behind the number">
      <header>
        <h2>{ids === undefined ? '' : counted(ids.length, 'group')}</h2>
        <span className="muted">{title}</span>
        <IconButton label="Close the list" onClick={() => setQuery({ of: undefined })}>
          <X size={14} />
        </IconButton>
      </header>
      <div className="behind-list">
        {error !== null ? (
          <FailedState
            title="The groups behind this number could not be listed"
            error={error}
            onRetry={() => void (groups.error === null ? order : groups).refetch()}
          />
        ) : ids === undefined ? (
          <WaitingState title="Looking for the groups…" />
        ) : ids.length === 0 ? (
          <EmptyState title="This number counts no group" />
        ) : (
          <VirtualTable
            key={list}
            handle={table}
            label={`Groups: ${title}`}
            columns={columns}
            count={ids.length}
            rowAt={rows.rowAt}
            sort={sort}
            onSort={setSort}
            onOpen={(row) => goTo(routeOf(row), search)}
            hrefOf={(row) => pathOfRoute(routeOf(row)) + search}
            onWindow={setRange}
            position={listPosition(list)}
            onPosition={(position) => rememberListPosition(list, position)}
          />
        )}
      </div>
    </section>
  );
}

type Recompute = () => Promise<RocReport | undefined>;

export async function groupsBehind(
  client: Client,
  reportId: number,
  key: string,
  recompute: Recompute,
  signal?: AbortSignal,
): Promise<ResultOf<'roc.groups'>> {
  const options = signal === undefined ? {} : { signal };
  try {
    return await client.request('roc.groups', { reportId, key }, options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
    const report = await recompute();
    if (report === undefined) throw error;
    return client.request('roc.groups', { reportId: report.reportId, key }, options);
  }
}

/** The groups behind a number of a report. If the host has evicted the report, it is computed again, once. */
function useGroupsBehind(reportId: number, key: string, recompute: Recompute) {
  const client = useClient();
  return useQuery({
    queryKey: ['roc.groups', { reportId, key }] as const,
    queryFn: ({ signal }) => groupsBehind(client, reportId, key, recompute, signal),
  });
}

/** Sorts ids by another list: the host sorts all groups of a run, and the report selects some of them. */
export function inOrderOf(ids: Uint32Array, order: Uint32Array): Uint32Array {
  const wanted = new Set(ids);
  return order.filter((id) => wanted.has(id));
}
