/** The record as written in its log file. Requested by path and byte range when the dialog opens. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { lazy, Suspense, useState } from 'react';
import type { RecordChunk, RolloutRow } from '../../../shared/api/contract.ts';
import { reindentedJson } from '../../../shared/domain/jsonText.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { ApiError } from '../../data/failures.ts';
import { IconButton, Segmented } from '../../ui/Controls.tsx';
import { plainLogText, plainPath } from '../../ui/LogText.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { bytes } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { VirtualText } from '../../ui/VirtualText.tsx';
import './rawRecord.css';

const ReadOnlyEditor = lazy(() => import('../../editor/ReadOnlyEditor.tsx'));

/** A larger record is shown in rows that are loaded while scrolling, since an editor would be too slow. */
const MAX_EDITOR_BYTES = 1_048_576;

interface RawRecordProps {
  readonly row: RolloutRow;
  readonly unit: string;
  readonly isDark: boolean;
  readonly onClose: () => void;
}

export function RawRecord({ row, unit, isDark, onClose }: RawRecordProps) {
  const client = useClient();
  const [form, setForm] = useState<'indented' | 'exact'>('indented');
  const record = useInfiniteQuery({
    queryKey: ['rollout.record', row.rolloutId],
    queryFn: ({ pageParam, signal }) =>
      client.request(
        'rollout.record',
        { rolloutId: row.rolloutId, offset: pageParam, limit: MAX_EDITOR_BYTES },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: (chunk: RecordChunk) => chunk.nextOffset,
    retry: false,
  });
  const chunks = record.data?.pages ?? [];
  const first = chunks[0];
  const text = chunks.map((chunk) => chunk.text).join('');
  const isLarge = first !== undefined && first.byteLength > MAX_EDITOR_BYTES;
  const indented = first === undefined || isLarge ? undefined : reindentedJson(text);

  return (
    <Modal onClose={onClose} className="raw-record">
      <header className="raw-record-head">
        <Dialog.Title asChild>
          <h1>Raw record</h1>
        </Dialog.Title>
        <span className="mono raw-record-path" title={plainPath(row.path)}>
          {recordPlace(first ?? { ...row, unit })}
        </span>
        <span className="dim">{first !== undefined && bytes(first.byteLength)}</span>
        <div className="end">
          {isLarge && (
            <span className="muted">
              {record.hasNextPage
                ? `the first ${bytes(chunks.at(-1)?.nextOffset ?? 0)} read, more as you scroll`
                : 'read to the end'}
            </span>
          )}
          {indented !== undefined && (
            <Segmented
              label="Form"
              chosen={form}
              onChoose={setForm}
              choices={[
                {
                  id: 'indented',
                  label: 'Indented',
                  title: 'The same JSON, laid out; numbers as written',
                },
                first?.isRewritten
                  ? { id: 'exact', label: 'As read', title: 'On one line, as it was read from the file' }
                  : { id: 'exact', label: 'As in the file' },
              ]}
            />
          )}
          <IconButton label="Close" keys="Esc" onClick={onClose}>
            <X size={16} />
          </IconButton>
        </div>
      </header>
      <div className="raw-record-body">
        {record.error !== null ? (
          <RecordFailure error={record.error} unit={unit} onRetry={() => void record.refetch()} />
        ) : first === undefined ? (
          <WaitingState title="Reading the log file…" />
        ) : isLarge ? (
          <VirtualText
            text={text}
            label="Raw record"
            onNearEnd={() => record.hasNextPage && !record.isFetchingNextPage && void record.fetchNextPage()}
          />
        ) : (
          <Suspense fallback={<WaitingState title="Loading the editor…" />}>
            <ReadOnlyEditor
              text={form === 'indented' && indented !== undefined ? indented : text}
              language="record"
              label="Raw record"
              isDark={isDark}
            />
          </Suspense>
        )}
      </div>
    </Modal>
  );
}

interface RecordFailureProps {
  readonly error: Error;
  readonly unit: string;
  readonly onRetry: () => void;
}

function RecordFailure({ error, unit, onRetry }: RecordFailureProps) {
  if (error instanceof ApiError && error.code === 'source_gone' && unit === ADAPTER_UNIT) {
    return (
      <EmptyState title="There is no raw record">
        <p className="state-facts">{error.message}</p>
        <p>The rollout itself is kept in the library and stays readable.</p>
      </EmptyState>
    );
  }
  if (error instanceof ApiError && error.code === 'source_gone') {
    return (
      <EmptyState title="The log file was not found">
        <p className="state-facts">{error.message}</p>
        <p>
          The rollout itself is kept in the library and stays readable; only the raw record needs the log file
          at its old path.
        </p>
      </EmptyState>
    );
  }
  return <FailedState title="The raw record could not be read" error={error} onRetry={onRetry} />;
}

interface RecordSource {
  readonly path: string;
  readonly line: number;
  readonly unit?: string;
  /** Name of a member of an archive. */
  readonly name?: string;
  readonly isRewritten?: boolean;
}

/** Unit of a file that was read with an adapter (`RecordUnit` in electron/ingest/containers/container.ts). */
const ADAPTER_UNIT = 'output line';

/** Position of a record in its file, in the file's own unit: a line, archive member, table row or array element. */
export function recordPlace({
  path: logged,
  line,
  unit = 'line',
  name,
  isRewritten = false,
}: RecordSource): string {
  const path = plainPath(logged);
  const number = new Intl.NumberFormat('en').format(line);
  if (unit === 'line') return `${path}, line ${number}${isRewritten ? ', as JSON' : ''}`;
  if (unit === ADAPTER_UNIT) return `line ${number} of what an adapter wrote for ${path}`;
  if (name !== undefined) return `${plainLogText(name)} in ${path}`;
  const what = unit === 'row' || unit === 'member' ? unit : 'record';
  return `${what} ${number} of ${path}${isRewritten ? ', as JSON' : ''}`;
}
