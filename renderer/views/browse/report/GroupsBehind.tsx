import { X } from 'lucide-react';
import { useState } from 'react';
import type { GroupRow, RocReport } from '../../../../shared/api/contract.ts';
import { useTableCommands } from '../../../app/useTableCommands.ts';
import { type Place, pathOfPlace } from '../../../data/place.ts';
import { rocQuery } from '../../../data/rocChoice.ts';
import { useGroupsBehind } from '../../../data/useGroupsBehind.ts';
import { goTo, useUrlQuery } from '../../../data/usePlace.ts';
import { type IndexRange, useGroupWindow } from '../../../data/useRowWindow.ts';
import { listPosition, rememberListPosition } from '../../../state/listMemory.ts';
import { IconButton } from '../../../ui/Controls.tsx';
import { count, counted } from '../../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../../ui/States.tsx';
import { type Column, VirtualTable } from '../../../ui/VirtualTable.tsx';
import { GROUP_COLUMNS } from '../groupColumns.tsx';

interface GroupsBehindProps {
  readonly runKey: string;
  readonly reportId: number;
  readonly numberKey: string;
  readonly title: string;
  /** Of a whole run: then a row says its step. */
  readonly showsStep: boolean;
  readonly recompute: () => Promise<RocReport | undefined>;
}

const FIRST_WINDOW: IndexRange = { first: 0, end: 40 };

const STEP_COLUMN: Column<GroupRow> = {
  id: 'step',
  label: 'step',
  align: 'end',
  minWidth: 40,
  grow: 0,
  cell: (row) => count(row.step),
};

/** The groups a number counts; each opens its ledger, under the same what-if. */
export function GroupsBehind(props: GroupsBehindProps) {
  const { runKey, reportId, numberKey, title, showsStep, recompute } = props;
  const [query, setQuery] = useUrlQuery();
  const groups = useGroupsBehind(reportId, numberKey, recompute);
  const ids = groups.data?.ids;
  const [range, setRange] = useState<IndexRange>(FIRST_WINDOW);
  const rows = useGroupWindow(ids, range);
  const table = useTableCommands();
  const placeOf = ({ step, groupKey }: GroupRow): Place => ({ view: 'group', runKey, step, groupKey });
  const search = rocQuery(query);
  const list = `behind ${runKey} ${numberKey}`;
  const columns = showsStep ? [STEP_COLUMN, ...GROUP_COLUMNS] : GROUP_COLUMNS;
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
        {groups.error !== null ? (
          <FailedState
            title="The groups behind this number could not be listed"
            error={groups.error}
            onRetry={() => void groups.refetch()}
          />
        ) : ids === undefined ? (
          <WaitingState title="Looking for the groups…" />
        ) : ids.length === 0 ? (
          <EmptyState title="No group is behind this number" />
        ) : (
          <VirtualTable
            key={list}
            handle={table}
            label={`Groups: ${title}`}
            columns={columns.map(({ sorts: _, ...column }) => column)}
            count={ids.length}
            rowAt={rows.rowAt}
            onOpen={(row) => goTo(placeOf(row), search)}
            hrefOf={(row) => pathOfPlace(placeOf(row)) + search}
            onWindow={setRange}
            position={listPosition(list)}
            onPosition={(position) => rememberListPosition(list, position)}
          />
        )}
      </div>
    </section>
  );
}
