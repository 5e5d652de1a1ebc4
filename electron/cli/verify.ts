import { statSync } from 'node:fs';
import type { PythonAnswer, PythonCell, RolloutDetail, RunSummary } from '../../shared/api/contract.ts';
import { proposedMode, RERUN_CLASSES, type RerunClass, type RerunMode } from '../../shared/domain/rerun.ts';
import { terminalJson, terminalLines } from '../../shared/domain/terminalText.ts';
import {
  codeCalls,
  onceForEqualCells,
  type RerunResult,
  verifyCalls,
} from '../../shared/domain/verifyCalls.ts';
import { chosenRuns } from './chosenRun.ts';
import { type Command, ExpectedError, readArguments, resolvePath, UsageError } from './command.ts';
import { type LibraryHost, withCancellableHost } from './libraryHost.ts';

/** A call differs from the log. Its own code, as of `check`. */
const DIFFERS = 4;
/** Rollouts at a time. The host has no more processes than the machine has cores. */
const AT_ONCE = 4;
/** The contract's limit of one request. */
const MOST_ROWS = 500;
/** Lines of a report for people; `--json` has all. */
const MOST_LINES = 50;
const PROGRESS_MS = 500;

const help = `usage: turnwise verify [--run R] [--filter F] [--mode alone|session] [--timeout S] [--packages DIR] [--again]
                      [--library FILE] [--json]

Runs the Python calls of rollouts again, in a sandbox without network and files, and compares what they print with the
log. Results are stored in the library: the filter rerun:different finds the rollouts, and a second call of this command
goes on where the first one stopped.

  --run R          key, name or number of a run; default: every run
  --filter F       only matching rollouts, in the filter language
  --mode M         alone: each call in a new interpreter. session: after the earlier calls of its rollout. Default: as
                   the log suggests, for each rollout
  --timeout S      seconds that a call may run; default: 10
  --packages DIR   folder with wheels that the code may import: of pure Python (sympy-1.14.0-py3-none-any.whl), and
                   compiled ones of Pyodide's distribution (numpy); default: wheels, beside the user's library.
                   With it, results that miss a module are made again
  --again          also run calls that have a result
  --library FILE   library file; default: the user's library
  --json           one object per call and line: {run, step, group, ordinal, rollout_id, turn, call, class, reason,
                   mode, milliseconds}; call counts from 0

Classes: same; noise: the same but for times, memory addresses, the order of sets, the last digits of floats or random
numbers; different; not_run: the code needs what is not here, or the log has no output of it.

Exit codes: 0 nothing differs, ${DIFFERS} a call differs, 1 failed or no such run, 2 usage, 130 stopped`;

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'run the Python calls again and compare what they print with the log',
  help,
  async run(argv, context) {
    const args = readArguments('verify', argv, {
      run: { type: 'string' },
      filter: { type: 'string' },
      mode: { type: 'string' },
      timeout: { type: 'string' },
      packages: { type: 'string' },
      again: { type: 'boolean' },
      library: { type: 'string' },
      json: { type: 'boolean' },
    });
    if (args.positionals.length > 0) throw new UsageError('verify: takes no arguments but options');
    const settings: Settings = {
      filter: args.string('filter') ?? '',
      mode: modeOf(args.string('mode')),
      limitMs: limitOf(args.string('timeout') ?? '10'),
      isAgain: args.flag('again'),
      hasPackages: args.string('packages') !== undefined,
    };
    const isJson = args.flag('json');
    const packages = directoryOf(args.string('packages'));
    return withCancellableHost(
      args.string('library'),
      context,
      async ({ ask }) => {
        let hasDifference = false;
        let hasCalls = false;
        for (const run of await chosenRuns({ ask }, args.string('run'))) {
          const verified: VerifiedCall[] = [];
          await verifyRun(ask, run, settings, (calls) => {
            verified.push(...calls);
            if (isJson) for (const call of calls) process.stdout.write(`${terminalJson(jsonOf(call))}\n`);
          });
          if (verified.some(({ result }) => result.class === 'different')) hasDifference = true;
          if (verified.length > 0) hasCalls = true;
          // A run without calls is reported only if it was named.
          const isReported = verified.length > 0 || args.string('run') !== undefined;
          if (!isJson && isReported) process.stdout.write(reportOf(run, verified));
        }
        if (!hasCalls)
          process.stderr.write('turnwise: no Python call to verify in the rollouts that were asked for\n');
        return hasDifference ? DIFFERS : 0;
      },
      {
        afterStop: 'what was verified is stored, and the next call goes on there',
        ...(packages === undefined ? {} : { pythonPackages: packages }),
      },
    );
  },
};

interface Settings {
  readonly filter: string;
  readonly mode: RerunMode | undefined;
  readonly limitMs: number;
  readonly isAgain: boolean;
  readonly hasPackages: boolean;
}

function modeOf(text: string | undefined): RerunMode | undefined {
  if (text === undefined || text === 'alone' || text === 'session') return text;
  throw new UsageError('verify: --mode must be alone or session');
}

function directoryOf(named: string | undefined): string | undefined {
  if (named === undefined) return undefined;
  const path = resolvePath(named);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new ExpectedError(`${path} is not a directory`);
  return path;
}

function limitOf(text: string): number {
  const seconds = Number(text);
  if (!/^\d{1,3}(\.\d+)?$/.test(text) || seconds < 0.1 || seconds > 600)
    throw new UsageError('verify: --timeout must be a number of seconds from 0.1 to 600');
  return Math.round(seconds * 1000);
}

type Ask = LibraryHost['ask'];

interface VerifiedCall {
  readonly run: RunSummary;
  readonly rollout: RolloutDetail['row'];
  readonly turn: number;
  readonly result: RerunResult;
}

async function verifyRun(
  ask: Ask,
  run: RunSummary,
  settings: Settings,
  onRollout: (calls: readonly VerifiedCall[]) => void,
): Promise<void> {
  const { ids } = await ask('rollout.order', { runId: run.runId, filter: withCalls(settings.filter) });
  const rolloutIds = [...ids];
  const verifier = new Verifier(ask, settings);
  let done = 0;
  let toldAt = performance.now();
  const tell = (): void => {
    done += 1;
    if (!process.stderr.isTTY || performance.now() - toldAt < PROGRESS_MS) return;
    toldAt = performance.now();
    process.stderr.write(`\r${done} of ${rolloutIds.length} rollouts verified`);
  };
  for (let from = 0; from < rolloutIds.length; from += MOST_ROWS) {
    const part = rolloutIds.slice(from, from + MOST_ROWS);
    const known = new Map(
      (await ask('rerun.list', { rolloutIds: part })).map((one) => [one.rolloutId, one.calls]),
    );
    let next = 0;
    const work = async (): Promise<void> => {
      for (let rolloutId = part[next++]; rolloutId !== undefined; rolloutId = part[next++]) {
        const detail = await ask('rollout.get', { rolloutId });
        const results = await verifier.rollout(detail, known.get(rolloutId) ?? []);
        onRollout(
          results.map((result) => ({
            run,
            rollout: detail.row,
            turn: detail.toolCalls[result.ordinal]?.turn ?? 0,
            result,
          })),
        );
        tell();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
  if (process.stderr.isTTY && done > 0) process.stderr.write('\r\u001b[K');
}

const withCalls = (filter: string): string =>
  filter.trim() === '' ? 'tool_calls:>0' : `tool_calls:>0 (${filter})`;

class Verifier {
  private readonly ask: Ask;
  private readonly settings: Settings;
  private readonly run: (cells: readonly PythonCell[], seed: number) => Promise<PythonAnswer>;

  constructor(ask: Ask, settings: Settings) {
    this.ask = ask;
    this.settings = settings;
    this.run = onceForEqualCells((cells, seed) =>
      ask('python.run', { cells: [...cells], seed, limitMs: settings.limitMs }),
    );
  }

  /** @returns the results of all calls with code, stored ones included */
  async rollout(detail: RolloutDetail, known: readonly RerunResult[]): Promise<readonly RerunResult[]> {
    const calls = codeCalls(detail);
    const mode = this.settings.mode ?? proposedMode(calls).mode;
    const stored = new Map(
      known.filter((one) => !this.isToRunAgain(one) && one.mode === mode).map((one) => [one.ordinal, one]),
    );
    const results = await verifyCalls({ calls, mode, stored, run: this.run });
    const fresh = results.filter(({ ordinal }) => !stored.has(ordinal));
    if (fresh.length > 0) await this.ask('rerun.save', { rolloutId: detail.row.rolloutId, calls: fresh });
    return results;
  }

  private isToRunAgain({ class: found, reason = '' }: RerunResult): boolean {
    const { isAgain, hasPackages } = this.settings;
    return isAgain || (hasPackages && found === 'not_run' && /module|library/.test(reason));
  }
}

function jsonOf({ run, rollout, turn, result }: VerifiedCall): object {
  return {
    run: run.runKey,
    ...(run.hasSteps ? { step: rollout.step } : {}),
    group: rollout.groupKey,
    ordinal: rollout.ordinal,
    rollout_id: rollout.rolloutId,
    turn,
    call: result.ordinal,
    class: result.class,
    ...(result.reason === undefined ? {} : { reason: result.reason }),
    mode: result.mode,
    ...(result.milliseconds === undefined ? {} : { milliseconds: result.milliseconds }),
  };
}

const TITLES: Readonly<Record<RerunClass, string>> = {
  same: 'same as logged',
  noise: 'same but for noise',
  different: 'different',
  not_run: 'not run',
};

function reportOf(run: RunSummary, calls: readonly VerifiedCall[]): string {
  const lines = [`${run.name}: ${calls.length.toLocaleString('en')} calls`];
  for (const found of RERUN_CLASSES) {
    const those = calls.filter(({ result }) => result.class === found);
    if (those.length === 0) continue;
    lines.push(`  ${TITLES[found].padEnd(20)} ${those.length.toLocaleString('en')}`);
    if (found === 'same') continue;
    if (found === 'different') lines.push(...listed(those));
    else lines.push(...counted(those));
  }
  return terminalLines(lines);
}

function listed(calls: readonly VerifiedCall[]): readonly string[] {
  const lines = calls.slice(0, MOST_LINES).map(({ run, rollout, turn, result }) => {
    const place = [
      ...(run.hasSteps ? [`step ${rollout.step}`] : []),
      rollout.groupKey,
      `#${rollout.ordinal}`,
    ];
    return `    rollout ${rollout.rolloutId} (${place.join(' ')}), turn ${turn}, call ${result.ordinal + 1}: ${result.reason}`;
  });
  const more = calls.length - MOST_LINES;
  return more > 0 ? [...lines, `    and ${more.toLocaleString('en')} more; --json lists all`] : lines;
}

function counted(calls: readonly VerifiedCall[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { result } of calls) counts.set(result.reason ?? '', (counts.get(result.reason ?? '') ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_LINES)
    .map(([reason, count]) => `    ${String(count).padStart(6)}  ${reason}`);
}
