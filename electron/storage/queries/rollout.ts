import type { EntropyOf, RolloutDetail, RolloutFlag, TokenInfo } from '../../../shared/api/contract.ts';
import { FLAGS, flagNames } from '../../../shared/domain/flags.ts';
import { type LoggedLimit, limitsIn } from '../../../shared/domain/limits.ts';
import {
  PROVENANCES,
  RUN_KINDS,
  type RunKind,
  SEGMENT_KINDS,
  type Segment,
  TOOL_OUTCOMES,
  type ToolCall,
  type Turn,
} from '../../../shared/domain/model.ts';
import { countValues } from '../../../shared/domain/parseJson.ts';
import { readCallPayload } from '../../../shared/domain/toolCallPayload.ts';
import type { ReadableLibrary } from '../open.ts';
import { boolean, number, oneOf, optional, orNull, query, type RowSpec, text } from '../rows.ts';
import { StoredTexts } from '../storedTexts.ts';
import type { TokenRecord } from '../tokenColumns.ts';
import { configOf, runName } from '../views.sql.ts';
import { groupRows, rolloutRows } from './lists.ts';
import { objectOf } from './runs.ts';
import { tokenRecord } from './tokens.ts';

const DETAIL = `
  SELECT r.group_id AS groupId, r.flags, r.answer_source AS answerSource, r.file_id AS fileId, f.unit, r.byte_offset AS byteOffset,
    r.byte_length AS byteLength, r.block_id AS blockId, r.text_start AS start, r.text_end AS end, r.extra_end AS extraEnd,
    p.user_scenario AS userScenario, p.prompt_id AS promptId,
    n.run_id AS runId, n.run_key AS runKey, ${runName('n')} AS runName,
    n.kind, n.has_steps AS hasSteps, coalesce(c.config, '{}') AS config
  FROM rollout_row r
  JOIN file_row f ON f.file_id = r.file_id
  JOIN group_row g ON g.group_id = r.group_id
  JOIN problem_row p ON p.problem_no = g.problem_no
  JOIN run_row n ON n.run_id = r.run_id
  ${configOf('n')}
  WHERE r.rollout_id = ?`;
const SEGMENTS = `SELECT turn, kind, outer_start, outer_end, inner_start, inner_end FROM segment_row
  WHERE rollout_id = ? ORDER BY ordinal`;
const PROMPT_SEGMENTS = `SELECT 0 AS turn, kind, outer_start, outer_end, inner_start, inner_end FROM prompt_segment_row
  WHERE prompt_id = ? ORDER BY ordinal`;
const TURNS = `SELECT turn, segments, tool_calls AS toolCalls, tool_errors AS toolErrors, policy_tokens AS policyTokens
  FROM turn_row WHERE rollout_id = ? ORDER BY turn`;
const CALLS = `SELECT turn, name, outcome, latency_ms AS latencyMs, call_segment AS callSegment,
  response_segment AS responseSegment FROM tool_call_row WHERE rollout_id = ? ORDER BY ordinal`;
const EVIDENCE = `SELECT flag, segment, start, "end" FROM flag_row WHERE rollout_id = ? ORDER BY flag, segment, start`;
/** A limit is a short setting. */
const STAGE_LIMIT = `SELECT changes FROM stage WHERE run_id = ? AND from_step <= ? AND octet_length(changes) < 65536
  ORDER BY from_step DESC LIMIT 1000`;

interface DetailRecord {
  flags: number;
  groupId: number;
  answerSource: 'logged' | 'derived' | null;
  fileId: number;
  unit: string;
  byteOffset: number;
  byteLength: number;
  blockId: number;
  start: number;
  end: number;
  extraEnd: number;
  userScenario: string | null;
  promptId: number;
  runId: number;
  runKey: string;
  runName: string;
  kind: RunKind;
  hasSteps: boolean;
  config: string;
}

interface SegmentRecord {
  turn: number;
  kind: number;
  outer_start: number;
  outer_end: number;
  inner_start: number;
  inner_end: number;
}

const DETAIL_ROW: RowSpec<DetailRecord> = {
  flags: number,
  groupId: number,
  answerSource: orNull(oneOf(PROVENANCES)),
  fileId: number,
  unit: text,
  byteOffset: number,
  byteLength: number,
  blockId: number,
  start: number,
  end: number,
  extraEnd: number,
  userScenario: orNull(text),
  promptId: number,
  runId: number,
  runKey: text,
  runName: text,
  kind: oneOf(RUN_KINDS),
  hasSteps: boolean,
  config: text,
};

const SEGMENT_ROW: RowSpec<SegmentRecord> = {
  turn: number,
  kind: number,
  outer_start: number,
  outer_end: number,
  inner_start: number,
  inner_end: number,
};

const TURN_ROW: RowSpec<Turn> = {
  turn: number,
  segments: optional(number),
  toolCalls: optional(number),
  toolErrors: optional(number),
  policyTokens: optional(number),
};

type StoredCall = Pick<
  ToolCall,
  'turn' | 'name' | 'outcome' | 'latencyMs' | 'callSegment' | 'responseSegment'
>;

const CALL_ROW: RowSpec<StoredCall> = {
  turn: number,
  name: optional(text),
  outcome: oneOf(TOOL_OUTCOMES),
  latencyMs: optional(number),
  callSegment: number,
  responseSegment: optional(number),
};

const EVIDENCE_ROW = { flag: number, segment: number, start: number, end: number };

export function getRollout(db: ReadableLibrary, rolloutId: number): RolloutDetail | undefined {
  const detail = query(db, DETAIL, DETAIL_ROW).get(rolloutId);
  const row = rolloutRows(db, [rolloutId])[0];
  if (detail === undefined || row === undefined) return undefined;
  const group = groupRows(db, [detail.groupId])[0];
  if (group === undefined) return undefined;
  const stored = new StoredTexts(db);
  const response = stored.text(detail);
  const limits = limitsAt(db, detail, row.step);
  const extra = stored.text({ blockId: detail.blockId, start: detail.end, end: detail.extraEnd });
  const ofPrompt = query(db, PROMPT_SEGMENTS, SEGMENT_ROW).all(detail.promptId).map(segmentOf);
  const segments = [...ofPrompt, ...responseSegments(db, rolloutId)];
  return {
    row,
    run: {
      runId: detail.runId,
      runKey: detail.runKey,
      name: detail.runName,
      kind: detail.kind,
      hasSteps: detail.hasSteps,
    },
    group,
    prompt: stored.prompt(detail.promptId),
    userScenario: detail.userScenario ?? undefined,
    response,
    segments,
    turns: query(db, TURNS, TURN_ROW).all(rolloutId),
    toolCalls: toolCallsOf(db, rolloutId, segments, response),
    answerSource: detail.answerSource ?? undefined,
    maxResponseTokens: limits.find(({ kind }) => kind === 'response')?.value,
    limits,
    tokens: tokenInfo(tokenRecord(db, rolloutId)),
    flags: flagsOf(db, rolloutId, detail.flags),
    extra: shownExtra(extra),
    record: {
      fileId: detail.fileId,
      unit: detail.unit,
      byteOffset: detail.byteOffset,
      byteLength: detail.byteLength,
    },
  };
}

/** A page takes a second to show this many values. A record may have 16 million. */
const MOST_EXTRA_VALUES = 500_000;
const MOST_EXTRA_FIELDS = 10_000;
/** Parsing this many values takes up to 500 MB. */
const MOST_PARSED_VALUES = 2_000_000;
/** Characters. Shorter texts contain fewer values than a page can show. */
const UNCOUNTED_EXTRA = 1 << 19;
const tooMany = (values: number): string =>
  `${values.toLocaleString('en')} values, too many to show; the raw record has them`;

function sizeOf(json: string): number {
  const { values, commas } = countValues(json);
  return values + commas;
}

/** The extra fields, without those of more values than a page can show. */
function shownExtra(json: string): Readonly<Record<string, unknown>> {
  if (json.length < UNCOUNTED_EXTRA) return objectOf(json === '' ? null : json);
  const all = sizeOf(json);
  if (all > MOST_PARSED_VALUES) return { 'extra fields': tooMany(all) };
  const fields = Object.entries(objectOf(json));
  let left = MOST_EXTRA_VALUES;
  const shown = fields.slice(0, MOST_EXTRA_FIELDS).map(([name, value]) => {
    const values = typeof value === 'object' ? sizeOf(JSON.stringify(value)) : 0;
    if (values > left) return [name, tooMany(values)];
    left -= values;
    return [name, value];
  });
  const more = fields.length - shown.length;
  if (more > 0) shown.push(['more extra fields', tooMany(more)]);
  return Object.fromEntries(shown);
}

/** @param bits the value of `rollout_row.flags` */
export function flagsOf(db: ReadableLibrary, rolloutId: number, bits: number): readonly RolloutFlag[] {
  const evidence = query(db, EVIDENCE, EVIDENCE_ROW).all(rolloutId);
  return flagNames(bits).map((flag) => ({
    flag,
    evidence: evidence
      .filter((one) => FLAGS[one.flag] === flag)
      .map(({ segment, start, end }) => ({ segment, start, end })),
  }));
}

export function responseSegments(db: ReadableLibrary, rolloutId: number): readonly Segment[] {
  return query(db, SEGMENTS, SEGMENT_ROW).all(rolloutId).map(segmentOf);
}

/** @param segments of the prompt, then of the response; calls refer to them by index */
export function toolCallsOf(
  db: ReadableLibrary,
  rolloutId: number,
  segments: readonly Segment[],
  response: string,
): readonly ToolCall[] {
  return query(db, CALLS, CALL_ROW)
    .all(rolloutId)
    .map((call) => withPayload(call, segments, response));
}

function segmentOf(row: SegmentRecord): Segment {
  return {
    kind: SEGMENT_KINDS[row.kind] ?? 'text',
    turn: row.turn,
    outer: { start: row.outer_start, end: row.outer_end },
    inner: { start: row.inner_start, end: row.inner_end },
  };
}

/** Arguments and code are not stored separately; they are parsed from the call's segment. */
function withPayload(call: ToolCall, segments: readonly Segment[], response: string): ToolCall {
  const segment = segments[call.callSegment];
  if (segment === undefined) return call;
  const text = response.slice(segment.inner.start, segment.inner.end);
  // Tool-integrated reasoning: the payload is a fenced block of code.
  if (response.startsWith('```', segment.outer.start)) return { ...call, code: text };
  const payload = readCallPayload(text);
  return { ...call, arguments: payload.arguments, code: payload.code };
}

function tokenInfo(row: TokenRecord | undefined): TokenInfo | undefined {
  if (row === undefined) return undefined;
  return {
    count: row.count,
    isAligned: row.ends !== null,
    ...(row.aligned_by === null ? {} : { alignedBy: row.aligned_by }),
    hasEntropy: row.entropy !== null,
    hasLogprob: row.logprob !== null,
    hasTrainerLogprob: row.trainer_logprob !== null,
    hasMask: row.mask !== null,
    ...(row.entropy_of === null ? {} : { entropyOf: objectOf(row.entropy_of) as unknown as EntropyOf }),
  };
}

/** The limits at the step. A stage that sets one replaces the run's. */
function limitsAt(db: ReadableLibrary, detail: DetailRecord, step: number): readonly LoggedLimit[] {
  const stages = query(db, STAGE_LIMIT, { changes: text }).all(detail.runId, step);
  return limitsIn(
    objectOf(detail.config),
    stages.map(({ changes }) => objectOf(changes)),
  );
}
