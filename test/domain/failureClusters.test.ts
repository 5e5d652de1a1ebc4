/** Features of incorrect rollouts, their clusters, and odds ratios computed by hand. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorType } from '../../shared/domain/errorType.ts';
import { clusterSets, type FeatureSet, MOST_CLUSTERS } from '../../shared/domain/failureClusters.ts';
import { clusterName, failureFeatures } from '../../shared/domain/failureFeatures.ts';
import { oddsRatio } from '../../shared/domain/oddsRatio.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';

describe('odds ratios', () => {
  // (9.5 · 18.5) / (1.5 · 2.5), and exp(±1.95996 · √(1/9.5 + 1/1.5 + 1/2.5 + 1/18.5)) around it.
  it.each([
    [9, 10, 2, 20, [46.8666667, 5.3503025, 410.534626]],
    [0, 5, 0, 5, [1, 0.0166685556, 59.9932007]],
    [10, 10, 0, 30, [1281, 23.8845383, 68703.903]],
  ])(
    'of %d in %d against %d in %d',
    (inside, insideOf, outside, outsideOf, [ratio = 0, low = 0, high = 0]) => {
      const found = oddsRatio(inside, insideOf, outside, outsideOf);
      expect(found.ratio / ratio).toBeCloseTo(1, 7);
      expect(found.low / low).toBeCloseTo(1, 7);
      expect(found.high / high).toBeCloseTo(1, 7);
    },
  );
});

describe('error types', () => {
  it.each([
    [
      'Traceback (most recent call last):\n  File "a", line 1\nNameError: name \'x\' is not defined',
      'NameError',
    ],
    ['ValueError: a\nDuring handling:\nsympy.core.sympify.SympifyError: b', 'SympifyError'],
    [String.raw`{"stderr": "Traceback:\nZeroDivisionError: division by zero\n"}`, 'ZeroDivisionError'],
    ['KeyboardInterrupt', 'KeyboardInterrupt'],
    ['Tool call failure\nreason: \nstderr: IndexError at line 4: list index out of range\n', 'IndexError'],
    ['stderr: \u001b[31mNameError\u001b[0m at line 2', 'NameError'],
    ['a call of KeyError\nOSError: disk', 'OSError'],
    ['Call failed with ValidationError: no field', 'ValidationError'],
    ['mean squared error', undefined],
    ['', undefined],
  ])('of %j is %s', (response, type) => {
    expect(errorType(response)).toBe(type);
  });

  it('reads the end of a long response only', () => {
    expect(errorType(`NameError: x\n${'a'.repeat(4_096)}`)).toBeUndefined();
    expect(errorType(`${'a'.repeat(100_000)}\nNameError: x`)).toBe('NameError');
  });
});

describe('features', () => {
  it('are calls with outcomes, what follows what, how it ended, and counts in powers of two', () => {
    expect(
      failureFeatures({
        calls: [
          { tool: 'python', outcome: 'exception', error: 'NameError' },
          { tool: 'python', outcome: 'ok_stdout' },
        ],
        ...{ turns: 3, toolCalls: 2, answer: '1,234', stopReason: 'answer', flags: ['no_boxed'] },
      }),
    ).toEqual([
      'answer: number',
      'call: python exception NameError',
      'call: python ok_stdout',
      'calls: 2–3',
      'flag: no_boxed',
      'stop: answer',
      'then: python exception NameError → python ok_stdout',
      'then: python ok_stdout → answer number',
      'turns: 2–3',
    ]);
  });

  it('say nothing of what is unknown', () => {
    expect(failureFeatures({ flags: [] })).toEqual([]);
    expect(failureFeatures({ calls: [], flags: [] })).toEqual(['answer: none']);
  });

  it.each([
    ['-3.5e2', 'number'],
    [String.raw`\frac{1}{2}`, 'expression'],
    ['x + 1', 'expression'],
    ['no such number', 'text'],
    [' ', 'none'],
  ])('the answer %j is of the class %s', (answer, kind) => {
    expect(failureFeatures({ answer, calls: [], flags: [] })).toContain(`answer: ${kind}`);
  });

  it('name a cluster by its failed calls first, then its end', () => {
    expect(
      clusterName(['answer: none', 'call: python ok_stdout', 'call: python exception NameError', 'turns: 1']),
    ).toBe('python exception NameError and python ok_stdout, then no answer');
    expect(clusterName(['calls: 0', 'stop: length', 'answer: none'])).toBe(
      'no tool call, then cut off by the length limit',
    );
    expect(clusterName(['answer: number', 'calls: 2–3', 'flag: all_calls_failed'])).toBe(
      '2–3 calls: every call failed, then a number as the answer',
    );
    expect(clusterName([])).toBe('no action in common');
  });
});

/** Sets of one of four groups with noise, by a seed. */
function planted(rollouts: number, seed = 1): { readonly sets: FeatureSet[]; readonly groupOf: string[] } {
  const random = seededRandom(seed);
  const sets = new Map<string, { features: string[]; count: number }>();
  for (let i = 0; i < rollouts; i++) {
    const group = 'abcd'[i % 4] ?? 'a';
    const own = [1, 2, 3, 4].map((n) => `${group}${n}`);
    for (let n = 0; n < 12; n++) if (random() < 0.08) own.push(`noise${n}`);
    const features = own.sort();
    const key = features.join(' ');
    sets.set(key, { features, count: (sets.get(key)?.count ?? 0) + 1 });
  }
  const all = [...sets.values()];
  return { sets: all, groupOf: all.map(({ features }) => features[0]?.[0] ?? '') };
}

/** Cluster of each set by its features, whatever the order of the input. */
const byFeatures = (sets: readonly FeatureSet[], { clusterOf, medoids }: ReturnType<typeof clusterSets>) => ({
  medoids: medoids.map((at) => sets[at]?.features),
  clusters: sets.map(({ features }, at) => `${features.join(' ')}: ${clusterOf[at]}`).sort(),
});

describe('clusters', () => {
  it('find planted groups, also when the sets are sampled', () => {
    for (const rollouts of [200, 8000]) {
      const { sets, groupOf } = planted(rollouts);
      if (rollouts === 8000) expect(sets.length).toBeGreaterThan(500);
      const { medoids, clusterOf } = clusterSets(sets);
      expect(medoids).toHaveLength(4);
      const pairs = new Set(
        sets.flatMap((_, at) => ((clusterOf[at] ?? -1) < 0 ? [] : [`${groupOf[at]}${clusterOf[at]}`])),
      );
      expect(pairs.size).toBe(4);
      expect(clusterOf.filter((c) => c < 0).length).toBeLessThan(sets.length / 50);
    }
  });

  const SETS = fc
    .uniqueArray(fc.subarray(['a', 'b', 'c', 'd', 'e', 'f', 'g']), {
      selector: (set) => set.join(),
      maxLength: 40,
    })
    .chain((all) =>
      fc.tuple(
        ...all.map((features) =>
          fc.record({ features: fc.constant(features), count: fc.integer({ min: 1, max: 5 }) }),
        ),
      ),
    );

  it('do not depend on the order of the rollouts', () => {
    fc.assert(
      fc.property(SETS, fc.integer(), (sets, seed) => {
        const random = seededRandom(seed);
        const shuffled = sets
          .map((set) => ({ set, at: random() }))
          .sort((a, b) => a.at - b.at)
          .map(({ set }) => set);
        expect(byFeatures(shuffled, clusterSets(shuffled))).toEqual(byFeatures(sets, clusterSets(sets)));
      }),
      { numRuns: 100 },
    );
    const { sets } = planted(8000, 3);
    expect(byFeatures(sets.toReversed(), clusterSets(sets.toReversed()))).toEqual(
      byFeatures(sets, clusterSets(sets)),
    );
  });

  it('do not change when every rollout occurs three times', () => {
    const { sets } = planted(400);
    const tripled = sets.map(({ features, count }) => ({ features, count: 3 * count }));
    expect(byFeatures(tripled, clusterSets(tripled))).toEqual(byFeatures(sets, clusterSets(sets)));
  });

  it('are at most twelve, one for equal rollouts, and none without any', () => {
    const many = Array.from({ length: 40 }, (_, i) => ({ features: [`only ${i}`], count: 5 }));
    expect(clusterSets(many).medoids.length).toBeLessThanOrEqual(MOST_CLUSTERS);
    expect(clusterSets([{ features: ['a'], count: 9 }])).toEqual({
      medoids: [0],
      clusterOf: Int32Array.of(0),
    });
    expect(clusterSets([]).medoids).toEqual([]);
  });

  it('leave out a rollout that has nothing in common with any medoid', () => {
    const { sets } = planted(400);
    const odd = { features: ['z1', 'z2', 'z3'], count: 1 };
    expect(clusterSets([...sets, odd]).clusterOf.at(-1)).toBe(-1);
  });
});
