/** Rollouts with all their data, step by step, for exports. */
import type { FilterNode } from '../../../shared/domain/filter/node.ts';
import { RUN_KINDS, type RunKind, SEGMENT_KINDS } from '../../../shared/domain/model.ts';
import { EXPORTED_FIELDS } from '../../../shared/domain/rolloutFieldRecord.ts';
import { ROLLOUT_FIELDS } from '../../../shared/domain/rolloutFields.ts';
import { filterSql } from '../filterSql.ts';
import type { ReadableLibrary } from '../open.ts';
import {
  number,
  oneOf,
  orNull,
  query,
  queryValue,
  type RowOf,
  type RowSpec,
  statementOf,
  text,
} from '../rows.ts';
import { StoredTexts } from '../storedTexts.ts';
import type { TokenRecord } from '../tokenColumns.ts';
import { configOf, nameOf } from '../views.sql.ts';
import { tokenRecord } from './tokens.ts';

export interface ExportedRun {
  readonly runId: number;
  readonly runKey: string;
  readonly scope: string;
  readonly loggedId: string | null;
  readonly name: string;
  readonly kind: RunKind;
  readonly format: string;
  readonly config: string;
  readonly hasSteps: number;
  readonly rollouts: number;
}

const EXPORTED_RUNS = `SELECT n.run_id AS runId, n.run_key AS runKey, n.scope, n.logged_id AS loggedId,
    ${nameOf('n')} AS name, n.kind, n.format, coalesce(c.config, '{}') AS config,
    n.has_steps AS hasSteps, (SELECT coalesce(sum(s.rollouts), 0) FROM step_row s WHERE s.run_id = n.run_id) AS rollouts
  FROM run_row n ${configOf('n')} ORDER BY n.run_id`;
const STEPS = 'SELECT step FROM step_row WHERE run_id = ? ORDER BY step';
const FILES_OF_STEPS = `SELECT r.step, r.file_id AS fileId, f.path, count(*) AS rollouts,
    min(r.rollout_id) AS first, max(r.ordinal) AS largestIndex, v.revision
  FROM rollout_row r JOIN file_row f USING (file_id) JOIN step_revision_row v USING (run_id, step)
  WHERE r.run_id = ? GROUP BY r.step, r.file_id ORDER BY r.step, first`;
const FIRST_CONTENT = `SELECT content_hash FROM rollout_row WHERE file_id = ? ORDER BY line, rollout_id LIMIT 1`;
const STAGES = 'SELECT from_step AS fromStep, name, changes FROM stage WHERE run_id = ? ORDER BY from_step';
const METRICS = 'SELECT step, name, value FROM metric WHERE run_id = ? ORDER BY step, name';
/** In id order, so that ingest of the export reads groups and rollouts in the same order. */
const ROLLOUTS = `SELECT ${EXPORTED_FIELDS.map((name) => `${ROLLOUT_FIELDS[name].sql} AS ${name}`).join(', ')},
    r.rollout_id, r.run_id, r.step, r.group_id, r.flags AS flag_bits, g.group_key, g.rule AS group_rule, r.ordinal, p.problem_id, p.prompt_id,
    t.duration_ms, r.entropy_tokens, r.block_id, r.text_start, r.text_end, r.extra_end
  FROM rollout_row r JOIN group_row g ON g.group_id = r.group_id JOIN problem_row p ON p.problem_no = g.problem_no
  JOIN file_row f ON f.file_id = r.file_id LEFT JOIN timing_row t ON t.rollout_id = r.rollout_id`;
export const EXPORTED_ROLLOUTS = `${ROLLOUTS} WHERE r.run_id = ? AND r.step = ? ORDER BY r.group_id, r.ordinal`;
const OF_FILE = `${ROLLOUTS} WHERE r.run_id = ? AND r.step = ? AND r.file_id = ? ORDER BY r.group_id, r.ordinal`;
export const EXPORTED_BY_ID = `${ROLLOUTS} WHERE r.rollout_id IN (SELECT value FROM json_each(?))`;
const SEGMENTS = `SELECT kind, turn, outer_start, outer_end, inner_start, inner_end FROM segment_row
  WHERE rollout_id = ? ORDER BY ordinal`;
const PROMPT_SEGMENTS = `SELECT kind, 0 AS turn, outer_start, outer_end, inner_start, inner_end FROM prompt_segment_row
  WHERE prompt_id = ? ORDER BY ordinal`;
const CALLS = `SELECT name, outcome, latency_ms, call_segment, response_segment, is_latency_logged, queue_ms, worker, started_at
  FROM tool_call_row
  WHERE rollout_id = ? ORDER BY ordinal`;
const TURN_TOKENS = 'SELECT policy_tokens FROM turn_row WHERE rollout_id = ? ORDER BY turn';

const SEGMENT_ROW = {
  ...{ kind: number, turn: number, outer_start: number, outer_end: number },
  ...{ inner_start: number, inner_end: number },
};

const RUN_ROW: RowSpec<ExportedRun> = {
  runId: number,
  runKey: text,
  scope: text,
  loggedId: orNull(text),
  name: text,
  kind: oneOf(RUN_KINDS),
  format: text,
  config: text,
  hasSteps: number,
  rollouts: number,
};

const FILE_OF_STEP: RowSpec<FileOfStep & { first: number }> = {
  ...{
    step: number,
    fileId: number,
    path: text,
    rollouts: number,
    largestIndex: number,
    first: number,
    revision: number,
  },
};

export interface ExportedSegment {
  readonly kind: string;
  readonly turn: number;
  readonly start: number;
  readonly end: number;
  readonly inner_start: number;
  readonly inner_end: number;
}

export interface ExportedCall {
  readonly name: string | null;
  readonly outcome: string;
  readonly latency_ms: number | null;
  /** Index among the response's segments, from 0. */
  readonly call: number;
  readonly response: number | null;
  readonly latency_source: 'logged' | 'derived' | null;
  readonly queue_ms: number | null;
  readonly worker: string | null;
  /** Seconds since 1970. */
  readonly started_at: number | null;
}

/** Columns named by `EXPORTED_ROLLOUTS`. */
export type ExportedRow = Readonly<Record<string, string | number | null>>;

export interface ExportedRollout {
  readonly row: ExportedRow;
  readonly prompt: string;
  readonly response: string;
  /** JSON; empty when there are no extra fields. */
  readonly extra: string;
  readonly promptSegments: readonly ExportedSegment[];
  readonly segments: readonly ExportedSegment[];
  readonly calls: readonly ExportedCall[];
  readonly turnTokens: readonly (number | null)[];
  readonly tokens: TokenRecord | undefined;
}

export function exportedRuns(db: ReadableLibrary): readonly ExportedRun[] {
  return query(db, EXPORTED_RUNS, RUN_ROW).all();
}

export function exportedSteps(db: ReadableLibrary, runId: number): readonly number[] {
  return queryValue(db, STEPS, number).all(runId);
}

export function exportedStages(
  db: ReadableLibrary,
  runId: number,
): readonly { readonly fromStep: number; readonly name: string; readonly changes: string }[] {
  return query(db, STAGES, { fromStep: number, name: text, changes: text }).all(runId);
}

export function exportedMetrics(
  db: ReadableLibrary,
  runId: number,
): readonly { readonly step: number; readonly name: string; readonly value: number | null }[] {
  return query(db, METRICS, { step: number, name: text, value: orNull(number) }).all(runId);
}

/** The rollouts of one step that were read from one file. */
export interface FileOfStep {
  readonly step: number;
  readonly fileId: number;
  readonly path: string;
  readonly rollouts: number;
  /** Largest index of them in their groups. */
  readonly largestIndex: number;
  /** Revision of the step. It changes with every change of its rollouts. */
  readonly revision: number;
}

export function filesOfSteps(db: ReadableLibrary, runId: number): readonly FileOfStep[] {
  return query(db, FILES_OF_STEPS, FILE_OF_STEP).all(runId);
}

/** A rollout in its run. A run without steps has step 0. */
export interface RolloutPlace {
  readonly step: number;
  readonly group: string;
  /** Position in its group. */
  readonly index: number;
}
const ROLLOUT_PLACE: RowSpec<RolloutPlace> = { step: number, group: text, index: number };

/** Places of the rollouts of a run that a filter selects. */
export function placesOf(db: ReadableLibrary, runId: number, filter: FilterNode): readonly RolloutPlace[] {
  const sql = `SELECT r.step, g.group_key AS "group", r.ordinal AS "index" FROM rollout_row r JOIN group_row g USING (group_id)
  WHERE r.rollout_id IN (SELECT rollout_id FROM (${filterSql(filter, runId)})) ORDER BY r.rollout_id`;
  return query(db, sql, ROLLOUT_PLACE).all();
}

/** Content hash of the first rollout of a file. It stays the same while the file grows. */
export function firstContent(db: ReadableLibrary, fileId: number): string {
  return queryValue(db, FIRST_CONTENT, text).get(fileId) ?? '';
}

/** Columns vary with `ROLLOUT_FIELDS`, so no row spec declares them. */
const rowsOf = (db: ReadableLibrary, sql: string, ...parameters: (number | string)[]) =>
  statementOf(db, sql).all(...parameters) as readonly ExportedRow[];

/** Yields one at a time, because a step can have 16,384 rollouts. The reader must stay open during the iteration. */
export function* exportedRollouts(
  db: ReadableLibrary,
  runId: number,
  step: number,
): Generator<ExportedRollout> {
  yield* unpacked(db, rowsOf(db, EXPORTED_ROLLOUTS, runId, step));
}

/** Like `exportedRollouts`, those from one file. */
export function* exportedOfFile(
  db: ReadableLibrary,
  runId: number,
  { step, fileId }: Pick<FileOfStep, 'step' | 'fileId'>,
): Generator<ExportedRollout> {
  yield* unpacked(db, rowsOf(db, OF_FILE, runId, step, fileId));
}

/** Rows fetched at once when rollouts are read by id. */
const PAGE = 200;

/** Yields the rollouts that still exist, one at a time, in the given order. */
export function* exportedById(
  db: ReadableLibrary,
  rolloutIds: readonly number[],
): Generator<ExportedRollout> {
  for (let at = 0; at < rolloutIds.length; at += PAGE) {
    const ids = rolloutIds.slice(at, at + PAGE);
    const found = rowsOf(db, EXPORTED_BY_ID, JSON.stringify(ids));
    const rows = new Map(found.map((row) => [Number(row['rollout_id']), row]));
    yield* unpacked(
      db,
      ids.map((id) => rows.get(id)).filter((row) => row !== undefined),
    );
  }
}

function* unpacked(db: ReadableLibrary, rows: readonly ExportedRow[]): Generator<ExportedRollout> {
  const prompts = new Map<number, Pick<ExportedRollout, 'prompt' | 'promptSegments'>>();
  const stored = new StoredTexts(db);
  const segmentsOf = query(db, SEGMENTS, SEGMENT_ROW);
  const promptSegmentsOf = query(db, PROMPT_SEGMENTS, SEGMENT_ROW);
  const callsOf = query(db, CALLS, CALL_ROW);
  const turnTokensOf = queryValue(db, TURN_TOKENS, orNull(number));
  for (const row of rows) {
    const [rolloutId, promptId, blockId, start, end, extraEnd] = [
      'rollout_id',
      'prompt_id',
      'block_id',
      'text_start',
      'text_end',
      'extra_end',
    ].map((name) => Number(row[name])) as [number, number, number, number, number, number];
    let prompt = prompts.get(promptId);
    if (prompt === undefined) {
      prompt = {
        prompt: stored.prompt(promptId),
        promptSegments: promptSegmentsOf.all(promptId).map(segmentOf),
      };
      prompts.clear();
      prompts.set(promptId, prompt);
    }
    const base = prompt.promptSegments.length;
    yield {
      row,
      ...prompt,
      response: stored.text({ blockId, start, end }),
      extra: stored.text({ blockId, start: end, end: extraEnd }),
      segments: segmentsOf.all(rolloutId).map(segmentOf),
      calls: callsOf.all(rolloutId).map((call) => callOf(call, base)),
      turnTokens: turnTokensOf.all(rolloutId),
      tokens: tokenRecord(db, rolloutId),
    };
  }
}

function segmentOf({ kind, outer_start, outer_end, ...row }: RowOf<typeof SEGMENT_ROW>): ExportedSegment {
  const { turn, inner_start, inner_end } = row;
  return {
    kind: SEGMENT_KINDS[kind] ?? 'text',
    turn,
    start: outer_start,
    end: outer_end,
    inner_start,
    inner_end,
  };
}

interface CallRecord {
  name: string | null;
  outcome: string;
  latency_ms: number | null;
  call_segment: number;
  response_segment: number | null;
  is_latency_logged: number | null;
  queue_ms: number | null;
  worker: string | null;
  started_at: number | null;
}

const CALL_ROW: RowSpec<CallRecord> = {
  name: orNull(text),
  outcome: text,
  latency_ms: orNull(number),
  call_segment: number,
  response_segment: orNull(number),
  is_latency_logged: orNull(number),
  queue_ms: orNull(number),
  worker: orNull(text),
  started_at: orNull(number),
};

/** @param base number of prompt segments, which the library numbers first */
function callOf(record: CallRecord, base: number): ExportedCall {
  const { name, outcome, latency_ms, queue_ms, worker, started_at } = record;
  const { call_segment: call, response_segment: response, is_latency_logged: isLogged } = record;
  return {
    ...{ name, outcome, latency_ms, queue_ms, worker, started_at },
    call: call - base,
    response: response === null ? null : response - base,
    latency_source: isLogged === null ? null : isLogged === 1 ? 'logged' : 'derived',
  };
}
