/** The SQL console's logic: completion, values, links, charts, plans. */
import { scaleLinear } from 'd3-scale';
import { describe, expect, test } from 'vitest';
import { parseRoute, pathOfRoute } from '../../renderer/data/route.ts';
import { aliasesOf, type CompletionSource, completionsAt } from '../../renderer/editor/sqlCompletion.ts';
import {
  barLayout,
  fitBelow,
  labelLines,
  labelWidth,
  ticksApart,
} from '../../renderer/views/sql/barLayout.ts';
import {
  axisNumber,
  chartData,
  drawnCsv,
  MOST_BARS,
  proposedChart,
  shownNumber,
} from '../../renderer/views/sql/chartChoice.ts';
import {
  cellText,
  durationLabel,
  fileNameOf,
  isNumeric,
  lineAndColumn,
  linkOf,
  planLines,
  routeOfTarget,
  sortedRows,
  tsvOf,
  valueText,
} from '../../renderer/views/sql/sqlModel.ts';
import type { SqlRow } from '../../shared/api/contract.ts';

const source = (name: string, columns: readonly string[], kind: CompletionSource['kind'] = 'view') => ({
  name,
  kind,
  form: kind === 'view' ? name : `${name}(rollout_id)`,
  about: `about ${name}`,
  columns: columns.map((column) => ({ name: column, about: '' })),
});
const SOURCES: readonly CompletionSource[] = [
  source('rollout', ['rollout_id', 'reward', 'step']),
  source('flag', ['rollout_id', 'end']),
  source('tokens', ['i', 'entropy'], 'table'),
  source('has_words', [], 'function'),
];
/** `|` is the cursor. */
const offered = (marked: string) =>
  completionsAt(marked.replace('|', ''), marked.indexOf('|'), SOURCES).map(({ insert }) => insert);

describe('completion', () => {
  test('offers sources after FROM and JOIN', () => {
    expect(offered('SELECT * FROM |')).toEqual(['rollout', 'flag', 'tokens(']);
    expect(offered('SELECT * FROM rollout r\nleft join fl|')).toEqual(['rollout', 'flag', 'tokens(']);
  });
  test('offers the columns of an alias, also if it comes later', () => {
    expect(offered('SELECT r.| FROM rollout AS r')).toEqual(['rollout_id', 'reward', 'step']);
    expect(offered('SELECT t.en| FROM rollout r, tokens(r.rollout_id) t')).toEqual(['i', 'entropy']);
    expect(offered('SELECT f.| FROM flag f')).toEqual(['rollout_id', '"end"']);
    expect(offered('SELECT x.| FROM rollout r')).toEqual([]);
  });
  test('offers columns of the current sources first, and each once', () => {
    const all = offered('SELECT | FROM flag JOIN rollout USING (rollout_id)');
    expect(all.slice(0, 4)).toEqual(['rollout_id', '"end"', 'reward', 'step']);
    expect(all).toContain('has_words(');
    expect(all).toContain('GROUP BY');
  });
  test('takes no keyword for an alias', () => {
    expect([...aliasesOf('SELECT * FROM rollout WHERE 1', SOURCES).keys()]).toEqual(['rollout']);
  });
});

describe('values', () => {
  test('are parsed in full, or state what is missing', () => {
    expect(valueText({ kind: 'integer', digits: '9007199254740993' })).toBe('9007199254740993');
    // A cell shows six digits of a fraction, as other tables do, and all digits of a whole number.
    expect([0.1 + 0.2, 2 / 3, -1e-9 / 3, 1234567890123, null].map(cellText)).toEqual([
      ...['0.3', '0.666667', '-3.33333e-10', '1234567890123', ''],
    ]);
    expect(valueText({ kind: 'bytes', bytes: 1 })).toBe('1 byte');
    expect(valueText({ kind: 'bytes', bytes: 12_000 })).toBe('12.0 kB');
    expect(valueText({ kind: 'cut', text: 'ab', chars: 50_000 })).toBe('ab… (50,000 characters in all)');
    expect(valueText(null)).toBe('');
  });
  test('are numbers only if all known values are', () => {
    const rows: readonly SqlRow[] = [
      [1, null, 'a', null],
      [2.5, 3, 4, null],
    ];
    expect([0, 1, 2, 3].map((column) => isNumeric(rows, column))).toEqual([true, true, false, false]);
  });
  test('sort by size, NULL last either way', () => {
    const rows: readonly SqlRow[] = [[10], [null], [9], [{ kind: 'integer', digits: '90071992547409930' }]];
    expect(sortedRows(rows, 0, 'descending').map(([value]) => valueText(value))).toEqual([
      '90071992547409930',
      '10',
      '9',
      '',
    ]);
    expect(sortedRows(rows, 0, 'ascending').at(-1)).toEqual([null]);
  });
  test('are copied as lines and cells', () => {
    expect(tsvOf(['a', 'a'], [['x\ty\nz', null]])).toBe('a\ta\nx y z\t\n');
  });
});

describe('a row', () => {
  test('opens the deepest target of its columns', () => {
    expect(linkOf(['run_id', 'n', 'rollout_id'])).toEqual({ column: 2, kind: 'rollout' });
    expect(linkOf(['run_id', 'group_id'])).toEqual({ column: 1, kind: 'group' });
    expect(linkOf(['reward'])).toBeUndefined();
  });
  test('leads to a page', () => {
    const route = routeOfTarget({ runKey: 'a b', step: 3, groupKey: 'g/1', ordinal: 2 });
    expect(pathOfRoute(route)).toBe('/run/a%20b/step/3/group/g%2F1/rollout/2');
    expect(routeOfTarget({ runKey: 'r' })).toEqual({ view: 'run', runKey: 'r' });
  });
  test('the console has its own route', () => {
    expect(parseRoute('/sql')).toEqual({ view: 'sql' });
    expect(pathOfRoute({ view: 'sql' })).toBe('/sql');
  });
});

describe('a chart', () => {
  test('is proposed: steps as a line, names as bars, two amounts as points', () => {
    const steps: readonly SqlRow[] = [
      [1, 0, 5],
      [1, 1, 6],
    ];
    expect(proposedChart(['run_id', 'step', 'correct'], steps)).toEqual({ x: 1, y: [2], shape: 'line' });
    expect(
      proposedChart(
        ['outcome', 'calls'],
        [
          ['ok', 3],
          ['error', 1],
        ],
      ),
    ).toEqual({ x: 0, y: [1], shape: 'bar' });
    expect(
      proposedChart(
        ['len', 'reward'],
        [
          [3, 1],
          [3, 0],
        ],
      ),
    ).toEqual({ x: 0, y: [1], shape: 'scatter' });
    expect(proposedChart(['answer'], [['a']])).toBeUndefined();
  });
  test('draws numbers, in order, and counts what it leaves out', () => {
    const rows: readonly SqlRow[] = [
      [3, 1],
      [1, null],
      [2, 5],
      ['x', 4],
    ];
    const { points, left } = chartData(rows, { x: 0, y: [1], shape: 'line' });
    expect(points.map(({ x, ys }) => [x, ...ys])).toEqual([
      [2, 5],
      [3, 1],
    ]);
    expect(left).toBe(2);
  });
  test('has several columns on one x, unknown if a row has no number in one', () => {
    const rows: readonly SqlRow[] = [
      [2, 5, null],
      [1, 4, 0.5],
      [3, null, null],
    ];
    const data = chartData(rows, { x: 0, y: [1, 2], shape: 'line' });
    expect(data.points.map(({ x, ys }) => [x, ...ys])).toEqual([
      [1, 4, 0.5],
      [2, 5, undefined],
    ]);
    expect(data.left).toBe(1);
    expect(drawnCsv('step', ['calls', '=share, all'], data)).toBe(
      `step,calls,"'=share, all"\n1,4,0.5\n2,5,\n`,
    );
  });
  test('draws no more bars than fit', () => {
    const rows = Array.from({ length: MOST_BARS + 5 }, (_, i): SqlRow => [`n${i}`, i]);
    expect(chartData(rows, { x: 0, y: [1], shape: 'bar' })).toMatchObject({ left: 5 });
  });
  test('writes ticks without noise, and values with every digit', () => {
    expect([0, 0.1 + 0.2, -12, 12_345_678, 0.00001].map(axisNumber)).toEqual([
      '0',
      '0.3',
      '−12',
      '12,345,678',
      '1e−5',
    ]);
    expect([1_234_567, 0.123_456_78, 9_007_199_254_740_991].map(shownNumber)).toEqual([
      '1,234,567',
      '0.12345678',
      '9.007199254740991e+15',
    ]);
  });
  test('writes long names of bars in full, broken into lines', () => {
    const name = 'math-evaluation/qwen2.5-7b-instruct grpo with Resample-on-Correct seed 3';
    const lines = labelLines(name, 200);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.every((line) => labelWidth(line) <= 200)).toBe(true);
    expect(lines.join('').replaceAll(' ', '')).toBe(name.replaceAll(' ', ''));
    expect(labelLines('x'.repeat(50), 60).join('')).toMatch(/^x{30,}…$/);
    expect(labelLines('', 60)).toEqual(['']);
  });
  test('has as many ticks as have room for their labels', () => {
    const scale = scaleLinear().domain([0, 3e9]).range([0, 300]);
    const ticks = ticksApart(scale, axisNumber);
    expect(ticks.length).toBeGreaterThan(1);
    const widest = Math.max(...ticks.map((tick) => labelWidth(axisNumber(tick))));
    expect(scale(ticks[1] ?? 0) - scale(ticks[0] ?? 0)).toBeGreaterThan(widest);
    expect(ticksApart(scaleLinear().domain([0, 10]).range([0, 300]), axisNumber)).toHaveLength(6);
  });
  test('lays horizontal bars out one below the other, with room for their names', () => {
    const labels = ['a', 'a very long name of a run that takes more than one line of the drawing', 'b'];
    const { rows, names, height } = barLayout(labels, { width: 400, series: 1, top: 20 });
    expect(names).toBeLessThanOrEqual(180);
    expect(rows[1]?.lines.length).toBeGreaterThan(1);
    for (const [i, row] of rows.entries())
      expect(row.top + row.height).toBeLessThanOrEqual(rows[i + 1]?.top ?? height);
    expect(fitBelow(['ok', 'error', 'timeout'])).toBe(true);
    expect(fitBelow(labels)).toBe(false);
  });
});

describe('a plan', () => {
  test('is a tree with hints at full scans', () => {
    const lines = planLines([
      [3, 0, 0, 'SCAN rollout_row'],
      [5, 0, 0, 'CORRELATED SCALAR SUBQUERY 1'],
      [8, 5, 0, 'SEARCH g USING INTEGER PRIMARY KEY (rowid=?)'],
      [9, 5, 0, 'SCAN t VIRTUAL TABLE INDEX 1:'],
      [12, 0, 0, 'USE TEMP B-TREE FOR ORDER BY'],
    ]);
    expect(lines.map(({ depth }) => depth)).toEqual([0, 0, 1, 1, 0]);
    expect(lines.map(({ hint }) => hint !== undefined)).toEqual([true, false, false, false, true]);
  });
});

test('positions, times and file names', () => {
  expect(lineAndColumn('SELECT\n  x', 9)).toEqual({ line: 2, column: 3 });
  expect([durationLabel(12.4), durationLabel(1_234), durationLabel(12_340)]).toEqual([
    '12 ms',
    '1.23 s',
    '12.3 s',
  ]);
  expect([fileNameOf('Kept & dropped!'), fileNameOf(undefined), fileNameOf('…')]).toEqual([
    'kept-dropped',
    'query',
    'query',
  ]);
});
