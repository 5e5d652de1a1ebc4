import { describe, expect, it } from 'vitest';
import { readingOf } from '../../renderer/views/problems/HeatMap.tsx';
import {
  answerClusters,
  answerShares,
  historyCsv,
  historyScale,
  lengthOf,
  verdictText,
} from '../../renderer/views/problems/historyModel.ts';
import {
  besideName,
  cellAt,
  labelEvery,
  mapRows,
  mapShape,
  moved,
  nameAt,
  nameHint,
  pointAt,
  sortedMap,
} from '../../renderer/views/problems/mapModel.ts';
import { mapCsv } from '../../renderer/views/problems/paintMap.ts';
import { SUSPECT_VIEWS } from '../../renderer/views/problems/suspectViews.ts';
import type { ProblemGroup, ProblemMap } from '../../shared/api/contract.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { problemName } from '../../shared/domain/question.ts';

/** A row per cell: problem, step, known, correct, answers. */
function mapOf(
  problems: readonly string[],
  steps: readonly number[],
  cells: readonly (readonly number[])[],
): ProblemMap {
  const column = (at: number) => Uint32Array.from(cells, (cell) => cell[at] ?? 0);
  return {
    steps,
    problems: problems.map((problemId) => ({ problemId, question: `What is ${problemId}?` })),
    cells: {
      ...{ problem: column(0), step: column(1), known: column(2), correct: column(3), answers: column(4) },
      ...{ groupId: Uint32Array.from(cells, (_, i) => 100 + i), groups: column(9) },
      rollouts: Uint32Array.from(
        cells,
        ([, , known = 0, , , isMatched = 1]) => isMatched * Math.max(1, known),
      ),
    },
  };
}

const MAP = mapOf(
  ['easy', 'fallen', 'hard', 'unknown', 'rising'],
  [0, 10, 20],
  [
    [0, 0, 8, 8, 1],
    [0, 2, 8, 8, 1],
    [1, 0, 8, 6, 2],
    [1, 1, 8, 7, 2],
    [1, 2, 8, 1, 5],
    [2, 1, 8, 0, 4],
    [3, 0, 0, 0, 0],
    [4, 2, 8, 4, 3],
    [4, 0, 8, 2, 3],
  ],
);
const rows = mapRows(MAP);
const namesBy = (sort: Parameters<typeof sortedMap>[1]) =>
  sortedMap(rows, sort).map(({ problemId }) => problemId);

describe('problems by steps', () => {
  it('are sorted, and unknown is neither solved nor unsolved', () => {
    expect(namesBy('order')).toEqual(['easy', 'fallen', 'hard', 'unknown', 'rising']);
    expect(namesBy('rate')).toEqual(['hard', 'rising', 'fallen', 'easy', 'unknown']);
    expect(namesBy('regressed')).toEqual(['fallen']);
    expect(namesBy('change')).toEqual(['fallen', 'rising']);
    expect(namesBy('never')).toEqual(['hard']);
    expect(namesBy('always')).toEqual(['easy']);
    expect(namesBy('answers')[0]).toBe('fallen');
    expect(rows[1]).toMatchObject({ change: -6 / 8, correct: 14, known: 24 });
  });

  it('regressed names the two steps and the correct rollouts of both', () => {
    const [fallen] = sortedMap(rows, 'regressed');
    expect(fallen?.regression).toMatchObject({
      ...{ best: { step: 1, correct: 7, known: 8 }, last: { step: 2, correct: 1, known: 8 } },
      fall: 6 / 8,
    });
    const steps = ['0', '10', '20'];
    if (fallen === undefined) throw new Error('no problem regressed');
    expect(besideName(fallen, 'regressed', steps)).toBe('10: 7/8 → 20: 1/8');
    expect(besideName(fallen, 'order', steps)).toBe('58 %');
    expect(mapShape(1000, 3, 8, 17).gutter).toBe(mapShape(1000, 3, 8).gutter + 6 * 12);
  });

  it('a regression is from the latest of its best steps, and needs two steps of known correctness', () => {
    const [twice, unknown] = mapRows(
      mapOf(
        ['twice', 'unknown'],
        [0, 10, 20, 30],
        [
          [0, 0, 8, 8, 1],
          [0, 1, 8, 8, 1],
          [0, 2, 8, 4, 1],
          // The last step has no rollout of known correctness.
          [0, 3, 0, 0, 0],
          [1, 0, 0, 0, 0],
          [1, 1, 8, 2, 0],
        ],
      ),
    );
    expect(twice?.regression).toMatchObject({ best: { step: 1 }, last: { step: 2 }, fall: 0.5 });
    expect(unknown?.regression).toBeUndefined();
  });

  it('distinguishes a cell without matches from an untried step', () => {
    const [row] = mapRows(
      mapOf(
        ['half'],
        [0, 10, 20],
        [
          [0, 2, 8, 2, 1],
          [0, 1, 0, 0, 0, 0],
        ],
      ),
    );
    expect(row).toMatchObject({ cells: [{ step: 2 }], unmatched: [1], tried: 8, change: 0 });
    expect(readingOf(row, undefined, { at: 1, step: 10 })).toBe(
      'half, step 10: tried, no rollout matches the filter',
    );
    expect(readingOf(row, undefined, { at: 0, step: 0 })).toBe('half, step 0: not tried');
    // A log without steps.
    expect(readingOf(row, undefined, { at: 0, step: undefined })).toBe('half: not tried');
  });

  it('a point of the picture is a cell', () => {
    const shape = mapShape(1000, 3);
    const size = { rows: rows.length, steps: 3 };
    const point = pointAt(
      shape,
      { x: shape.gutter + shape.columnWidth * 1.5, y: shape.rowHeight * 2.5 },
      size,
    );
    expect(point).toEqual({ row: 2, step: 1 });
    expect(cellAt(rows, point)?.groupId).toBe(105);
    expect(pointAt(shape, { x: shape.gutter - 1, y: 5 }, size)).toBeUndefined();
    expect(pointAt(shape, { x: shape.gutter + 1, y: shape.rowHeight * 5 }, size)).toBeUndefined();
    expect(mapShape(1000, 500).columnWidth).toBeGreaterThanOrEqual(3);
  });

  it('a problem with a derived id is named by its question', () => {
    const named = (problemId: string, question: string) => problemName({ problemId, question });
    expect(named('26473afc4acf', 'What is 6·7?')).toBe('What is 6·7?');
    expect(named('26473afc4acf', '')).toBe('no prompt (26473afc4acf)');
    expect(named('expected-draws', 'Cards numbered …')).toBe('expected-draws');
    expect(nameHint({ problemId: '26473afc4acf', question: 'What is 6·7?' })).toBe(
      'What is 6·7?\n26473afc4acf',
    );
  });

  it('names take the width that few steps leave, and no more than needed', () => {
    expect(mapShape(1200, 1, 200)).toMatchObject({ columnWidth: 72, gutter: 1104 });
    expect(mapShape(1200, 1, 30).gutter).toBe(82 + 180);
    expect(mapShape(1200, 1, 8).gutter).toBe(190);
    // Many steps get only part of the width.
    const many = mapShape(1200, 60, 200);
    expect(many.gutter).toBeGreaterThanOrEqual(312);
    expect(many.gutter + 60 * many.columnWidth).toBeLessThanOrEqual(1200);
    expect(mapShape(1200, 500, 200).columnWidth).toBe(3);
  });

  it('a name leads to its row, at the tried step nearest to the hovered one', () => {
    const shape = mapShape(1000, 3);
    expect(nameAt(rows, shape, shape.rowHeight * 4.5, 0)).toEqual({ row: 4, step: 0 });
    expect(nameAt(rows, shape, shape.rowHeight * 2.5, 2)).toEqual({ row: 2, step: 1 });
    expect(nameAt(rows, shape, shape.rowHeight * 1.5, undefined)).toEqual({ row: 1, step: 2 });
    expect(nameAt(rows, shape, shape.rowHeight * 5.5, 0)).toBeUndefined();
  });

  it('arrow keys move from tried step to tried step', () => {
    const start = moved(rows, undefined, { rows: 1, steps: 0 });
    expect(start).toEqual({ row: 0, step: 0 });
    expect(moved(rows, start, { rows: 0, steps: 1 })).toEqual({ row: 0, step: 2 });
    expect(moved(rows, { row: 1, step: 2 }, { rows: 1, steps: 0 })).toEqual({ row: 2, step: 1 });
    expect(moved(rows, { row: 4, step: 2 }, { rows: 1, steps: 0 })).toEqual({ row: 4, step: 2 });
    expect(moved(rows, { row: 4, step: 2 }, { rows: Number.MIN_SAFE_INTEGER, steps: 0 })).toEqual({
      row: 0,
      step: 2,
    });
    expect(moved([], undefined, { rows: 1, steps: 0 })).toBeUndefined();
  });
});

describe('as files', () => {
  it('the map has a line per cell in page order, with the key of its group', () => {
    const [head, ...lines] = mapCsv(
      'run · q',
      sortedMap(rows, 'rate').slice(0, 1),
      [0, 10, 20],
      (id) => `g${id}`,
    )
      .trimEnd()
      .split('\n');
    expect(head?.split(',').length).toBe(10);
    expect(lines).toEqual(['hard,What is hard?,10,8,8,0,4,0,g105,run · q; from rollouts']);
    const unknown = mapCsv('run', sortedMap(rows, 'order').slice(3, 4), undefined, () => undefined);
    // Unknown is blank, and so is the step of a log without steps.
    expect(unknown.split('\n')[1]).toBe('unknown,What is unknown?,,1,0,,0,0,,run; from rollouts');
  });

  it('a history has a line per group and answer', () => {
    const facts = {
      runKey: 'r',
      runName: 'run, a',
      kind: 'train',
      groupId: 1,
      groupKey: 'g',
      meanChars: 100,
    } as const;
    const text = historyCsv({
      problemId: 'p',
      question: '',
      prompt: '',
      leftOut: 2,
      groups: [
        {
          ...facts,
          ...{ step: 5, rollouts: 4, correct: 1, correctKnown: 4, meanEntropy: 0.5 },
          answers: [
            { text: '7', rollouts: 2, judged: 2, right: 1 },
            { text: '=8', rollouts: 1, judged: 0, right: 0 },
          ],
        },
        { ...facts, rollouts: 3, correct: 0, correctKnown: 0, meanTokens: 40, answers: [] },
      ],
    });
    const source =
      'p; no ground truth; 2 groups are left out; from rollouts but for what is marked as logged';
    expect(text.split('\n').slice(1)).toEqual([
      `"run, a",train,5,g,4,4,1,,,100,0.5,7,2,2,1,,${source}`,
      `"run, a",train,5,g,4,4,1,,,100,0.5,'=8,1,0,,,${source}`,
      `"run, a",train,,g,3,0,,,40,100,,,,,,,${source}`,
      '',
    ]);
  });
});

describe('answers of a problem over time', () => {
  const group = (rollouts: number, answers: Record<string, number>): ProblemGroup => ({
    ...{ runKey: 'r', runName: 'r', kind: 'train', groupId: 1, groupKey: 'g', rollouts, meanChars: 1 },
    ...{ correct: 0, correctKnown: 0 },
    answers: Object.entries(answers).map(([text, n]) => ({
      ...{ text, rollouts: n, judged: n, right: 0 },
      isTruth: text === '7',
    })),
  });

  it('the ground truth first, then by count; the rest is merged', () => {
    const many = group(20, { '1': 3, '2': 2, '3': 2, '4': 2, '5': 2, '6': 2, '7': 1, '8': 1 });
    const clusters = answerClusters([many]);
    expect(clusters.map(({ text }) => text)).toEqual(['7', '1', '2', '3', '4', '5']);
    const shares = answerShares(many, clusters);
    expect(shares.map(({ cluster, rollouts }) => [cluster, rollouts])).toEqual([
      [0, 1],
      [1, 3],
      [2, 2],
      [3, 2],
      [4, 2],
      [5, 2],
      [-1, 3],
      [-2, 5],
    ]);
    expect(shares.at(-1)?.to).toBeCloseTo(1, 12);
  });

  const judged = (answers: ProblemGroup['answers'], more: Partial<ProblemGroup> = {}): ProblemGroup => ({
    ...group(20, {}),
    answers,
    ...more,
  });

  it('without a ground truth an answer has its rollouts’ judgement, or none if they differ', () => {
    const clusters = answerClusters([
      judged([
        { text: 'wrong', rollouts: 9, judged: 9, right: 0 },
        { text: 'right', rollouts: 5, judged: 4, right: 4 },
        { text: 'both', rollouts: 4, judged: 4, right: 4 },
        { text: 'unjudged', rollouts: 3, judged: 0, right: 0 },
        { text: 'right too', rollouts: 2, judged: 2, right: 2 },
      ]),
      judged([{ text: 'both', rollouts: 4, judged: 4, right: 0 }]),
    ]);
    expect(
      clusters.map((cluster) => [cluster.text, cluster.verdict, cluster.shade, verdictText(cluster, false)]),
    ).toEqual([
      ['right', 'right', 0, '✓ judged correct'],
      ['right too', 'right', 1, '✓ judged correct'],
      ['wrong', 'wrong', 0, '✗ judged incorrect'],
      ['both', 'both', 0, 'judged both ways'],
      ['unjudged', 'unjudged', 1, 'not judged'],
    ]);
  });

  it('a ground truth decides, whatever the reward', () => {
    const clusters = answerClusters([
      judged([
        { text: '8', rollouts: 5, judged: 5, right: 5, isTruth: false },
        { text: '7', rollouts: 1, judged: 1, right: 0, isTruth: true },
      ]),
    ]);
    expect(clusters.map((cluster) => [cluster.verdict, verdictText(cluster, true)])).toEqual([
      ['right', '✓ ground truth'],
      ['wrong', ''],
    ]);
  });

  it('all lengths have one unit: tokens if every group has them', () => {
    const known = judged([], { meanTokens: 900, meanChars: 3000 });
    const unknown = judged([], { meanChars: 2700 });
    expect(historyScale([known, known])).toEqual({ unit: 'tokens', longest: 900, highest: undefined });
    const { unit, longest } = historyScale([known, unknown]);
    expect([unit, longest, lengthOf(known, unit), lengthOf(unknown, unit)]).toEqual([
      'characters',
      3000,
      3000,
      2700,
    ]);
  });

  it('entropy has a track if some group has it', () => {
    expect(historyScale([judged([]), judged([], { meanEntropy: 0.4 })]).highest).toBe(0.4);
    expect(historyScale([judged([])]).highest).toBeUndefined();
  });
});

it.each(SUSPECT_VIEWS.map(({ title, filter }) => [title, filter]))('%s is a filter', (_, filter) => {
  expect(readFilter(filter)).toMatchObject({ ok: true });
});

describe('the labels of the steps', () => {
  it('are even, at round steps', () => {
    expect(labelEvery(30, 70)).toBe(1);
    expect(labelEvery(30, 16)).toBe(2);
    expect(labelEvery(30, 9)).toBe(5);
    expect(labelEvery(30, 4)).toBe(10);
    expect(labelEvery(33, 3)).toBe(20);
    for (let column = 1; column < 60; column += 1)
      expect(labelEvery(33, column) * column).toBeGreaterThanOrEqual(33);
  });
});
