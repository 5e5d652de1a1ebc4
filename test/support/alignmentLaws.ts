/** Invariants of every alignment, and arbitrary rollouts to test them. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { AlignableRollout, PairAlignment, SegmentPair } from '../../shared/domain/align.ts';
import { ADDED, EDIT_SIZE, type Edits, EQUAL, REMOVED } from '../../shared/domain/alignText.ts';
import type { TextRange } from '../../shared/domain/model.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';
import { drawRollout } from './drawAlignment.ts';

const drawnWord = fc.constantFrom(
  ...[
    'T1',
    "T1'",
    "T1''",
    'T2',
    'T3',
    'C1',
    "C1'",
    'C2',
    'C1.search',
    'R1',
    "R1'",
    'r2',
    'A1',
    'A2',
    'S1',
    'U1',
  ],
);
/** Rollouts of few different segments, so that many can be paired. */
export const drawnRollout: fc.Arbitrary<AlignableRollout> = fc
  .array(fc.array(drawnWord, { minLength: 1, maxLength: 4 }), { maxLength: 6 })
  .map((turns) => drawRollout(turns.map((words) => words.join(' ')).join('\n')));

const piece = fc.constantFrom(
  '<tool_call>\n{"name": "python", "arguments": {"code": "x = 1\\nprint(x)\\n"}}\n</tool_call>',
  '<tool_call>\n{"name": "search", "arguments": {"q": "\\u00e9\\\\n"}}\n</tool_call>',
  '<tool_call>not json',
  'user\n<tool_response>\nTool call success\nstdout: 12\n</tool_response>\nassistant\n',
  'user\n<tool_response>\nTool call failure\r\nstderr: \ud800 error\r\n</tool_response>\nassistant\n',
  '<reason>',
  '</reason>',
  '<answer>\\boxed{1}</answer>',
  'Let me check. ',
  'Let us check that. ',
  'x = 3.14, y = -2 ',
  '\r\n',
  '\n',
  '\n\n\n',
  '  ',
  '🧮',
  '🧮🧪',
  '\ud83e',
  '\udded',
  '漢字',
  '<',
  'a',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ',
);

/** Tokens of one to five UTF-16 units. Some split a surrogate pair, as byte tokens do. */
function tokenEnds(text: string, lengths: readonly number[]): Uint32Array {
  const ends: number[] = [];
  for (let at = 0, i = 0; at < text.length; i++) {
    at = Math.min(text.length, at + (lengths[i % lengths.length] ?? 1));
    ends.push(at);
  }
  return Uint32Array.from(ends);
}

export const hostileRollout: fc.Arbitrary<AlignableRollout> = fc
  .record({
    pieces: fc.array(piece, { maxLength: 24 }),
    startsInReasoning: fc.boolean(),
    tokens: fc.option(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }), {
      nil: undefined,
    }),
  })
  .map(({ pieces, startsInReasoning, tokens }) => {
    const response = pieces.join('');
    const { segments, toolCalls } = segmentResponse(response, { startsInReasoning });
    return {
      response,
      segments,
      toolCalls,
      ...(tokens === undefined ? {} : { tokenEnds: tokenEnds(response, tokens) }),
    };
  });

/** Pairs that share a beginning more often than by chance. */
export const rolloutPair: fc.Arbitrary<readonly [AlignableRollout, AlignableRollout]> = fc.oneof(
  fc.tuple(drawnRollout, drawnRollout),
  fc.tuple(hostileRollout, hostileRollout),
  hostileRollout.map((one) => [one, one] as const),
);

const innerOf = (rollout: AlignableRollout, segment: number | undefined): TextRange =>
  rollout.segments[segment ?? -1]?.inner ?? { start: 0, end: 0 };
const textOf = (rollout: AlignableRollout, segment: number | undefined): string => {
  const { start, end } = innerOf(rollout, segment);
  return rollout.response.slice(start, end);
};

/** Runs tile both ranges, removed before added. Equal runs are equal, and kept plus added text gives `b`. */
function expectEdits(edits: Edits, a: string, inA: TextRange, b: string, inB: TextRange): void {
  let [atA, atB] = [inA.start, inB.start];
  let last: number | undefined;
  let made = '';
  for (let i = 0; i < edits.length; i += EDIT_SIZE) {
    const [kind, aStart = -1, aEnd = -1, bStart = -1, bEnd = -1] = edits.subarray(i, i + EDIT_SIZE);
    expect([aStart, bStart]).toEqual([atA, atB]);
    expect(aEnd - aStart + bEnd - bStart).toBeGreaterThan(0);
    if (kind === EQUAL) expect(a.slice(aStart, aEnd)).toBe(b.slice(bStart, bEnd));
    if (kind === REMOVED) expect(bEnd).toBe(bStart);
    if (kind === ADDED) expect(aEnd).toBe(aStart);
    if (kind !== EQUAL) expect(last === kind || (last === ADDED && kind === REMOVED)).toBe(false);
    if (kind === EQUAL) expect(last).not.toBe(EQUAL);
    made += kind === EQUAL ? a.slice(aStart, aEnd) : b.slice(bStart, bEnd);
    [atA, atB, last] = [aEnd, bEnd, kind];
  }
  expect([atA, atB]).toEqual([inA.end, inB.end]);
  expect(made).toBe(b.slice(inB.start, inB.end));
}

/** Every turn and segment appears once and in order, and each pair fits its relation. */
export function expectAlignment(alignment: PairAlignment, a: AlignableRollout, b: AlignableRollout): void {
  const { rows } = alignment;
  const turnsOf = ({ segments }: AlignableRollout): number[] => [
    ...new Set(segments.map(({ turn }) => turn).filter((turn) => turn > 0)),
  ];
  const present = (values: readonly (number | undefined)[]): number[] =>
    values.filter((value) => value !== undefined);
  expect(present(rows.map((row) => row.a))).toEqual(turnsOf(a));
  expect(present(rows.map((row) => row.b))).toEqual(turnsOf(b));
  const segmentsOf = ({ segments }: AlignableRollout): number[] =>
    segments.flatMap(({ turn }, i) => (turn > 0 ? [i] : []));
  const pairs = rows.flatMap((row) => row.segments);
  expect(present(pairs.map((pair) => pair.a))).toEqual(segmentsOf(a));
  expect(present(pairs.map((pair) => pair.b))).toEqual(segmentsOf(b));
  for (const row of rows) {
    for (const pair of row.segments) {
      if (pair.a !== undefined) expect(a.segments[pair.a]?.turn).toBe(row.a);
      if (pair.b !== undefined) expect(b.segments[pair.b]?.turn).toBe(row.b);
      expectPair(pair, a, b);
    }
    expect(row.isEqual).toBe(row.segments.every(({ relation }) => relation === 'equal'));
  }
}

const isMalformed = ({ toolCalls }: AlignableRollout, segment: number): boolean =>
  toolCalls.some(({ callSegment, outcome }) => callSegment === segment && outcome === 'malformed');

function expectPair(pair: SegmentPair, a: AlignableRollout, b: AlignableRollout): void {
  const { relation, likeness, edits } = pair;
  expect(likeness).toBeGreaterThanOrEqual(0);
  expect(likeness).toBeLessThanOrEqual(1);
  const isBoth = pair.a !== undefined && pair.b !== undefined;
  expect(isBoth).toBe(relation !== 'only');
  expect(edits !== undefined).toBe(relation === 'similar');
  if (isBoth) {
    expect(a.segments[pair.a]?.kind).toBe(b.segments[pair.b]?.kind);
    const isEqual =
      textOf(a, pair.a) === textOf(b, pair.b) && isMalformed(a, pair.a) === isMalformed(b, pair.b);
    expect(isEqual).toBe(relation === 'equal');
  }
  if (edits !== undefined) expectEdits(edits, a.response, innerOf(a, pair.a), b.response, innerOf(b, pair.b));
}
