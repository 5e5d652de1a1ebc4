/** Says that logs of a run were not read to their end, and reads on. */
import { useMemo } from 'react';
import type { UnreadFile } from '../../shared/api/contract.ts';
import { isBelow } from '../data/follows.ts';
import { useRequest } from '../data/useRequest.ts';
import { useIngestActions } from '../shell/useIngestActions.ts';
import { Button, Chip } from '../ui/Controls.tsx';
import { count, counted } from '../ui/numbers.ts';

const NONE: readonly UnreadFile[] = [];

/** Files of each run that are not read to their end; empty while something is being read. */
export function useUnreadByRun(): ReadonlyMap<number, readonly UnreadFile[]> {
  const isReading = useRequest('ingest.jobs', {}).data?.some(({ state }) => state === 'running') === true;
  const files = useRequest('ingest.unread', {}).data ?? NONE;
  return useMemo(() => {
    const byRun = new Map<number, UnreadFile[]>();
    if (isReading) return byRun;
    for (const file of files)
      for (const runId of file.runIds) byRun.set(runId, [...(byRun.get(runId) ?? []), file]);
    return byRun;
  }, [files, isReading]);
}

/**
 * How much of these files has been read, in records. The number of all is estimated from the bytes, and is
 * unknown where a file is compressed.
 */
export function readSoFar(files: readonly UnreadFile[]): string {
  const records = files.reduce((sum, file) => sum + file.records, 0);
  const totals = files.map(({ records, bytesRead, bytes }) =>
    records === 0 || bytesRead === undefined || bytesRead === 0 ? undefined : (records * bytes) / bytesRead,
  );
  const total = totals.reduce<number | undefined>(
    (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
    0,
  );
  return total === undefined
    ? `${counted(records, 'record')} so far`
    : `${count(records)} of about ${count(twoDigits(total))} records`;
}

/** An estimate has no more digits than that. */
function twoDigits(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1);
  return Math.round(value / unit) * unit;
}

export function PartlyRead({ runId }: { readonly runId: number }) {
  const files = useUnreadByRun().get(runId) ?? NONE;
  const granted = useRequest('host.info', {}).data?.granted ?? [];
  const { start } = useIngestActions();
  if (files.length === 0) return null;
  const paths = files.map(({ path }) => path);
  const isOpened = files.every(
    ({ path, hasAdapter }) => !hasAdapter && granted.some((root) => isBelow(path, root)),
  );
  return (
    <>
      <Chip isWarning title={`Reading was interrupted:\n${paths.slice(0, 20).join('\n')}`}>
        partly read: {readSoFar(files)}
      </Chip>
      {isOpened && (
        <Button disabled={start.isPending} onClick={() => start.mutate(paths)}>
          Continue
        </Button>
      )}
      {start.error !== null && (
        <span className="is-wrong" role="alert">
          ✕ {start.error.message}
        </span>
      )}
    </>
  );
}
