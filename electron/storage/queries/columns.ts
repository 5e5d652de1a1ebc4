/** Step columns: computed from rows, stored, and loaded. */
import type { StepFacts } from '../../../shared/api/contract.ts';
import { TOOL_OUTCOMES } from '../../../shared/domain/model.ts';
import { camelCase, type RolloutField } from '../../../shared/domain/rolloutFieldRecord.ts';
import { ROLLOUT_FIELDS } from '../../../shared/domain/rolloutFields.ts';
import {
  ARRAYS,
  type ArrayName,
  CALL_COLUMNS,
  COLUMN_FIELDS,
  type ColumnArray,
  type ColumnName,
  DICTIONARIES,
  type DictionaryName,
  NUMBER_COLUMNS,
  ROLLOUT_COLUMNS,
  type StepArrays,
  type StepColumns,
  type StepDictionaries,
  UNKNOWN_I32,
} from '../columnNames.ts';
import type { ReadableLibrary, WritableLibrary } from '../open.ts';
import {
  bytes,
  number,
  orNull,
  query,
  queryValue,
  type RawCell,
  type RowSpec,
  rawRows,
  statementOf,
  text,
} from '../rows.ts';
import { parseDictionary, parseFacts } from '../storedJson.ts';

export interface StepRevision {
  readonly step: number;
  readonly revision: number;
  readonly rollouts: number;
  /** 0: the log has no steps. */
  readonly hasSteps: number;
}

/** Steps of a run that have rollouts, in ascending order. */
const STEP_REVISIONS = `
  SELECT s.step, v.revision, s.rollouts, n.has_steps AS hasSteps
  FROM step_row s JOIN step_revision_row v USING (run_id, step) JOIN run_row n USING (run_id)
  WHERE s.run_id = ? ORDER BY s.step`;

/** Internal columns of a rollout, and fields whose column differs from the public view. */
const OTHER_SQL = {
  entropyTokens: 'r.entropy_tokens',
  flags: 'iif(r.flags = 0 AND r.response_chars IS NULL, NULL, r.flags)',
  endedAt: 'coalesce(r.ended_at, r.started_at + t.duration_ms / 1000.0)',
} as const satisfies Partial<Record<RolloutColumn, string>>;

type RolloutColumn = keyof typeof ROLLOUT_COLUMNS;

interface StoredColumn {
  readonly name: RolloutColumn;
  readonly sql: string;
  readonly field?: RolloutField;
}

/** Columns read from rows, in SELECT order. The others are computed from tool calls. */
const STORED: readonly StoredColumn[] = [
  ...COLUMN_FIELDS.flatMap((name): StoredColumn[] => {
    const field: RolloutField = ROLLOUT_FIELDS[name];
    return field.sql === undefined ? [] : [{ name: camelCase(name), sql: field.sql, field }];
  }),
  ...(Object.keys(OTHER_SQL) as (keyof typeof OTHER_SQL)[]).map((name) => ({ name, sql: OTHER_SQL[name] })),
];

/** Ordered by group and ordinal: log order, and the order of the index. */
export const STEP_ROLLOUTS = `
  SELECT ${STORED.map(({ name, sql }) => `${sql} AS ${name}`).join(', ')}
  FROM rollout_row r JOIN group_row g ON g.group_id = r.group_id LEFT JOIN timing_row t ON t.rollout_id = r.rollout_id
  WHERE r.run_id = ? AND r.step = ? ORDER BY r.group_id, r.ordinal, r.rollout_id`;

const CALL_SQL = {
  callRollout: 'c.rollout_id',
  callTurn: 'c.turn',
  callOutcome: 'c.outcome',
  callLatencyMs: 'c.latency_ms',
  callName: 'c.name',
  callRepeat: 'c.is_repeat',
  callLatencyLogged: 'c.is_latency_logged',
  callQueueMs: 'c.queue_ms',
  callStartedAt: 'c.started_at',
} as const satisfies Record<keyof typeof CALL_COLUMNS, string>;
const CALLS = Object.entries(CALL_SQL) as readonly (readonly [keyof typeof CALL_SQL, string])[];

export const STEP_CALLS = `
  SELECT ${CALLS.map(([name, sql]) => `${sql} AS ${name}`).join(', ')}
  FROM rollout_row r JOIN tool_call_row c ON c.rollout_id = r.rollout_id
  WHERE r.run_id = ? AND r.step = ? ORDER BY r.group_id, r.ordinal, r.rollout_id, c.ordinal`;

export function stepRevisions(db: ReadableLibrary, runId: number): readonly StepRevision[] {
  return query<StepRevision>(db, STEP_REVISIONS, {
    ...{ step: number, revision: number, rollouts: number, hasSteps: number },
  }).all(runId);
}

/** Assigns codes to strings, from 1, in order of appearance. */
class Codes {
  readonly texts: string[] = [];
  private readonly codes = new Map<string, number>();

  of(text: string | null): number {
    if (text === null) return 0;
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    this.texts.push(text);
    this.codes.set(text, this.texts.length);
    return this.texts.length;
  }
}

type Encode = (cell: RawCell) => number;
type Rows = readonly (readonly RawCell[])[];

/**
 * These functions fill an array from one column of the rows. columnNames.ts defines the values for unknown.
 * Each array type has its own loop, because a loop over mixed types is half as fast.
 */
function fillFloats(array: Float64Array, rows: Rows, column: number): void {
  for (let i = 0; i < rows.length; i++) {
    const cell = rows[i]?.[column] ?? null;
    array[i] = cell === null ? Number.NaN : (cell as number);
  }
}

function fillSingles(array: Float32Array, rows: Rows, column: number): void {
  for (let i = 0; i < rows.length; i++) {
    const cell = rows[i]?.[column] ?? null;
    array[i] = cell === null ? Number.NaN : (cell as number);
  }
}

function fillIntegers(array: Int32Array, rows: Rows, column: number): void {
  for (let i = 0; i < rows.length; i++) array[i] = (rows[i]?.[column] ?? UNKNOWN_I32) as number;
}

function fillBooleans(array: Int8Array, rows: Rows, column: number): void {
  for (let i = 0; i < rows.length; i++) array[i] = (rows[i]?.[column] ?? -1) as number;
}

function fillIds(array: Uint32Array, rows: Rows, column: number): void {
  for (let i = 0; i < rows.length; i++) array[i] = (rows[i]?.[column] ?? 0) as number;
}

function fillBytes(array: Uint8Array, rows: Rows, column: number): void {
  for (let i = 0; i < rows.length; i++) array[i] = (rows[i]?.[column] ?? 0) as number;
}

function fill(array: ColumnArray<ColumnName>, rows: Rows, column: number): void {
  if (array instanceof Float64Array) fillFloats(array, rows, column);
  else if (array instanceof Float32Array) fillSingles(array, rows, column);
  else if (array instanceof Int32Array) fillIntegers(array, rows, column);
  else if (array instanceof Int8Array) fillBooleans(array, rows, column);
  else if (array instanceof Uint32Array) fillIds(array, rows, column);
  else fillBytes(array, rows, column);
}

function fillCodes(array: { [i: number]: number }, rows: Rows, column: number, encode: Encode): void {
  for (let i = 0; i < rows.length; i++) array[i] = encode(rows[i]?.[column] ?? null);
}

/** Index from 1; 0 when unknown. */
const codeOf =
  (values: readonly string[]): Encode =>
  (cell) =>
    values.indexOf(String(cell)) + 1;

/** Encodes a column by its dictionary. */
function dictionaryOf(codes: Codes): Encode {
  return (cell) => codes.of(cell === null ? null : String(cell));
}

/** Computes all columns of a step from its rows. */
export function readStepColumns(db: ReadableLibrary, runId: number, step: number): StepColumns {
  const rows = rawRows(db, STEP_ROLLOUTS, runId, step);
  const calls = rawRows(db, STEP_CALLS, runId, step);
  const arrays = {
    ...emptyArrays(ROLLOUT_COLUMNS, rows.length),
    ...emptyArrays(CALL_COLUMNS, calls.length),
  } as StepArrays;
  const codes = Object.fromEntries(DICTIONARIES.map((name) => [name, new Codes()])) as Record<
    DictionaryName,
    Codes
  >;
  // Cells have the order of `STORED`, which the SELECT is built from.
  STORED.forEach(({ name, field }, column) => {
    const dictionary = DICTIONARIES.find((known) => known === name);
    if (field?.column === 'code') fillCodes(arrays[name], rows, column, codeOf(field.oneOf ?? []));
    else if (dictionary === undefined) fill(arrays[name], rows, column);
    else fillCodes(arrays[name], rows, column, dictionaryOf(codes[dictionary]));
  });
  arrays.latencyMs.fill(Number.NaN);
  const indexOf = new Map<number, number>();
  for (const [i, id] of arrays.rolloutId.entries()) indexOf.set(id, i);
  const outcomeCode = codeOf(TOOL_OUTCOMES);
  const encodeCall: Partial<Record<keyof typeof CALL_COLUMNS, Encode>> = {
    callRollout: (cell) => indexOf.get(Number(cell)) ?? 0,
    callOutcome: (cell) => outcomeCode(cell) - 1,
    callName: dictionaryOf(codes.callName),
  };
  CALLS.forEach(([name], column) => {
    const encode = encodeCall[name];
    if (encode === undefined) fill(arrays[name], calls, column);
    else fillCodes(arrays[name], calls, column, encode);
  });
  sumUpCalls(arrays, calls, codes);
  const texts = Object.fromEntries(DICTIONARIES.map((name) => [name, codes[name].texts]));
  return { arrays, dictionaries: texts as unknown as StepDictionaries };
}

/** Summarizes a rollout's calls: outcomes, tools, and the slowest call. */
function sumUpCalls(
  arrays: StepArrays,
  calls: Rows,
  codes: Pick<Record<DictionaryName, Codes>, 'callName' | 'tools'>,
): void {
  // The call column rounds to 32 bits; the slowest latency is kept exactly.
  const latencies = CALLS.findIndex(([name]) => name === 'callLatencyMs');
  const toolsOf = new Map<number, Set<string>>();
  for (let call = 0; call < calls.length; call++) {
    const at = arrays.callRollout[call] ?? 0;
    arrays.outcomes[at] = (arrays.outcomes[at] ?? 0) | (1 << (arrays.callOutcome[call] ?? 0));
    const latency = Number(calls[call]?.[latencies] ?? Number.NaN);
    const slowest = arrays.latencyMs[at] ?? Number.NaN;
    if (!(slowest >= latency) && !Number.isNaN(latency)) arrays.latencyMs[at] = latency;
    const name = codes.callName.texts[(arrays.callName[call] ?? 0) - 1];
    if (name === undefined) continue;
    const tools = toolsOf.get(at) ?? new Set();
    toolsOf.set(at, tools.add(name));
  }
  for (const [at, tools] of toolsOf) arrays.tools[at] = codes.tools.of(JSON.stringify([...tools].sort()));
}

function emptyArrays(columns: Readonly<Record<string, ArrayName>>, length: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, array]) => [name, new ARRAYS[array](length)]),
  );
}

/**
 * Stored like a column, under a name that no column has. Change the number when the meaning of the
 * facts changes.
 */
const FACTS = 'facts 1';

/** The name under which a column's dictionary is stored. */
const textsOf = (name: DictionaryName): string => `texts of ${name}`;

const FORGET = 'DELETE FROM step_column_row WHERE run_id = ? AND step = ?';
const SAVE = 'INSERT INTO step_column_row (run_id, step, name, revision, bytes) VALUES (?, ?, ?, ?, ?)';

/** Stored beside the columns of a step. A step whose columns have another shape is recomputed. */
const SHAPE = `shape ${FACTS} ${Object.keys(NUMBER_COLUMNS).join(' ')}`;

/** Steps whose columns are missing, outdated or of another shape. The oldest run is first. */
export const STALE_STEPS = `
  SELECT s.run_id AS runId, s.step, v.revision FROM step_row s JOIN step_revision_row v USING (run_id, step)
  WHERE NOT EXISTS (SELECT 1 FROM step_column_row c WHERE c.run_id = s.run_id AND c.step = s.step
    AND c.name = '${SHAPE}' AND c.revision = v.revision)
  ORDER BY s.run_id, s.step LIMIT 1`;

interface StaleStep {
  readonly runId: number;
  readonly step: number;
  readonly revision: number;
}

/** Computes a step's chart data from its columns. */
export type MakeFacts = (step: number, columns: StepColumns) => StepFacts;

/** Computes and stores the columns of one step that needs them. @returns false when no step is left */
export function storeColumnsOfOneStep(db: WritableLibrary, factsOf: MakeFacts): boolean {
  return db.transaction(() => {
    const stale = query<StaleStep>(db, STALE_STEPS, { runId: number, step: number, revision: number }).get();
    if (stale === undefined) return false;
    const { runId, step, revision } = stale;
    const columns = readStepColumns(db, runId, step);
    const { arrays, dictionaries } = columns;
    // Columns of another shape would otherwise never be deleted.
    statementOf(db, FORGET).run(runId, step);
    const save = statementOf(db, SAVE);
    for (const name of Object.keys(NUMBER_COLUMNS) as ColumnName[]) {
      const { buffer, byteOffset, byteLength } = arrays[name];
      save.run(runId, step, name, revision, Buffer.from(buffer, byteOffset, byteLength));
    }
    for (const name of DICTIONARIES)
      save.run(runId, step, textsOf(name), revision, Buffer.from(JSON.stringify(dictionaries[name])));
    save.run(runId, step, SHAPE, revision, Buffer.alloc(0));
    save.run(runId, step, FACTS, revision, Buffer.from(JSON.stringify(factsOf(step, columns))));
    return true;
  })();
}

export const KEPT_COLUMN =
  'SELECT bytes FROM step_column_row WHERE run_id = ? AND step = ? AND name = ? AND revision = ?';

export interface ColumnPlace {
  readonly runId: number;
  readonly step: number;
  readonly revision: number;
}

/** @returns undefined when the column is not stored, is outdated or has half a number */
export function storedColumn<N extends ColumnName>(
  db: ReadableLibrary,
  { runId, step, revision }: ColumnPlace,
  name: N,
): ColumnArray<N> | undefined {
  const kept = storedBytes(db, { runId, step, revision }, name);
  if (kept === undefined) return undefined;
  const array = ARRAYS[NUMBER_COLUMNS[name]];
  if (kept.byteLength % array.BYTES_PER_ELEMENT !== 0) return undefined;
  // A typed array of 8-byte numbers needs an aligned buffer, and the driver's is not.
  const aligned = kept.buffer.slice(kept.byteOffset, kept.byteOffset + kept.byteLength);
  return new array(aligned as ArrayBuffer) as ColumnArray<N>;
}

/** @returns undefined when the dictionary is not stored, is outdated or has another shape */
export function storedDictionary(
  db: ReadableLibrary,
  place: ColumnPlace,
  name: DictionaryName,
): readonly string[] | undefined {
  const kept = storedBytes(db, place, textsOf(name));
  return kept === undefined ? undefined : parseDictionary(decoded(kept), name);
}

/** @returns undefined when the facts are not stored, are outdated or have another shape */
export function storedFacts(db: ReadableLibrary, place: ColumnPlace): StepFacts | undefined {
  const kept = storedBytes(db, place, FACTS);
  return kept === undefined ? undefined : parseFacts(decoded(kept), place.step);
}

const decoded = (kept: Uint8Array): string => new TextDecoder().decode(kept);

function storedBytes(db: ReadableLibrary, { runId, step, revision }: ColumnPlace, name: string) {
  const kept: unknown = queryValue(db, KEPT_COLUMN, bytes).get(runId, step, name, revision);
  return kept instanceof Uint8Array ? kept : undefined;
}

/** Names and counts of groups with their problems: of a run, or of one step. */
const GROUP_FACTS = `
  SELECT g.group_id AS groupId, g.group_key AS groupKey, g.problem_no AS problemNo, p.problem_id AS problemId,
    p.ground_truth AS groundTruth, p.source, g.rollouts, g.correct, g.correct_known AS correctKnown,
    iif(p.id_source = 'logged', 'id:' || coalesce(p.source, '') || ':' || p.problem_id,
      coalesce(q.question_hash, 'problem:' || p.problem_no)) AS problemKey
  FROM group_row g JOIN problem_row p USING (problem_no) JOIN prompt_row q USING (prompt_id) WHERE g.run_id = ?`;

export interface GroupFacts {
  readonly groupId: number;
  readonly groupKey: string;
  readonly problemNo: number;
  readonly problemId: string;
  readonly groundTruth: string | null;
  readonly source: string | null;
  readonly rollouts: number;
  readonly correct: number;
  readonly correctKnown: number;
  /** Equal for groups of the run with the same logged problem id or, if none is logged, the same question. */
  readonly problemKey: string;
}

const GROUP_ROW: RowSpec<GroupFacts> = {
  groupId: number,
  groupKey: text,
  problemNo: number,
  problemId: text,
  groundTruth: orNull(text),
  source: orNull(text),
  rollouts: number,
  correct: number,
  correctKnown: number,
  problemKey: text,
};

/** Figures that the groups of a step are sorted by. NULL: unknown. */
export const GROUP_FIGURES = `
  SELECT g.group_id AS groupId, g.rollouts,
    iif(g.correct_known > 0, 1.0 * g.correct / g.correct_known, NULL) AS correct,
    iif(g.reward_known > 0, g.reward_sum / g.reward_known, NULL) AS meanReward,
    iif(g.decided > 0, g.kept, NULL) AS kept,
    iif(g.with_text > 0, g.tool_calls, NULL) AS toolCalls, iif(g.with_text > 0, g.tool_errors, NULL) AS toolErrors,
    1.0 * g.turns / nullif(g.turns_known, 0) AS meanTurns,
    1.0 * g.response_chars / nullif(g.with_text, 0) AS meanResponseChars
  FROM group_row g WHERE g.run_id = ? AND g.step = ? ORDER BY g.group_id`;

/** Figures of a group. Fractions are over its rollouts, or over those whose value is known. */
export interface GroupFigures {
  readonly groupId: number;
  readonly rollouts: number;
  /** Fraction of correct rollouts among those known to be correct or incorrect. */
  readonly correct: number | null;
  readonly meanReward: number | null;
  /** Number of kept rollouts; null when no decision is logged. */
  readonly kept: number | null;
  readonly toolCalls: number | null;
  readonly toolErrors: number | null;
  readonly meanTurns: number | null;
  readonly meanResponseChars: number | null;
}

const FIGURES_ROW: RowSpec<GroupFigures> = {
  groupId: number,
  rollouts: number,
  correct: orNull(number),
  meanReward: orNull(number),
  kept: orNull(number),
  toolCalls: orNull(number),
  toolErrors: orNull(number),
  meanTurns: orNull(number),
  meanResponseChars: orNull(number),
};

/** In log order. */
export function groupFigures(db: ReadableLibrary, runId: number, step: number): readonly GroupFigures[] {
  return query(db, GROUP_FIGURES, FIGURES_ROW).all(runId, step);
}

export function groupFacts(db: ReadableLibrary, runId: number): readonly GroupFacts[] {
  return query(db, GROUP_FACTS, GROUP_ROW).all(runId);
}
