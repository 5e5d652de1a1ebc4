import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { IssueRow, UnreadFile } from '../../../shared/api/contract.ts';
import { DUPLICATE_FILE } from '../../../shared/domain/model.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { isBelow } from '../../data/follows.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo } from '../../data/useRoute.ts';
import { UNKNOWN_FORMAT } from '../../data/useUnmappedFiles.ts';
import { useUnreadFiles } from '../../data/useUnreadFiles.ts';
import { useIngestActions } from '../../shell/useIngestActions.ts';
import { plainLogText, plainPath } from '../../ui/LogText.tsx';
import { LongText } from '../../ui/LongText.tsx';
import { counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { continueCommand, OnlyByCommand, readBefore } from '../../widgets/UnreadFiles.tsx';

const PAGE = 200;

/** A file that was not read to its end, and that no running job is reading. */
interface UnreadRow {
  readonly path: string;
  readonly unread: UnreadFile;
  /** Set if only the command line can continue it. */
  readonly libraryPath: string | undefined;
}

type Row = IssueRow | UnreadRow;

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'severity',
    label: 'result',
    minWidth: 168,
    grow: 0,
    cell: (row) =>
      'unread' in row ? (
        <span className="is-wrong">✕ not read to the end</span>
      ) : row.severity === 'refused' ? (
        <span className="is-wrong">✕ not in the library</span>
      ) : (
        <span className="muted">
          {row.code === DUPLICATE_FILE ? '△ not read: same content' : '△ read, with a caveat'}
        </span>
      ),
  },
  {
    id: 'path',
    label: 'file',
    minWidth: 200,
    grow: 2,
    cell: (row) => (
      <span className="mono path-tail" title={plainPath(row.path)}>
        <bdi>{plainPath(row.path)}</bdi>
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
    cell: (row) => ('unread' in row ? '' : recordsText(row)),
  },
  {
    id: 'code',
    label: 'code',
    minWidth: 130,
    cell: (row) => ('unread' in row ? '' : <span className="mono">{plainLogText(row.code)}</span>),
  },
  {
    id: 'message',
    label: 'found',
    minWidth: 236,
    grow: 5,
    cell: (row) =>
      'unread' in row ? (
        <Unread row={row} />
      ) : row.code === UNKNOWN_FORMAT ? (
        <span className="issue-offer">
          <span title={plainLogText(row.message)}>{plainLogText(row.message)}</span>
          <span className="is-link">Map its fields…</span>
        </span>
      ) : (
        <span title={plainLogText(row.message)}>{plainLogText(row.message)}</span>
      ),
  },
];

/** The number of one record, or the count and range of records with the same issue. */
function recordsText({ unit: named, line, lastLine, records }: IssueRow): string {
  const unit = plainLogText(named);
  const number = (value: number): string => value.toLocaleString('en');
  if (line === undefined) return '';
  if (lastLine === undefined) return unit === 'line' ? number(line) : `${unit} ${number(line)}`;
  const isEvery = lastLine - line + 1 === records;
  return `${number(records)} ${unit}s, ${number(line)}${isEvery ? '–' : ' … '}${number(lastLine)}`;
}

function Unread({ row: { unread, libraryPath } }: { readonly row: UnreadRow }) {
  const soFar = readBefore([unread]);
  const found = unread.hasGrown === true ? `The file has grown since it was read: ${soFar}` : soFar;
  return libraryPath === undefined ? (
    <span className="issue-offer">
      <span>{found}</span>
      <span className="is-link">Continue reading</span>
    </span>
  ) : (
    <span title={continueCommand(unread, libraryPath)}>
      {found}. <OnlyByCommand files={[unread]} libraryPath={libraryPath} />
    </span>
  );
}

/** @returns undefined while they are requested */
function useUnreadRows(): { readonly rows: readonly UnreadRow[]; readonly isReading: boolean } | undefined {
  const unread = useUnreadFiles();
  const info = useRequest('host.info', {}).data;
  if (unread === undefined || info === undefined) return undefined;
  const rows = unread.files.map((file): UnreadRow => {
    const canContinue = !file.hasAdapter && info.granted.some((root) => isBelow(file.path, root));
    return { path: file.path, unread: file, libraryPath: canContinue ? undefined : info.libraryPath };
  });
  return { rows, isReading: unread.isReading };
}

/** Every record or file that could not be read in full. Nothing is dropped without a row here. */
export default function IssuesView() {
  const client = useClient();
  const table = useTableCommands();
  const [cursor, setCursor] = useState(0);
  const showWhole = useCallback((position: { readonly cursor: number }) => setCursor(position.cursor), []);
  const pages = useInfiniteQuery({
    queryKey: ['issue.list', 'pages'],
    queryFn: ({ pageParam, signal }) =>
      client.request('issue.list', { after: pageParam, limit: PAGE }, { signal }),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
  });
  const unread = useUnreadRows();
  const { start } = useIngestActions();
  const rows: readonly Row[] = [
    ...(unread?.rows ?? []),
    ...(pages.data?.pages.flatMap((page) => page.issues) ?? []),
  ];
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
  const first = pages.data?.pages[0];
  if (first === undefined || unread === undefined) return <WaitingState title="Listing issues…" />;
  const lost = unread.rows.length + first.refused;
  const caveats = first.total - first.refused;
  /** An unread file is continued, and a file of unknown format opens its mapping. Other rows have no action. */
  const open = (row: Row): void => {
    if ('unread' in row) {
      if (row.libraryPath === undefined && !start.isPending) start.mutate([row.path]);
    } else if (row.code === UNKNOWN_FORMAT)
      goTo({ view: 'mapping' }, `?path=${encodeURIComponent(row.path)}`);
  };
  return (
    <div className="page">
      <header className="page-head">
        <h1>Issues</h1>
        <span className="muted">
          <span className={lost > 0 ? 'is-wrong' : undefined}>
            {counted(lost, 'record or file', 'records and files')} not in the library or not read to the end
          </span>
          {caveats > 0 && ` · ${counted(caveats, 'record or file', 'records and files')} with a caveat`}. One
          bad record never stops a file.
        </span>
        {start.error !== null && (
          <span className="is-wrong" role="alert">
            ✕ {start.error.message}
          </span>
        )}
      </header>
      <div className="page-list">
        {lost + caveats === 0 ? (
          <EmptyState
            title={unread.isReading ? 'No issue so far: logs are being read' : 'Everything was read in full'}
          />
        ) : (
          <VirtualTable
            handle={table}
            label="Issues"
            columns={COLUMNS}
            count={rows.length}
            rowAt={(index) => rows[index]}
            onOpen={open}
            onWindow={loadMore}
            onPosition={showWhole}
          />
        )}
      </div>
      <WholeIssue row={rows[Math.min(cursor, rows.length - 1)]} />
    </div>
  );
}

/** The row of the cursor in full, since the table cuts long paths and messages. */
function WholeIssue({ row }: { readonly row: Row | undefined }) {
  if (row === undefined || 'unread' in row) return null;
  const place = recordsText(row);
  return (
    <aside className="whole-issue" aria-label="Issue">
      <p>
        <LongText text={row.message} />
      </p>
      <p className="mono dim">
        <bdi>{plainPath(row.path)}</bdi>
        {place !== '' && `, ${row.unit === 'line' && row.lastLine === undefined ? 'line ' : ''}${place}`}
      </p>
    </aside>
  );
}
