/** Runs the Python calls of a rollout again and judges each. The caller runs the code and stores the results. */
import { type CodeSource, codeCells, isPythonTool } from './codeCells.ts';
import type { PythonAnswer, PythonCell } from './pythonAnswer.ts';
import {
  drawsNumbers,
  judgeRerun,
  type LoggedCall,
  type RerunMode,
  type RerunVerdict,
  reasonNotToRun,
} from './rerun.ts';

/** A call whose code could be parsed. */
export interface CodeCall extends LoggedCall {
  /** Of the tool calls of the rollout, from 0. */
  readonly ordinal: number;
  readonly turn: number;
  /** Index of the segment of the call. */
  readonly segment: number;
  readonly input?: string;
}

/** What a call did when it was run again. */
export interface RerunResult extends RerunVerdict {
  /** Of the tool calls of the rollout, from 0. */
  readonly ordinal: number;
  readonly mode: RerunMode;
  /** Of the code, in the sandbox. Absent if it did not end. */
  readonly milliseconds?: number;
}

/** In order. */
export function codeCalls(source: CodeSource): readonly CodeCall[] {
  const { response, segments, toolCalls } = source;
  return codeCells(source).flatMap(({ call, turn, tool, code, input, outcome }): CodeCall[] => {
    const logged = toolCalls[call];
    if (logged === undefined) return [];
    const inner = logged.responseSegment === undefined ? undefined : segments[logged.responseSegment]?.inner;
    return [
      {
        ordinal: call,
        turn,
        segment: logged.callSegment,
        code,
        outcome,
        ...(tool === undefined ? {} : { tool }),
        ...(input === undefined ? {} : { input }),
        ...(inner === undefined ? {} : { response: response.slice(inner.start, inner.end) }),
      },
    ];
  });
}

/** The call with its stdin and, in a session, the earlier Python calls before it. */
export function cellsOf(calls: readonly CodeCall[], call: CodeCall, mode: RerunMode): readonly PythonCell[] {
  const before =
    mode === 'alone' ? [] : calls.filter(({ ordinal, tool }) => ordinal < call.ordinal && isPythonTool(tool));
  return [...before, call].map(({ code, input }) => ({ code, ...(input === undefined ? {} : { input }) }));
}

interface VerifyCalls {
  readonly calls: readonly CodeCall[];
  readonly mode: RerunMode;
  /** Results by ordinal that are still valid. Their calls are not run. */
  readonly stored?: ReadonlyMap<number, RerunResult>;
  readonly run: (cells: readonly PythonCell[], seed: number) => Promise<PythonAnswer>;
}

/** @returns the results of all calls, stored ones included; rejects as `run` does */
export async function verifyCalls({
  calls,
  mode,
  stored,
  run,
}: VerifyCalls): Promise<readonly RerunResult[]> {
  const results: RerunResult[] = [];
  for (const call of calls) {
    const known = stored?.get(call.ordinal);
    results.push(
      known ?? {
        ordinal: call.ordinal,
        mode,
        ...withShortReason(await verdictOf(call, cellsOf(calls, call, mode), run)),
      },
    );
  }
  return results;
}

type Run = VerifyCalls['run'];

/** Answers that are kept: rollouts of a group often run the same code. */
const KEPT_ANSWERS = 2_000;
/** UTF-16 units of an answer as JSON. All kept answers then stay below 100 MB. */
const LONGEST_KEPT = 20_000;

/** @returns `run`, which runs equal cells with an equal seed once */
export function onceForEqualCells(run: Run): Run {
  const answers = new Map<string, Promise<PythonAnswer>>();
  return (cells, seed) => {
    const key = JSON.stringify([cells, seed]);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = run(cells, seed);
    answers.set(key, answer);
    const forget = (): void => void answers.delete(key);
    answer.then((found) => {
      if (JSON.stringify(found).length > LONGEST_KEPT) forget();
    }, forget);
    for (const oldest of answers.keys()) {
      if (answers.size <= KEPT_ANSWERS) break;
      answers.delete(oldest);
    }
    return answer;
  };
}

/** UTF-16 units. A reason quotes the log and the code, which have no limit; a stored one has. */
const LONGEST_REASON = 500;

const withShortReason = <T extends RerunVerdict>(verdict: T): T =>
  verdict.reason === undefined || verdict.reason.length <= LONGEST_REASON
    ? verdict
    : { ...verdict, reason: `${verdict.reason.slice(0, LONGEST_REASON - 1)}…` };

async function verdictOf(
  call: CodeCall,
  cells: readonly PythonCell[],
  run: VerifyCalls['run'],
): Promise<RerunVerdict & Pick<RerunResult, 'milliseconds'>> {
  const never = reasonNotToRun(call);
  if (never !== undefined) return { class: 'not_run', reason: never };
  const answer = await run(cells, 1);
  const milliseconds = answer.kind === 'done' ? { milliseconds: answer.milliseconds } : {};
  const verdict = judgeRerun(call, answer);
  const mayDraw = verdict.class === 'different' && cells.some(({ code }) => drawsNumbers(code));
  if (mayDraw && isUnequal(answer, await run(cells, 2)))
    return { class: 'noise', reason: 'random numbers', ...milliseconds };
  return { ...verdict, ...milliseconds };
}

const isUnequal = (one: PythonAnswer, other: PythonAnswer): boolean =>
  one.kind !== 'done' ||
  other.kind !== 'done' ||
  one.stdout !== other.stdout ||
  one.lastValue !== other.lastValue ||
  one.error?.type !== other.error?.type;
