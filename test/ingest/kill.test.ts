/**
 * Killed −9 at any statement, once or several times, and run again: the library equals one that
 * was left in peace. `npm run soak` does the same more often.
 */
import { expect, it } from 'vitest';
import { killIngests } from '../support/kills.ts';

it('at 20 points', async () => {
  await expect(killIngests({ seed: 20_255, points: 20 })).resolves.toBe(20);
}, 120_000);
