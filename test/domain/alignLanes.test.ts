import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AlignableRollout, AlignmentCancelled, alignPair } from '../../shared/domain/align.ts';
import { alignLanes, type LaneAlignment } from '../../shared/domain/alignLanes.ts';
import { drawnRollout, hostileRollout } from '../support/alignmentLaws.ts';
import { drawLanes, drawRollout } from '../support/drawAlignment.ts';

const lanesArbitrary = fc.array(fc.oneof(drawnRollout, hostileRollout), { minLength: 1, maxLength: 4 });

const present = (values: readonly (number | undefined)[]): number[] =>
  values.filter((value) => value !== undefined);

function expectLanes(
  { rows, pairs }: LaneAlignment,
  lanes: readonly AlignableRollout[],
  baseline: number,
): void {
  lanes.forEach((rollout, lane) => {
    const turns = [...new Set(rollout.segments.map(({ turn }) => turn))];
    expect(present(rows.map((row) => row.turns[lane]))).toEqual(turns);
    expect(present(rows.flatMap(({ blocks }) => blocks.map(({ segments }) => segments[lane])))).toEqual(
      rollout.segments.map((_, i) => i),
    );
  });
  for (const row of rows) {
    expect(row.turns.some((turn) => turn !== undefined)).toBe(true);
    for (const { segments, relations, edits } of row.blocks) {
      for (const list of [segments, relations, edits]) expect(list.length).toBe(lanes.length);
      segments.forEach((segment, lane) => {
        if (segment !== undefined) expect(lanes[lane]?.segments[segment]?.turn).toBe(row.turns[lane]);
        expect(relations[lane] === undefined).toBe(segment === undefined);
        expect(edits[lane] !== undefined).toBe(relations[lane] === 'similar');
        if (lane !== baseline && segment !== undefined)
          expect(relations[lane] !== 'only').toBe(segments[baseline] !== undefined);
      });
      const kinds = segments.flatMap((segment, lane) => lanes[lane]?.segments[segment ?? -1]?.kind ?? []);
      expect(new Set(kinds).size).toBe(1);
    }
  }
  expect(pairs[baseline]).toBeUndefined();
}

describe('invariants of alignLanes', () => {
  it('has every turn and segment of every lane once and in order', () => {
    fc.assert(
      fc.property(lanesArbitrary, fc.nat(3), (lanes, choice) => {
        const baseline = choice % lanes.length;
        expectLanes(alignLanes(lanes, baseline), lanes, baseline);
      }),
      { seed: 1, numRuns: 400 },
    );
  });

  it('has the pairs of alignPair, whatever the other lanes and the baseline', () => {
    fc.assert(
      fc.property(lanesArbitrary, (lanes) => {
        lanes.forEach((base, baseline) => {
          const { pairs } = alignLanes(lanes, baseline);
          lanes.forEach((rollout, lane) => {
            if (lane !== baseline) expect(pairs[lane]).toEqual(alignPair(base, rollout));
          });
        });
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  it('shows the segments of each pair in one block', () => {
    fc.assert(
      fc.property(lanesArbitrary, (lanes) => {
        const { rows, pairs } = alignLanes(lanes, 0);
        const blocks = rows.flatMap((row) => row.blocks);
        pairs.forEach((pair, lane) => {
          for (const { a, b, relation } of pair?.rows.flatMap((row) => row.segments) ?? []) {
            if (a === undefined || b === undefined) continue;
            const block = blocks.find(({ segments }) => segments[0] === a);
            expect(block?.segments[lane]).toBe(b);
            expect(block?.relations[lane]).toBe(relation);
          }
        });
      }),
      { seed: 3, numRuns: 200 },
    );
  });
});

/** Lanes, the baseline first; marks per lane: `=` equal, `~` similar, `?` not in the baseline, `.` absent. */
const DRAWN: Readonly<Record<string, readonly [lanes: readonly string[], drawn: string]>> = {
  'one lane': [['T1 C1 R1'], '1  =  T= C= R='],
  'what the baseline lacks is aligned among the others': [
    ['T1 C1 R1\nT2 A1', "T1 C1' R2\nT3 C2 R1\nT2 A2", "T1 C1 R1\nT3' C2 R1\nT2 A1"],
    '1 1 1  ~  T=== C=~= R=~=\n· 2 2  ~  T.?? C.?? R.??\n2 3 3  ~  T=== A=~=',
  ],
  'four lanes': [
    ['T1 A1', 'T1 A1', 'T3 C1 R1\nT1 A1', 'T2 A2'],
    '· · 1 ·  ~  T..?. C..?. R..?.\n1 1 2 1  ~  T===~ A===~',
  ],
  'an empty lane': [['T1 A1', ''], '1 ·  ~  T=. A=.'],
  'an empty baseline': [['', 'T1 A1', "T1' A1"], '· 1 1  ~  T.?? A.??'],
};

describe('lanes as drawn', () => {
  it.each(Object.entries(DRAWN))('%s', (_, [drawings, drawn]) => {
    const lanes = drawings.map(drawRollout);
    expect(drawLanes(alignLanes(lanes, 0).rows, lanes)).toBe(drawn);
  });
});

describe('bad input', () => {
  const lane = drawRollout('T1 C1 R1');

  it('aligns a rollout with itself as equal', () => {
    const { rows, pairs } = alignLanes([lane, lane], 1);
    expect(rows.every(({ isEqual }) => isEqual)).toBe(true);
    expect(pairs[0]).toMatchObject({ cost: 0 });
  });

  it('refuses no lanes, five lanes, and an invalid baseline', () => {
    expect(() => alignLanes([], 0)).toThrow(RangeError);
    expect(() => alignLanes(Array(5).fill(lane), 0)).toThrow(RangeError);
    expect(() => alignLanes([lane], 1)).toThrow(RangeError);
    expect(() => alignLanes(Array(4).fill(lane), 3)).not.toThrow();
  });

  it('stops when cancelled', () => {
    expect(() => alignLanes([lane, lane], 0, { isCancelled: () => true })).toThrow(AlignmentCancelled);
  });
});
