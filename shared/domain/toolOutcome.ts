/**
 * What became of a tool call, read off the text of its response.
 *
 * Sources: rStar2-Agent paper §2.1 and Fig. 11; `rstar2_agent/tools/code_judge_utils.py`
 * (`run_tool_calls_on_server_async`) and `tools/tool_parser.py` of the release. Other
 * tools have no status line; for them only unmistakable failures count as `error`.
 */
import type { Milliseconds, ToolOutcome } from './model.ts';

export interface ToolResponseReading {
  readonly outcome: ToolOutcome;
  /** From the line `execution time: 0.03s`. */
  readonly latencyMs?: Milliseconds;
}

/** `execution time: 0.03s` — the last line the released tool writes. */
const EXECUTION_TIME = /^execution time: (\d+(?:\.\d+)?)s\s*$/m;
/** `reason: worker_timeout`; empty for an exception in the user's code. */
const REASON = /^reason: *(.*)$/m;
const INFRASTRUCTURE = new Set(['internal_error', 'queue_timeout', 'invalid_input']);

/** A Python traceback, or a response that is nothing but an error message. */
const TRACEBACK = /^Traceback \(most recent call last\):/m;
const ERROR_OPENING = /^(?:error|exception|fatal|failed|failure|invalid)\b\s*[:!-]/i;
const ERROR_TYPE_OPENING = /^[A-Z][A-Za-z_.]*(?:Error|Exception)\b\s*[:(]/;

/** Colours and cursor movements: they change how a message looks, not what it says. */
const ANSI = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

export function readToolResponse(response: string): ToolResponseReading {
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
  return isErrorOfOtherTool(body) ? 'error' : 'ok';
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
  if (ERROR_OPENING.test(body) || ERROR_TYPE_OPENING.test(body) || TRACEBACK.test(body)) return true;
  if (!body.startsWith('{') || !body.includes('"error"')) return false;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // Not JSON after all: a tool may print anything, and braces alone are no failure.
    return false;
  }
  if (typeof parsed !== 'object' || parsed === null || !('error' in parsed)) return false;
  const { error } = parsed;
  return error !== null && error !== false && error !== '';
}

function startsWithIgnoringCase(text: string, lowerCasePrefix: string): boolean {
  return text.slice(0, lowerCasePrefix.length).toLowerCase() === lowerCasePrefix;
}
