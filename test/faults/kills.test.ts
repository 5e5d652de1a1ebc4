/**
 * Labelling, indexing, moving, exporting and compacting killed with SIGKILL: nothing is lost, and the job can be
 * repeated. `npm run soak` does the same at 200 points, and `test/ingest/kill.test.ts` for ingest.
 */
import { expect, it } from 'vitest';
import { killJobs } from '../support/killedJobs.ts';

it('at 10 points', async () => {
  await expect(killJobs({ seed: 31, points: 10 })).resolves.toBe(10);
}, 120_000);
