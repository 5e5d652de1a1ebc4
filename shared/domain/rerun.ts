/**
 * Compares what the log says a tool call printed with what its code prints when it is run again. Rules:
 * shared/domain/DOMAIN.md#calls-run-again.
 */
import { assignedNames, withoutStrings } from './assignedNames.ts';
import { isPythonTool } from './codeCells.ts';
import { errorType } from './errorType.ts';
import { indexIn } from './linearSearch.ts';
import type { ToolOutcome } from './model.ts';
import type { PythonAnswer, PythonReport } from './pythonAnswer.ts';
import { printedBy } from './toolOutput.ts';

/**
 * `same`; `noise`: the same but for what differs from run to run; `different`; `not_run`: nothing can be said,
 * because the code needs what is not here, or the log has no output of it.
 */
export const RERUN_CLASSES = ['same', 'noise', 'different', 'not_run'] as const;
export type RerunClass = (typeof RERUN_CLASSES)[number];

export interface RerunVerdict {
  readonly class: RerunClass;
  /** What the noise is, what differs, or why the code cannot be run. Absent for `same`. */
  readonly reason?: string;
}

export interface LoggedCall {
  readonly tool?: string;
  readonly code: string;
  readonly outcome: ToolOutcome;
  readonly response?: string;
}

const NEVER_RAN: ReadonlySet<ToolOutcome> = new Set([
  'missing',
  'malformed',
  'parse_error',
  'dispatch_error',
]);
/** `!pip install`, `%timeit`. A line that continues an expression has a space after its `%`. */
const NOTEBOOK_COMMAND = /^[ \t]*(?:!\S|%{1,2}[a-z])/m;
const TIMED_OUT = /\btime[d ]?[- ]?out\b/i;

/** @returns why a call need not be run, because nothing could be compared */
export function reasonNotToRun({ tool, code, outcome, response }: LoggedCall): string | undefined {
  if (!isPythonTool(tool)) return `${tool} does not run Python`;
  if (NOTEBOOK_COMMAND.test(withoutStrings(code))) return 'the code has commands of a notebook';
  if (outcome === 'infra') return 'the log has a sandbox failure instead of the output of this code';
  if (NEVER_RAN.has(outcome) || response === undefined) return 'the log has no output of this code';
  return undefined;
}

export function judgeRerun(logged: LoggedCall, answer: PythonAnswer): RerunVerdict {
  const never = reasonNotToRun(logged);
  if (never !== undefined) return { class: 'not_run', reason: never };
  const response = logged.response ?? '';
  const isLoggedTimeout = logged.outcome === 'timeout' || (response.length < 200 && TIMED_OUT.test(response));
  if (answer.kind === 'timed_out')
    return isLoggedTimeout
      ? { class: 'same' }
      : { class: 'not_run', reason: `it ran longer than ${answer.limitMs / 1000} s` };
  if (answer.kind === 'crashed') return { class: 'not_run', reason: answer.message };
  if (isLoggedTimeout) return { class: 'noise', reason: 'the log has a time-out' };
  const texts = comparedTexts(logged, answer);
  const verdict = judgeError(loggedErrorType(logged), response, answer) ?? judgeText(logged.code, texts);
  if (verdict.class !== 'different') return verdict;
  // In a session, a later call misses what an earlier one could not define.
  const missing = answer.earlierErrors?.map(whatIsMissing).find((reason) => reason !== undefined);
  return missing === undefined ? verdict : { class: 'not_run', reason: `in an earlier call, ${missing}` };
}

const isFailure = (outcome: ToolOutcome): boolean => outcome === 'exception' || outcome === 'error';

/** @returns undefined if both raised the same error, or neither raised one, so that the outputs decide */
function judgeError(
  loggedType: string | undefined,
  response: string,
  { error }: PythonReport,
): RerunVerdict | undefined {
  if (error === undefined)
    return loggedType === undefined
      ? undefined
      : {
          class: 'different',
          reason: `the log has ${loggedType === '' ? 'an error' : loggedType}, here there was no error`,
        };
  const isSame = loggedType === error.type || (loggedType === '' && indexIn(response, error.type) >= 0);
  if (isSame) return undefined;
  const missing = whatIsMissing(error);
  if (missing !== undefined) return { class: 'not_run', reason: missing };
  const here = `here ${error.type}${error.message === '' ? '' : `: ${error.message.split('\n')[0]?.slice(0, 200)}`}`;
  return {
    class: 'different',
    reason:
      loggedType === undefined
        ? `the log has no error, ${here}`
        : `the log has ${loggedType || 'another error'}, ${here}`,
  };
}

/** What code needs that the sandbox does not have. */
function whatIsMissing({
  type,
  message,
  hint,
}: Pick<NonNullable<PythonReport['error']>, 'type' | 'message' | 'hint'>): string | undefined {
  const named =
    /No module named '([^']+)'/.exec(message)?.[1] ??
    /module '([^']+)' is (?:in|removed from) the Python standard library/.exec(message)?.[1];
  if (named !== undefined)
    return `the module ${named.split('.')[0]} is missing${hint === undefined ? '' : `: ${hint}`}`;
  if (type === 'ImportError' && hint !== undefined) return `a library was not linked: ${hint}`;
  if (/start new thread|fork|process/i.test(message) && /Error$/.test(type))
    return 'it needs threads or processes';
  if (type === 'URLError' || type === 'gaierror' || /socket|network|connection|unreachable/i.test(message))
    return 'it needs the network';
  if (type === 'FileNotFoundError' || type === 'PermissionError') return 'it needs a file';
  if (type === 'MemoryError') return 'it needs more than 512 MB';
  return undefined;
}

/** The beginning of an error in the output of a tool without wrapping. */
const ERROR_LINE =
  /^(?:Traceback \(most recent call last\):|\s*(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception|Interrupt|Exit)\b)/m;

/** The type of the error that ended a logged call, '' if it is unknown, undefined if there was none. */
const loggedErrorType = ({ outcome, response = '' }: LoggedCall): string | undefined =>
  isFailure(outcome) ? (errorType(response) ?? '') : undefined;

interface ComparedTexts {
  readonly logged: string;
  /** What the environment may have shown of the run. The first is the most likely. */
  readonly here: readonly string[];
}

function comparedTexts(call: LoggedCall, report: PythonReport): ComparedTexts {
  const printed = printedBy(call.response ?? '') ?? '';
  const at = loggedErrorType(call) === undefined ? -1 : printed.search(ERROR_LINE);
  return { logged: plain(at < 0 ? printed : printed.slice(0, at)), here: outputsOf(report).map(plain) };
}

/** The two outputs for a reader: as logged, and the one of the run that is closest to it. */
export function outputsBeside(
  call: LoggedCall,
  report: PythonReport,
): { readonly logged: string; readonly here: string } {
  const { logged, here } = comparedTexts(call, report);
  const closest =
    here.find((text) => agree(logged, text)) ??
    here.find((text) => noiseBetween(logged, text, call.code) !== undefined);
  return { logged, here: closest ?? here[0] ?? '' };
}

function judgeText(code: string, { logged, here }: ComparedTexts): RerunVerdict {
  if (isCutWhole(logged))
    return { class: 'not_run', reason: 'the log has a mark for a cut, and nothing of the output' };
  if (here.some((text) => agree(logged, text))) return { class: 'same' };
  const [noise] = here.flatMap((text) => noiseBetween(logged, text, code) ?? []);
  return noise === undefined
    ? { class: 'different', reason: 'the output differs' }
    : { class: 'noise', reason: noise };
}

/** A script prints stdout; a notebook also the last value; some tools both streams. */
function outputsOf({ stdout, stderr, lastValue }: PythonReport): readonly string[] {
  const lines = (...parts: readonly string[]): string =>
    parts
      .map((part) => part.replace(/\n$/, ''))
      .filter((part) => part !== '')
      .join('\n');
  return [
    stdout,
    ...(lastValue === undefined ? [] : [lines(stdout, lastValue)]),
    ...(stderr === '' ? [] : [lines(stdout, stderr), lines(stderr, stdout)]),
  ];
}

/** Without what no reader sees: white space at line ends and around the text. */
const plain = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .trim();

/** The marks with which producers cut an output in the middle or at the end (shared/domain/policyContext.ts). */
const CUT = /\.{3} ?\(truncated\) ?\.{3}|\.{3} ?\(truncated\)|\(truncated\) ?\.{3}/;
/** A text of this length may be cut without a mark: the release cuts stdout at 1,000 characters. */
const MAY_BE_CUT = 200;

/** Whether the log has nothing but the mark, which would agree with every output. */
const isCutWhole = (logged: string): boolean => logged.replace(CUT, '').trim() === '' && logged !== '';

/** Whether two texts are equal as far as the log has them. */
function agree(logged: string, here: string): boolean {
  if (logged === here) return true;
  const cut = CUT.exec(logged);
  if (cut !== null) {
    const [head, tail] = [
      logged.slice(0, cut.index).trimEnd(),
      logged.slice(cut.index + cut[0].length).trimStart(),
    ];
    return here.length >= head.length + tail.length && here.startsWith(head) && here.endsWith(tail);
  }
  return logged.length >= MAY_BE_CUT && here.startsWith(logged);
}

type Normalize = (text: string) => string;

const NOISE: readonly (readonly [reason: string, normalize: Normalize])[] = [
  ['memory addresses', (text) => text.replace(/\b0x[0-9a-fA-F]{5,16}\b/g, '0x…')],
  [
    'times',
    (text) =>
      text
        .replace(
          /(?<![\d.])\d{1,12}(?:\.\d{1,20})?(?:e-?\d{1,3})?(?=\s?(?:s|ms|µs|us|ns|sec|secs|seconds?|milliseconds?|minutes?)\b)/g,
          '…',
        )
        .replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,9})?/g, '…')
        .replace(/^.*\b(?:time|elapsed|took|duration|runtime)\b.*$/gim, (line) =>
          line.replace(/(?<![\d.])\d{1,12}\.\d{1,20}(?:e-?\d{1,3})?/g, '…'),
        ),
  ],
  ['order of a set', (text) => text.replace(/\{[^{}:\n]*\}/g, (set) => sorted(set))],
];

const sorted = (set: string): string => `{${set.slice(1, -1).split(/,\s*/).sort().join(', ')}}`;

const USES_SET = /\b(?:frozen)?set\s*\(|\{[^{}:\n]*\}/;

/** @returns the name of the noise that makes two texts equal */
function noiseBetween(logged: string, here: string, code: string): string | undefined {
  let [before, after] = [logged, here];
  for (const [reason, normalize] of NOISE) {
    before = normalize(before);
    after = normalize(after);
    if (agree(before, after)) return reason;
  }
  if (isRounding(before, after)) return 'last digits of floats';
  const words = (text: string): string =>
    text
      .split(/[\s,[\](){}]+/)
      .sort()
      .join(' ');
  if (USES_SET.test(code) && before.length === after.length && words(before) === words(after))
    return 'order of a set';
  return undefined;
}

const NUMBER = /(?<![\w.])-?\d+\.\d+(?:[eE][-+]?\d+)?/g;
/** Relative. Libraries of C differ in the last bits of functions such as `sin`. */
const ROUNDING = 1e-12;

function isRounding(before: string, after: string): boolean {
  if (before.replace(NUMBER, '#') !== after.replace(NUMBER, '#')) return false;
  const [left, right] = [before.match(NUMBER) ?? [], after.match(NUMBER) ?? []];
  return left.every((number, i) => {
    const [a, b] = [Number(number), Number(right[i])];
    return Math.abs(a - b) <= ROUNDING * Math.max(Math.abs(a), Math.abs(b));
  });
}

/** Code whose output may differ from run to run because it draws numbers. */
export const drawsNumbers = (code: string): boolean =>
  /\b(?:random|secrets|uuid|randint|shuffle|urandom)\b/.test(code);

/** `session`: the earlier Python calls of the rollout run first, in the same interpreter. */
export type RerunMode = 'alone' | 'session';

export interface ProposedMode {
  readonly mode: RerunMode;
  /** Why, as a sentence. */
  readonly because: string;
}

/** Tools that keep state between calls, by name. */
const KEEPS_STATE = /jupyter|ipython|notebook|stateful|session/i;

/** @param calls Python calls of a rollout, in order */
export function proposedMode(calls: readonly LoggedCall[]): ProposedMode {
  const named = calls.find(({ tool }) => tool !== undefined && KEEPS_STATE.test(tool));
  if (named !== undefined) return { mode: 'session', because: `The tool ${named.tool} keeps variables.` };
  const known = new Set<string>();
  for (const { code, outcome } of calls) {
    const own = boundNames(code);
    const isClean = outcome === 'ok' || outcome === 'ok_stdout' || outcome === 'ok_empty';
    const used =
      isClean && known.size > 0
        ? usedNames(code).find((name) => known.has(name) && !own.has(name))
        : undefined;
    if (used !== undefined)
      return { mode: 'session', because: `A call uses ${used}, which only an earlier call defines.` };
    for (const { name } of assignedNames(code)) known.add(name);
  }
  return { mode: 'alone', because: 'No call uses what an earlier one defined.' };
}

/** Names that are read, not as an attribute and not as the name of an argument. */
const usedNames = (code: string): readonly string[] =>
  withoutStrings(code)
    .replace(/#.*$/gm, '')
    .match(/(?<![\w.])[A-Za-z_]\w*(?!\w|\s*=(?!=))/g) ?? [];

/** Every name that the code binds somewhere, arguments and loops in brackets included. */
function boundNames(code: string): ReadonlySet<string> {
  // The patterns below take each run of blanks at many places.
  const text = withoutStrings(code)
    .replace(/#.*$/gm, '')
    .replace(/\s+/g, (blanks) => (blanks.includes('\n') ? '\n' : ' '));
  const bound = new Set(assignedNames(code).map(({ name }) => name));
  for (const [, names = ''] of text.matchAll(/\bfor\s+([^:\n]{1,200}?)\s+in\b/g)) add(names);
  for (const [, names = ''] of text.matchAll(/\blambda\b([^:\n]{0,200}):/g)) add(names);
  for (const [, names = ''] of text.matchAll(/\bdef\s+\w+\s*\(([^)]{0,2000})\)/g)) add(names);
  for (const [, names = ''] of text.matchAll(/\bas\s+(\w+)/g)) add(names);
  for (const [, names = ''] of text.matchAll(/([A-Za-z_][\w, ]{0,200}?)\s*:?=(?!=)/g)) add(names);
  for (const [, names = ''] of text.matchAll(/\b(?:import|global|nonlocal|class)\s+([\w, .]{1,200})/g))
    add(names);
  return bound;
  function add(names: string): void {
    for (const name of names.match(/[A-Za-z_]\w*/g) ?? []) bound.add(name);
  }
}
