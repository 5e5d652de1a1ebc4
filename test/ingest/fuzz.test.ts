/**
 * Files of broken records, and broken containers: every record is accounted for, and every file ends with a
 * report. `npm run soak` does the same with many more.
 */
import { expect, it } from 'vitest';
import { fuzzContainers, fuzzFiles } from '../support/fuzzIngest.ts';

it('accounts for every record of a file', async () => {
  await expect(fuzzFiles({ seed: 20_253, runs: 50 })).resolves.toBe(50);
});

it('ends with a report for every damaged container', async () => {
  await expect(fuzzContainers({ seed: 20_254, runs: 75 })).resolves.toBe(75);
});
