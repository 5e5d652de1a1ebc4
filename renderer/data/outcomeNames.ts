/** What outcomes of tool calls are called in legends, tooltips and reports; filters and exports have their ids. */
import type { ToolOutcome } from '../../shared/domain/model.ts';

export const OUTCOME_NAMES: Readonly<Record<ToolOutcome, string>> = {
  ok_stdout: 'output',
  ok: 'ok',
  ok_empty: 'no output',
  missing: 'no response known',
  exception: 'exception',
  error: 'error',
  timeout: 'timeout',
  parse_error: 'parse error',
  dispatch_error: 'dispatch error',
  infra: 'infrastructure',
};

const BY_ID = new Map<string, string>(Object.entries(OUTCOME_NAMES));

/** One that is not known here keeps its id. */
export const outcomeName = (outcome: string): string => BY_ID.get(outcome) ?? outcome;
