/** Reads the texts of rollouts for search and indexing. */
import { SEGMENT_KINDS, type SegmentKind } from '../../../shared/domain/model.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, query, queryTuples, text } from '../rows.ts';
import { StoredTexts, type TextPlace } from '../storedTexts.ts';
import { QUESTION_PREVIEW } from './questions.ts';

export const TEXT_PLACE = `
  SELECT r.rollout_id AS rolloutId, r.run_id AS runId, r.step, r.group_id AS groupId, p.prompt_id AS promptId,
    r.block_id AS blockId, r.text_start AS start, r.text_end AS end
  FROM rollout_row r JOIN group_row g ON g.group_id = r.group_id JOIN problem_row p ON p.problem_no = g.problem_no
  WHERE r.rollout_id = ?`;
const PREVIEW = `
  SELECT ${QUESTION_PREVIEW} AS preview
  FROM group_row g JOIN problem_row p ON p.problem_no = g.problem_no JOIN prompt_row q ON q.prompt_id = p.prompt_id
  WHERE g.group_id = ?`;
const SEGMENTS =
  'SELECT ordinal, kind, turn, inner_start AS start, inner_end AS end FROM segment_row WHERE rollout_id = ? ORDER BY ordinal';
const PROMPT_SEGMENTS =
  'SELECT ordinal, kind, 0 AS turn, inner_start AS start, inner_end AS end FROM prompt_segment_row WHERE prompt_id = ? ORDER BY ordinal';

export interface SegmentText {
  /** Index among all segments of the rollout, including the prompt's. */
  readonly ordinal: number;
  readonly kind: SegmentKind;
  /** 0: the prompt. */
  readonly turn: number;
  /** The logged text without its tags. */
  readonly inner: string;
}

export interface RolloutTexts {
  readonly rolloutId: number;
  readonly runId: number;
  readonly step: number;
  readonly groupId: number;
  readonly promptId: number;
  prompt(): readonly SegmentText[];
  response(): readonly SegmentText[];
}

const PLACE_COLUMNS = [
  ...[
    ['rolloutId', number],
    ['runId', number],
    ['step', number],
    ['groupId', number],
    ['promptId', number],
    ['blockId', number],
    ['start', number],
    ['end', number],
  ],
] as const;
const SEGMENT_COLUMNS = [
  ...[
    ['ordinal', number],
    ['kind', number],
    ['turn', number],
    ['start', number],
    ['end', number],
  ],
] as const;
type SegmentCells = readonly [ordinal: number, kind: number, turn: number, start: number, end: number];

/** Reads texts on demand. */
export class TextReader {
  private readonly places;
  private readonly stored;
  private readonly previews;
  private readonly segmentsOf;
  private readonly promptSegmentsOf;
  private lastPrompt: { readonly id: number; readonly segments: readonly SegmentText[] } | undefined;

  constructor(db: ReadableLibrary) {
    this.places = queryTuples(db, TEXT_PLACE, PLACE_COLUMNS);
    this.stored = new StoredTexts(db);
    this.previews = query(db, PREVIEW, { preview: text });
    this.segmentsOf = queryTuples(db, SEGMENTS, SEGMENT_COLUMNS);
    this.promptSegmentsOf = queryTuples(db, PROMPT_SEGMENTS, SEGMENT_COLUMNS);
  }

  /** @returns undefined when the library has no such rollout */
  rollout(id: number): RolloutTexts | undefined {
    const row = this.places.get(id);
    if (row === undefined) return undefined;
    const [rolloutId, runId, step, groupId, promptId, blockId, start, end] = row;
    return {
      rolloutId,
      runId,
      step,
      groupId,
      promptId,
      prompt: () => this.prompt(promptId),
      response: () => this.response(rolloutId, { blockId, start, end }),
    };
  }

  prompt(promptId: number): readonly SegmentText[] {
    if (this.lastPrompt?.id === promptId) return this.lastPrompt.segments;
    const segments = segmentsIn(this.stored.prompt(promptId), this.promptSegmentsOf.all(promptId));
    this.lastPrompt = { id: promptId, segments };
    return segments;
  }

  /** The beginning of the question of a group, in one line. */
  preview(groupId: number): string {
    return this.previews.get(groupId)?.preview ?? '';
  }

  response(rolloutId: number, place: TextPlace): readonly SegmentText[] {
    return segmentsIn(this.stored.text(place), this.segmentsOf.all(rolloutId));
  }
}

function segmentsIn(text: string, rows: readonly SegmentCells[]): readonly SegmentText[] {
  return rows.map(([ordinal, kind, turn, start, end]) => ({
    ordinal,
    kind: SEGMENT_KINDS[kind] ?? 'text',
    turn,
    inner: text.slice(start, end),
  }));
}
