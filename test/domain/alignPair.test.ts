import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AlignableRollout,
  AlignmentCancelled,
  alignPair,
  type PairAlignment,
} from '../../shared/domain/align.ts';
import { mirroredEdits } from '../../shared/domain/alignText.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';
import { isInsidePair } from '../../shared/domain/textUnits.ts';
import { expectAlignment, hostileRollout, rolloutPair } from '../support/alignmentLaws.ts';
import { drawAlignment, drawRollout } from '../support/drawAlignment.ts';

/** The alignment seen from the other side, with one-sided rows in the order of the contract. */
function mirror({ rows, prefix, divergence, cost }: PairAlignment): PairAlignment {
  return {
    rows: aloneInAFirst(
      rows.map(({ a, b, isEqual, segments }) => ({
        ...swapped({ a, b }),
        isEqual,
        segments: aloneInAFirst(
          segments.map(({ edits, relation, likeness, ...pair }) => ({
            ...swapped(pair),
            relation,
            likeness,
            ...(edits === undefined ? {} : { edits: mirroredEdits(edits) }),
          })),
        ),
      })),
    ),
    prefix,
    ...(divergence === undefined ? {} : { divergence: { a: divergence.b, b: divergence.a } }),
    cost,
  };
}

const swapped = ({
  a,
  b,
}: {
  a?: number | undefined;
  b?: number | undefined;
}): { a?: number; b?: number } => ({
  ...(b === undefined ? {} : { a: b }),
  ...(a === undefined ? {} : { b: a }),
});

function aloneInAFirst<T extends { readonly a?: number; readonly b?: number }>(rows: readonly T[]): T[] {
  const groups: T[][] = [[]];
  for (const row of rows) {
    if (row.a !== undefined && row.b !== undefined) groups.push([row], []);
    else groups.at(-1)?.push(row);
  }
  return groups.flatMap((group) => [
    ...group.filter(({ a }) => a !== undefined),
    ...group.filter(({ a }) => a === undefined),
  ]);
}

describe('invariants of alignPair', () => {
  it('covers each side once and in order, and its edits make b of a', () => {
    fc.assert(
      fc.property(rolloutPair, ([a, b]) => expectAlignment(alignPair(a, b), a, b)),
      { seed: 1, numRuns: 600 },
    );
  });

  it('is the same from either side, at the same cost', () => {
    fc.assert(
      fc.property(rolloutPair, ([a, b]) => {
        expect(alignPair(b, a)).toEqual(mirror(alignPair(a, b)));
      }),
      { seed: 2, numRuns: 600 },
    );
  });

  it('aligns a rollout with itself as equal, without divergence, at cost 0', () => {
    fc.assert(
      fc.property(hostileRollout, (rollout) => {
        const { rows, divergence, cost, prefix } = alignPair(rollout, { ...rollout });
        expect(rows.every(({ isEqual, a, b }) => isEqual && a === b)).toBe(true);
        expect(divergence).toBeUndefined();
        expect(cost).toBe(0);
        expect(prefix.chars).toBe(rollout.response.length);
        expect(prefix.tokens).toBe(rollout.tokenEnds?.length);
      }),
      { seed: 3, numRuns: 400 },
    );
  });

  it('costs 0 only if all segments are equal', () => {
    fc.assert(
      fc.property(rolloutPair, ([a, b]) => {
        const { cost, rows } = alignPair(a, b);
        expect(cost === 0).toBe(rows.every(({ isEqual }) => isEqual));
      }),
      { seed: 4, numRuns: 400 },
    );
  });

  it('leaves turns alone on one side only, between two pairs', () => {
    fc.assert(
      fc.property(rolloutPair, ([a, b]) => {
        let alone = '';
        for (const row of alignPair(a, b).rows) {
          const side = row.a === undefined ? 'b' : row.b === undefined ? 'a' : '';
          expect(`${alone}${side}`).not.toMatch(/ab|ba/);
          alone = side;
        }
      }),
      { seed: 6, numRuns: 300 },
    );
  });

  it('pairs all other turns if one is inserted', () => {
    const turn = fc.integer({ min: 1, max: 4 }).map((n) => `T${n} C${n} R${n}`);
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 8 }), fc.nat(), (turns, at) => {
        const more = turns.toSpliced(at % (turns.length + 1), 0, 'T9 C9 R9');
        const { rows } = alignPair(drawRollout(turns.join('\n')), drawRollout(more.join('\n')));
        expect(rows.filter(({ isEqual }) => isEqual)).toHaveLength(turns.length);
        expect(rows).toHaveLength(more.length);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('has an exact and maximal prefix, and diverges at its end', () => {
    fc.assert(
      fc.property(rolloutPair, ([a, b]) => expectPrefix(a, b, alignPair(a, b))),
      { seed: 5, numRuns: 600 },
    );
  });
});

function expectPrefix(a: AlignableRollout, b: AlignableRollout, { prefix, divergence }: PairAlignment): void {
  const { chars, tokens } = prefix;
  expect(a.response.slice(0, chars)).toBe(b.response.slice(0, chars));
  for (const { response } of [a, b]) expect(isInsidePair(response, chars)).toBe(false);
  const isMore = (more: number): boolean =>
    chars + more <= Math.min(a.response.length, b.response.length) &&
    a.response.slice(0, chars + more) === b.response.slice(0, chars + more);
  // One more unit is common only if it is half of a surrogate pair.
  if (isMore(1))
    expect(isInsidePair(a.response, chars + 1) || isInsidePair(b.response, chars + 1)).toBe(true);
  expect(isMore(2)).toBe(false);
  expect(divergence === undefined).toBe(a.response === b.response);
  expect(tokens !== undefined).toBe(a.tokenEnds !== undefined && b.tokenEnds !== undefined);
  if (divergence === undefined) return;
  for (const [side, place] of [
    [a, divergence.a],
    [b, divergence.b],
  ] as const) {
    expect(isInsidePair(side.response, place.offset)).toBe(false);
    expect(place.offset).toBeLessThanOrEqual(chars);
    if (place.segment !== undefined) {
      const segment = side.segments[place.segment];
      expect(segment?.turn).toBe(place.turn);
      expect(segment?.outer.start).toBeLessThanOrEqual(place.offset);
    }
    if (tokens === undefined) expect(place).toMatchObject({ offset: chars });
    else expect(place.token).toBe(tokens < (side.tokenEnds?.length ?? 0) ? tokens : undefined);
  }
  if (tokens === undefined || a.tokenEnds === undefined || b.tokenEnds === undefined) return;
  const token = (rollout: AlignableRollout, i: number): string | undefined => {
    const ends = rollout.tokenEnds ?? new Uint32Array(0);
    const start = i === 0 ? 0 : (ends[i - 1] ?? 0);
    return i < ends.length ? `${start} ${rollout.response.slice(start, ends[i])}` : undefined;
  };
  for (let i = 0; i < tokens; i++) expect(token(a, i)).toBe(token(b, i));
  const [nextA, nextB] = [token(a, tokens), token(b, tokens)];
  expect(nextA === undefined || nextA !== nextB).toBe(true);
}

/** a, b, and their alignment. */
const DRAWN: Readonly<Record<string, readonly [a: string, b: string, drawn: string]>> = {
  'the same': ['T1 C1 R1\nT2 A1', 'T1 C1 R1\nT2 A1', '1 = 1  =T =C =R\n2 = 2  =T =A'],
  'similar code and its output stand side by side': [
    'T1 C1 R1\nT2 A1',
    "T1 C1' R2\nT2 A2",
    '1 ~ 1  =T ~C ~R\n2 ~ 2  =T ~A',
  ],
  'the same beginning wins over a later turn with the same end': [
    'T1 C1 R1\nT2 A1',
    "T1' C2 R2\nT3 C1 R1\nT2 A1",
    '1 ~ 1  ~T ~C ~R\n· + 2  +T +C +R\n2 = 3  =T =A',
  ],
  'also if both end with it': ['T1 C1 R1', "T1' C2 R2\nT1 C1 R1", '1 ~ 1  ~T ~C ~R\n· + 2  +T +C +R'],
  'of equal turns, the last belongs to the last': [
    'T2 A1',
    'T3 C1 R1\nT2 A1\nT2 A1',
    '· + 1  +T +C +R\n· + 2  +T +A\n1 = 3  =T =A',
  ],
  'a turn more in the middle is a gap': [
    'T1 C1 R1\nT2 A1',
    'T1 C1 R1\nT3 C2 R2\nT2 A1',
    '1 = 1  =T =C =R\n· + 2  +T +C +R\n2 = 3  =T =A',
  ],
  'a retry after an error is a gap on the other side': [
    "T1 C1 r1\nT2 C1' R2\nT3 A1",
    'T1 C1 R3\nT3 A1',
    '1 ~ 1  =T =C ~R\n2 - ·  -T -C -R\n3 = 2  =T =A',
  ],
  'turns of one shape stand side by side, whatever they say': [
    'T1 C1 R1\nT2 A1',
    'T3 C2 R2\nT4 A1',
    '1 ~ 1  ~T ~C ~R\n2 ~ 2  ~T =A',
  ],
  'a shift is seen through': [
    'T1 C1 R1\nT2 C2 R2\nT3 C3 R3',
    "T9 C9 R9\nT1 C1 R1\nT2' C2 R2",
    '· + 1  +T +C +R\n1 = 2  =T =C =R\n2 ~ 3  ~T =C =R\n3 - ·  -T -C -R',
  ],
  'calls of different tools are no pair': ['T1 C1 R1', 'T1 C1.search R1', '1 ~ 1  =T -C -R +C +R'],
  'an answer stands beside an answer': ['T1 A1', 'T2 A2', '1 ~ 1  ~T ~A'],
  'an answer does not stand beside a call': ['T1 A1', 'T2 C1 R1', '1 ~ 1  ~T -A +C +R'],
  'the turn they part in is one turn, whatever became of it': [
    'T1 C1 R1\nT2 A1',
    "T1' A1",
    '1 ~ 1  ~T -C -R +A\n2 - ·  -T -A',
  ],
  'one side is empty': ['', 'T1 A1', '· + 1  +T +A'],
  'both are empty': ['', '', ''],
  'two calls in a turn, one of them new': ['T1 C1 C2 R1 R2', 'T1 C2 R2', '1 ~ 1  =T -C =C -R =R'],
};

describe('alignments as drawn', () => {
  it.each(Object.entries(DRAWN))('%s', (_, [one, other, drawn]) => {
    const [a, b] = [drawRollout(one), drawRollout(other)];
    expect(drawAlignment(alignPair(a, b), a, b)).toBe(drawn);
  });
});

it('puts a rollout of one turn beside the turn that begins like it, not beside the last one', () => {
  const read = (response: string): AlignableRollout => ({
    response,
    ...segmentResponse(response, { startsInReasoning: false }),
  });
  const called = '<tool_call>\n{"name": "grade", "arguments": {"answer": "1"}}\n</tool_call>';
  const [two, one] = [
    read(
      `To solve this problem, we first need to know how many popsicles each of them has.\n${called}\nuser\n<tool_response>\n0.0\n</tool_response>\nassistant\nNow add both parts: 5x + 6x = 165. Then x = 15. So Sam has 15 more.`,
    ),
    read('To solve this problem, we add both parts: 5x + 6x = 165. Then x = 15. Sam has 15 more.'),
  ];
  expect(alignPair(two, one).rows.map(({ a, b }) => [a, b])).toEqual([
    [1, 1],
    [2, undefined],
  ]);
});

describe('a malformed call', () => {
  const calling = (text: string, outcome: 'ok' | 'malformed'): AlignableRollout => ({
    response: text,
    segments: [
      {
        kind: 'tool-call',
        turn: 1,
        outer: { start: 0, end: text.length },
        inner: { start: 11, end: 20 },
      },
    ],
    toolCalls: [{ turn: 1, name: 'python', outcome, callSegment: 0 }],
  });

  it('is not equal to a call that was read, although they have the same text inside', () => {
    const [read, unread] = [
      calling('<tool_call>print(17)</tool_call>', 'ok'),
      calling('<tool_call>print(17)', 'malformed'),
    ];
    expect(alignPair(read, unread).rows[0]?.segments[0]).toMatchObject({ relation: 'similar', likeness: 1 });
    expect(alignPair(unread, unread).rows[0]?.isEqual).toBe(true);
  });
});

describe('divergence', () => {
  const of = (response: string, ends?: readonly number[]): AlignableRollout => ({
    response,
    segments: [
      {
        kind: 'text',
        turn: 1,
        outer: { start: 0, end: response.length },
        inner: { start: 0, end: response.length },
      },
    ],
    toolCalls: [],
    ...(ends === undefined ? {} : { tokenEnds: Uint32Array.from(ends) }),
  });

  it.each([
    ['to the character', of('abcd'), of('abxd'), { chars: 2 }, 2, 2, undefined],
    ['to the token', of('ab cd', [2, 5]), of('ab cx', [2, 5]), { chars: 4, tokens: 1 }, 2, 2, 1],
    ['where a token is longer', of('abc', [1, 3]), of('abx', [2, 3]), { chars: 2, tokens: 0 }, 0, 0, 0],
    ['where one has ended', of('ab', [2]), of('abc', [2, 3]), { chars: 2, tokens: 1 }, 2, 2, undefined],
    ['before a torn pair', of('x🧮'), of('x🧪'), { chars: 1 }, 1, 1, undefined],
    ['without the tokens of the other', of('ab', [1, 2]), of('ac'), { chars: 1 }, 1, 1, undefined],
    ['without tokens that go back', of('ab', [2, 1]), of('ac', [1, 2]), { chars: 1 }, 1, 1, undefined],
  ])('%s', (_, a, b, prefix, offsetA, offsetB, token) => {
    const alignment = alignPair(a, b);
    expect(alignment.prefix).toEqual(prefix);
    expect(alignment.divergence?.a).toMatchObject({ offset: offsetA, turn: 1, segment: 0 });
    expect(alignment.divergence?.b.offset).toBe(offsetB);
    expect(alignment.divergence?.a.token).toBe(token);
  });

  it('equal texts in different tokens do not diverge', () => {
    const alignment = alignPair(of('abc', [1, 3]), of('abc', [2, 3]));
    expect(alignment).toMatchObject({ prefix: { chars: 3, tokens: 0 }, cost: 0 });
    expect(alignment.divergence).toBeUndefined();
  });
});

describe('bad input', () => {
  const LONG = 300_000;
  const one = (response: string): AlignableRollout => ({
    response,
    segments: [
      {
        kind: 'reasoning',
        turn: 1,
        outer: { start: 0, end: response.length },
        inner: { start: 0, end: response.length },
      },
    ],
    toolCalls: [],
  });
  /** Inputs that once made a comparison quadratic; each must finish well before the timeout. */
  it.each([
    ['one character over and over', 'a'.repeat(LONG), `${'a'.repeat(LONG)}b`],
    ['one line over and over', 'print(1)\n'.repeat(40_000), `x\n${'print(1)\n'.repeat(39_000)}y\n`],
    ['two words in another order', 'a b '.repeat(60_000), 'b a a '.repeat(50_000)],
    ['signs', '(['.repeat(LONG / 2), '[(('.repeat(LONG / 3)],
    ['blanks', ' '.repeat(LONG), '\n'.repeat(LONG)],
    ['lone surrogates', '\ud800'.repeat(LONG), '\udc00'.repeat(LONG)],
    ['line ends', 'a\r\n'.repeat(LONG / 3), 'a\n'.repeat(LONG / 3)],
  ])('%s', (_, x, y) => {
    const [a, b] = [one(x), one(y)];
    expectAlignment(alignPair(a, b), a, b);
  });

  it('thousands of segments in one turn', () => {
    const drawn = (mark: string): AlignableRollout =>
      drawRollout(Array.from({ length: 1500 }, (_, i) => `S${i}${i % 7 === 0 ? mark : ''}`).join(' '));
    const [a, b] = [drawn(''), drawn("'")];
    const alignment = alignPair(a, b);
    expectAlignment(alignment, a, b);
    expect(alignment.rows[0]?.segments.map(({ relation }) => relation)).toEqual(
      Array.from({ length: 1500 }, (_, i) => (i % 7 === 0 ? 'similar' : 'equal')),
    );
  });

  it('ranges beyond the response', () => {
    const beyond = {
      ...one('short'),
      segments: [{ ...one('a longer text than that').segments[0] }],
    } as AlignableRollout;
    expect(alignPair(beyond, one('short')).rows[0]?.isEqual).toBe(true);
  });

  it('no segments, no tools, only a prompt', () => {
    const prompt: AlignableRollout = {
      response: '',
      segments: [{ kind: 'user', turn: 0, outer: { start: 0, end: 9 }, inner: { start: 0, end: 9 } }],
      toolCalls: [],
    };
    expect(alignPair(prompt, { response: 'x', segments: [], toolCalls: [] })).toEqual({
      rows: [],
      prefix: { chars: 0 },
      divergence: { a: { offset: 0 }, b: { offset: 0 } },
      cost: 0,
    });
  });

  it('stops when cancelled', () => {
    const [a, b] = [one('a b c '.repeat(1000)), one('c a d '.repeat(1000))];
    let asked = 0;
    expect(() => alignPair(a, b, { isCancelled: () => ++asked > 2 })).toThrow(AlignmentCancelled);
    expect(() => alignPair(a, b, { isCancelled: () => false })).not.toThrow();
  });
});
