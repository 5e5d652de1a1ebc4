import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parentRoute, parseRoute, pathOfRoute, tokensRoute } from '../../renderer/data/route.ts';
import { crumbsOf } from '../../renderer/shell/TopBar.tsx';
import { SIGNAL_FACTS, sourceLabel } from '../../renderer/ui/signalSource.ts';
import {
  availabilityText,
  chosenSignal,
  numbersLine,
  withoutText,
} from '../../renderer/views/tokens/signalChoice.ts';
import { distributionCsv, segmentsCsv } from '../../renderer/views/tokens/tokensCsv.ts';
import {
  askedLeast,
  chosenSource,
  classCounts,
  classMeaning,
  curveOf,
  density,
  distributionOf,
  naturalOf,
  rowsOf,
  segmentMeans,
  shareBelowZero,
  sourceKey,
  stepMeans,
  together,
  tokenMeans,
  tokenText,
} from '../../renderer/views/tokens/tokensModel.ts';
import type { AvailableSignals, TokenStatistics } from '../../shared/api/contract.ts';
import { SignalStatistics, type SourceStatistics } from '../../shared/domain/signalStatistics.ts';
import { SIGNALS, type SignalName } from '../../shared/domain/tokenSignal.ts';

const FULL = { kind: 'full', unit: 'nats', temperature: 1, policy: 'trainer' } as const;
const TOP = { kind: 'top-k', k: 5, unit: 'nats', policy: 'trainer' } as const;
const BOUND = { kind: 'top-k', k: 5, bound: 'lower', unit: 'nats', policy: 'rollout' } as const;
const GAP = { kind: 'gap', unit: 'nats' } as const;
const SURPRISAL = { kind: 'surprisal', unit: 'nats', policy: 'rollout' } as const;

/** A source as the domain computes it, so that no test invents a histogram. */
function sourceOf(values: readonly number[], source: SourceStatistics['source'] = FULL): SourceStatistics {
  const statistics = new SignalStatistics(['step']);
  statistics.add({
    step: 0,
    isCorrect: true,
    signal: source.kind === 'surprisal' || source.kind === 'gap' ? source.kind : 'entropy',
    source,
    values: Float32Array.from(values),
    mask: undefined,
    ends: undefined,
    segments: [],
  });
  const [found] = statistics.finish().sources;
  if (found === undefined) throw new Error('one rollout gives one source');
  return found;
}

function available(...names: readonly SignalName[]): AvailableSignals {
  const signals = names.map((signal) => ({ signal, isBound: false, rollouts: 5, withMask: 5 }));
  return { rollouts: 9, withTokens: 5, signals };
}

describe('the source of a signal', () => {
  it('is described in full', () => {
    expect(sourceLabel({ signal: 'entropy', source: FULL })).toBe(
      'entropy, full, nats, T=1.0, trainer policy',
    );
    expect(sourceLabel({ signal: 'entropy', source: TOP })).toBe(
      'entropy, of the top 5 only, as logged, nats, T unknown, trainer policy',
    );
    // Our bound is not labelled as logged.
    expect(sourceLabel({ signal: 'entropy', source: BOUND })).toBe(
      'entropy ≥, lower bound from the 5 alternatives listed, nats, T unknown, rollout policy',
    );
    expect(sourceLabel({ signal: 'entropy', source: { kind: 'full' } })).toBe(
      'entropy, full, unit not logged, T unknown',
    );
    expect(sourceLabel({ signal: 'entropy', source: { kind: 'unsaid' } })).toBe(
      'entropy, as logged, distribution not stated, unit not logged, T unknown',
    );
    expect(sourceLabel({ signal: 'surprisal', source: SURPRISAL })).toBe(
      'surprisal, not entropy, nats, T unknown, rollout policy',
    );
  });

  it('never calls another one entropy', () => {
    for (const name of SIGNALS) expect(SIGNAL_FACTS[name].label.includes('entropy')).toBe(name === 'entropy');
  });

  it('is the best available, unless the URL names another', () => {
    expect(chosenSignal(null, available('surprisal', 'logprob'))).toBe('surprisal');
    expect(chosenSignal('gap', available('surprisal'))).toBe('gap');
    expect(chosenSignal('nonsense', available('entropy', 'surprisal'))).toBe('entropy');
    expect(chosenSignal(null, available())).toBe('entropy');
    // Useless without a loss mask, unless there is nothing else.
    const maskless = { signal: 'entropy', isBound: false, rollouts: 3, withMask: 0 } as const;
    const { signals } = available('surprisal');
    expect(chosenSignal(null, { ...available(), signals: [maskless, ...signals] })).toBe('surprisal');
    expect(chosenSignal(null, { ...available(), signals: [maskless] })).toBe('entropy');
  });

  it('lists rollouts with it, and does not count a bound as logged', () => {
    const counted: AvailableSignals = {
      rollouts: 1_821,
      withTokens: 130,
      signals: [
        { signal: 'entropy', isBound: false, rollouts: 128, withMask: 128 },
        { signal: 'entropy', isBound: true, rollouts: 2, withMask: 1 },
      ],
    };
    expect(availabilityText('entropy', counted)).toBe(
      'Logged in 128, as a lower bound from listed alternatives in 2 of 1,821 rollouts; 1 without a loss mask are not counted.',
    );
    expect(availabilityText('gap', counted)).toBe('No rollout here has it.');
  });

  it('has its numbers, and the rollouts without it', () => {
    const line = numbersLine(sourceOf([0.1, 0.1, 0.1, 0.1, 2]));
    expect(line).toBe('1 rollout, 5 policy tokens; mean 0.480; 80th percentile 0.10');
    expect(withoutText(0, 'entropy')).toBe('');
    expect(withoutText(1, 'surprisal')).toMatch(/^1 more rollout has tokens, but no surprisal/);
  });
});

describe('sources', () => {
  const [full, top] = [sourceOf([1, 2]), sourceOf([1, 2, 3], TOP)];
  const answer: TokenStatistics = {
    sources: [top, full],
    rows: {
      segment: [
        { source: 0, segment: 'text', correctness: 'right', tokens: 3, mean: 2, deviation: 1 },
        { source: 1, segment: 'text', correctness: 'right', tokens: 2, mean: 1.5, deviation: 0.7 },
      ],
    },
    withoutSignal: 0,
  };

  it('are one at a time: the chosen one, else the one of most tokens', () => {
    expect(chosenSource([full, top], null)).toBe(top);
    expect(chosenSource([full, top], sourceKey(full))).toBe(full);
    expect(chosenSource([full, top], 'gone')).toBe(top);
    expect(chosenSource([], null)).toBeUndefined();
  });

  it('have separate rows, in any order of the answer', () => {
    expect(rowsOf(answer, 'segment', full).map(({ mean }) => mean)).toEqual([1.5]);
    expect(rowsOf(answer, 'segment', top).map(({ mean }) => mean)).toEqual([2]);
    expect(rowsOf(answer, 'segment', sourceOf([1], SURPRISAL))).toEqual([]);
    // A bound of the same k is another source, and a cut that was not requested has no rows.
    expect(rowsOf(answer, 'segment', sourceOf([1], BOUND))).toEqual([]);
    expect(rowsOf(answer, 'step', full)).toEqual([]);
  });
});

describe('means', () => {
  it('together are the mean of all tokens', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.double({ min: 0, max: 9, noNaN: true }), { minLength: 1, maxLength: 20 }), {
          minLength: 1,
          maxLength: 4,
        }),
        (parts) => {
          const whole = parts.flat();
          const mean = whole.reduce((a, b) => a + b, 0) / whole.length;
          const found = together(parts.map((part) => sourceOfExact(part)));
          expect(found?.tokens).toBe(whole.length);
          expect(found?.mean).toBeCloseTo(mean, 9);
          expect(found?.deviation).toBeCloseTo(sourceOfExact(whole).deviation, 6);
        },
      ),
    );
    expect(together([undefined])).toBeUndefined();
  });

  it('by kind are in turn order, and by step in theirs', () => {
    const mean = { tokens: 2, mean: 1, deviation: 0 };
    const kinds = segmentMeans([
      { source: 0, segment: 'tool-call', correctness: 'right', ...mean },
      { source: 0, segment: 'reasoning', correctness: 'wrong', ...mean },
      { source: 0, segment: 'reasoning', correctness: 'right', ...mean, mean: 3 },
    ]);
    expect(kinds.map(({ kind, all, unknown }) => [kind, all?.tokens, all?.mean, unknown])).toEqual([
      ['reasoning', 4, 2, undefined],
      ['tool-call', 2, 1, undefined],
    ]);
    const steps = stepMeans([
      { source: 0, step: 20, correctness: 'right', ...mean },
      { source: 0, step: 3, correctness: 'unknown', ...mean },
    ]);
    expect(steps.map(({ step, right }) => [step, right?.tokens])).toEqual([
      [3, undefined],
      [20, 2],
    ]);
  });
});

function sourceOfExact(values: readonly number[]) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0;
  return { tokens: values.length, mean, deviation };
}

describe('a distribution', () => {
  it('loses no token: tokens outside are counted', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 14, noNaN: true }), { minLength: 1 }), (values) => {
        const found = distributionOf(sourceOf(values));
        expect(found.tokens.reduce((a, b) => a + b, 0) + found.above).toBe(values.length);
        expect(found.below.every((share, i) => share >= (found.below[i - 1] ?? 0))).toBe(true);
      }),
    );
  });

  it('covers both sides of 0 for a signed signal, and its shares count from the left', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -30, max: 30, noNaN: true }), { minLength: 1 }), (values) => {
        const source = sourceOf(values, GAP);
        const found = distributionOf(source);
        const drawn = found.tokens.reduce((a, b) => a + b, 0);
        expect(found.under + drawn + found.above).toBe(values.length);
        expect(found.below.at(-1)).toBeCloseTo((found.under + drawn) / values.length, 9);
        const negative = values.filter((value) => Math.floor(Math.fround(value) / 0.001) < 0).length;
        expect(shareBelowZero(source)).toBeCloseTo(negative / values.length, 9);
      }),
      { seed: 11, numRuns: 300, examples: [[[-20]], [[20]]] },
    );
    const { from, end, under, above, width } = distributionOf(
      sourceOf([-0.0102, -0.0051, 0.0051, 0.0303], GAP),
    );
    expect([from[0], end, under, above, width]).toEqual([-0.011, 0.031, 0, 0, 0.001]);
  });

  it('covers almost all of the values', () => {
    const values = [...Array.from({ length: 4_000 }, () => 0.5), 9.5];
    const { above, end } = distributionOf(sourceOf(values));
    expect([above, end]).toEqual([1, 0.52]);
    expect(distributionOf(sourceOf([0.01])).from).toHaveLength(20);
  });
});

describe('after a tool response', () => {
  const at = (position: number, after: 'success' | 'error', mean: number, tokens = 10) => ({
    ...{ source: 0, position, after, mean, tokens, deviation: 0 },
  });

  it('success and error are two curves; an unreached position is a gap', () => {
    const rows = [at(0, 'success', 1), at(2, 'success', 3), at(0, 'error', 5)];
    const curve = curveOf(rows, 'success');
    expect(curve.means.map((mean) => mean?.mean)).toEqual([1, undefined, 3]);
    expect(curve.smooth).toEqual([2, undefined, 2]);
    expect(curveOf(rows, 'error').means).toHaveLength(1);
    expect(curveOf([], 'error').means).toEqual([]);
  });

  it('neighbourhoods are weighted by tokens', () => {
    const { smooth } = curveOf([at(0, 'error', 0, 30), at(1, 'error', 4, 10)], 'error');
    expect(smooth).toEqual([1, 1]);
  });

  it('reflections are as dense as there are tokens to be one', () => {
    expect(density({ tokens: 200, reflections: 50 })).toBe(0.25);
    expect(density({ tokens: 0, reflections: 0 })).toBeUndefined();
  });
});

describe('classes of high tokens', () => {
  it('are shares of rollouts that have one, with an explanation', () => {
    const source = { ...sourceOf([1]), classes: { forking: 3, reflection: 1, code: 0, answer: 0 } };
    expect(classCounts(source).map(({ name, share }) => [name, share])).toEqual([
      ['forking', 0.75],
      ['reflection', 0.25],
      ['code', 0],
      ['answer', 0],
    ]);
    expect(classCounts(sourceOf([1]))[0]?.share).toBeUndefined();
    expect(classMeaning('reflection', 60)).toMatch(/within its first 60 policy tokens$/);
    expect(classMeaning('reflection', 0)).toMatch(/anywhere in it$/);
  });
});

describe('tokens by mean', () => {
  const rows = [
    { source: 0, token: ' Wait', tokens: 12, mean: 2, deviation: 1 },
    { source: 0, token: 'the', tokens: 400, mean: 0.1, deviation: 1 },
  ];

  it('are those common enough, and requested ones', () => {
    expect(tokenMeans(rows, 10, '').map(({ token }) => token)).toEqual([' Wait', 'the']);
    expect(tokenMeans(rows, 13, '').map(({ token }) => token)).toEqual(['the']);
    expect(tokenMeans(rows, 1, 'wai').map(({ token }) => token)).toEqual([' Wait']);
  });

  it('use round minima', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 1e6 }), (least) => askedLeast(least) <= least));
    expect([1, 9, 10, 99, 100, 4_000].map(askedLeast)).toEqual([1, 1, 10, 10, 100, 100]);
  });

  it('show invisible characters', () => {
    expect(tokenText(' a\n\t')).toBe('␣a↵⇥');
  });
});

describe('a saved table', () => {
  it('states tokens in every row', () => {
    const source = sourceOf([0.01, 0.01, 0.05, 99]);
    expect(distributionCsv(source)).toEqual({
      columns: ['from', 'to', 'tokens', 'share_below_to'],
      rows: [
        [0, 0.02, 2, 0.5],
        [0.02, 0.04, 0, 0.5],
        [0.04, 0.06, 1, 0.75],
        [0.06, undefined, 1, 1],
      ],
    });
    const means = segmentMeans([
      { source: 0, segment: 'text', correctness: 'right', tokens: 3, mean: 2, deviation: 1 },
    ]);
    expect(segmentsCsv(means)).toEqual({
      columns: ['segment', 'correctness', 'tokens', 'mean', 'deviation'],
      rows: [['text', 'correct', 3, 2, 1]],
    });
  });
});

describe('the scope', () => {
  it('is that of the page: a rollout, a group, a step, else the run', () => {
    const run = { view: 'run', runKey: 'r' } as const;
    expect(tokensRoute(run)).toEqual({ view: 'tokens', runKey: 'r' });
    expect(tokensRoute({ ...run, view: 'step', step: 3 })).toMatchObject({ view: 'stepTokens', step: 3 });
    expect(tokensRoute({ ...run, view: 'step', step: 0 }, false)).toMatchObject({ view: 'tokens' });
    expect(tokensRoute({ view: 'settings' })).toBeUndefined();
    const group = { runKey: 'r', step: 0, groupKey: 'p/7' } as const;
    expect(tokensRoute({ view: 'group', ...group }, false)).toEqual({ view: 'groupTokens', ...group });
    const rollout = { ...group, ordinal: 2 };
    expect(tokensRoute({ view: 'rollout', ...rollout })).toEqual({ view: 'rolloutTokens', ...rollout });
    const path = pathOfRoute({ view: 'rolloutTokens', ...rollout });
    expect([path, parseRoute(path)]).toEqual([
      '/run/r/step/0/group/p%2F7/rollout/2/tokens',
      { view: 'rolloutTokens', ...rollout },
    ]);
    expect(parentRoute({ view: 'rolloutTokens', ...rollout })).toEqual({ view: 'rollout', ...rollout });
    expect(parentRoute({ view: 'groupTokens', ...group })).toEqual({ view: 'group', ...group });
    const deep = crumbsOf({ view: 'rolloutTokens', ...rollout }, { run: 'my run' });
    expect(deep.map(({ label }) => label)).toEqual(['Library', 'my run', 'step 0', 'p/7', '#2', 'tokens']);
    const crumbs = crumbsOf({ view: 'stepTokens', runKey: 'r', step: 3 }, { run: 'my run' });
    expect(crumbs.map(({ label }) => label)).toEqual(['Library', 'my run', 'step 3', 'tokens']);
  });

  it('reads numbers of the address within bounds', () => {
    expect(naturalOf('30', 60, 100)).toBe(30);
    expect(naturalOf('-1', 60, 100)).toBe(60);
    expect(naturalOf('900', 60, 100)).toBe(100);
    expect(naturalOf(null, 60, 100)).toBe(60);
  });
});
