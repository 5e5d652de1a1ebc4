/** Labels and sentences of the schedule. */
import type { RolloutRow, StepSchedule } from '../../../shared/api/contract.ts';
import { STRAGGLER_MEDIANS } from '../../../shared/domain/schedule.ts';
import { count, counted, decimal, reward, seconds as shortTime } from '../../ui/numbers.ts';
import { clock, laneName, type Span } from './scheduleModel.ts';

/** Sentinel in the packed columns: the token count is unknown. */
const UNKNOWN = -2147483648;

/** A duration: `320 ms`, `12.3 s`, `2:05`, `1:02:30`. */
function lasting(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return seconds < 100 ? shortTime(seconds * 1000) : `${clock(seconds)} ${seconds < 3600 ? 'min' : 'h'}`;
}

export const STRAGGLER_LABEL = `A straggler ended after 90 % of the rollouts of the step and took more than ${STRAGGLER_MEDIANS === 2 ? 'twice' : `${STRAGGLER_MEDIANS} times`} their median`;

export interface BarFacts {
  readonly when: string;
  readonly where: string;
  readonly what: string;
  readonly isStraggler: boolean;
  /** Whether it matches the filter. */
  readonly isMatch: boolean;
}

export function barFacts(schedule: StepSchedule, bar: number): BarFacts {
  const { bars, waits, lanes } = schedule;
  const [start, end] = [bars.start[bar] ?? 0, bars.end[bar] ?? 0];
  const lane = lanes[bars.lane[bar] ?? 0];
  const outcome = { '1': 'correct', '0': 'incorrect' }[String(bars.isCorrect[bar])] ?? 'correctness unknown';
  const rewardHere = bars.reward[bar] ?? Number.NaN;
  const tokens = bars.policyTokens[bar] ?? UNKNOWN;
  let placed = 0;
  for (let i = 0; i < waits.bar.length; i++)
    if (waits.bar[i] === bar) placed += (waits.end[i] ?? 0) - (waits.start[i] ?? 0);
  const turns = bars.turns[bar] ?? UNKNOWN;
  const unplaced = bars.waitSeconds[bar] ?? Number.NaN;
  return {
    when: `${clock(start, 1)} – ${clock(end, 1)} (${lasting(end - start)})`,
    where: lane === undefined ? '' : laneName(lane),
    what: [
      outcome,
      ...(Number.isNaN(rewardHere) ? [] : [`reward ${reward(rewardHere)}`]),
      ...(turns < 0 ? [] : [counted(turns, 'turn')]),
      ...(tokens === UNKNOWN ? [] : [counted(tokens, 'token')]),
      ...(placed > 0 ? [`waited ${lasting(placed)} for tools`] : []),
      ...(unplaced > 0 ? [`waited ${lasting(unplaced)} in total, starts unknown`] : []),
    ].join(' · '),
    isStraggler: bars.straggler[bar] === 1,
    isMatch: bars.matches[bar] === 1,
  };
}

export function readingOf(
  schedule: StepSchedule,
  bar: number | undefined,
  row: RolloutRow | undefined,
): string {
  if (bar === undefined) return '';
  const { when, where, what, isStraggler, isMatch } = barFacts(schedule, bar);
  const name = row === undefined ? 'rollout' : `${row.groupKey} #${row.ordinal}`;
  return `${name}, ${where}, ${when}, ${what}${isStraggler ? ', straggler' : ''}${isMatch ? '' : ', does not match the filter'}`;
}

/** A bar as a row of the table. Unknown values are blank. */
export interface Bar {
  /** Index in the schedule. */
  readonly index: number;
  readonly rolloutId: number;
  readonly lane: string;
  readonly start: string;
  readonly end: string;
  readonly lasted: string;
  readonly result: string;
  readonly reward: string;
  readonly turns: string;
  readonly tokens: string;
  /** Seconds in tool calls, whether or not their times are known. */
  readonly waits: string;
  readonly notes: string;
}

/** The bars that run within the span, in the order of the lanes. */
export function barsWithin(schedule: StepSchedule, span: Span): readonly Bar[] {
  const { bars, lanes, waits } = schedule;
  const waited = bars.waitSeconds.map((seconds) => (seconds > 0 ? seconds : 0));
  waits.bar.forEach((bar, i) => {
    waited[bar] = (waited[bar] ?? 0) + (waits.end[i] ?? 0) - (waits.start[i] ?? 0);
  });
  const rows: Bar[] = [];
  bars.rolloutId.forEach((rolloutId, index) => {
    const [start = 0, end = 0] = [bars.start[index], bars.end[index]];
    if (end < span.from || start > span.to) return;
    const lane = lanes[bars.lane[index] ?? 0];
    const [turns = UNKNOWN, tokens = UNKNOWN] = [bars.turns[index], bars.policyTokens[index]];
    const seconds = waited[index] ?? 0;
    const value = bars.reward[index] ?? Number.NaN;
    const notes = [
      ...(bars.straggler[index] === 1 ? ['straggler'] : []),
      ...(bars.matches[index] === 1 ? [] : ['does not match']),
    ];
    rows.push({
      ...{ index, rolloutId, lane: lane === undefined ? '' : laneName(lane) },
      ...{ start: clock(start, 1), end: clock(end, 1), lasted: lasting(end - start) },
      result: { '1': 'correct', '0': 'incorrect' }[String(bars.isCorrect[index])] ?? '',
      reward: Number.isNaN(value) ? '' : reward(value),
      turns: turns < 0 ? '' : count(turns),
      tokens: tokens < 0 ? '' : count(tokens),
      waits: seconds > 0 ? lasting(seconds) : '',
      notes: notes.join(', '),
    });
  });
  return rows;
}

export interface Total {
  readonly label: string;
  readonly value: string;
  readonly why: string;
}

/** Leaves out unknown values, which must not be shown as 0. */
export function totalsOf(schedule: StepSchedule): readonly Total[] {
  const { facts, idleGpuSeconds, lanes } = schedule;
  if (facts === undefined) return [];
  const wall = facts.wallSeconds;
  const busy = lanes.reduce((sum, lane) => sum + lane.busySeconds, 0);
  const hasWorkers = lanes.some(({ worker, gpu }) => worker !== undefined || gpu !== undefined);
  return [
    { label: 'wall time', value: lasting(wall), why: 'From the first start to the last end' },
    {
      label: 'rollout, median',
      value: lasting(facts.medianSeconds),
      why: 'Nearest rank of the durations of all rollouts of the step',
    },
    {
      label: 'maximum at once',
      value: count(facts.peakRollouts),
      why: 'The most rollouts in flight at one time',
    },
    ...(facts.peakCalls !== undefined
      ? [
          {
            label: 'calls at once, maximum',
            value: count(facts.peakCalls),
            why: 'The most tool calls in flight at one time, from their logged starts',
          },
        ]
      : []),
    ...(facts.meanCalls !== undefined
      ? [
          {
            label: 'calls in flight, mean (estimate)',
            value: decimal(facts.meanCalls, facts.meanCalls < 10 ? 2 : 1),
            why: 'Little’s law: the latencies of all calls together over the wall time. Unknown latencies make it too low',
          },
        ]
      : []),
    {
      label: 'tail',
      value:
        wall > 0 ? `${lasting(facts.tailSeconds)} (${Math.round((facts.tailSeconds / wall) * 100)} %)` : '',
      why: 'From when 90 % of the rollouts had ended to the end of the step',
    },
    { label: 'stragglers', value: count(facts.stragglers), why: STRAGGLER_LABEL },
    ...(hasWorkers && wall > 0
      ? [
          {
            label: 'workers busy',
            value: `${Math.round((busy / (wall * lanes.length)) * 100)} %`,
            why: 'Share of the wall time in which a worker had at least one rollout, over the workers of the step',
          },
        ]
      : []),
    ...(idleGpuSeconds === undefined
      ? []
      : [
          {
            label: 'idle GPU-seconds',
            value: count(idleGpuSeconds),
            why: 'Seconds of the wall time in which a GPU had no rollout, over all GPUs that had one in this step',
          },
        ]),
  ];
}

/**
 * The number of matching rollouts and facts about them.
 * @returns '' without a filter
 */
export function matchingLabel({ matching, rollouts }: StepSchedule): string {
  if (matching === undefined) return '';
  if (matching.rollouts === 0)
    return `No rollout of this step matches. All ${count(rollouts)} are drawn in grey.`;
  const { placed, medianSeconds, stragglers } = matching;
  return [
    `${count(matching.rollouts)} of ${counted(rollouts, 'rollout')} match`,
    ...(placed < matching.rollouts ? [`${count(placed)} of them placed`] : []),
    ...(medianSeconds === undefined ? [] : [`their median ${lasting(medianSeconds)}`]),
    ...(placed === 0 ? [] : [counted(stragglers, 'straggler')]),
  ].join(' · ');
}

const SOURCE_LABELS = {
  logged: 'logged',
  derived: 'parsed from the responses',
  unknown: 'of unknown source',
} as const;

export function latencyLabels({ latencies, queue, matching }: StepSchedule): readonly string[] {
  const ofThose = matching === undefined ? '' : ' of those that match';
  const ms = (value: number): string => lasting(value / 1000);
  return [
    ...latencies.map(
      ({ source, calls, p50Ms, p95Ms, maxMs }) =>
        `Latency${ofThose}, ${SOURCE_LABELS[source]} (${counted(calls, 'call')}): p50 ${ms(p50Ms)}, p95 ${ms(p95Ms)}, max ${ms(maxMs)}`,
    ),
    ...(queue === undefined
      ? []
      : [
          `Queue${ofThose}, logged (${counted(queue.calls, 'call')}): p50 ${ms(queue.p50Ms)}, p95 ${ms(queue.p95Ms)}`,
        ]),
  ];
}
