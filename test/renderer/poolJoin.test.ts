import { describe, expect, it } from 'vitest';
import {
  candidates,
  joinText,
  keysOf,
  likelyRole,
  otherOf,
  roleIn,
  sizeText,
} from '../../renderer/views/sources/poolModel.ts';
import type { RunSources, RunSummary } from '../../shared/api/contract.ts';

const JOIN = { poolKey: 'p', poolName: 'traces', keptKey: 'k', keptName: 'dumps', matched: 96, decided: 192 };

const run = (runKey: string, more: Partial<RunSummary> = {}): RunSummary => ({
  ...{ runId: 1, runKey, name: runKey, kind: 'train', keySource: 'logged', format: 'verl', directory: '/x' },
  ...{ isSynthetic: false, hasSteps: true, steps: 3, groups: 3, rollouts: 96, correct: 0, correctKnown: 0 },
  issues: 0,
  trends: { steps: [], meanReward: [], toolErrorRate: [], noToolShare: [], meanResponseChars: [] },
  ...more,
});

const sources = (more: Partial<RunSources>): RunSources => ({
  ...{ runKey: 'p', format: 'verl', directory: '/x', directories: [], groups: [], files: [], moreFiles: 0 },
  ...{ poolJoins: [], neighbours: [], idPlaces: { withTokens: 0, logged: 0, byTokenizer: 0, unplaced: 0 } },
  ...more,
});

describe('a pool and its list of kept rollouts', () => {
  it('are recognized from either end', () => {
    expect([roleIn(JOIN, 'p'), otherOf(JOIN, 'p').name]).toEqual(['pool', 'dumps']);
    expect([roleIn(JOIN, 'k'), otherOf(JOIN, 'k').name]).toEqual(['kept', 'traces']);
    expect(keysOf('a', 'b', 'pool')).toEqual({ poolKey: 'a', keptKey: 'b' });
    expect(keysOf('a', 'b', 'kept')).toEqual({ poolKey: 'b', keptKey: 'a' });
  });

  it('report the result of the join, also if nothing matched', () => {
    expect(joinText(JOIN)).toBe(
      '192 rollouts decided: 96 are in the list and kept (50 %), the others discarded.',
    );
    expect(joinText({ matched: 1, decided: 1 })).toMatch(/^1 rollout decided: 1 is in the list/);
    expect(joinText({ matched: 0, decided: 0 })).toBe('No step is in both logs, so there are no decisions.');
  });

  it('are guessed by rollouts per step, whatever the number of steps', () => {
    expect(likelyRole(run('a', { rollouts: 320, steps: 10 }), run('b', { rollouts: 160, steps: 2 }))).toBe(
      'kept',
    );
    expect(likelyRole(run('a', { rollouts: 64, steps: 2 }), run('b', { rollouts: 32, steps: 2 }))).toBe(
      'pool',
    );
  });

  it('are chosen among runs that are not joined yet, neighbours first', () => {
    const near = {
      runKey: 'n',
      name: 'n',
      kind: 'train',
      format: 'verl',
      directory: '/x/n',
      rollouts: 1,
    } as const;
    const found = candidates(
      [run('p'), run('k'), run('a'), run('e', { kind: 'eval' }), run('n')],
      sources({ poolJoins: [JOIN], neighbours: [near] }),
    );
    expect(found.map(({ runKey }) => runKey)).toEqual(['n', 'a', 'e']);
  });

  it('are sized without a step if the log has none', () => {
    expect(sizeText(run('a'))).toBe('verl, 96 rollouts in 3 steps');
    expect(sizeText(run('a', { hasSteps: false }))).toBe('verl, 96 rollouts');
  });
});
