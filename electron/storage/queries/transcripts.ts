/** Reads responses with their segments and calls, for comparisons. */
import type { Segment, ToolCall } from '../../../shared/domain/model.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, orNull, query, type RowSpec, text } from '../rows.ts';
import { StoredTexts } from '../storedTexts.ts';
import { responseSegments, toolCallsOf } from './rollout.ts';
import { tokenEndsOf } from './tokens.ts';

export const TRANSCRIPT = `SELECT r.text_start AS start, r.text_end AS end, r.block_id AS blockId, r.answer,
    (SELECT count(*) FROM prompt_segment_row s WHERE s.prompt_id = p.prompt_id) AS promptSegments
  FROM rollout_row r JOIN group_row g USING (group_id) JOIN problem_row p USING (problem_no) WHERE r.rollout_id = ?`;

interface PlaceRecord {
  readonly start: number;
  readonly end: number;
  readonly blockId: number;
  readonly promptSegments: number;
  readonly answer: string | null;
}

const PLACE_ROW: RowSpec<PlaceRecord> = {
  start: number,
  end: number,
  blockId: number,
  promptSegments: number,
  answer: orNull(text),
};

export interface Transcript {
  readonly response: string;
  /** Indices as in `rollout.get`: the prompt's segments come first and are left empty here. */
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  readonly tokenEnds?: Uint32Array;
  readonly answer?: string;
}

/** Use one per request. */
export class TranscriptReader {
  private readonly db: ReadableLibrary;
  private readonly stored;

  constructor(db: ReadableLibrary) {
    this.db = db;
    this.stored = new StoredTexts(db);
  }

  /** @returns undefined when the library has no such rollout */
  read(rolloutId: number): Transcript | undefined {
    const place = query(this.db, TRANSCRIPT, PLACE_ROW).get(rolloutId);
    if (place === undefined) return undefined;
    const response = this.stored.text(place);
    const nothing = { start: 0, end: 0 };
    const ofPrompt: Segment = { kind: 'system', turn: 0, outer: nothing, inner: nothing };
    const segments = [
      ...Array<Segment>(place.promptSegments).fill(ofPrompt),
      ...responseSegments(this.db, rolloutId),
    ];
    const tokenEnds = tokenEndsOf(this.db, rolloutId);
    return {
      response,
      segments,
      toolCalls: toolCallsOf(this.db, rolloutId, segments, response),
      ...(tokenEnds === undefined ? {} : { tokenEnds }),
      ...(place.answer === null ? {} : { answer: place.answer }),
    };
  }
}
