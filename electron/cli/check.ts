import type { RolloutRow, RunSummary } from '../../shared/api/contract.ts';
import {
  DETECTORS,
  type DetectorSeverity,
  isThresholdName,
  SEVERITIES,
  THRESHOLD_NAMES,
  THRESHOLDS,
  type ThresholdName,
  thresholdFault,
} from '../../shared/domain/detectors/detectors.ts';
import type { IngestReport } from '../worker/messages.ts';
import { type CheckedRun, checkJson, checkSarif, checkText } from './checkText.ts';
import { chosenRuns } from './chosenRun.ts';
import { type Command, ExpectedError, readArguments, resolvePath, UsageError } from './command.ts';
import { type LibraryHost, withLibraryHost, withLogs } from './libraryHost.ts';

/** Its own code, so that a watchdog can tell a finding from a failure. */
const FOUND = 4;
const WITH_ISSUES = 3;
/** Findings with their place, per run and detector. */
const MOST_FINDINGS = 5000;
/** The contract's limit of one request. */
const MOST_ROWS = 500;

const thresholdLines = THRESHOLD_NAMES.map(
  (name) =>
    `    ${name.padEnd(28)} ${String(THRESHOLDS[name].value).padStart(4)}  ${THRESHOLDS[name].meaning}`,
).join('\n');

const help = `usage: turnwise check [PATH…] [--run R] [--step N] [--filter F] [--fail-on critical|warning|never]
                     [--threshold NAME=VALUE]… [--library FILE] [--json | --sarif]

Looks for reward hacking and degeneration by documented detectors: tests edited or skipped, forced exit codes, patched
checkers, ground truth without work, copied rubrics, rewards for format only, degenerate repetition, answers guessed
after failed calls, rewards that rise with length only, groups that collapse to one reward.

  PATH…            read these logs first. Without --library into a temporary library; with it, what was appended since
                   the last call is read, so that a growing directory can be checked again and again
  --run R          key, name or number of a run; default: every run
  --step N         this step only
  --filter F       only matching rollouts, in the filter language
  --fail-on S      severity at which findings make the exit code ${FOUND}; default: critical. warning includes critical
  --threshold NAME=VALUE
                   use another threshold; repeatable
  --library FILE   library file; default without PATH: the user's library
  --json           one object per run and line: {run, rollouts, thresholds, length_unit, steps: [{step, rollouts,
                   mean_length, mean_reward, pass_rate, length_with_reward, length_with_correct, groups, one_reward}],
                   detectors: [{id, severity, scope, judged, rollouts, rollout_ids, judged_by_step, by_step,
                   findings_count, findings: [{rollout_id, step, group, ordinal, turn, segment, start, end, message,
                   path, line}]}]}; a detector of steps has judged_steps, and findings: [{steps, message}].
                   start and end are UTF-16 offsets in the response, segment counts its segments from 0
  --sarif          one SARIF 2.1.0 log

--json and --sarif have the first ${MOST_FINDINGS.toLocaleString('en')} findings of each detector and run with their place; rollout_ids are complete.

Thresholds, with their defaults:
${thresholdLines}

A watchdog of a training run:
  until turnwise check LOGS --library watch.sqlite; [ $? -eq ${FOUND} ]; do sleep 300; done; notify…

Exit codes: 0 nothing found at that severity, ${FOUND} found, 1 failed or no such run, 2 usage, ${WITH_ISSUES} nothing found, but some records
of PATH could not be read.`;

export const checkCommand: Command = {
  name: 'check',
  summary: 'look for reward hacking and degeneration; for a CI or a training watchdog',
  help,
  async run(argv, context) {
    const args = readArguments('check', argv, {
      run: { type: 'string' },
      step: { type: 'string' },
      filter: { type: 'string' },
      'fail-on': { type: 'string' },
      threshold: { type: 'string', multiple: true },
      library: { type: 'string' },
      json: { type: 'boolean' },
      sarif: { type: 'boolean' },
    });
    if (args.flag('json') && args.flag('sarif'))
      throw new UsageError('check: give --json or --sarif, not both');
    const failOn = failOnOf(args.string('fail-on') ?? 'critical');
    const step = args.string('step');
    if (step !== undefined && !/^\d{1,15}$/.test(step))
      throw new UsageError('check: --step must be a whole number of 0 or more');
    const asked = {
      filter: args.string('filter') ?? '',
      thresholds: thresholdsOf(args.strings('threshold')),
      ...(step === undefined ? {} : { step: Number(step) }),
      limit: args.flag('json') || args.flag('sarif') ? MOST_FINDINGS : 10,
    };
    const isJson = args.flag('json');
    let hasFound = false;
    const work = async ({ ask }: LibraryHost, read?: IngestReport): Promise<number> => {
      if (read !== undefined) reportReading(read);
      const checked: CheckedRun[] = [];
      for (const run of await runsOf(ask, args.string('run'), asked.step)) {
        const report = await ask('detector.report', { runId: run.runId, ...asked });
        const ids = report.ofRollouts.flatMap(({ findings }) => findings.map(({ rolloutId }) => rolloutId));
        const one = { run, report, rows: await rowsOf(ask, ids) };
        if (isJson) process.stdout.write(checkJson(one));
        else if (args.flag('sarif')) checked.push(one);
        else process.stdout.write(checkText(one));
        if (isFound(one, failOn)) hasFound = true;
      }
      if (args.flag('sarif')) process.stdout.write(checkSarif(checked, context.version));
      return hasFound ? FOUND : read !== undefined && read.issues > 0 ? WITH_ISSUES : 0;
    };
    const named = args.string('library');
    return args.positionals.length === 0
      ? await withLibraryHost(named, context, work)
      : await withLogs(args.positionals.map(resolvePath), named, context, work);
  },
};

/** The severities that count. */
function failOnOf(text: string): readonly DetectorSeverity[] {
  if (text === 'never') return [];
  const at = (SEVERITIES as readonly string[]).indexOf(text);
  if (at < 0) throw new UsageError(`check: --fail-on must be ${SEVERITIES.join(', ')} or never`);
  return SEVERITIES.slice(0, at + 1);
}

const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;

function thresholdsOf(given: readonly string[]): Partial<Record<ThresholdName, number>> {
  const values: Partial<Record<ThresholdName, number>> = {};
  for (const text of given) {
    const [name = '', ...rest] = text.split('=');
    const value = rest.join('=');
    if (!isThresholdName(name))
      throw new UsageError(`check: there is no threshold ${name}; they are ${THRESHOLD_NAMES.join(', ')}`);
    const number = DECIMAL.test(value) ? Number(value) : Number.NaN;
    const fault = thresholdFault(name, number);
    if (fault !== undefined) throw new UsageError(`check: ${fault}`);
    values[name] = number;
  }
  return values;
}

type Ask = LibraryHost['ask'];

/** @param step leaves out runs without it; a named run must have it */
async function runsOf(
  ask: Ask,
  named: string | undefined,
  step: number | undefined,
): Promise<readonly RunSummary[]> {
  const runs = await chosenRuns({ ask }, named);
  if (step === undefined) return runs;
  const found: RunSummary[] = [];
  for (const run of runs) {
    const steps = run.hasSteps ? await ask('step.list', { runId: run.runId }) : [];
    if (steps.some((one) => one.step === step)) found.push(run);
  }
  if (found.length === 0) throw new ExpectedError(`no run has a step ${step}`);
  return found;
}

async function rowsOf(ask: Ask, ids: readonly number[]): Promise<ReadonlyMap<number, RolloutRow>> {
  const distinct = [...new Set(ids)];
  const rows = new Map<number, RolloutRow>();
  for (let from = 0; from < distinct.length; from += MOST_ROWS) {
    const part = await ask('rollout.rows', { rolloutIds: distinct.slice(from, from + MOST_ROWS) });
    for (const row of part) rows.set(row.rolloutId, row);
  }
  return rows;
}

const isFound = ({ report }: CheckedRun, failOn: readonly DetectorSeverity[]): boolean =>
  [...report.ofRollouts, ...report.ofSteps].some(
    ({ detector, findings }) => findings.length > 0 && failOn.includes(DETECTORS[detector].severity),
  );

/** @throws ExpectedError when no file was a log */
function reportReading({ files, issues, rollouts }: IngestReport): void {
  if (files.every(({ status }) => status === 'refused')) {
    const [first] = files;
    const why = first?.issues[0]?.message;
    throw new ExpectedError(
      first === undefined ? 'no files there' : `${first.path}: ${why ?? 'could not be read'}`,
    );
  }
  if (issues > 0)
    process.stderr.write(
      `turnwise: ${issues} records or files could not be read in full; turnwise ingest names them (${rollouts} rollouts read)\n`,
    );
}
