/**
 * Killed with SIGKILL at any statement, once or repeatedly, and resumed: the library equals an undisturbed
 * one. `npm run soak` does the same at 400 points.
 */
import { expect, it } from 'vitest';
import { killIngests } from '../support/kills.ts';

it('at 4 points', async () => {
  await expect(killIngests({ seed: 20_255, points: 4 })).resolves.toBe(4);
}, 120_000);
