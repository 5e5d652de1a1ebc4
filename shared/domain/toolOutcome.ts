/**
 * Outcome of a tool call from the text of its response.
 *
 * Sources: rStar2-Agent paper §2.1 and Fig. 11; `rstar2_agent/tools/code_judge_utils.py`
 * (`run_tool_calls_on_server_async`) and `tools/tool_parser.py` of the release. Other tools have no status
 * line, so only unmistakable failures count as `error`. Python tools of NeMo-Gym answer with JSON:
 * `{"stdout": "42\n", "stderr": "", "result": null}`.
 */
import type { Milliseconds, ToolOutcome } from './model.ts';

export interface ParsedToolResponse {
  readonly outcome: ToolOutcome;
  /** From the line `execution time: 0.03s`. */
  readonly latencyMs?: Milliseconds;
}

/** `execution time: 0.03s`: the last line the released tool writes. */
const EXECUTION_TIME = /^execution time: (\d+(?:\.\d+)?)s\s*$/m;
/** `reason: worker_timeout`; empty for an exception in the user's code. */
const REASON = /^reason: *(.*)$/m;
const INFRASTRUCTURE = new Set(['internal_error', 'queue_timeout', 'invalid_input']);

/** A Python traceback, or a response that consists of an error message. */
const TRACEBACK = /^Traceback \(most recent call last\):/m;
const ERROR_OPENING = /^(?:error|exception|fatal|failed|failure|invalid)\b\s*[:!-]/i;
const ERROR_TYPE_OPENING = /^[A-Z][A-Za-z_.]*(?:Error|Exception)\b\s*[:(]/;

/** Colours and cursor movements, which do not change the content of a message. */
const ANSI = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

export function readToolResponse(response: string): ParsedToolResponse {
  const text = response.includes('\u001b') ? response.replace(ANSI, '') : response;
  const outcome = outcomeOf(text);
  const time = text.includes('execution time:') ? EXECUTION_TIME.exec(text) : null;
  return time === null ? { outcome } : { outcome, latencyMs: Math.round(Number(time[1]) * 1_000_000) / 1000 };
}

function outcomeOf(text: string): ToolOutcome {
  const body = text.trimStart();
  if (startsWithIgnoringCase(body, 'tool call success')) {
    return /^stdout:/m.test(body) ? 'ok_stdout' : 'ok_empty';
  }
  // The paper's framework writes "tool call failed", the release "Tool call failure".
  if (startsWithIgnoringCase(body, 'tool call fail')) return failureOf(body);
  if (startsWithIgnoringCase(body, 'failed to decode tool call')) return 'parse_error';
  if (startsWithIgnoringCase(body, 'error when executing tool')) return 'dispatch_error';
  if (isErrorOfOtherTool(body)) return 'error';
  return outcomeOfJson(body) ?? 'ok';
}

function failureOf(body: string): ToolOutcome {
  const reason = (REASON.exec(body)?.[1] ?? '').trim().toLowerCase();
  if (reason === 'worker_timeout' || reason.startsWith('timeout') || reason.includes('timed out')) {
    return 'timeout';
  }
  if (INFRASTRUCTURE.has(reason)) return 'infra';
  return 'exception';
}

function isErrorOfOtherTool(body: string): boolean {
  return ERROR_OPENING.test(body) || ERROR_TYPE_OPENING.test(body) || TRACEBACK.test(body);
}

/** undefined if the text is not a JSON object, or one without a success field. */
function outcomeOfJson(body: string): ToolOutcome | undefined {
  if (!body.startsWith('{')) return undefined;
  const isOfPython = body.includes('"stdout"') && body.includes('"stderr"');
  if (!isOfPython && !body.includes('"error"')) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // Not JSON. A tool may print anything, and braces alone are no failure.
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  if ('error' in parsed && parsed.error !== null && parsed.error !== false && parsed.error !== '')
    return 'error';
  if (!('stdout' in parsed && 'stderr' in parsed)) return undefined;
  if (typeof parsed.stdout !== 'string' || typeof parsed.stderr !== 'string') return undefined;
  if (parsed.stderr.trim() !== '' && !isOnlyWarnings(parsed.stderr)) return 'exception';
  const hasResult = 'result' in parsed && parsed.result !== null && parsed.result !== '';
  return parsed.stdout !== '' || hasResult ? 'ok_stdout' : 'ok_empty';
}

/** `x.py:3: DeprecationWarning: …` also goes to stderr, but is no failure. */
function isOnlyWarnings(stderr: string): boolean {
  return /\b[A-Z]\w*Warning\b/.test(stderr) && !TRACEBACK.test(stderr);
}

function startsWithIgnoringCase(text: string, lowerCasePrefix: string): boolean {
  return text.slice(0, lowerCasePrefix.length).toLowerCase() === lowerCasePrefix;
}
