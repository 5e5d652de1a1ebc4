/** Shows that logs of a run are being read, or were not read to their end. Can cancel and continue reading. */
import { useCallback } from 'react';
import type { IngestProgress, RunSummary, UnreadFile } from '../../shared/api/contract.ts';
import { isStepIn } from '../../shared/format/layout.ts';
import { isBelow } from '../data/follows.ts';
import { useRequest } from '../data/useRequest.ts';
import { useUnreadFiles } from '../data/useUnreadFiles.ts';
import { useIngestActions } from '../shell/useIngestActions.ts';
import { Button, Chip } from '../ui/Controls.tsx';
import { counted, percent } from '../ui/numbers.ts';

const NONE: readonly UnreadFile[] = [];

/** Returns the files of a run that were not read to their end, or have grown since. None while a job is running. */
export function useUnreadOf(): (run: RunOfFiles) => readonly UnreadFile[] {
  const unread = useUnreadFiles();
  return useCallback(
    (run) => (unread?.isReading === false ? unread.files.filter((file) => isFileOf(run, file)) : NONE),
    [unread],
  );
}

/** A file belongs to no run before its first record is read. Until then its path tells whether it is a step of the run. */
const isFileOf = ({ runId, directory }: RunOfFiles, { path, runIds }: UnreadFile): boolean =>
  runIds.includes(runId) || (runIds.length === 0 && isStepIn(directory, path));

/**
 * Names the missing part of a run: `about 10,000 records (79 % of 4 files)`. The share is one of bytes. Records are
 * estimated from it, as if the unread ones were as long as those read; lengths drift over a run, so the estimate has
 * one digit. Names only files if one of them is compressed, or if no record has been read.
 */
export function missingOf(files: readonly UnreadFile[]): string {
  const sum = (of: (file: UnreadFile) => number | undefined): number =>
    files.reduce((total, file) => total + (of(file) ?? Number.NaN), 0);
  const [records, read, bytes] = [
    sum((file) => file.records),
    sum((file) => file.bytesRead),
    sum((file) => file.bytes),
  ];
  const left = ((bytes - read) * records) / read;
  return records > 0 && Number.isFinite(left)
    ? `about ${counted(oneDigit(left), 'record')} (${share(1 - read / bytes)} of ${counted(files.length, 'file')})`
    : `the rest of ${counted(files.length, 'file')}`;
}

/** Why files are not read to their end. */
export const unreadReason = (files: readonly UnreadFile[]): string =>
  files.every(({ hasGrown }) => hasGrown) ? 'The log has grown since it was read' : 'Reading was interrupted';

/** Rounds to one digit, below 2 to a half: 1, 1.5, 2, 3 … 10. At least 1. */
function oneDigit(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  const unit = value < 2 * power ? Math.max(1, power / 2) : power;
  return Math.max(1, Math.round(value / unit) * unit);
}

const share = (of: number): string => (of < 0.01 ? 'under 1 %' : `${percent(of, 0)} %`);

/** 0…1 by bytes. Undefined before the files' sizes are known. */
export function jobShare(job: IngestProgress): number | undefined {
  return job.bytes > 0 ? Math.min(1, job.bytesDone / job.bytes) : undefined;
}

type RunOfFiles = Pick<RunSummary, 'runId' | 'directory'>;

/** The job that is reading logs of this run. While there is one, counts of the run change and lag behind each other. */
export function useJobOf({ runId, directory }: RunOfFiles): IngestProgress | undefined {
  const running = useRequest('ingest.jobs', {}).data?.filter(({ state }) => state === 'running') ?? [];
  const files = useRequest('ingest.unread', {}).data ?? NONE;
  const ofRun = files.filter(({ path, runIds }) => runIds.includes(runId) || isBelow(path, directory));
  return running.find((job) => ofRun.some(({ path }) => job.paths.some((above) => isBelow(path, above))));
}

export function PartlyRead({ run }: { readonly run: RunOfFiles }) {
  const job = useJobOf(run);
  const files = useUnreadOf()(run);
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
      <Chip isWarning title={`${unreadReason(files)}:\n${paths.slice(0, 20).join('\n')}`}>
        {files.every(({ hasGrown }) => hasGrown)
          ? `log has grown: ${missingOf(files)} not read`
          : `partly read: ${missingOf(files)} missing`}
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
  const files = useUnreadOf()(run);
  if (job === undefined && files.length === 0) return null;
  return (
    <p className={job === undefined ? 'page-note is-wrong' : 'page-note'} role="status">
      {job === undefined
        ? `Partly read: charts and lists lack ${missingOf(files)}.`
        : 'Being read: charts and lists cover what has been read so far.'}
    </p>
  );
}
