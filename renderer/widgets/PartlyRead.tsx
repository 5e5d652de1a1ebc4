/** Shows that logs of a run are being read, or were not read to their end. Can cancel and continue reading. */
import { useMemo } from 'react';
import type { IngestProgress, RunSummary, UnreadFile } from '../../shared/api/contract.ts';
import { isBelow } from '../data/follows.ts';
import { useRequest } from '../data/useRequest.ts';
import { useIngestActions } from '../shell/useIngestActions.ts';
import { Button, Chip } from '../ui/Controls.tsx';
import { count, counted, percent } from '../ui/numbers.ts';

const NONE: readonly UnreadFile[] = [];

/** Files of each run that were not read to their end. Empty while a job is running. */
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
 * Number of records read so far, and the estimated total. The total is estimated from bytes, and is unknown if a file
 * is compressed.
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

/** Rounds to two digits, since the value is an estimate. */
function twoDigits(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1);
  return Math.round(value / unit) * unit;
}

/** 0…1 by bytes. Undefined before the files' sizes are known. */
export function jobShare(job: IngestProgress): number | undefined {
  return job.bytes > 0 ? Math.min(1, job.bytesDone / job.bytes) : undefined;
}

type RunOfFiles = Pick<RunSummary, 'runId' | 'directory'>;

/** The job that is reading logs of this run. */
function useJobOf({ runId, directory }: RunOfFiles): IngestProgress | undefined {
  const running = useRequest('ingest.jobs', {}).data?.filter(({ state }) => state === 'running') ?? [];
  const files = useRequest('ingest.unread', {}).data ?? NONE;
  const ofRun = files.filter(({ path, runIds }) => runIds.includes(runId) || isBelow(path, directory));
  return running.find((job) => ofRun.some(({ path }) => job.paths.some((above) => isBelow(path, above))));
}

export function PartlyRead({ run }: { readonly run: RunOfFiles }) {
  const job = useJobOf(run);
  const files = useUnreadByRun().get(run.runId) ?? NONE;
  if (job !== undefined) return <BeingRead key={job.jobId} job={job} />;
  return files.length === 0 ? null : <ContinueReading files={files} />;
}

function BeingRead({ job }: { readonly job: IngestProgress }) {
  const { cancel } = useIngestActions();
  const share = jobShare(job);
  const isIdle = cancel.isIdle || cancel.isError;
  return (
    <>
      <span className="run-reading" title={job.currentPath ?? job.paths.join('\n')}>
        {share === undefined ? 'Reading…' : `Reading… ${percent(share, 0)} %`}
      </span>
      <Button disabled={!isIdle} onClick={() => cancel.mutate(job.jobId)}>
        {isIdle ? 'Cancel' : 'Cancelling…'}
      </Button>
    </>
  );
}

function ContinueReading({ files }: { readonly files: readonly UnreadFile[] }) {
  const granted = useRequest('host.info', {}).data?.granted ?? [];
  const { start } = useIngestActions();
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

/** Shown above charts and lists of a run whose logs were not read to their end. */
export function PartlyReadNote({ run }: { readonly run: RunOfFiles }) {
  const job = useJobOf(run);
  const files = useUnreadByRun().get(run.runId) ?? NONE;
  if (job === undefined && files.length === 0) return null;
  return (
    <p className={job === undefined ? 'partly-read-note is-wrong' : 'partly-read-note'} role="status">
      {job === undefined
        ? `Partly read: charts and lists cover ${readSoFar(files)}.`
        : 'Being read: charts and lists cover what has been read so far.'}
    </p>
  );
}
