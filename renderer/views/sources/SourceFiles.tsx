import type { RunSources, SourceFileRow } from '../../../shared/api/contract.ts';
import { followOf, useFollows } from '../../data/follows.ts';
import { Link } from '../../ui/Link.tsx';
import { plainLogText, plainPath } from '../../ui/LogText.tsx';
import { bytes, count, counted } from '../../ui/numbers.ts';
import { EmptyState } from '../../ui/States.tsx';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { directoriesOf } from './sourcesModel.ts';

const COLUMNS: readonly Column<SourceFileRow>[] = [
  {
    id: 'path',
    label: 'file',
    minWidth: 180,
    grow: 4,
    cell: (row) => (
      <span className="mono path-tail" title={plainPath(row.path)}>
        <bdi>{plainPath(row.path)}</bdi>
      </span>
    ),
  },
  {
    id: 'format',
    label: 'format',
    minWidth: 90,
    grow: 1,
    cell: (row) =>
      row.notRead === undefined ? (
        <span title={plainLogText(row.format ?? '')}>{plainLogText(row.format ?? '')}</span>
      ) : (
        <span title={plainLogText(row.notRead)}>△ not read</span>
      ),
  },
  {
    id: 'container',
    label: 'holds',
    hint: 'How the file is packed, and what one record of it is',
    minWidth: 84,
    grow: 0.6,
    cell: (row) => {
      if (row.notRead !== undefined) return '';
      // The unit of an adapted file is a line of the adapter's output.
      if (row.container === 'adapter') return <span title="Read with an adapter">adapter</span>;
      return plainLogText(row.container === 'plain' ? `${row.unit}s` : `${row.container}, ${row.unit}s`);
    },
  },
  { id: 'bytes', label: 'size', align: 'end', minWidth: 60, grow: 0.3, cell: (row) => bytes(row.bytes) },
  {
    id: 'rollouts',
    label: 'rollouts',
    hint: 'Rollouts of this run read from it',
    align: 'end',
    minWidth: 56,
    grow: 0.3,
    cell: (row) => (row.notRead === undefined ? count(row.rollouts) : ''),
  },
  {
    id: 'joined',
    label: 'joined',
    hint: 'Records with more data about a rollout of another file',
    align: 'end',
    minWidth: 48,
    grow: 0.3,
    cell: (row) => (row.joined === 0 ? '' : count(row.joined)),
  },
  {
    id: 'waiting',
    label: 'waiting',
    hint: 'Records about rollouts that were not read',
    align: 'end',
    minWidth: 50,
    grow: 0.3,
    cell: (row) => (row.waiting === 0 ? '' : <span className="is-wrong">{count(row.waiting)}</span>),
  },
  {
    id: 'masked',
    label: 'masked',
    hint: 'Values that looked like credentials and were left out',
    align: 'end',
    minWidth: 52,
    grow: 0.3,
    cell: (row) => (row.masked === 0 ? '' : count(row.masked)),
  },
];

const OPTIONAL = ['joined', 'waiting', 'masked'] as const;

export function SourceFiles({ sources }: { readonly sources: RunSources }) {
  const { files, moreFiles } = sources;
  const table = useTableCommands();
  const columns = COLUMNS.filter(({ id }) => {
    const optional = OPTIONAL.find((one) => one === id);
    return optional === undefined || files.some((file) => file[optional] > 0);
  });
  const directories = directoriesOf(files);
  const unread = files.filter(({ notRead }) => notRead !== undefined).length;
  const follows = useFollows();
  // If the file is not followed, its half line is an issue.
  const halfWritten = files.filter(
    ({ path, halfLineBytes }) => halfLineBytes !== undefined && followOf(follows, path) !== undefined,
  );
  const waiting = files.reduce((sum, file) => sum + file.waiting, 0);
  return (
    <section className="sources-files" aria-label="Files">
      <p className="muted">
        {counted(files.length + moreFiles, 'file')} in{' '}
        {counted(directories.length, 'directory', 'directories')},{' '}
        {bytes(files.reduce((sum, file) => sum + file.bytes, 0))}
        {waiting > 0 && ` · ${counted(waiting, 'record')} waiting for a rollout that has not been read`}
        {halfWritten.length > 0 && (
          <span title={halfWritten.map(({ path }) => path).join('\n')}>
            {' · '}
            {halfWritten.length === 1
              ? `1 file is waiting for the rest of its last line, ${bytes(halfWritten[0]?.halfLineBytes ?? 0)} so far`
              : `${counted(halfWritten.length, 'file')} are waiting for the rest of their last line`}
          </span>
        )}
        {unread > 0 && (
          <>
            {' · '}
            <Link className="is-link" href="/issues">
              {unread} not read: same content as a file read before
            </Link>
          </>
        )}
        {moreFiles > 0 && ` · the first ${files.length} are listed`}
      </p>
      <div className="sources-list">
        {files.length === 0 ? (
          <EmptyState title="No files of this run are known" />
        ) : (
          <VirtualTable
            handle={table}
            label="Files of this run"
            columns={columns}
            count={files.length}
            rowAt={(index) => files[index]}
            onOpen={() => undefined}
          />
        )}
      </div>
      <p className="mono sources-directories">
        {directories.slice(0, 4).map((directory) => (
          <span key={directory}>{directory}</span>
        ))}
        {directories.length > 4 && <span>and {directories.length - 4} more</span>}
      </p>
    </section>
  );
}
