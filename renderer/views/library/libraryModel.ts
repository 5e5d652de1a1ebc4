import type { IngestProgress, IssueRow, RunSummary } from '../../../shared/api/contract.ts';
import { isBelow } from '../../data/follows.ts';

/** A finished job stays visible only if it has something to report. */
export function jobsToShow(
  jobs: readonly IngestProgress[],
  closed: ReadonlySet<number | string> = new Set(),
): readonly IngestProgress[] {
  return jobs.filter((job) => job.state === 'running' || (job.state === 'failed' && !closed.has(job.jobId)));
}

export interface UnmappedCard {
  readonly job: IngestProgress;
  /** Files of unknown format below its paths. */
  readonly files: readonly IssueRow[];
}

/**
 * Finished jobs that found files whose fields could be mapped. Each file is listed under the latest job that saw it.
 */
export function unmappedCards(
  jobs: readonly IngestProgress[],
  unmapped: readonly IssueRow[],
  closed: ReadonlySet<number | string>,
): readonly UnmappedCard[] {
  const rest = new Set(unmapped);
  return jobs.toReversed().flatMap((job): UnmappedCard[] => {
    if (job.state !== 'done' || job.issues === 0) return [];
    const files = [...rest].filter(({ path }) => job.paths.some((above) => isBelow(path, above)));
    for (const file of files) rest.delete(file);
    return files.length === 0 || closed.has(job.jobId) ? [] : [{ job, files }];
  });
}

/**
 * Finished jobs whose files have the content of files read before, or of which nothing could be read. Of the jobs for
 * the same paths only the latest.
 *
 * @param cards unmapped files already say why their jobs read nothing
 */
export function emptyJobs(
  jobs: readonly IngestProgress[],
  cards: readonly UnmappedCard[],
  closed: ReadonlySet<number | string>,
): readonly IngestProgress[] {
  const latest = new Map(jobs.map((job) => [job.paths.join('\n'), job]));
  return [...latest.values()].filter((job) => {
    const { state, rollouts, issues, runKey, caveats = 0, duplicates = 0 } = job;
    if (state !== 'done' || closed.has(job.jobId)) return false;
    // A run without new rollouts is of files that have not changed.
    const isUnread =
      rollouts === 0 &&
      runKey === undefined &&
      issues > caveats &&
      !cards.some((card) => card.job === job) &&
      !wasReadLater(jobs, job);
    return duplicates > 0 || isUnread;
  });
}

/** Whether a later job has read a file of this one, for example after its fields were mapped. */
const wasReadLater = (jobs: readonly IngestProgress[], job: IngestProgress): boolean =>
  jobs
    .slice(jobs.indexOf(job) + 1)
    .some(
      ({ rollouts, paths }) =>
        rollouts > 0 && paths.some((path) => job.paths.some((parent) => isBelow(path, parent))),
    );

export function stepRange(run: RunSummary): string {
  if (run.firstStep === undefined || run.lastStep === undefined) return '';
  return run.firstStep === run.lastStep ? `${run.firstStep}` : `${run.firstStep}–${run.lastStep}`;
}

export function matchesText(run: RunSummary, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return true;
  return [run.name, run.runKey, run.model, run.dataset, run.directory, run.format].some(
    (field) => field?.toLowerCase().includes(wanted) === true,
  );
}
