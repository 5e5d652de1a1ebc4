import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstDifference } from '../../electron/compare/forks.ts';
import {
  compareSearch,
  nextLane,
  readCompare,
  withBaseline,
  withLaneMoved,
  withoutLane,
} from '../../renderer/data/compareLink.ts';
import type { SegmentView } from '../../renderer/data/segmentViews.ts';
import { codePlaces } from '../../renderer/editor/codePlaces.ts';
import {
  blocksBeside,
  pairOf,
  pathText,
  shownOf,
  showsIndented,
} from '../../renderer/views/compare/blockModel.ts';
import {
  displayEdits,
  displayOffset,
  linesOf,
  piecesOf,
  sideLines,
  sideMarks,
  type TextDiff,
  withoutLongRuns,
  wovenLines,
  wovenPieces,
} from '../../renderer/views/compare/diffModel.ts';
import { judgedApart, laneFacts } from '../../renderer/views/compare/factsModel.ts';
import { forkContext, idSideLabels, sideLabels } from '../../renderer/views/compare/forkModel.ts';
import { laneNotes, prefixText } from '../../renderer/views/compare/lanes/laneModel.ts';
import { offsetsOf, rowAt, scrollTopFor, windowOf } from '../../renderer/views/compare/measuredRows.ts';
import {
  diffBlock,
  errorKeys,
  foldKeys,
  forkBands,
  forksByRow,
  type ItemOptions,
  itemOfRow,
  itemsOf,
  nextDifference,
  nextFork,
  type ShownBlock,
} from '../../renderer/views/compare/rowModel.ts';
import { nameOfRow, nameWithout, rowOfPlace } from '../../renderer/views/compare/rowPlace.ts';
import type { RolloutRow, RunSummary } from '../../shared/api/contract.ts';
import { plainEdits } from '../../shared/domain/alignText.ts';
import { drawCompared } from '../support/drawCompared.ts';

describe('the link', () => {
  const lanes = ['/run/a%2Fb/step/0/group/p%20%26%20q/rollout/1', '/run/r/step/5/group/g%23/rollout/0'];

  it('survives a round trip, with any key', () => {
    const link = {
      lanes,
      leftOut: [],
      base: 1,
      on: 0,
      at: { lane: 1, turn: 12 },
      layout: 'unified',
      equal: 'hide',
      show: ['code', 'output'],
    } as const;
    const search = compareSearch(link);
    expect(search).toContain('lane=/run/');
    expect(readCompare(new URLSearchParams(search))).toEqual(link);
  });

  it('omits defaults, and keeps foreign parameters', () => {
    expect(compareSearch({ lanes: ['/x'], base: 0, on: 1 }, new URLSearchParams('stop=error&at=0.3'))).toBe(
      '?stop=error&lane=/x&on=1',
    );
    expect(compareSearch(readCompare(new URLSearchParams()))).toBe('');
  });

  it('bears nonsense', () => {
    const link = readCompare(
      new URLSearchParams(
        'lane=a&lane=b&lane=c&lane=d&lane=e&base=9&on=-1&at=4.1&layout=round&show=code,cake',
      ),
    );
    expect(link).toEqual({
      lanes: ['a', 'b', 'c', 'd'],
      leftOut: ['e'],
      base: 3,
      on: 0,
      at: undefined,
      layout: 'split',
      equal: 'fold',
      show: ['code'],
    });
  });

  it('keeps baseline and chosen lane with their rollouts when lanes move or go', () => {
    const order = { lanes: ['a', 'b', 'c'], base: 0, on: 2, at: undefined };
    expect(withLaneMoved(order, 0, 1)).toEqual({ ...order, lanes: ['b', 'a', 'c'], base: 1, on: 2 });
    expect(withLaneMoved(order, 2, 3)).toEqual(order);
    expect(withoutLane(order, 1)).toEqual({ ...order, lanes: ['a', 'c'], base: 0, on: 1 });
    expect(withoutLane(order, 0)).toEqual({ ...order, lanes: ['b', 'c'], base: 0, on: 1 });
    expect(withoutLane(order, 2)).toEqual({ ...order, lanes: ['a', 'b'], base: 0, on: 1 });
    expect(withBaseline(order, 2)).toEqual({ ...order, base: 2, on: 0 });
    expect(withBaseline(withBaseline(order, 2), 0)).toEqual(order);
  });

  it('keeps lanes beyond the fourth, which appear when one of the four closes', () => {
    const five = 'lane=a&lane=b&lane=c&lane=d&lane=e&on=2';
    const link = readCompare(new URLSearchParams(five));
    expect([link.lanes.length, link.leftOut]).toEqual([4, ['e']]);
    const searchAfter = (changes: object) => compareSearch({ ...link, ...changes });
    expect(searchAfter({ layout: 'unified' })).toBe(`?${five}&layout=unified`);
    const after = readCompare(new URLSearchParams(searchAfter(withoutLane(link, 1))));
    expect([after.lanes, after.leftOut]).toEqual([['a', 'c', 'd', 'e'], []]);
  });

  it('selects lanes in display order, also after another became the baseline', () => {
    const order = { lanes: ['a', 'b', 'c'], base: 0, on: 2, at: undefined };
    const walk = (
      link: Omit<Parameters<typeof nextLane>[0], 'layout'>,
      layout: 'split' | 'unified',
      by: 1 | -1,
    ) => {
      const seen = [link.on];
      while (seen.length < 5) seen.push(nextLane({ ...link, layout, on: seen.at(-1) ?? 0 }, by));
      return seen.map((lane) => link.lanes[lane]).join(' ');
    };
    const after = withBaseline(order, 2);
    expect(walk(order, 'split', 1)).toBe('c a b c a');
    expect(walk(after, 'split', 1)).toBe('a b c a b');
    expect(walk(after, 'split', -1)).toBe('a c b a c');
    // In the unified view, every text already includes the baseline (c).
    expect(walk(after, 'unified', 1)).toBe('a b a b a');
    expect(walk(after, 'unified', -1)).toBe('a b a b a');
    expect(nextLane({ lanes: ['a'], base: 0, on: 0, layout: 'unified' }, 1)).toBe(0);
  });

  it('takes the turn one is at along with its lane', () => {
    const order = { lanes: ['a', 'b', 'c'], base: 0, on: 2, at: { lane: 2, turn: 7 } };
    expect(withLaneMoved(order, 2, 0).at).toEqual({ lane: 0, turn: 7 });
    expect(withLaneMoved(order, 0, 1).at).toEqual({ lane: 2, turn: 7 });
    expect(withBaseline(order, 2).at).toEqual({ lane: 2, turn: 7 });
    expect(withoutLane(order, 0).at).toEqual({ lane: 1, turn: 7 });
    expect(withoutLane(order, 2, { lane: 1, turn: 5 }).at).toEqual({ lane: 1, turn: 5 });
    expect(withoutLane(order, 2).at).toEqual({ lane: 0, turn: 7 });
  });
});

describe('the position', () => {
  const drawings = ['T1\nT2\nT3', 'T1\nT5 C5\nT2\nT3', 'T2\nT3\nT6'];
  const drawn = drawCompared(drawings);

  it('is named by the chosen lane, else by the baseline, else by any lane with a turn', () => {
    const rowOf = (lane: number, turn: number) => rowOfPlace(drawn, { lane, turn });
    expect(nameOfRow(drawn, rowOf(0, 2), { on: 1 })).toEqual({ lane: 1, turn: 3 });
    expect(nameOfRow(drawn, rowOf(0, 1), { on: 2 })).toEqual({ lane: 0, turn: 1 });
    expect(nameOfRow(drawn, rowOf(1, 2), { on: 2 })).toEqual({ lane: 1, turn: 2 });
    expect(nameOfRow(drawn, 99, { on: 1 })).toBeUndefined();
  });

  it('is the last turn if there are fewer now, and the baseline’s if its lane is gone', () => {
    expect(rowOfPlace(drawn, { lane: 0, turn: 99 })).toBe(rowOfPlace(drawn, { lane: 0, turn: 3 }));
    expect(rowOfPlace(drawn, { lane: 3, turn: 2 })).toBe(rowOfPlace(drawn, { lane: 0, turn: 2 }));
    expect(rowOfPlace(drawn, undefined)).toBe(0);
  });

  it('moves to the nearest row if only the closed lane had it', () => {
    const row = rowOfPlace(drawn, { lane: 1, turn: 2 });
    expect(nameWithout(drawn, row, { on: 1, without: 1 })).toEqual({ lane: 0, turn: 1 });
  });

  it('keeps its turn through moves, removals and other baselines', () => {
    const turn = fc.constantFrom('T1', 'T2 C2', "T2 C2'", 'T3 R3', 'T4', 'T5 C5 R5');
    const lane = fc.array(turn, { minLength: 1, maxLength: 7 }).map((turns) => turns.join('\n'));
    const deed = fc.record({
      kind: fc.constantFrom('move', 'remove', 'base'),
      a: fc.nat({ max: 3 }),
      b: fc.nat({ max: 3 }),
    });
    fc.assert(
      fc.property(
        fc.array(lane, { minLength: 2, maxLength: 4 }),
        fc.nat(),
        fc.array(deed, { maxLength: 5 }),
        (texts, pick, deeds) => {
          let order: ReturnType<typeof withLaneMoved> = { lanes: texts, base: 0, on: 1, at: undefined };
          let compared = drawCompared(order.lanes, order.base);
          const start = pick % compared.comparison.rows.length;
          order = { ...order, at: nameOfRow(compared, start, order) };
          expect(rowOfPlace(compared, order.at)).toBe(start);
          for (const { kind, a, b } of deeds) {
            const count = order.lanes.length;
            const row = rowOfPlace(compared, order.at);
            const turns = compared.comparison.rows[row]?.turns ?? [];
            const others = turns.flatMap((one, i) => (one === null || i === a % count ? [] : [i]));
            const rollout = (one: typeof order) => one.lanes[one.at?.lane ?? -1];
            const [before, named] = [order, order.at];
            if (kind === 'move') order = withLaneMoved(order, a % count, b % count);
            else if (kind === 'base') order = withBaseline(order, a % count);
            else if (count > 1) {
              const without = a % count;
              order = withoutLane(order, without, nameWithout(compared, row, { on: order.on, without }));
            }
            compared = drawCompared(order.lanes, order.base);
            const now = compared.comparison.rows[rowOfPlace(compared, order.at)];
            // The row contains the turn of the lane that names it …
            expect(now?.turns[order.at?.lane ?? -1]).toBe(order.at?.turn);
            if (kind === 'remove' && count > 1 && named?.lane === a % count) {
              // … which was in the row before, if any lane that stays had it.
              const was = before.lanes.findIndex(
                (text, i) => i !== a % count && text === rollout(order) && turns[i] === order.at?.turn,
              );
              if (others.length > 0) expect(was).toBeGreaterThanOrEqual(0);
            } else {
              expect([rollout(order), order.at?.turn]).toEqual([rollout(before), named?.turn]);
            }
          }
        },
      ),
    );
  });
});

describe('rows', () => {
  const FOLD: ItemOptions = { equal: 'fold', show: [], flipped: new Set() };
  const drawn = drawCompared([
    'T1 C1 R1\nT2 C2 R2\nT3 C3 R3\nT4 A1',
    "T1 C1 R1\nT2 C2 R2\nT3 C3' R3\nT9 C9 R9\nT4 A2",
  ]);
  const kinds = (options: Partial<ItemOptions>) =>
    itemsOf(drawn, { ...FOLD, ...options }).items.map((item) =>
      item.kind === 'fold' ? `fold ${item.rows}` : `row ${item.row} (${item.blocks.length})`,
    );

  it('fold equal stretches with their length', () => {
    const { items, equalRows } = itemsOf(drawn, FOLD);
    expect(kinds({})).toEqual(['fold 2', 'row 2 (3)', 'row 3 (3)', 'row 4 (2)']);
    expect(equalRows).toBe(2);
    const [fold] = items;
    const text = drawn.lanes[0]?.segments.slice(0, 6).map(({ inner }) => inner) ?? [];
    expect(fold).toMatchObject({ kind: 'fold', rows: 2, chars: text.join('').length });
  });

  it('are opened and folded by one key, from anywhere in them', () => {
    const at = (index: number, keys: readonly string[] = []) => {
      const flipped = new Set(keys);
      return foldKeys(itemsOf(drawn, { ...FOLD, flipped }).items, index, flipped);
    };
    const [stretch, segment] = ['drawn rows 0', 'drawn block 2 0'];
    expect(at(0)).toEqual([stretch]);
    expect([0, 1, 2].map((index) => at(index, [stretch]))).toEqual([[stretch], [stretch], [stretch]]);
    expect(at(1)).toEqual([segment]);
    expect(at(1, [segment])).toEqual([segment]);
    expect(at(2)).toEqual([]);
  });

  it('open the errors of a row in the rows and in the watch, and shorten them again', () => {
    const lanes = drawn.lanes.map((lane) => ({
      ...lane,
      segments: lane.segments.map((view) =>
        view.answeredCall === undefined
          ? view
          : { ...view, answeredCall: { ...view.answeredCall, outcome: 'exception' as const } },
      ),
    }));
    const failing = { ...drawn, lanes };
    const at = (compared: typeof drawn, row: number, keys: readonly string[] = []) => {
      const flipped = new Set(keys);
      const item = itemsOf(compared, { ...FOLD, flipped }).items.find((one) => one.row === row);
      return errorKeys(compared, item, flipped);
    };
    expect(at(drawn, 3)).toEqual([]);
    const opened = at(failing, 3);
    expect(opened.filter((key) => / all$/.test(key)).length).toBeGreaterThan(1);
    const own = drawn.lanes.flatMap(({ path }, i) => {
      const turn = drawn.comparison.rows[3]?.turns[i] ?? undefined;
      return turn === undefined ? [] : [`${path} errors ${turn}`];
    });
    expect(own.length).toBeGreaterThan(0);
    expect(opened).toEqual(expect.arrayContaining(own));
    expect(at(failing, 3, opened.slice(1))).toEqual(opened.slice(0, 1));
    expect(at(failing, 3, opened)).toEqual(opened);
    // A folded stretch is opened first.
    expect(at(failing, 0)).toEqual(['drawn rows 0']);
  });

  it('open, hide and show them', () => {
    expect(kinds({ flipped: new Set(['drawn rows 0']) }).slice(0, 3)).toEqual([
      'fold 2',
      'row 0 (3)',
      'row 1 (3)',
    ]);
    expect(kinds({ equal: 'hide' })).toEqual(['row 2 (1)', 'row 3 (3)', 'row 4 (1)']);
    expect(kinds({ equal: 'show' })).toHaveLength(5);
  });

  it('show only some kinds', () => {
    expect(kinds({ show: ['code'] })).toEqual(['fold 2', 'row 2 (1)', 'row 3 (1)']);
    expect(kinds({ show: ['answer'], equal: 'hide' })).toEqual(['row 4 (1)']);
  });

  it('fold equal segments of a row that differs', () => {
    const [, third] = itemsOf(drawn, FOLD).items;
    expect(third?.kind === 'turns' && third.blocks.map(({ isFolded }) => isFolded)).toEqual([
      true,
      false,
      // As short as its fold.
      false,
    ]);
    expect(third?.kind === 'turns' && diffBlock(third, 0, 1)).toBe(1);
  });

  it('are found by the row of the comparison, hidden or not', () => {
    const { items } = itemsOf(drawn, FOLD);
    expect([0, 1, 2, 3, 4].map((row) => itemOfRow(items, row))).toEqual([0, 0, 1, 2, 3]);
    const hidden = itemsOf(drawn, { ...FOLD, equal: 'hide' }).items;
    expect([0, 1, 2].map((row) => itemOfRow(hidden, row))).toEqual([0, 0, 0]);
    expect(nextDifference(items, 0, 1)).toBe(1);
    expect(nextDifference(items, 1, -1)).toBeUndefined();
  });

  it('have the fork of each lane, and merge forks at one position', () => {
    expect([...forksByRow(drawn)]).toEqual([[2, [1]]]);
    const four = drawCompared(['T1\nT2\nT3', 'T1\nT5\nT3', 'T1\nT6', 'T1\nT2\nT3']);
    expect([...forksByRow(four).values()]).toEqual([[1, 2]]);
    expect(forkBands(four, [1, 2]).flat()).toEqual([1, 2]);
    expect(prefixText(four, 3)).toBe('equal to A');
    expect(
      nextFork(
        new Map([
          [4, [1]],
          [9, [2]],
        ]),
        4,
      ),
    ).toBe(9);
    expect(
      nextFork(
        new Map([
          [4, [1]],
          [9, [2]],
        ]),
        9,
      ),
    ).toBe(4);
    expect(nextFork(new Map(), 0)).toBeUndefined();
  });
});

describe('lanes', () => {
  it('explain what they cannot show', () => {
    const { lanes } = drawCompared(['T1 C1 R1', 'T1 A1', 'T1 C1 R1']);
    const [a, b, c] = lanes;
    if (a === undefined || b === undefined || c === undefined) throw new Error('three lanes were drawn');
    const texts = (lane: typeof a, others = lanes) => laneNotes(lane, others, a, []).map(({ text }) => text);
    expect(texts(a)).toEqual(['no tokens']);
    expect(texts(b)).toEqual(['no tokens', 'no tool calls']);
    const twin = { ...c, path: a.path };
    expect(texts(twin, [a, b, twin])[0]).toBe('same rollout as A');
    const empty = { ...b, detail: { ...b.detail, response: ' ', prompt: 'Other?' } };
    expect(texts(empty)).toEqual(['prompt differs', 'no tokens', 'empty response']);
  });

  it('name their models if they differ', () => {
    const [a, b] = drawCompared(['T1', 'T2']).lanes;
    if (a === undefined || b === undefined) throw new Error('two lanes were drawn');
    const other = { ...b, route: { ...b.route, runKey: 'other' } };
    const run = (runKey: string, model: string) => ({ runKey, model, format: 'inspect' }) as RunSummary;
    const texts = (models: readonly [string, string]) => {
      const runs = [run(a.route.runKey, models[0]), run('other', models[1])];
      return [a, other].map((lane) => laneNotes(lane, [a, other], a, runs)[0]?.text);
    };
    expect(texts(['gpt-4o', 'gemini'])).toEqual(['gpt-4o', 'gemini']);
    expect(texts(['gpt-4o', 'gpt-4o'])).toEqual(['no tokens', 'no tokens']);
  });

  it('have the same facts in the same order; unknown is blank and differs from nothing', () => {
    const { lanes } = drawCompared(['T1', 'T2']);
    const rows = lanes.map(({ detail }) => detail.row);
    const [a, b] = rows;
    if (a === undefined || b === undefined) throw new Error('two lanes were drawn');
    const facts = laneFacts(
      [
        { ...a, reward: 0, policyTokens: 5 },
        { ...b, reward: 1 },
      ],
      0,
    );
    expect(facts.every(({ values }) => values.length === 2)).toBe(true);
    const told = facts.map(
      ({ label, values: [, other] }) => `${label} ${other?.text}${other?.isDifferent ? ' ≠' : ''}`,
    );
    expect(told).toContain('reward 1 ≠');
    expect(told).toContain('tokens ');
    expect(told.some((fact) => fact.startsWith('mean entropy'))).toBe(false);
    expect(told.some((fact) => fact.startsWith('malformed'))).toBe(false);
    const malformed = laneFacts(
      [
        { ...a, malformedCalls: 0 },
        { ...b, malformedCalls: 1 },
      ],
      0,
    );
    const [zero, one] = malformed.find(({ label }) => label === 'malformed calls')?.values ?? [];
    expect([zero?.text, one?.text, one?.isDifferent]).toEqual(['0', '1', true]);
    // Only a few facts are shown, because a header of all facts left no room for the rows.
    const main = facts.flatMap(({ label, isMain }) => (isMain ? [label] : []));
    expect(main).toContain('reward');
    expect(main.length).toBeLessThan(facts.length);
    expect(main.length).toBeLessThanOrEqual(5);
  });
});

describe('equal answers of a pair', () => {
  const [a, b] = drawCompared(['A1', 'A1']).lanes;
  if (a === undefined || b === undefined) throw new Error('two lanes were drawn');
  const lane = (letter: string, row: Partial<RolloutRow>, answerSource?: 'derived') => ({
    ...{ letter, row: { ...a.detail.row, ...row } },
    ...(answerSource === undefined ? {} : { answerSource }),
  });
  const right = { answer: '26', isCorrect: true, reward: 1 };
  const wrong = { answer: '26', isCorrect: false, reward: 0 };

  it('the note names the rewards, or the correctness if the rewards are equal', () => {
    expect(judgedApart(lane('A', right), lane('B', wrong))).toBe(
      'The answers of A and B read the same, but the log rewards them differently: 1 and 0.',
    );
    const { reward: _, ...judged } = wrong;
    expect(judgedApart(lane('A', judged, 'derived'), lane('B', right))).toBe(
      'The answers of A and B read the same, but they are judged differently: incorrect and correct. The answers were found in the text, so the log may have judged another part of it.',
    );
  });

  it('need no word if they are judged alike, differ, or answer different problems', () => {
    for (const other of [
      { ...right, reward: 0.9 },
      { ...wrong, answer: '25' },
      { ...wrong, problemId: 'q' },
      { answer: '26' },
    ])
      expect(judgedApart(lane('A', right), lane('B', other))).toBeUndefined();
    expect(
      judgedApart(lane('A', { ...right, answer: '' }), lane('B', { ...wrong, answer: '' })),
    ).toBeUndefined();
  });
});

/** A diff as text: `[−removed]`, `[+added]`; the rest is equal. */
function drawDiff(drawing: string): TextDiff {
  const edits: number[] = [];
  let [a, b] = ['', ''];
  for (const [, removed, added, equal] of drawing.matchAll(/\[−([^\]]*)\]|\[\+([^\]]*)\]|([^[]+)/g)) {
    const [atA, atB] = [a.length, b.length];
    a += removed ?? equal ?? '';
    b += added ?? equal ?? '';
    const kind = removed !== undefined ? 1 : added !== undefined ? 2 : 0;
    edits.push(kind, atA, a.length, atB, b.length);
  }
  return { a, b, edits: new Int32Array(edits) };
}

describe('edits on the text one reads', () => {
  const pieces = (diff: TextDiff, side: 'a' | 'b') =>
    piecesOf({ start: 0, end: diff[side].length }, sideMarks(diff, side)).map(
      ({ start, end, isChanged, isNumber }) =>
        `${diff[side].slice(start, end)}${isChanged ? ' changed' : ''}${isNumber ? ' number' : ''}`,
    );

  it('split the sides at differences, numbers as numbers', () => {
    const diff = drawDiff('it is [−48][+96], not [−odd][+even] at all');
    expect(pieces(diff, 'a')).toEqual(['it is ', '48 changed number', ', not ', 'odd changed', ' at all']);
    expect(pieces(diff, 'b')).toEqual(['it is ', '96 changed number', ', not ', 'even changed', ' at all']);
  });

  it('unify prose: removed, then added', () => {
    const diff = drawDiff('a [−b][+c] d');
    expect(
      wovenPieces(diff).map(({ kind, side, start, end }) => `${kind} ${diff[side].slice(start, end)}`),
    ).toEqual(['equal a ', 'removed b', 'added c', 'equal  d']);
  });

  it('unify lines: a line is equal as a whole or not at all', () => {
    const diff = drawDiff('one\ntwo [−2][+22]\nthree\n[+more\n]four');
    const drawn = wovenLines(diff).map(({ side, line, sign }) => {
      const { start = 0, end = 0 } = linesOf(diff[side])[line] ?? {};
      return `${sign}${diff[side].slice(start, end)}`;
    });
    expect(drawn).toEqual(['one', '−two 2', '+two 22', 'three', '+more', 'four']);
    expect(sideLines(diff, 'b').map(({ sign }) => sign)).toEqual(['', '+', '', '+', '']);
  });

  it('use unescaped code', () => {
    const code = 'a = 1\nb = 2\n\nprint(a)';
    const written = JSON.stringify({ name: 'python', arguments: { code } });
    const places = codePlaces(code, written, 100);
    const shown = { text: code, base: 100, places };
    for (const at of [0, 4, 6, 10, 13]) {
      const source =
        100 +
        written.indexOf(JSON.stringify(code).slice(1, -1)) +
        JSON.stringify(code.slice(0, at)).length -
        2;
      expect(displayOffset(shown, source, false)).toBe(at);
    }
    // In the middle of an escape: a change covers the whole character.
    const newline = 100 + written.indexOf('\\n') + 1;
    expect(displayOffset(shown, newline, false)).toBe(5);
    expect(displayOffset(shown, newline, true)).toBe(6);
    expect(displayOffset(shown, 100, false)).toBe(0);
    expect(displayOffset(shown, 100 + written.length, true)).toBe(code.length);
  });

  it('lose no text', () => {
    const { lanes, comparison } = drawCompared(['T1 C1 R1', "T1' C1' R1'"]);
    for (const { segments, edits } of comparison.rows.flatMap(({ blocks }) => blocks)) {
      const [a, b] = lanes.map((lane, i) => lane.segments[segments[i] ?? -1]);
      const own = edits[1];
      if (a === undefined || b === undefined || own === null || own === undefined) continue;
      const { diff } = pairOf(a, b, own);
      if (diff === undefined) continue;
      const woven = wovenPieces(diff);
      const text = (kinds: readonly string[]) =>
        woven
          .filter(({ kind }) => kinds.includes(kind))
          .map(({ side, start, end }) => diff[side].slice(start, end))
          .join('');
      expect(text(['equal', 'removed'])).toBe(diff.a);
      expect(text(['equal', 'added'])).toBe(diff.b);
    }
  });

  it('are by lines of the indented JSON if both responses are JSON in one line', () => {
    const response = (inner: string) =>
      ({
        ...{ inner, outer: inner, source: 'response', index: 0, hasTokens: false },
        segment: { kind: 'tool-response', inner: { start: 5, end: 5 + inner.length } },
      }) as unknown as SegmentView;
    const flight = (cabin: string) =>
      response(`{"reservation": "4WQ150", "cabin": "${cabin}", "flights": ["HAT170", "HAT022"]}`);
    const drawn = (a: SegmentView, b: SegmentView) => {
      const pair = pairOf(a, b, plainEdits(a.inner, b.inner, 'words'));
      const { diff } = pair;
      if (diff === undefined) throw new Error('no diff');
      const lines = wovenLines(diff).map(({ side, line, sign }) => {
        const { start = 0, end = 0 } = linesOf(diff[side])[line] ?? {};
        return `${sign}${diff[side].slice(start, end)}`;
      });
      return { lines, isIndented: showsIndented(shownOf(b), pair, 'b') };
    };
    expect(drawn(flight('business'), flight('economy'))).toEqual({
      lines: [
        '{',
        '  "reservation": "4WQ150",',
        '−  "cabin": "business",',
        '+  "cabin": "economy",',
        '  "flights": [',
        '    "HAT170",',
        '    "HAT022"',
        '  ]',
        '}',
      ],
      isIndented: true,
    });
    // As logged: one is no JSON, or they differ in white space alone.
    const [json, spaced] = [flight('economy'), response(`${flight('economy').inner} `.replace(', ', ',   '))];
    for (const other of [response('Error: flight HAT170 not found'), spaced])
      expect(drawn(other, json)).toEqual({ lines: [`−${other.inner}`, `+${json.inner}`], isIndented: false });
  });

  it('treat unverified equal text as changed', () => {
    const wrong = { text: 'abc', base: 0 };
    const other = { text: 'xyz', base: 0 };
    const { edits } = displayEdits(wrong, other, new Int32Array([0, 0, 3, 0, 3]));
    expect([...edits]).toEqual([1, 0, 3, 0, 0, 2, 3, 3, 0, 3]);
  });

  it('leave out the middle of long equal runs, and count it', () => {
    const items = [...'x.........y'];
    const runs = withoutLongRuns(items, (item) => item === '.', { longest: 4, around: 2 });
    expect(runs.map((run) => (run.kind === 'shown' ? run.items.join('') : run.count))).toEqual([
      'x..',
      5,
      '..y',
    ]);
  });

  it('write paths of arguments', () => {
    expect(pathText(['items', 2, 'price'])).toBe('items[2].price');
  });
});

describe('description of the fork', () => {
  const source = { kind: 'top-k', k: 5, bound: 'lower', unit: 'nats', policy: 'rollout' } as const;

  it('shows value, percentile, source, and whether the other token was listed', () => {
    const words = sideLabels(
      {
        offset: 3,
        token: 1204,
        text: ' Wait',
        signal: 'entropy',
        source,
        value: 1.31,
        percentile: 0.972,
        alternatives: [
          [' So', Math.log(0.5)],
          [' Wait', Math.log(0.21)],
        ],
        tail: 0.29,
        other: { isListed: true, rank: 1, logprob: Math.log(0.5) },
      },
      { letter: 'B', text: ' So', hasTokens: true },
    );
    expect(words.what).toBe('token 1,204');
    expect(words.value).toBe('entropy ≥ 1.310 nats');
    expect(words.percentile).toBe('97.2th percentile of this rollout’s policy tokens');
    expect(words.source).toContain('lower bound');
    expect(words.other).toBe('B’s token was #1 here, p 0.50');
    expect(words.alternatives.map((row) => row.is)).toEqual(['other', 'own']);
    expect(words.tail).toBe(0.29);
  });

  it('states what is unknown', () => {
    const b = { letter: 'B', text: 'x', hasTokens: true };
    expect(sideLabels({ offset: 9 }, b)).toMatchObject({ what: 'the response has ended', other: '' });
    const word = { offset: 9, text: 'word' };
    expect(sideLabels(word, b).other).toBe('Alternatives need tokens with a place in both texts.');
    // A log without tokens: the head says so, once.
    expect(sideLabels(word, { ...b, hasTokens: false })).toMatchObject({
      what: 'in the policy’s text:',
      other: '',
    });
    expect(sideLabels({ offset: 9, token: 2, text: 'word' }, b)).toMatchObject({
      value: undefined,
      percentile: undefined,
      other: 'no alternatives were logged here',
    });
    const listed = {
      offset: 9,
      token: 2,
      text: 'a',
      alternatives: [['a', -0.1]],
      other: { isListed: false },
    } as const;
    expect(sideLabels(listed, b).other).toBe('B’s token is not among the 1 listed here');
    const surprisal = {
      offset: 0,
      token: 0,
      text: 'a',
      signal: 'surprisal',
      value: 2,
      source: { kind: 'surprisal', unit: 'nats' },
    } as const;
    expect(sideLabels(surprisal, b).value).toBe('surprisal 2.000 nats');
  });

  it('never cuts a character in two', () => {
    const text = '😀'.repeat(200);
    const { before, after, isCut } = forkContext(text, { offset: 201 * 2 - 2, text: '' });
    expect([before.isWellFormed(), after.isWellFormed(), isCut]).toEqual([true, true, true]);
  });

  it('states on which side it is cut', () => {
    const cuts = (length: number, offset: number) => {
      const { isCut, isCutBehind } = forkContext('x'.repeat(length), { offset, text: 'x' });
      return [isCut, isCutBehind];
    };
    expect(cuts(400, 200)).toEqual([true, true]);
    expect(cuts(400, 390)).toEqual([true, false]);
    expect(cuts(60, 5)).toEqual([false, false]);
  });
});

describe('ids without text', () => {
  it('show their value with its source, and that a side has no more of them', () => {
    const source = { kind: 'surprisal', unit: 'nats', policy: 'rollout' } as const;
    expect(idSideLabels({ id: 279, signal: 'surprisal', source, value: 0.517 })).toEqual({
      id: 'id 279',
      value: 'surprisal 0.517 nats',
      source: 'surprisal, not entropy, nats, T unknown, rollout policy',
    });
    expect(idSideLabels({})).toEqual({ id: 'no more ids', value: undefined, source: undefined });
  });

  it('fork at the first that differs, or where one side ends', () => {
    const first = (a: readonly number[], b: readonly number[]) =>
      firstDifference(Int32Array.from(a), Int32Array.from(b));
    expect(first([1, 2, 3], [1, 2, 4])).toBe(2);
    expect(first([1, 2], [1, 2, 0])).toBe(2);
    expect(first([1, 2], [1, 2])).toBeUndefined();
    expect(first([], [])).toBeUndefined();
  });
});

describe('turns without matches', () => {
  const alone = (
    key: string,
    kind: ShownBlock['kind'],
    segments: readonly (number | null)[],
  ): ShownBlock => ({
    block: {
      segments,
      relations: segments.map((segment, lane) => (segment === null ? null : lane === 0 ? 'equal' : 'only')),
      edits: segments.map(() => null),
    },
    key,
    index: 0,
    kind,
    chars: 10,
    lines: 1,
    isEqual: false,
    isFolded: false,
  });
  const stairs = [
    alone('a', 'reasoning', [0, null, null]),
    alone('b', 'tool-call', [1, null, null]),
    alone('c', 'reasoning', [null, 0, null]),
    alone('d', 'reasoning', [null, null, 0]),
    alone('e', 'reasoning', [null, null, 1]),
    alone('f', 'tool-call', [null, 1, null]),
  ];

  it('have segments of one kind beside each other, each once and in lane order', () => {
    const rows = blocksBeside(stairs, 0);
    expect(rows.map(({ kind, block }) => [kind, ...block.segments])).toEqual([
      ['reasoning', 0, 0, 0],
      ['tool-call', 1, 1, null],
      ['reasoning', null, null, 1],
    ]);
    expect(rows[0]?.block.relations).toEqual(['equal', 'only', 'only']);
    for (const lane of [0, 1, 2]) {
      const own = (blocks: readonly ShownBlock[]) =>
        blocks.flatMap(({ block }) => block.segments[lane] ?? []);
      expect(own(rows)).toEqual(own(stairs));
    }
  });

  it('are unchanged if anything is paired', () => {
    const paired = alone('p', 'answer', [2, 2, null]);
    const blocks = [
      ...stairs,
      { ...paired, block: { ...paired.block, relations: ['equal', 'similar', null] as const } },
    ];
    expect(blocksBeside(blocks, 0)).toBe(blocks);
  });
});

describe('rows of any height', () => {
  const offsets = offsetsOf(5, (index) => [10, 200, 30, 40, 50][index] ?? 0);

  it('are found by their position', () => {
    expect([-5, 0, 9, 10, 209, 210, 999].map((top) => rowAt(offsets, top))).toEqual([0, 0, 0, 1, 1, 2, 4]);
    expect(windowOf(offsets, { top: 215, height: 10 }, 0)).toEqual({ first: 2, end: 3 });
    expect(
      windowOf(
        offsetsOf(0, () => 0),
        { top: 0, height: 10 },
        50,
      ),
    ).toEqual({ first: 0, end: 0 });
  });

  it('scroll as little as possible', () => {
    const view = { top: 100, height: 300, covered: 40 };
    expect(scrollTopFor({ start: 150, end: 390 }, view)).toBeUndefined();
    // Taller than the view, beginning in its upper half.
    expect(scrollTopFor({ start: 200, end: 900 }, view)).toBeUndefined();
    expect(scrollTopFor({ start: 120, end: 200 }, view)).toBe(80);
    expect(scrollTopFor({ start: 380, end: 500 }, view)).toBe(340);
  });
});
