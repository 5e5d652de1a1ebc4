/** Reads a rollout's key and texts for annotations. */
import type { RolloutKey } from '../../shared/domain/annotate/annotation.ts';
import type { TargetTexts } from '../../shared/domain/annotate/draft.ts';
import { RUN_KINDS, SEGMENT_KINDS, type Segment } from '../../shared/domain/model.ts';
import { rolloutHash } from './contentHash.ts';
import type { ReadableLibrary } from './open.ts';
import { number, oneOf, query, type RowSpec, text } from './rows.ts';
import { StoredTexts } from './storedTexts.ts';

/**
 * Selects the logged group and index, regardless of the user's group rules; and both the displayed prompt and the
 * rollout's own prompt.
 */
export const IDENTITY = `SELECT n.run_key AS run, n.kind, r.step, coalesce(r.read_group, g.group_key) AS "group",
    p.problem_id AS problem, coalesce(r.read_ordinal, r.ordinal) AS ordinal, r.content_hash AS recordHash,
    p.prompt_id AS promptId, s.prompt_id AS shownPromptId, r.block_id AS blockId, r.text_start AS start, r.text_end AS end
  FROM rollout_row r JOIN run_row n ON n.run_id = r.run_id JOIN group_row g ON g.group_id = r.group_id
  JOIN problem_row p ON p.problem_no = coalesce(r.read_problem, g.problem_no)
  JOIN problem_row s ON s.problem_no = g.problem_no
  WHERE r.rollout_id = ?`;
const SEGMENTS = `SELECT turn, kind, outer_start, outer_end, inner_start, inner_end FROM segment_row
  WHERE rollout_id = ? ORDER BY ordinal`;
const PROMPT_SEGMENTS = `SELECT 0 AS turn, kind, outer_start, outer_end, inner_start, inner_end FROM prompt_segment_row
  WHERE prompt_id = ? ORDER BY ordinal`;

type IdentityRecord = Omit<RolloutKey, 'contentHash' | 'recordHash'> & {
  readonly recordHash: string;
  readonly promptId: number;
  readonly shownPromptId: number;
  readonly blockId: number;
  readonly start: number;
  readonly end: number;
};

const IDENTITY_ROW: RowSpec<IdentityRecord> = {
  run: text,
  kind: oneOf(RUN_KINDS),
  step: number,
  group: text,
  problem: text,
  ordinal: number,
  recordHash: text,
  promptId: number,
  shownPromptId: number,
  blockId: number,
  start: number,
  end: number,
};

const SEGMENT_ROW = {
  ...{ turn: number, kind: number, outer_start: number, outer_end: number },
  ...{ inner_start: number, inner_end: number },
};

export class RolloutTexts {
  private readonly db: ReadableLibrary;
  private readonly identity;
  private readonly stored;
  private readonly last: Partial<
    Record<'prompt' | 'response', { readonly of: number; readonly text: string }>
  > = {};

  constructor(db: ReadableLibrary) {
    this.db = db;
    this.identity = query(db, IDENTITY, IDENTITY_ROW);
    this.stored = new StoredTexts(db);
  }

  /** @returns undefined when the library has no such rollout */
  keyOf(rolloutId: number): RolloutKey | undefined {
    const row = this.identity.get(rolloutId);
    if (row === undefined) return undefined;
    const { run, kind, step, group, problem, ordinal, recordHash } = row;
    return { run, kind, step, group, problem, ordinal, contentHash: this.hashOf(row), recordHash };
  }

  /** `contentHash` of a `RolloutKey`. */
  contentHashOf(rolloutId: number): string | undefined {
    const row = this.identity.get(rolloutId);
    return row === undefined ? undefined : this.hashOf(row);
  }

  /** The prompt or the response, as displayed. The last one of each is kept. */
  textOf(rolloutId: number, which: 'prompt' | 'response'): string {
    const last = this.last[which];
    if (last?.of === rolloutId) return last.text;
    const row = this.identity.get(rolloutId);
    if (row === undefined) return '';
    const text = which === 'prompt' ? this.stored.prompt(row.shownPromptId) : this.stored.text(row);
    this.last[which] = { of: rolloutId, text };
    return text;
  }

  texts(rolloutId: number): TargetTexts | undefined {
    const row = this.identity.get(rolloutId);
    if (row === undefined) return undefined;
    return {
      prompt: this.stored.prompt(row.shownPromptId),
      response: this.stored.text(row),
      segments: [...this.segments(PROMPT_SEGMENTS, row.shownPromptId), ...this.segments(SEGMENTS, rolloutId)],
    };
  }

  private hashOf(row: IdentityRecord): string {
    return rolloutHash(this.stored.prompt(row.promptId), this.stored.text(row));
  }

  private segments(sql: string, id: number): readonly Segment[] {
    return query(this.db, sql, SEGMENT_ROW)
      .all(id)
      .map((row) => ({
        kind: SEGMENT_KINDS[row.kind] ?? 'text',
        turn: row.turn,
        outer: { start: row.outer_start, end: row.outer_end },
        inner: { start: row.inner_start, end: row.inner_end },
      }));
  }
}
