import { once } from 'node:events';
import type { ScheduleFacts, StepFacts, StepSchedule } from '../../shared/api/contract.ts';
import { chosenRun } from './chosenRun.ts';
import { type Command, ExpectedError, readArguments, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';
import { type RowFormat, rowWriter } from './rowWriters.ts';

const help = `usage: turnwise schedule --run R [--step N] [--filter F] [--library FILE] [--json | --csv]

Prints when and where rollouts ran, as logged. Without --step: a row per step with wall time, tail and concurrency.
With --step: a row per rollout that has a start and an end.

  --run R          key, name or number of a run
  --step N         print the rollouts of this step
  --filter F       only matching rollouts, in the filter language
  --library FILE   library file; default: the user's library
  --json           one JSON object per line; --csv: CSV; default: a table

Times are seconds: started_at and ended_at since 1970, others are durations. null: unknown. mean_calls is an estimate
(Little's law: known latencies over the wall time); peak_calls needs the start of every call. wait_s is the sum of
known latencies of calls without a logged start. is_straggler depends on the tail and the median of the whole step,
not on the filter.
Exit codes: 0 done, 1 no such run or step, or no logged times, 2 usage.`;

const STEP_COLUMNS = [
  ...['step', 'rollouts', 'placed', 'wall_s', 'median_s', 'tail_s', 'stragglers', 'peak_rollouts'],
  ...['mean_calls', 'peak_calls', 'latency_calls', 'latency_p50_ms', 'latency_p95_ms', 'latency_max_ms'],
] as const;
const ROLLOUT_COLUMNS = [
  ...['rollout_id', 'worker', 'gpu', 'started_at', 'ended_at', 'duration', 'is_correct', 'reward'],
  ...['turns', 'policy_tokens', 'wait_s', 'is_straggler'],
] as const;

export const scheduleCommand: Command = {
  name: 'schedule',
  summary: 'print when and where rollouts ran: wall time, tail, concurrency, workers',
  help,
  async run(argv, context) {
    const args = readArguments('schedule', argv, {
      run: { type: 'string' },
      step: { type: 'string' },
      filter: { type: 'string' },
      library: { type: 'string' },
      json: { type: 'boolean' },
      csv: { type: 'boolean' },
    });
    const named = args.string('run');
    if (named === undefined || args.positionals.length > 0)
      throw new UsageError('schedule: name a run with --run', help);
    const rawStep = args.string('step');
    if (rawStep !== undefined && !/^\d+$/.test(rawStep))
      throw new UsageError('schedule: --step must be a whole number of 0 or more');
    if (args.flag('json') && args.flag('csv'))
      throw new UsageError('schedule: give --json or --csv, not both');
    const format: RowFormat = args.flag('json') ? 'jsonl' : args.flag('csv') ? 'csv' : 'table';
    const filter = args.string('filter') ?? '';
    return await withLibraryHost(args.string('library'), context, async ({ ask }) => {
      const { runId, name } = await chosenRun({ ask }, named);
      const rows =
        rawStep === undefined
          ? (await ask('step.series', { runId, filter })).steps.flatMap(stepRow)
          : rolloutRows(await ask('step.schedule', { runId, step: Number(rawStep), filter }));
      if (rows.length === 0)
        throw new ExpectedError(
          `no rollout of ${name}${rawStep === undefined ? '' : ` at step ${rawStep}`} ${filter === '' ? '' : 'matches and '}has a start and an end in its log`,
        );
      const texts: string[] = [];
      const writer = rowWriter(format, process.stdout.isTTY, (text) => void texts.push(text));
      writer.columns(rawStep === undefined ? STEP_COLUMNS : ROLLOUT_COLUMNS);
      writer.rows(rows);
      writer.end();
      for (const text of texts) if (!process.stdout.write(text)) await once(process.stdout, 'drain');
      return 0;
    });
  },
};

function stepRow({ step, rollouts, schedule, latency }: StepFacts): readonly (readonly unknown[])[] {
  if (schedule === undefined) return [];
  const facts: ScheduleFacts = schedule;
  return [
    [
      ...[
        step,
        rollouts,
        facts.placed,
        ...[facts.wallSeconds, facts.medianSeconds, facts.tailSeconds].map(rounded),
      ],
      ...[
        facts.stragglers,
        facts.peakRollouts,
        facts.meanCalls === undefined ? null : rounded(facts.meanCalls),
        facts.peakCalls ?? null,
      ],
      ...[latency?.calls ?? null, latency?.p50Ms ?? null, latency?.p95Ms ?? null, latency?.maxMs ?? null],
    ],
  ];
}

/** The value for unknown in the columns of a step. */
const UNKNOWN = -2147483648;
const known = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;
/** Times are single-precision seconds since the first start: accurate to 0.1 ms in a step of an hour. */
const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

function rolloutRows({ bars, lanes, origin = 0 }: StepSchedule): readonly (readonly unknown[])[] {
  const shown = Array.from(bars.rolloutId, (rolloutId, i) => ({ rolloutId, i })).filter(
    ({ i }) => bars.matches[i] === 1,
  );
  return shown.map(({ rolloutId, i }) => {
    const lane = lanes[bars.lane[i] ?? 0];
    const [start, end] = [bars.start[i] ?? 0, bars.end[i] ?? 0];
    const isCorrect = bars.isCorrect[i] ?? -1;
    const tokens = bars.policyTokens[i] ?? UNKNOWN;
    const turns = bars.turns[i] ?? UNKNOWN;
    const wait = known(bars.waitSeconds[i]);
    return [
      ...[rolloutId, lane?.worker ?? null, lane?.gpu ?? null],
      ...[rounded(origin + start), rounded(origin + end), rounded(end - start)],
      ...[isCorrect < 0 ? null : isCorrect, known(bars.reward[i]), turns === UNKNOWN ? null : turns],
      ...[tokens === UNKNOWN ? null : tokens, wait === null ? null : rounded(wait), bars.straggler[i] ?? 0],
    ];
  });
}
