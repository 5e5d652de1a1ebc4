/** The texts of a step's rollouts as they are searched, one rollout after the other. */
import { SEGMENT_KINDS, type SegmentKind } from '../../../shared/domain/model.ts';
import type { ReadableLibrary } from '../open.ts';
import { unpackText, unpackUtf8 } from '../textCodec.ts';

export const STEP_TEXTS = `
  SELECT r.rollout_id, r.group_id, p.prompt_id, r.block_id, r.text_start, r.text_end
  FROM rollout_row r JOIN group_row g ON g.group_id = r.group_id JOIN problem_row p ON p.problem_no = g.problem_no
  WHERE r.run_id = ? AND r.step = ? ORDER BY r.group_id, r.ordinal`;
const BLOCK = 'SELECT codec, bytes FROM text_block WHERE block_id = ?';
const PROMPT = 'SELECT codec, text FROM prompt_row WHERE prompt_id = ?';
const SEGMENTS =
  'SELECT ordinal, kind, turn, inner_start, inner_end FROM segment_row WHERE rollout_id = ? ORDER BY ordinal';
const PROMPT_SEGMENTS =
  'SELECT ordinal, kind, 0, inner_start, inner_end FROM prompt_segment_row WHERE prompt_id = ? ORDER BY ordinal';

export interface SegmentText {
  readonly ordinal: number;
  readonly kind: SegmentKind;
  /** 0: of the prompt. */
  readonly turn: number;
  /** Without tags, as logged. */
  readonly inner: string;
}

export interface RolloutTexts {
  readonly rolloutId: number;
  readonly groupId: number;
  readonly promptId: number;
  prompt(): readonly SegmentText[];
  response(): readonly SegmentText[];
}

/** A text is read when it is asked for; neighbours lie in one block, which is unpacked once. */
export function* stepTexts(db: ReadableLibrary, runId: number, step: number): Generator<RolloutTexts> {
  const rows = db.prepare(STEP_TEXTS).raw().all(runId, step) as number[][];
  const reader = new TextReader(db);
  for (const [rolloutId = 0, groupId = 0, promptId = 0, blockId = 0, start = 0, end = 0] of rows) {
    yield {
      rolloutId,
      groupId,
      promptId,
      prompt: () => reader.prompt(promptId),
      response: () => reader.response(rolloutId, { blockId, start, end }),
    };
  }
}

class TextReader {
  private readonly db: ReadableLibrary;
  private block: { readonly id: number; readonly bytes: Buffer } | undefined;
  private lastPrompt: { readonly id: number; readonly segments: readonly SegmentText[] } | undefined;

  constructor(db: ReadableLibrary) {
    this.db = db;
  }

  prompt(promptId: number): readonly SegmentText[] {
    if (this.lastPrompt?.id === promptId) return this.lastPrompt.segments;
    const { codec, text } = this.db.prepare(PROMPT).get(promptId) as { codec: number; text: Uint8Array };
    const segments = this.segments(PROMPT_SEGMENTS, promptId, unpackText(codec, text));
    this.lastPrompt = { id: promptId, segments };
    return segments;
  }

  response(
    rolloutId: number,
    { blockId, start, end }: { readonly blockId: number; readonly start: number; readonly end: number },
  ): readonly SegmentText[] {
    if (this.block?.id !== blockId) {
      const { codec, bytes } = this.db.prepare(BLOCK).get(blockId) as { codec: number; bytes: Uint8Array };
      this.block = { id: blockId, bytes: unpackUtf8(codec, bytes) };
    }
    return this.segments(SEGMENTS, rolloutId, this.block.bytes.toString('utf8', start, end));
  }

  private segments(sql: string, id: number, text: string): readonly SegmentText[] {
    const rows = this.db.prepare(sql).raw().all(id) as number[][];
    return rows.map(([ordinal = 0, kind = 0, turn = 0, start = 0, end = 0]) => ({
      ordinal,
      kind: SEGMENT_KINDS[kind] ?? 'text',
      turn,
      inner: text.slice(start, end),
    }));
  }
}
