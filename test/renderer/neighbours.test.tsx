// @vitest-environment happy-dom
/** The next rollout of a list is asked for when its key is pressed, so its answer can be late. */
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { useNeighbourRollout } from '../../renderer/data/useNeighbours.ts';
import type { RolloutRow } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

it.each([
  ['leads there', '/run/a', [8]],
  ['leads nowhere once another page is open', '/compare', []],
])('%s', async (_, place, expected) => {
  const reached: number[] = [];
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const client = createFakeClient({
    'rollout.rows': async () => {
      await answered;
      return [{ rolloutId: 8 } as RolloutRow];
    },
  });
  function Next() {
    const go = useNeighbourRollout(Uint32Array.of(7, 8), 7);
    return (
      <button type="button" onClick={() => go(1, ({ rolloutId }) => reached.push(rolloutId))}>
        next
      </button>
    );
  }
  renderWithClient(client, <Next />, '/run/a');
  fireEvent.click(screen.getByRole('button', { name: 'next' }));
  history.pushState(undefined, '', place);
  answer();
  // What follows the answer runs before the next task.
  await new Promise((resolve) => setTimeout(resolve));
  expect(reached).toEqual(expected);
});
