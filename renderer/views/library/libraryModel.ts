import type { IngestProgress, RunSummary } from '../../../shared/api/contract.ts';

/** A finished job stays in sight only when it has something to say. */
export function jobsToShow(jobs: readonly IngestProgress[]): readonly IngestProgress[] {
  return jobs.filter((job) => job.state === 'running' || job.state === 'failed');
}

/** 0…1 by bytes; undefined before anything has been sized. */
export function jobShare(job: IngestProgress): number | undefined {
  return job.bytes > 0 ? Math.min(1, job.bytesDone / job.bytes) : undefined;
}

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
