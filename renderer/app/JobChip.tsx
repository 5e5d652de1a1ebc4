import { useRequest } from '../data/useRequest.ts';
import { Link } from '../ui/Link.tsx';
import { counted } from '../ui/numbers.ts';

/** Reading goes on wherever one looks; the library page has the details and the cancel button. */
export function JobChip() {
  const jobs = useRequest('ingest.jobs', {}).data;
  const running = jobs?.filter((job) => job.state === 'running') ?? [];
  if (running.length === 0) return null;
  const done = running.reduce((sum, job) => sum + job.bytesDone, 0);
  const total = running.reduce((sum, job) => sum + job.bytes, 0);
  const rollouts = running.reduce((sum, job) => sum + job.rollouts, 0);
  return (
    <Link href="/" className="job-chip" title="Reading logs; the library page shows more">
      <progress value={total > 0 ? done / total : undefined} max={1} />
      {counted(rollouts, 'rollout')} read
    </Link>
  );
}
