import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chartCsv } from '../../renderer/charts/chartCsv.ts';
import {
  axisOf,
  bandAt,
  extendedRange,
  farLimits,
  hasValue,
  lineWithin,
  nearestLine,
  orderedRange,
  type PanelLine,
  rangeText,
  readingOf,
  readRange,
  smoothed,
  valueAt,
  withoutFarLimits,
} from '../../renderer/charts/panelModel.ts';
import { byKCsv, evaluationCsv, intervalText } from '../../renderer/views/evaluation/evaluationModel.ts';
import { isBenchmark, PUBLISHED } from '../../renderer/views/evaluation/publishedResults.ts';
import { CHARTS } from '../../renderer/views/overview/overviewCharts.ts';
import {
  type OverviewQuestion,
  overviewPanels,
  rolloutsIn,
} from '../../renderer/views/overview/overviewLines.ts';
import { overviewLinkOf, refsText, refText } from '../../renderer/views/overview/overviewLink.ts';
import { classesOf, SPLITS } from '../../renderer/views/overview/splits.ts';
import { responseLimits, stageChange, stageSpans } from '../../renderer/views/overview/stageModel.ts';
import { TOOL_CHARTS } from '../../renderer/views/overview/toolCharts.ts';
import { atLimit, recipeRows, solvedCsv } from '../../renderer/views/recipe/recipeModel.ts';
import type { RunDetail, StepFacts, StepSummary } from '../../shared/api/contract.ts';
import { delimitedCell as cell } from '../../shared/domain/delimited.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { bothFilters } from '../../shared/domain/filter/print.ts';
import { TOOL_OUTCOMES } from '../../shared/domain/model.ts';

const line = (values: PanelLine['values'], more: Partial<PanelLine> = {}): PanelLine => ({
  key: 'a',
  name: 'a',
  color: 'red',
  stroke: 'solid',
  role: 'main',
  steps: values.map((_, i) => i * 10),
  values,
  ...more,
});

const facts = (step: number, values: StepFacts['values'], rollouts = 100): StepFacts => ({
  step,
  rollouts,
  groups: 10,
  values,
  outcomes: {},
  repeats: 0,
  retries: { calls: 0, succeeded: 0 },
  recovery: { rollouts: 0, correct: 0 },
});

describe('smoothing', () => {
  it('is a centred mean over neighbours, cut off at the ends', () => {
    expect(smoothed([0, 3, 6, 9], 3)).toEqual([1.5, 3, 6, 7.5]);
    expect(smoothed([1, 2], 1)).toEqual([1, 2]);
  });

  it('fills no gap and treats nothing unknown as 0', () => {
    expect(smoothed([4, undefined, 8, null], 3)).toEqual([4, undefined, 8, undefined]);
  });

  it('stays between the least and the greatest of the values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1 }),
        fc.nat(6),
        (values, half) => {
          for (const value of smoothed(values, 2 * half + 1)) {
            expect(value).toBeGreaterThanOrEqual(Math.min(...values) - 1e-9);
            expect(value).toBeLessThanOrEqual(Math.max(...values) + 1e-9);
          }
        },
      ),
    );
  });
});

describe('the axis of a page of charts', () => {
  it('has every step once, and each line its own', () => {
    const other = line([1, 2], { steps: [5, 10] });
    expect(axisOf([line([1, 2]), other])).toEqual([0, 5, 10]);
    expect(valueAt(other, 10)).toBe(2);
    expect(valueAt(other, 0)).toBeUndefined();
    expect(valueAt(line([1, null]), 10)).toBeUndefined();
  });

  it('is read at its last step, and shorter lines with the step of their value', () => {
    const short = line([0.1, 0.25], { steps: [0, 5] });
    expect(readingOf(short, undefined, 1000)).toEqual({ value: 0.25, from: 5 });
    expect(readingOf(short, undefined, 5)).toEqual({ value: 0.25 });
    expect(readingOf(line([0, undefined]), undefined, 10)).toEqual({ value: 0, from: 0 });
    // A hovered step shows its own values only.
    expect(readingOf(short, 1000, 1000)).toBeUndefined();
    expect(readingOf(short, 5, 1000)).toEqual({ value: 0.25 });
    expect(readingOf(line([undefined]), undefined, 0)).toBeUndefined();
  });

  it('does not scale to a limit far above everything else', () => {
    const limit = line([8192, 8192], { key: 'limit', isLimit: true });
    expect(withoutFarLimits([line([300, 500]), limit]).map(({ key }) => key)).toEqual(['a']);
    expect(withoutFarLimits([line([3000, 5000]), limit]).map(({ key }) => key)).toEqual(['a', 'limit']);
    expect(farLimits([line([300, 500]), limit])).toMatchObject([{ name: 'a', value: 8192 }]);
    expect(farLimits([line([3000, 5000]), limit])).toEqual([]);
  });
});

describe('a brush', () => {
  it('survives the URL', () => {
    expect(readRange('40..60')).toEqual({ from: 40, to: 60 });
    expect(rangeText(orderedRange(60, 40))).toBe('40..60');
    for (const wrong of [null, '', '40', '..60', 'a..b', '-1..3']) expect(readRange(wrong)).toBeUndefined();
  });

  it('grows and shrinks with the crosshair', () => {
    const axis = [0, 10, 20, 30];
    const first = extendedRange(axis, undefined, 10, 1);
    expect(first).toEqual({ range: { from: 10, to: 20 }, at: 20 });
    const more = extendedRange(axis, first.range, 20, 1);
    expect(more.range).toEqual({ from: 10, to: 30 });
    expect(extendedRange(axis, more.range, 30, -1).range).toEqual({ from: 10, to: 20 });
    expect(extendedRange(axis, { from: 10, to: 20 }, 10, -1).range).toEqual({ from: 0, to: 20 });
    // Back to its start, and on to the other side.
    const none = extendedRange(axis, { from: 10, to: 20 }, 20, -1);
    expect(none.range).toEqual({ from: 10, to: 10 });
    expect(extendedRange(axis, none.range, 10, -1).range).toEqual({ from: 0, to: 10 });
  });

  it('clips lines when zoomed', () => {
    const cut = lineWithin(line([1, 2, 3], { low: [0, 1, 2], high: [2, 3, 4] }), { from: 10, to: 15 });
    expect(cut).toMatchObject({ steps: [10], values: [2], low: [1], high: [3] });
  });
});

describe('the target of a click', () => {
  const lines = [
    line([0.2], { key: 'low' }),
    line([0.8], { key: 'high' }),
    line([0.5], { key: 'u', role: 'under' }),
  ];
  it('is the nearest line in height, never one behind', () => {
    const y = (value: number) => 100 - value * 100;
    expect(nearestLine(lines, 0, y, 45)?.key).toBe('high');
    expect(nearestLine(lines, 0, y, 75)?.key).toBe('low');
    expect(nearestLine(lines, 5, y, 75)).toBeUndefined();
  });
  it('is the band that holds the share', () => {
    expect(bandAt(lines, 0, 0.1)?.key).toBe('low');
    expect(bandAt(lines, 0, 0.3)?.key).toBe('high');
  });
});

describe('the link of an overview', () => {
  it('holds keys and names of any writing', () => {
    const runs = [
      { runKey: 'a,b' },
      { runKey: 'c/d~eval', library: 'june 1@home' },
      { runKey: '100%' },
      { runKey: 'a@b' },
    ];
    const query = new URLSearchParams({ smooth: '5', steps: '3..9', zoom: '1', runs: refsText(runs) ?? '' });
    expect(overviewLinkOf(new URLSearchParams(query.toString()))).toEqual({
      window: 5,
      range: { from: 3, to: 9 },
      isZoomed: true,
      runs,
      metrics: [],
      isTime: false,
      split: undefined,
      splitFilter: '',
    });
  });

  it('accepts at most six runs and only valid windows', () => {
    const query = new URLSearchParams({ runs: 'a,b,c,d,e,f,g', smooth: '4', zoom: '1' });
    expect(overviewLinkOf(query)).toMatchObject({
      runs: ['a', 'b', 'c', 'd', 'e'].map((runKey) => ({ runKey })),
      window: 1,
      isZoomed: false,
    });
  });

  it('adds a condition to a filter without changing its meaning', () => {
    expect(bothFilters('', 'stop_reason:length')).toBe('stop_reason:length');
    const both = readFilter(bothFilters('is_correct:true or kept:true', 'stop_reason:length'));
    expect(both.ok && both.node.kind).toBe('and');
    expect(bothFilters('answer:"42"', '')).toBe('answer:"42"');
  });
});

describe('the charts of a run', () => {
  const opened: string[] = [];
  const question: OverviewQuestion = {
    runs: [
      {
        ref: { runKey: 'r' },
        name: 'run',
        all: [
          facts(0, { passRate: 0.5, meanReward: 0.5, truncatedShare: 0.1, meanChars: 900 }),
          facts(10, { passRate: 0.7, meanReward: 0.7, truncatedShare: 0.2, meanChars: 950 }),
        ],
        matching: undefined,
      },
    ],
    isFiltered: false,
    logged: [
      { name: 'critic/score/mean', steps: [0, 10], values: [0.4, 0.6] },
      { name: 'my/number', steps: [0], values: [3] },
    ],
    chosen: ['my/number'],
    window: 1,
    zoom: undefined,
    specs: CHARTS,
    openStep: (ref, step, filter) => opened.push(`${refText(ref)} ${step} ${filter}`),
  };

  it('leaves out unknown charts, with one note', () => {
    const { panels, hidden } = overviewPanels(question);
    const ids = panels.map(({ id }) => id);
    expect(ids).toEqual(['reward', 'chars', 'truncated', 'logged my/number']);
    expect(hidden.some((each) => each.startsWith('Mean entropy'))).toBe(true);
    // Characters replace tokens, so their chart does not count as missing.
    expect(hidden.some((each) => each.startsWith('Response length'))).toBe(false);
  });

  it('leaves out charts about groups where each group is one rollout', () => {
    const values = { groupsAllWrong: 3, groupsMixed: 0, groupsAllRight: 7, answersPerGroup: 1 };
    const idsOf = (rollouts: number) =>
      overviewPanels({
        ...question,
        runs: [{ ref: { runKey: 'r' }, name: 'run', all: [facts(0, values, rollouts)], matching: undefined }],
        logged: [],
      }).panels.map(({ id }) => id);
    expect(idsOf(40)).toEqual(['health', 'answers']);
    expect(idsOf(10)).toEqual([]);
  });

  it('separates logged values from those of rollouts', () => {
    const [reward] = overviewPanels(question).panels;
    expect(reward?.lines.map(({ name, role, stroke }) => [name, role, stroke])).toEqual([
      ['correct', 'main', 'solid'],
      ['reward', 'main', 'dotted'],
      ['critic/score/mean', 'logged', 'dashed'],
    ]);
    const own = overviewPanels(question).panels.at(-1);
    expect([own?.provenance, own?.lines[0]?.role]).toEqual(['logged', 'logged']);
  });

  it('notes under a filter that logged values cover all rollouts', () => {
    const filtered = {
      ...question,
      isFiltered: true,
      runs: question.runs.map((run) => ({ ...run, matching: run.all })),
    };
    const loggedOf = (of: OverviewQuestion) =>
      overviewPanels(of).panels.flatMap(({ lines }) => lines.filter(({ role }) => role === 'logged'));
    expect(loggedOf(question).map(({ isOfAll }) => isOfAll)).toEqual([undefined, undefined]);
    expect(loggedOf(filtered).map(({ isOfAll }) => isOfAll)).toEqual([true, true]);
    expect(loggedOf(filtered)[0]?.describe).toContain('of all rollouts');
    const { panels } = overviewPanels(filtered);
    expect(panels.at(-1)?.unit).toBe('as logged, of all rollouts');
    const ours = panels[0]?.lines.filter(({ role }) => role === 'main') ?? [];
    expect(ours.length).toBe(2);
    expect(ours.every(({ isOfAll }) => isOfAll === undefined)).toBe(true);
    expect(chartCsv('x', panels)).toContain('critic/score/mean [0 … 1; logged, of all rollouts]');
  });

  it('shows a chart that only the trainer fills, beside the one that replaces ours', () => {
    const metric = { name: 'response_length/mean', steps: [0, 10, 20], values: [100, 200, 300] };
    const { panels } = overviewPanels({ ...question, chosen: [], logged: [metric] });
    const lengths = panels.filter(({ title }) => title === 'Response length');
    expect(lengths.map(({ unit, provenance }) => [unit, provenance])).toEqual([
      ['policy tokens', 'logged'],
      ['characters', 'from rollouts'],
    ]);
    // A step without rollouts is no link.
    const before = opened.length;
    lengths[0]?.lines.at(-1)?.onOpen?.(20);
    expect(opened.length).toBe(before);
    const smoothedLines = overviewPanels({
      ...question,
      chosen: [],
      logged: [metric],
      window: 3,
    }).panels.find(({ unit }) => unit === 'policy tokens')?.lines;
    expect(smoothedLines?.filter(hasValue).map(({ role, values }) => [role, values])).toEqual([
      ['under', [100, 200, 300]],
      ['logged', [150, 200, 250]],
    ]);
  });

  it('opens the target of a point', () => {
    const truncated = overviewPanels(question).panels.find(({ id }) => id === 'truncated');
    truncated?.lines[0]?.onOpen?.(10);
    truncated?.lines[0]?.onOpen?.(11);
    expect(opened).toEqual(['r 10 stop_reason:length']);
  });

  it('keeps the raw line under a smoothed one, and everything under a filter', () => {
    const smoothedLines = overviewPanels({ ...question, window: 3 }).panels[0]?.lines ?? [];
    expect(smoothedLines.filter(({ role }) => role === 'under').map(({ underOf }) => underOf)).toEqual([
      'raw',
      'raw',
      'as logged',
    ]);
    expect(smoothedLines.find(({ key }) => key === 'correct')?.values).toEqual([0.6, 0.6]);
    const [run] = question.runs;
    if (run === undefined) throw new Error('no run');
    const matching = [facts(0, { passRate: 1 }, 7)];
    const filtered = overviewPanels({ ...question, isFiltered: true, runs: [{ ...run, matching }] });
    const [reward] = filtered.panels;
    expect(reward?.lines.find(({ role }) => role === 'under')?.values).toEqual([0.5, 0.7]);
    expect(reward?.lines.find(({ key }) => key === 'correct')).toMatchObject({ steps: [0], values: [1] });
    expect(rolloutsIn(matching, { from: 0, to: 5 })).toBe(7);
    expect(rolloutsIn(matching, { from: 1, to: 5 })).toBe(0);
    expect(rolloutsIn(undefined, undefined)).toBeUndefined();
  });

  it('splits a run into classes, with the share of each', () => {
    const classRun = (
      name: string,
      condition: string,
      rollouts: number,
    ): OverviewQuestion['runs'][number] => ({
      ref: { runKey: 'r' },
      name,
      condition,
      all: [facts(0, { passRate: 0.5, groupsMixed: 3 }, rollouts)],
      matching: undefined,
    });
    const { panels } = overviewPanels({
      ...question,
      logged: [],
      runs: [classRun('with', 'tool_calls:>0', 75), classRun('without', 'tool_calls:0 or turns:1', 25)],
      split: { sizes: new Map([[0, 200]]), decides: [] },
    });
    expect(panels.map(({ id }) => id)).toEqual(['split', 'reward.0']);
    expect(panels.map(({ lines }) => lines.map(({ name, values }) => [name, ...values]))).toEqual([
      // Of all rollouts of the step: 100 are of no class.
      [
        ['with', 0.375],
        ['without', 0.125],
      ],
      [
        ['with', 0.5],
        ['without', 0.5],
      ],
    ]);
    opened.length = 0;
    panels[1]?.lines[1]?.onOpen?.(0);
    expect(opened).toEqual(['r 0 (tool_calls:0 or turns:1) is_correct:true']);
  });

  it('has a class for every side of a split', () => {
    const labels = [{ id: 'loops', name: 'Loops' }];
    const conditions = (split: (typeof SPLITS)[number], filter = '') =>
      classesOf(split, { labels, filter }).map(({ condition }) => condition);
    expect(conditions('label')).toEqual(['label:none', 'label:loops']);
    expect(conditions('filter', 'turns:1 or turns:2')).toEqual([
      'turns:1 or turns:2',
      'not (turns:1 or turns:2)',
    ]);
    expect(conditions('filter')).toEqual([]);
    for (const split of SPLITS)
      for (const condition of conditions(split, 'turns:1 or turns:2'))
        expect(readFilter(condition).ok).toBe(true);
  });

  it('gives every measure its own chart in a comparison of runs', () => {
    const [run] = question.runs;
    if (run === undefined) throw new Error('no run');
    const { panels } = overviewPanels({
      ...question,
      runs: [run, { ...run, ref: { runKey: 's' }, name: 'other' }],
    });
    expect(panels[0]?.title).toBe('Pass rate');
    expect(panels[0]?.lines.map(({ name, stroke }) => [name, stroke])).toEqual([
      ['run', 'solid'],
      ['other', 'dashed'],
    ]);
    expect(new Set(panels[0]?.lines.map(({ color }) => color)).size).toBe(2);
    expect(panels[1]?.title).toBe('Mean reward');
  });
});

describe('CSV of charts', () => {
  it('has full numbers with units and sources; unknown is blank', () => {
    const text = chartCsv('run\n· filter a:b', [
      {
        title: 'Reward',
        unit: '0 … 1',
        lines: [
          line([1 / 3, undefined]),
          line([2], { name: 'x, y', role: 'logged', meanOver: 3, steps: [5], low: [1], high: [3] }),
        ],
      },
    ]);
    expect(text.split('\n')).toEqual([
      'step,Reward: a [0 … 1; from rollouts],"Reward: x, y [0 … 1; logged, mean over 3 steps]","Reward: x, y, low [0 … 1; logged, mean over 3 steps]","Reward: x, y, high [0 … 1; logged, mean over 3 steps]",source',
      `0,${1 / 3},,,,run · filter a:b`,
      '5,,2,1,3,run · filter a:b',
      '10,,,,,run · filter a:b',
      '',
    ]);
  });

  it('gives a spreadsheet no formula', () => {
    expect(cell('=HYPERLINK("x")')).toBe('"\'=HYPERLINK(""x"")"');
    expect(cell('plain')).toBe('plain');
  });
});

const RUN = {
  stages: [
    { fromStep: 20, name: 'two', changes: { max_response_tokens: 12_288 } },
    { fromStep: 0, name: 'one', changes: { max_response_tokens: 8192, max_turns: 10, data: 'all' } },
    { fromStep: 30, name: 'three', changes: { max_response_tokens: 12_288, max_turns: 15 } },
  ],
  config: { limits: { max_response_tokens: 1000 } },
} as unknown as RunDetail;

describe('stages', () => {
  it('last until the next one, and list only changes', () => {
    const spans = stageSpans(RUN, [0, 10, 20, 30]);
    expect(spans.map(({ name, from, to }) => [name, from, to])).toEqual([
      ['one', 0, 10],
      ['two', 20, 20],
      ['three', 30, 30],
    ]);
    expect(spans.map(stageChange)).toEqual([
      'max_response_tokens 8,192, max_turns 10, data all',
      'max_response_tokens 8,192 → 12,288',
      'max_turns 10 → 15',
    ]);
    // Values that a line omits continue.
    expect(spans[1]).toMatchObject({ maxTurns: 10, data: 'all' });
    expect(responseLimits(RUN, [0, 20])).toEqual([8192, 12_288]);
    expect(responseLimits({ stages: [], config: {} }, [0])).toEqual([undefined]);
  });

  const summary = (step: number, truncated: number | undefined, groupsAllRight = 0): StepSummary =>
    ({
      step,
      rollouts: 100,
      stopsLogged: truncated === undefined ? 0 : 100,
      ...(truncated === undefined ? {} : { truncated }),
      groupsAllRight,
      groupsMixed: 4 - groupsAllRight,
      groupsAllWrong: 0,
    }) as StepSummary;

  it('count truncated rollouts against their limits', () => {
    const rows = recipeRows(RUN, [
      summary(0, 10),
      summary(10, 30, 1),
      summary(20, undefined),
      summary(30, 0),
    ]);
    expect(rows[0]).toMatchObject({
      truncated: 0.2,
      worst: { step: 10, share: 0.3 },
      rollouts: 200,
      solvedAtEnd: 0.25,
    });
    expect(rows[1]).not.toHaveProperty('truncated');
    expect(rows[2]?.truncated).toBe(0);
  });

  it('rollouts at the limit of a stage are estimated from its steps alone', () => {
    const at = (rows: readonly (readonly [step: number, rollouts: number])[]) =>
      rows.map(([step, rollouts]) => ({ step, rollouts }));
    const known = at([
      [1, 10],
      [2, 10],
      [3, 20],
    ]);
    const reached = at([
      [2, 5],
      [3, 20],
    ]);
    expect(atLimit({ from: 1, to: 2 }, reached, known)).toBe(0.25);
    expect(atLimit({ from: 3, to: 9 }, reached, known)).toBe(1);
    expect(atLimit({ from: 4, to: 9 }, reached, known)).toBeUndefined();
  });

  it('are one if the log has none', () => {
    const [row, ...others] = recipeRows({ ...RUN, stages: [] }, [summary(3, 1), summary(4, 1)]);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ name: 'Whole run', from: 3, to: 4, maxResponseTokens: 1000 });
  });

  it('list the solved problems', () => {
    const solved = [
      { problemId: 'a,b', groupKey: 'g', rollouts: 8, groundTruth: '7', question: 'What, then?' },
    ];
    expect(solvedCsv('run, step 3', { known: 4, groups: 5, solved })).toBe(
      'problem,group,rollouts,data source,ground truth,question (its beginning),source\n"a,b",g,8,,7,"What, then?","run, step 3: 1 of 4 groups have every rollout correct (5 groups in all)"\n',
    );
  });
});

describe('description of an evaluation', () => {
  it('recognizes a benchmark by its name in any spelling, and no other', () => {
    for (const name of ['aime24', 'math-ai/AIME_2024', 'AIME-24'])
      expect(isBenchmark(name, 'AIME24')).toBe(true);
    expect(isBenchmark('aime25', 'AIME24')).toBe(false);
    expect(isBenchmark(undefined, 'AIME24')).toBe(false);
    expect(PUBLISHED.every(({ source, value }) => source !== '' && value > 0 && value < 1)).toBe(true);
  });

  it('leaves unknown blank', () => {
    const point = {
      step: 3,
      rollouts: 8,
      problems: 1,
      samples: 8,
      leastSamples: 8,
      mostSamples: 8,
      passAt1: { mean: 0.5, problems: 1 },
      passAtK: [{ k: 1, value: 0.5, problems: 1 }],
      passHatK: [{ k: 1, value: 0.5, problems: 1 }],
      majorityAtK: [],
    };
    expect(intervalText(point)).toBe('');
    expect(intervalText({ ...point, passAt1: { mean: 0.5, problems: 2, low: 0.25, high: 0.75 } })).toBe(
      '25.0–75.0',
    );
    expect(evaluationCsv('run', [{ points: [point] }]).split('\n')[1]).toMatch(
      /^,3,1,8,0\.5,,,[^,]*,"?run; from rollouts; /,
    );
    const majorityAtK = [{ k: 1, value: 0.25, problems: 1, isExact: true }];
    const passAtK = [...point.passAtK, { k: 2, value: 0.75, problems: 1 }];
    expect(byKCsv('run, step 3', { ...point, passAtK, majorityAtK })).toBe(
      'k,pass@k,pass^k,problems,majority@k,problems with an answer,majority is,source\n1,0.5,0.5,1,0.25,1,exact,"run, step 3; from rollouts"\n2,0.75,,1,,,,"run, step 3; from rollouts"\n',
    );
  });
});

describe('the charts of tool calls', () => {
  const step: StepFacts = {
    ...facts(3, { toolCalls: 10 }),
    outcomes: { ok_stdout: 6, exception: 3, timeout: 1 },
    latency: { calls: 4, meanMs: 30, p50Ms: 20, p95Ms: 90.5, maxMs: 100, logged: 0, derived: 4 },
    repeats: 2,
    retries: { calls: 4, succeeded: 3 },
    recovery: { rollouts: 5, correct: 1 },
  };
  const shareOf = (id: string, name: string, of = step): number | undefined =>
    TOOL_CHARTS.find((chart) => chart.id === id)
      ?.lines.find((each) => each.name === name)
      ?.of(of);

  it('are shares of their base, and unknown without one', () => {
    expect(shareOf('outcomes', 'success')).toBe(0.6);
    expect(shareOf('failures', 'timed out')).toBe(0.1);
    expect(shareOf('retries', 'succeeds')).toBe(0.75);
    expect(shareOf('recovery', 'correct')).toBe(0.2);
    expect(shareOf('repeats', 'repeated')).toBe(0.2);
    expect(shareOf('slowest', 'slowest')).toBe(100);
    const none = facts(4, {});
    expect(
      TOOL_CHARTS.flatMap(({ lines }) => lines)
        .map((each) => each.of(none))
        .filter((value) => value !== undefined),
    ).toEqual([]);
  });

  it('draw facts of the whole step despite a filter, with a note', () => {
    const schedule = {
      placed: 4,
      startedAt: 0,
      wallSeconds: 100,
      tailSeconds: 20,
      medianSeconds: 30,
      stragglers: 0,
      peakRollouts: 4,
    };
    const all = [{ ...facts(1, {}), schedule }];
    const matching = [{ ...facts(1, {}, 2), schedule: { ...schedule, wallSeconds: 40, peakRollouts: 1 } }];
    const { panels } = overviewPanels({
      ...{ logged: [], chosen: [], window: 1, zoom: undefined, specs: TOOL_CHARTS, isFiltered: true },
      runs: [{ ref: { runKey: 'r' }, name: 'r', all, matching }],
      openStep: () => undefined,
    });
    const wall = panels.find(({ id }) => id === 'wallTime')?.lines ?? [];
    expect(wall.map(({ role, values, isOfAll }) => [role, values[0], isOfAll])).toEqual([
      ['main', 100, true],
      ['main', 30, true],
    ]);
    expect(panels.find(({ id }) => id === 'peakRollouts')?.lines[0]?.values).toEqual([4]);
  });

  it('name outcomes as in the legend', () => {
    const stacked = TOOL_CHARTS.flatMap(({ id, lines }) =>
      id === 'outcomes' || id === 'failures' ? lines : [],
    );
    for (const { name, describe: said, opens } of stacked) {
      expect(said).toContain(name);
      expect(opens).toContain(name);
      expect(`${said} ${opens}`).not.toMatch(/[a-z]_[a-z]/);
    }
  });

  it('every outcome of a tool call is in the stack, once', () => {
    const stack = TOOL_CHARTS[0]?.lines ?? [];
    const outcomes = TOOL_OUTCOMES.filter((outcome) => outcome !== 'malformed');
    const sum = outcomes.map((outcome) => {
      const only = { ...facts(1, {}), outcomes: { [outcome]: 7 } };
      return stack.reduce((total, each) => total + (each.of(only) ?? 0), 0);
    });
    expect(sum).toEqual(outcomes.map(() => 1));
  });

  it('every point leads to a valid filter', () => {
    for (const each of TOOL_CHARTS.flatMap(({ lines }) => lines))
      expect(readFilter(each.filter(step))).toMatchObject({ ok: true });
  });
});
