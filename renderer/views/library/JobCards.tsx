import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { IngestProgress, RunSummary, UnreadFile } from '../../../shared/api/contract.ts';
import { followOf, isBelow, useCanFollow, useFollowActions, useFollows } from '../../data/follows.ts';
import { mappingPath, pathOfRoute } from '../../data/route.ts';
import { distinctNames } from '../../data/runNames.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUnmappedFiles } from '../../data/useUnmappedFiles.ts';
import { useIngestActions } from '../../shell/useIngestActions.ts';
import { jobIssues } from '../../shell/useShellCommands.ts';
import { useInterface } from '../../state/interface.ts';
import { Button, IconButton } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { bytes, counted, seconds } from '../../ui/numbers.ts';
import { jobShare } from '../../widgets/PartlyRead.tsx';
import { OnlyByCommand, readBefore, unreadByWay } from '../../widgets/UnreadFiles.tsx';
import { emptyJobs, jobsToShow, type UnmappedCard, unmappedCards } from './libraryModel.ts';

const NO_FILES = [] as const;

export function JobCards() {
  const jobs = useRequest('ingest.jobs', {}).data ?? [];
  const closed = useInterface((state) => state.closedCards);
  const hasIssues = jobs.some((job) => job.state === 'done' && job.issues > 0);
  const unmapped = useUnmappedFiles(hasIssues).data ?? NO_FILES;
  const shown = jobsToShow(jobs, closed);
  const cards = unmappedCards(jobs, unmapped, closed);
  const isReading = jobs.some(({ state }) => state === 'running');
  const unread = (useRequest('ingest.unread', {}).data ?? NO_FILES).filter(
    ({ path, hasGrown }) => hasGrown !== true && !closed.has(path),
  );
  const isLeft = unread.length > 0 && !isReading;
  const empty = emptyJobs(jobs, cards, closed);
  if (shown.length + cards.length + empty.length === 0 && !isLeft) return null;
  return (
    <div className="jobs">
      {shown.map((job) =>
        job.state === 'failed' ? (
          <FailedJob key={job.jobId} job={job} />
        ) : (
          <RunningJob key={job.jobId} job={job} />
        ),
      )}
      {isLeft && <UnreadCards files={unread} />}
      {cards.map((card) => (
        <UnmappedJob key={card.job.jobId} card={card} />
      ))}
      {empty.map((job) =>
        (job.duplicates ?? 0) > 0 ? (
          <DuplicateJob key={job.jobId} job={job} />
        ) : (
          <EmptyJob key={job.jobId} job={job} />
        ),
      )}
    </div>
  );
}

interface UnreadProps {
  readonly files: readonly UnreadFile[];
}

/**
 * Files that a cancelled or killed job did not read to their end. A button continues those that were opened in
 * this session. For the others the card names the command that continues.
 */
function UnreadCards({ files }: UnreadProps) {
  const info = useRequest('host.info', {}).data;
  if (info === undefined) return null;
  const { adapted, opened, others } = unreadByWay(files, info.granted);
  return (
    <>
      {opened.length > 0 && <ContinueReading files={opened} />}
      {[others, adapted].map(
        (left) =>
          left.length > 0 && (
            <UnreadCard key={left[0]?.path} files={left}>
              <OnlyByCommand files={left} libraryPath={info.libraryPath} />
            </UnreadCard>
          ),
      )}
    </>
  );
}

function ContinueReading({ files }: UnreadProps) {
  const { start } = useIngestActions();
  return (
    <UnreadCard
      files={files}
      button={
        <Button disabled={start.isPending} onClick={() => start.mutate(files.map(({ path }) => path))}>
          Continue reading
        </Button>
      }
    >
      {start.error === null ? (
        readBefore(files)
      ) : (
        <span className="is-wrong" role="alert">
          ✕ {start.error.message}
        </span>
      )}
    </UnreadCard>
  );
}

interface UnreadCardProps extends UnreadProps {
  readonly button?: ReactNode;
  readonly children: ReactNode;
}

function UnreadCard({ files, button, children }: UnreadCardProps) {
  const paths = files.map(({ path }) => path);
  return (
    <div className="job" role="status">
      <span className="job-path" title={paths.slice(0, 20).join('\n')}>
        <b>{counted(files.length, 'file')} not read to the end:</b> {paths[0]}
        {paths.length > 1 && ' …'}
      </span>
      <span className="job-buttons">
        {button}
        <CloseCard keys={paths} />
      </span>
      <span className="job-note">{children}</span>
    </div>
  );
}

/** @param keys jobs by id, unread files by path */
function CloseCard({ keys }: { readonly keys: readonly (number | string)[] }) {
  const closeCard = useInterface((state) => state.closeCard);
  return (
    <IconButton label="Dismiss" onClick={() => closeCard(keys)}>
      <X size={14} />
    </IconButton>
  );
}

function FailedJob({ job }: { readonly job: IngestProgress }) {
  const paths = job.paths.join(', ');
  return (
    <div className="job is-failed" role="alert">
      <span className="job-path" title={paths}>
        <b className="is-wrong">✕ Not read:</b> {paths}
      </span>
      <CloseCard keys={[job.jobId]} />
      <span>{job.message}</span>
    </div>
  );
}

function RunningJob({ job }: { readonly job: IngestProgress }) {
  const { cancel } = useIngestActions();
  const paths = job.paths.join(', ');
  return (
    <div className="job" role="status">
      <span className="job-path" title={job.currentPath ?? paths}>
        Reading <span className="mono">{job.currentPath ?? paths}</span>
      </span>
      <span className="job-buttons">
        <FollowJob paths={job.paths} />
        <Button disabled={!cancel.isIdle && !cancel.isError} onClick={() => cancel.mutate(job.jobId)}>
          {cancel.isIdle || cancel.isError ? 'Cancel' : 'Cancelling…'}
        </Button>
      </span>
      <progress value={jobShare(job)} max={1} />
      <span className="dim">
        {job.filesDone} of {counted(job.files, 'file')} · {bytes(job.bytesDone)} of {bytes(job.bytes)} ·{' '}
        {counted(job.rollouts, 'rollout')}
        {job.issues > 0 && ` · ${jobIssues(job)}`} · {seconds(job.elapsedMs)}
      </span>
    </div>
  );
}

/** Offers to follow these paths once the job is done. Nothing in them may be new yet. */
function FollowJob({ paths }: { readonly paths: readonly string[] }) {
  const follows = useFollows();
  const canFollow = useCanFollow();
  const { start, stop } = useFollowActions();
  const setNotice = useInterface((state) => state.setNotice);
  const followed = paths.map((path) => followOf(follows, path)).filter((one) => one !== undefined);
  const isFollowed = paths.length > 0 && followed.length === paths.length;
  if (!isFollowed && !paths.every(canFollow)) return null;
  return (
    <Button
      disabled={start.isPending}
      title={isFollowed ? undefined : 'Keep reading what is new here'}
      onClick={() => {
        if (isFollowed) for (const { path } of followed) stop.mutate(path);
        else start.mutate(paths, { onError: (error) => setNotice(`Not followed: ${error.message}`) });
      }}
    >
      {isFollowed ? 'Stop following' : 'Follow'}
    </Button>
  );
}

/** Names the run that has the content. If new files were read as well, the job's run may be theirs. */
function DuplicateJob({ job }: { readonly job: IngestProgress }) {
  const all = useRequest('run.list', {}).data ?? [];
  const { duplicates = 0, runs = 1 } = job;
  const at = job.rollouts === 0 ? all.findIndex(({ runKey }) => runKey === job.runKey) : -1;
  const run = all[at];
  // Its new files have become a run of their own since.
  const isAt = ({ directory }: RunSummary, path: string) =>
    isBelow(directory, path) && isBelow(path, directory);
  if (all.some((other) => other.runKey !== job.runKey && job.paths.every((path) => isAt(other, path))))
    return null;
  const what =
    duplicates === 1
      ? '1 file has the same content as one read before'
      : `${counted(duplicates, 'file')} have the same content as files read before`;
  return (
    <div className="job" role="status">
      <span className="job-path" title={job.paths.join('\n')}>
        <b>Already in the library{run !== undefined && ' as'}</b>
        {run !== undefined && (
          <>
            {' '}
            {distinctNames(all)[at]}
            {runs > 1 && ` and ${counted(runs - 1, 'other run')}`}
          </>
        )}
        : <span className="mono">{job.paths.join(', ')}</span>
      </span>
      <span className="job-buttons">
        {run !== undefined && (
          <Link className="button" href={pathOfRoute({ view: 'run', runKey: run.runKey })}>
            Open the run
          </Link>
        )}
        <FollowJob paths={job.paths} />
        <CloseCard keys={[job.jobId]} />
      </span>
      <span className="job-note">
        {what}, so {duplicates === 1 ? 'it was' : 'they were'} not read again.{' '}
        <Link href="/issues" className="is-link">
          {duplicates === 1 ? 'Which one' : 'Which ones'}
        </Link>
      </span>
    </div>
  );
}

function EmptyJob({ job }: { readonly job: IngestProgress }) {
  return (
    <div className="job is-failed" role="status">
      <span className="job-path" title={job.paths.join('\n')}>
        <b className="is-wrong">✕ Nothing read:</b> <span className="mono">{job.paths.join(', ')}</span>
      </span>
      <span className="job-buttons">
        <Link className="button" href="/issues">
          Show why
        </Link>
        <FollowJob paths={job.paths} />
        <CloseCard keys={[job.jobId]} />
      </span>
      <span className="job-note">{jobIssues(job)}: no file has records that could be read.</span>
    </div>
  );
}

/** Three names are enough to recognise the files. The issues list has all of them. */
const NAMED = 3;

function UnmappedJob({ card: { job, files } }: { readonly card: UnmappedCard }) {
  return (
    <div className="job is-unmapped" role="status">
      <span>
        <b>{counted(files.length, 'file')} not recognised:</b> unknown format. Map{' '}
        {files.length === 1 ? 'its' : 'their'} fields to import {files.length === 1 ? 'it' : 'them'}.
      </span>
      <CloseCard keys={[job.jobId]} />
      <ul>
        {files.slice(0, NAMED).map((file) => (
          <li key={file.path}>
            <span className="mono path-tail" title={`${file.path}\n${file.message}`}>
              <bdi>{file.path}</bdi>
            </span>
            <Link className="button" href={mappingPath(file.path)}>
              Map its fields…
            </Link>
          </li>
        ))}
        {files.length > NAMED && (
          <li>
            <Link href="/issues" className="dim">
              and {counted(files.length - NAMED, 'more file')}, listed under Issues
            </Link>
          </li>
        )}
      </ul>
    </div>
  );
}
