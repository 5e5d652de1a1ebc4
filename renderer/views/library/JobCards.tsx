import type { IngestProgress } from '../../../shared/api/contract.ts';
import { useIngestActions } from '../../app/useIngestActions.ts';
import { useRequest } from '../../data/useRequest.ts';
import { Button } from '../../ui/Controls.tsx';
import { bytes, counted, seconds } from '../../ui/numbers.ts';
import { jobShare, jobsToShow } from './libraryModel.ts';

export function JobCards() {
  const jobs = jobsToShow(useRequest('ingest.jobs', {}).data ?? []);
  const { cancel } = useIngestActions();
  if (jobs.length === 0) return null;
  return (
    <div className="jobs">
      {jobs.map((job) => (
        <JobCard key={job.jobId} job={job} onCancel={() => cancel.mutate(job.jobId)} />
      ))}
    </div>
  );
}

function JobCard({ job, onCancel }: { readonly job: IngestProgress; readonly onCancel: () => void }) {
  const paths = job.paths.join(', ');
  if (job.state === 'failed') {
    return (
      <div className="job is-failed" role="alert">
        <span className="job-path" title={paths}>
          <b className="is-wrong">✕ Not read:</b> {paths}
        </span>
        <span>{job.message}</span>
      </div>
    );
  }
  return (
    <div className="job" role="status">
      <span className="job-path" title={job.currentPath ?? paths}>
        Reading <span className="mono">{job.currentPath ?? paths}</span>
      </span>
      <Button onClick={onCancel}>Cancel</Button>
      <progress value={jobShare(job)} max={1} />
      <span className="dim">
        {job.filesDone} of {counted(job.files, 'file')} · {bytes(job.bytesDone)} of {bytes(job.bytes)} ·{' '}
        {counted(job.rollouts, 'rollout')}
        {job.issues > 0 && ` · ${counted(job.issues, 'issue')}`} · {seconds(job.elapsedMs)}
      </span>
    </div>
  );
}
