/** The reward of a list says whether it was translated from a grade. */
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { laneFacts } from '../../renderer/views/compare/factsModel.ts';
import { rewardCell } from '../../renderer/widgets/rollouts/scoreColumns.tsx';
import type { RolloutRow } from '../../shared/api/contract.ts';

afterEach(cleanup);

const row = (reward: number | undefined, scores?: unknown) =>
  ({ rolloutId: 1, reward, scores: scores === undefined ? undefined : JSON.stringify(scores) }) as RolloutRow;

it.each([
  [row(1, { match: 'C' }), 'derived from the score “C”'],
  [row(0.5, { match: 'P', other: 0.2 }), 'derived from the score “P”'],
  [row(1, { match: 1 }), undefined],
  [row(1, { match: 'correct' }), undefined],
  [row(1), undefined],
])('%#', (of, title) => {
  const { container } = render(<div>{rewardCell(of)}</div>);
  expect(container.querySelector('i')?.title).toBe(title);
});

it('a reward that was derived does not differ from the same one that was logged', () => {
  const [fact] = laneFacts([row(1, { match: 'C' }), row(1)], 0).filter(({ label }) => label === 'reward');
  expect(fact?.values.map(({ text, isDifferent }) => [text, isDifferent])).toEqual([
    ['1 (derived)', false],
    ['1', false],
  ]);
});
