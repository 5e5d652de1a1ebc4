/** Charts and numbers about a run's tool calls: outcomes, latencies, and what follows a failure. */
import type { LatencySummary, ScheduleFacts, StepFacts } from '../../../shared/api/contract.ts';
import type { ToolOutcome } from '../../../shared/domain/model.ts';
import { OUTCOME_NAMES } from '../../../shared/domain/words.ts';
import { asShare } from '../../ui/numbers.ts';
import { asCompact, asMs, asSeconds, beyond, type ChartSpec, type LineSpec, line } from './overviewCharts.ts';

/** Failures have warm colours and successes cool ones, in the same order in every chart. */
const OUTCOME_INKS: readonly (readonly [outcome: ToolOutcome, color: string])[] = [
  ['ok_stdout', 'var(--right)'],
  ['ok', 'var(--right)'],
  ['ok_empty', 'var(--kept)'],
  ['missing', 'var(--rule2)'],
  ['exception', 'var(--wrong)'],
  ['error', 'var(--wrong)'],
  ['timeout', 'var(--h4)'],
  ['parse_error', 'var(--h3)'],
  ['dispatch_error', 'var(--h5)'],
  ['infra', 'var(--ink3)'],
];

/** Excludes malformed calls, which reached no tool. */
const callsOf = ({ outcomes: { malformed: _malformed, ...outcomes } }: StepFacts): number =>
  Object.values(outcomes).reduce((sum, calls) => sum + calls, 0);

function outcomeLine([outcome, color]: (typeof OUTCOME_INKS)[number]): LineSpec {
  const name = OUTCOME_NAMES[outcome];
  return {
    name,
    of: (facts) => {
      const calls = callsOf(facts);
      return calls === 0 ? undefined : (facts.outcomes[outcome] ?? 0) / calls;
    },
    color,
    stroke: 'solid',
    describe: `calls with the outcome “${name}”`,
    isOneOfMany: true,
    filter: () => `outcome:${outcome}`,
    opens: `rollouts with a call with the outcome “${name}”`,
  };
}

const FAILURES = new Set<ToolOutcome>([
  'exception',
  'error',
  'timeout',
  'parse_error',
  'dispatch_error',
  'infra',
]);

/** Failed kinds alone, since they would be a thin line on the scale of all calls. */
const failureLines = OUTCOME_INKS.filter(([outcome]) => FAILURES.has(outcome)).map((entry, i): LineSpec => {
  const strokes = ['solid', 'dotted', 'dashed'] as const;
  return { ...outcomeLine(entry), stroke: strokes[i % strokes.length] ?? 'solid' };
});

/** A share of nothing. */
const UNKNOWN = [0, 0] as const;

function share(
  name: string,
  of: (facts: StepFacts) => readonly [part: number, whole: number],
  options: Pick<LineSpec, 'describe' | 'opens' | 'color'> & { readonly filter: string },
): LineSpec {
  return {
    name,
    of: (facts) => {
      const [part, whole] = of(facts);
      return whole === 0 ? undefined : part / whole;
    },
    stroke: 'solid',
    ...options,
    filter: () => options.filter,
  };
}

const REPORT = 'rStar2-Agent technical report, arXiv 2508.20722';

function latencySource(
  name: string,
  color: string,
  describe: string,
  of: (latency: LatencySummary) => number,
): LineSpec {
  return {
    name,
    of: ({ latency }) => (latency === undefined ? undefined : of(latency) / latency.calls),
    color,
    stroke: 'solid',
    describe: `calls whose latency is ${describe}`,
    isOneOfMany: true,
    filter: () => 'latency_ms:>=0',
    opens: 'rollouts with a call of known latency',
  };
}

/** A line over those rollouts of a step that have known times. A point opens the step's schedule. */
function scheduleLine(
  name: string,
  of: (schedule: ScheduleFacts) => number | undefined,
  options: Pick<LineSpec, 'color' | 'describe'> & { readonly stroke?: LineSpec['stroke'] },
): LineSpec {
  return {
    name,
    of: ({ schedule }) => (schedule === undefined ? undefined : of(schedule)),
    stroke: 'solid',
    ...options,
    filter: () => '',
    opens: 'the schedule of the step',
    leadsTo: 'schedule',
    isOfStep: true,
  };
}

export const TOOL_CHARTS: readonly ChartSpec[] = [
  {
    id: 'outcomes',
    title: 'Outcomes of tool calls',
    unit: 'of tool calls',
    describe: 'Every call of the step by its outcome',
    isStacked: true,
    format: asShare,
    lines: OUTCOME_INKS.map(outcomeLine),
  },
  {
    id: 'failures',
    title: 'Failed tool calls by kind',
    unit: 'of tool calls',
    describe:
      'Failures of the policy’s code, of its format, and of the environment, each as a share of all calls',
    format: asShare,
    lines: failureLines,
  },
  {
    id: 'malformed',
    title: 'Malformed calls',
    unit: 'of rollouts',
    describe:
      'Rollouts with an unclosed or malformed call that no tool answered. Such a call is no tool call: it counts in no other chart',
    format: asShare,
    lines: [
      line('malformed', 'malformedCallShare', {
        color: 'var(--wrong)',
        filter: 'malformed_calls:>0',
        opens: 'rollouts with a malformed call',
      }),
    ],
  },
  {
    id: 'toolVolume',
    title: 'Tool calls of a step',
    unit: 'calls',
    describe: 'The load on the environment. rStar2-Agent reports up to 45 K calls in a step (§3)',
    format: asCompact,
    lines: [line('tool calls', 'toolCalls', { filter: 'tool_calls:>0', opens: 'rollouts with a tool call' })],
    references: [
      { id: 'published tool calls', name: 'rStar2-Agent, up to', value: 45_000, source: `${REPORT}, §3` },
    ],
  },
  {
    id: 'toolLatency',
    title: 'Tool latency',
    unit: 'milliseconds',
    shownUnit: 'per call',
    describe:
      'Calls whose latency is known; percentiles are the nearest rank. rStar2-Agent reports 0.3 s on average (§3)',
    format: asMs,
    lines: [
      latencyLine('mean', 'meanMs', 'var(--kept)', 'dashed'),
      latencyLine('p50', 'p50Ms', 'var(--ink)', 'solid'),
      latencyLine('p95', 'p95Ms', 'var(--ink3)', 'dotted'),
    ],
    references: [
      { id: 'published latency', name: 'rStar2-Agent, mean', value: 300, source: `${REPORT}, §3` },
    ],
  },
  {
    id: 'slowest',
    title: 'Slowest tool call',
    unit: 'milliseconds',
    shownUnit: 'of the step',
    describe: 'One straggler holds up its whole rollout',
    format: asMs,
    lines: [latencyLine('slowest', 'maxMs', 'var(--wrong)', 'solid')],
  },
  {
    id: 'latencySource',
    title: 'Where latencies come from',
    unit: 'of calls with a latency',
    describe: 'Logged by the trainer, or found in the text of the response',
    isStacked: true,
    format: asShare,
    lines: [
      latencySource('logged', 'var(--right)', 'logged beside the text', ({ logged }) => logged),
      latencySource('from the text', 'var(--h3)', 'parsed from the response', ({ derived }) => derived),
    ],
  },
  {
    id: 'retries',
    title: 'Next call after a failure',
    unit: 'of failed calls followed by another call',
    describe:
      'How often the call after a failed one succeeds: P(next call succeeds | error). A next call without a response is left out',
    format: asShare,
    lines: [
      share('succeeds', ({ retries }) => [retries.succeeded, retries.calls], {
        describe: 'failed calls whose next call succeeded',
        color: 'var(--right)',
        filter: 'tool_errors:>0 tool_calls:>1',
        opens: 'rollouts with a failed call and another',
      }),
    ],
  },
  {
    id: 'recovery',
    title: 'Correct despite a failure',
    unit: 'of rollouts with a failed call',
    describe: 'P(correct | at least one failed call)',
    format: asShare,
    lines: [
      share('correct', ({ recovery }) => [recovery.correct, recovery.rollouts], {
        describe: 'correct rollouts among those with a failed call',
        color: 'var(--right)',
        filter: 'tool_errors:>0 is_correct:true',
        opens: 'correct rollouts with a failed call',
      }),
    ],
  },
  {
    id: 'repeats',
    title: 'Repeated calls',
    unit: 'of tool calls',
    describe: 'Calls with exactly the text of an earlier call of the rollout',
    format: asShare,
    lines: [
      share(
        'repeated',
        ({ repeats, ...facts }) => (repeats === undefined ? UNKNOWN : [repeats, callsOf(facts)]),
        {
          describe: 'calls that repeat an earlier one',
          color: 'var(--wrong)',
          filter: 'repeats:>0',
          opens: 'rollouts with a repeated call',
        },
      ),
    ],
  },
  {
    id: 'wallTime',
    title: 'Wall time of the rollouts',
    unit: 'seconds',
    shownUnit: 'per step',
    describe: 'From the first start to the last end of the step, as logged; a point opens the schedule',
    format: asSeconds,
    lines: [
      scheduleLine('wall time', ({ wallSeconds }) => wallSeconds, {
        color: 'var(--ink)',
        describe: 'first start to last end',
      }),
      scheduleLine('median', ({ medianSeconds }) => medianSeconds, {
        color: 'var(--ink3)',
        stroke: 'dotted',
        describe: 'median duration of a rollout',
      }),
    ],
  },
  {
    id: 'tail',
    title: 'Tail of the step',
    unit: 'of the wall time',
    describe: 'Time after 90 % of the rollouts had ended: most workers idle then',
    format: asShare,
    lines: [
      scheduleLine(
        'tail',
        ({ tailSeconds, wallSeconds }) => (wallSeconds > 0 ? tailSeconds / wallSeconds : undefined),
        {
          color: 'var(--wrong)',
          describe: 'share of the wall time after 90 % had ended',
        },
      ),
    ],
  },
  {
    id: 'peakRollouts',
    title: 'Rollouts in flight',
    unit: 'maximum at once',
    describe: 'The most rollouts that ran at one time',
    format: asCompact,
    lines: [
      scheduleLine('rollouts', ({ peakRollouts }) => peakRollouts, {
        color: 'var(--ink)',
        describe: 'most rollouts at one time',
      }),
    ],
  },
  {
    id: 'callsInFlight',
    title: 'Tool calls in flight',
    unit: 'mean (estimate)',
    describe:
      'By Little’s law: the sum of known latencies divided by the wall time. The maximum needs the start of every call',
    format: asCompact,
    lines: [
      scheduleLine('mean', ({ meanCalls }) => meanCalls, {
        color: 'var(--kept)',
        describe: 'mean calls in flight, an estimate',
      }),
      {
        ...scheduleLine('most', ({ peakCalls }) => peakCalls, {
          color: 'var(--ink3)',
          stroke: 'dotted',
          describe: 'most calls at one time, from logged starts',
        }),
        isOneOfMany: true,
      },
    ],
  },
];

function latencyLine(
  name: string,
  field: 'meanMs' | 'p50Ms' | 'p95Ms' | 'maxMs',
  color: string,
  stroke: LineSpec['stroke'],
): LineSpec {
  return beyond(
    { name, of: (facts) => facts.latency?.[field], color, stroke, describe: name },
    'latency_ms',
    'rollouts with a call at least as slow',
    Math.floor,
  );
}

interface ToolFigure extends Pick<LineSpec, 'name' | 'describe' | 'opens'> {
  /** Includes the unit. */
  readonly value: string;
  readonly filter: string;
}

interface FigureGroup extends Pick<ChartSpec, 'id' | 'title' | 'unit' | 'describe'> {
  readonly figures: readonly ToolFigure[];
}

/** A chart with its own scale. The same numbers are among the outcomes already, so the table omits it. */
const SAID_ALREADY = 'failures';

/** The known numbers of the tool charts over all rollouts. Leaves out schedules, which need a step. */
export function toolFigures(facts: StepFacts): readonly FigureGroup[] {
  return TOOL_CHARTS.filter(({ id }) => id !== SAID_ALREADY).flatMap((chart) => {
    const { id, unit, describe, format, lines } = chart;
    const title = chart.title.replace(/ of a step$/, '');
    const figures = lines.flatMap((line): readonly ToolFigure[] => {
      const value = line.of(facts);
      if (value === undefined || line.leadsTo !== undefined) return [];
      if (line.isOneOfMany === true && value === 0) return [];
      const { name, describe: what, opens } = line;
      return [{ name, describe: what, opens, value: format(value), filter: line.filter(facts) }];
    });
    const isOfCalls = (facts.values.toolCalls ?? 0) > 0;
    return figures.length === 0 || !isOfCalls ? [] : [{ id, title, unit, describe, figures }];
  });
}
