/**
 * Labelling, indexing, moving, exporting and compacting killed with SIGKILL: nothing is lost, and the job can be
 * repeated. `npm run soak` does the same at 200 points, and `test/ingest/kill.test.ts` for ingest.
 */
import { expect, it } from 'vitest';
import { killJobs } from '../support/killedJobs.ts';

it('at 5 points', async () => {
  await expect(killJobs({ seed: 31, points: 5 })).resolves.toBe(5);
}, 120_000);
