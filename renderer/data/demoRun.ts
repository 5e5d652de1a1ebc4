import type { Client } from '../../shared/api/transport.ts';

/** Reads the demo run, unless it is there already, and says under which key; undefined when it could not be read. */
export async function openDemoRun(client: Client): Promise<string | undefined> {
  const ended = new Set<number>();
  let wake = (): void => undefined;
  // Listening begins before the request: a small job may be over before its number is known here.
  const stop = client.subscribe((event) => {
    if (event.event !== 'ingest.progress' || event.payload.state === 'running') return;
    ended.add(event.payload.jobId);
    wake();
  });
  try {
    const { jobId } = await client.request('ingest.demo', {});
    const jobs = await client.request('ingest.jobs', {});
    const isRunning = jobs.some((job) => job.jobId === jobId && job.state === 'running');
    if (isRunning && !ended.has(jobId)) {
      await new Promise<void>((resolve) => {
        wake = () => ended.has(jobId) && resolve();
      });
    }
  } finally {
    stop();
  }
  const runs = await client.request('run.list', {});
  const synthetic = runs.filter((run) => run.isSynthetic);
  // The demo log holds an evaluation, too; its training run is the one to look at first.
  return (synthetic.find((run) => run.kind === 'train') ?? synthetic[0])?.runKey;
}
