/** Reads what detectors judge: responses with segments and calls, and prompts when a rule asks for them. */
import type { RunKind, Segment, ToolCall } from '../../../shared/domain/model.ts';
import { RUN_KINDS } from '../../../shared/domain/model.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, oneOf, query, queryTuples } from '../rows.ts';
import { StoredTexts } from '../storedTexts.ts';
import { responseSegments, toolCallsOf } from './rollout.ts';

export const JUDGED_PLACE = `SELECT r.block_id, r.text_start, r.text_end, p.prompt_id,
    (SELECT count(*) FROM prompt_segment_row s WHERE s.prompt_id = p.prompt_id) AS prompt_segments
  FROM rollout_row r JOIN group_row g USING (group_id) JOIN problem_row p USING (problem_no) WHERE r.rollout_id = ?`;
const PLACE_COLUMNS = [
  ['block_id', number],
  ['text_start', number],
  ['text_end', number],
  ['prompt_id', number],
  ['prompt_segments', number],
] as const;
const RUN_KIND = 'SELECT kind FROM run_row WHERE run_id = ?';
export const RUN_AND_STEP = 'SELECT run_id AS runId, step FROM rollout_row WHERE rollout_id = ?';

export interface JudgedTexts {
  readonly response: string;
  /** Segments of the response; calls refer to them. */
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  prompt(): string;
}

/** Reads rollouts in log order fastest, because neighbours share a block. */
export class JudgedReader {
  private readonly db: ReadableLibrary;
  private readonly places;
  private readonly stored;

  constructor(db: ReadableLibrary) {
    this.db = db;
    this.places = queryTuples(db, JUDGED_PLACE, PLACE_COLUMNS);
    this.stored = new StoredTexts(db);
  }

  /** @param hasCalls false saves a query; @returns undefined when the library has no such rollout */
  read(rolloutId: number, hasCalls: boolean): JudgedTexts | undefined {
    const place = this.places.get(rolloutId);
    if (place === undefined) return undefined;
    const [blockId, start, end, promptId, promptSegments] = place;
    const response = this.stored.text({ blockId, start, end });
    const segments = responseSegments(this.db, rolloutId);
    const ofPrompt = Array<Segment>(promptSegments).fill(NO_SEGMENT);
    const calls = hasCalls ? toolCallsOf(this.db, rolloutId, [...ofPrompt, ...segments], response) : [];
    return {
      response,
      segments,
      toolCalls: calls.map((call) => inResponse(call, promptSegments)),
      prompt: () => this.stored.prompt(promptId),
    };
  }
}

const NO_SEGMENT: Segment = {
  ...{ kind: 'system', turn: 0 },
  ...{ outer: { start: 0, end: 0 }, inner: { start: 0, end: 0 } },
};

/** Stored indices count the prompt's segments too. */
function inResponse(call: ToolCall, promptSegments: number): ToolCall {
  const { responseSegment } = call;
  return {
    ...call,
    callSegment: call.callSegment - promptSegments,
    ...(responseSegment === undefined ? {} : { responseSegment: responseSegment - promptSegments }),
  };
}

export function runKind(db: ReadableLibrary, runId: number): RunKind | undefined {
  return query(db, RUN_KIND, { kind: oneOf(RUN_KINDS) }).get(runId)?.kind;
}

export function runAndStepOf(
  db: ReadableLibrary,
  rolloutId: number,
): { readonly runId: number; readonly step: number } | undefined {
  return query(db, RUN_AND_STEP, { runId: number, step: number }).get(rolloutId);
}
