/**
 * Killed with SIGKILL at any statement, once or repeatedly, and resumed: the library equals an undisturbed
 * one. `npm run soak` does the same at 400 points.
 */
import { expect, it } from 'vitest';
import { killIngests } from '../support/kills.ts';

it('at 8 points', async () => {
  await expect(killIngests({ seed: 20_255, points: 8 })).resolves.toBe(8);
}, 120_000);
