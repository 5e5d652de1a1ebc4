/** The texts of rollouts as they are searched and indexed. */
import { SEGMENT_KINDS, type SegmentKind } from '../../../shared/domain/model.ts';
import type { ReadableLibrary } from '../open.ts';
import { unpackText, unpackUtf8 } from '../textCodec.ts';

export const TEXT_PLACE = `
  SELECT r.rollout_id, r.run_id, r.step, r.group_id, p.prompt_id, r.block_id, r.text_start, r.text_end
  FROM rollout_row r JOIN group_row g ON g.group_id = r.group_id JOIN problem_row p ON p.problem_no = g.problem_no
  WHERE r.rollout_id = ?`;
const BLOCK = 'SELECT codec, bytes FROM text_block WHERE block_id = ?';
const PROMPT = 'SELECT codec, text FROM prompt_row WHERE prompt_id = ?';
const PREVIEW = 'SELECT preview FROM prompt_row WHERE prompt_id = ?';
const SEGMENTS =
  'SELECT ordinal, kind, turn, inner_start, inner_end FROM segment_row WHERE rollout_id = ? ORDER BY ordinal';
const PROMPT_SEGMENTS =
  'SELECT ordinal, kind, 0, inner_start, inner_end FROM prompt_segment_row WHERE prompt_id = ? ORDER BY ordinal';

export interface SegmentText {
  /** Position in the rollout's segments, prompt included. */
  readonly ordinal: number;
  readonly kind: SegmentKind;
  /** 0: of the prompt. */
  readonly turn: number;
  /** Without tags, as logged. */
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

export interface TextPlace {
  readonly blockId: number;
  /** Bytes in the block. */
  readonly start: number;
  readonly end: number;
}

type Prepared = ReturnType<ReadableLibrary['prepare']>;

/** A text is read when it is asked for. Neighbours lie in one block, which is unpacked once; so is the prompt of a group. */
export class TextReader {
  private readonly db: ReadableLibrary;
  private readonly statements = new Map<string, Prepared>();
  private block: { readonly id: number; readonly bytes: Buffer } | undefined;
  private lastPrompt: { readonly id: number; readonly segments: readonly SegmentText[] } | undefined;

  constructor(db: ReadableLibrary) {
    this.db = db;
  }

  /** @returns undefined where the library has no such rollout */
  rollout(id: number): RolloutTexts | undefined {
    const row = this.prepared(TEXT_PLACE).raw().get(id) as number[] | undefined;
    if (row === undefined) return undefined;
    const [rolloutId = 0, runId = 0, step = 0, groupId = 0, promptId = 0, blockId = 0, start = 0, end = 0] =
      row;
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
    const { codec, text } = this.prepared(PROMPT).get(promptId) as { codec: number; text: Uint8Array };
    const segments = this.segments(PROMPT_SEGMENTS, promptId, unpackText(codec, text));
    this.lastPrompt = { id: promptId, segments };
    return segments;
  }

  /** The beginning of the problem, on one line. */
  preview(promptId: number): string {
    return String(this.prepared(PREVIEW).pluck().get(promptId) ?? '');
  }

  response(rolloutId: number, { blockId, start, end }: TextPlace): readonly SegmentText[] {
    if (this.block?.id !== blockId) {
      const { codec, bytes } = this.prepared(BLOCK).get(blockId) as { codec: number; bytes: Uint8Array };
      this.block = { id: blockId, bytes: unpackUtf8(codec, bytes) };
    }
    return this.segments(SEGMENTS, rolloutId, this.block.bytes.toString('utf8', start, end));
  }

  private prepared(sql: string): Prepared {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    const made = this.db.prepare(sql);
    this.statements.set(sql, made);
    return made;
  }

  private segments(sql: string, id: number, text: string): readonly SegmentText[] {
    const rows = this.prepared(sql).raw().all(id) as number[][];
    return rows.map(([ordinal = 0, kind = 0, turn = 0, start = 0, end = 0]) => ({
      ordinal,
      kind: SEGMENT_KINDS[kind] ?? 'text',
      turn,
      inner: text.slice(start, end),
    }));
  }
}
