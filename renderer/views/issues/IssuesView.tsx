import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { IssueRow } from '../../../shared/api/contract.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { goTo } from '../../data/useRoute.ts';
import { UNKNOWN_FORMAT } from '../../data/useUnmappedFiles.ts';
import { counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';

const PAGE = 200;

const COLUMNS: readonly Column<IssueRow>[] = [
  {
    id: 'severity',
    label: 'result',
    minWidth: 152,
    grow: 0,
    cell: (row) =>
      row.severity === 'refused' ? (
        <span className="is-wrong">✕ not in the library</span>
      ) : (
        <span className="muted">△ read, with a caveat</span>
      ),
  },
  {
    id: 'path',
    label: 'file',
    minWidth: 200,
    grow: 2,
    cell: (row) => (
      <span className="mono path-tail" title={row.path}>
        <bdi>{row.path}</bdi>
      </span>
    ),
  },
  {
    id: 'line',
    label: 'record',
    hint: 'Its number in the file, from 1: the line of a text file, else the row, element or member',
    align: 'end',
    minWidth: 150,
    grow: 0,
    cell: recordsText,
  },
  { id: 'code', label: 'code', minWidth: 130, cell: (row) => <span className="mono">{row.code}</span> },
  {
    id: 'message',
    label: 'found',
    minWidth: 260,
    grow: 5,
    cell: (row) =>
      row.code === UNKNOWN_FORMAT ? (
        <span className="issue-offer">
          <span title={row.message}>{row.message}</span>
          <span className="is-link">Map its fields…</span>
        </span>
      ) : (
        <span title={row.message}>{row.message}</span>
      ),
  },
];

/** The number of one record, or the count and range of records with the same issue. */
function recordsText({ unit, line, lastLine, records }: IssueRow): string {
  const number = (value: number): string => value.toLocaleString('en');
  if (line === undefined) return '';
  if (lastLine === undefined) return unit === 'line' ? number(line) : `${unit} ${number(line)}`;
  const isEvery = lastLine - line + 1 === records;
  return `${number(records)} ${unit}s, ${number(line)}${isEvery ? '–' : ' … '}${number(lastLine)}`;
}

/** A file of unknown format opens its mapping. Other issues have no action. */
const openIssue = (row: IssueRow): void => {
  if (row.code === UNKNOWN_FORMAT) goTo({ view: 'mapping' }, `?path=${encodeURIComponent(row.path)}`);
};

/** Every line or file that could not be fully read. Nothing is dropped without a row here. */
export default function IssuesView() {
  const client = useClient();
  const table = useTableCommands();
  const pages = useInfiniteQuery({
    queryKey: ['issue.list', 'pages'],
    queryFn: ({ pageParam, signal }) =>
      client.request('issue.list', { after: pageParam, limit: PAGE }, { signal }),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
  });
  const rows = pages.data?.pages.flatMap((page) => page.issues) ?? [];
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const loaded = rows.length;
  const loadMore = useCallback(
    (range: { readonly end: number }) => {
      if (hasNextPage && !isFetchingNextPage && range.end >= loaded - 20) void fetchNextPage();
    },
    [hasNextPage, isFetchingNextPage, fetchNextPage, loaded],
  );

  if (pages.error !== null) {
    return (
      <FailedState
        isPage
        title="The issues could not be listed"
        error={pages.error}
        onRetry={() => void pages.refetch()}
      />
    );
  }
  const total = pages.data?.pages[0]?.total;
  if (total === undefined) return <WaitingState title="Listing issues…" />;
  return (
    <div className="page">
      <header className="page-head">
        <h1>Issues</h1>
        <span className="muted">
          {counted(total, 'record or file', 'records and files')} that could not be read in full. One bad
          record never stops a file.
        </span>
      </header>
      <div className="page-list">
        {total === 0 ? (
          <EmptyState title="Everything was read in full" />
        ) : (
          <VirtualTable
            handle={table}
            label="Issues"
            columns={COLUMNS}
            count={rows.length}
            rowAt={(index) => rows[index]}
            onOpen={openIssue}
            onWindow={loadMore}
          />
        )}
      </div>
    </div>
  );
}
