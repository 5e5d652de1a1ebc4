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
import { damaged, isOfStorage } from '../storageFailure.ts';
import { parseDictionary, parseFacts } from '../storedJson.ts';
import { listRuns } from './runs.ts';

export interface StepRevision {
  readonly step: number;
  readonly revision: number;
  readonly rollouts: number;
  /** 0: the log has no steps. */
  readonly hasSteps: number;
}

/** Steps of a run that have rollouts, in ascending order. A row that is missing is damage. */
const STEP_REVISIONS = `
  SELECT s.step, v.revision, s.rollouts, n.has_steps AS hasSteps
  FROM step_row s LEFT JOIN step_revision_row v USING (run_id, step) LEFT JOIN run_row n USING (run_id)
  WHERE s.run_id = ? ORDER BY s.step`;
const REVISED_STEPS = 'SELECT count(*) FROM step_revision_row WHERE run_id = ?';
/** A step keeps its revision when it loses its last rollout, so the first steps without sums are searched for rollouts. */
const STEP_WITHOUT_SUMS = `
  SELECT v.step FROM step_revision_row v WHERE v.run_id = ?
  AND NOT EXISTS (SELECT 1 FROM step_row s WHERE s.run_id = v.run_id AND s.step = v.step)
  AND EXISTS (SELECT 1 FROM rollout_row r WHERE r.run_id = v.run_id AND r.step = v.step) LIMIT 1`;
const ANY_ROLLOUT = 'SELECT 1 FROM rollout_row WHERE run_id = ? LIMIT 1';
const STORED_ROLLOUTS = 'SELECT step, rollouts FROM step_row WHERE run_id = ? AND step BETWEEN ? AND ?';

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

/** The step is the last cell. Ordered by step, group and ordinal: log order, and the order of the index. */
export const STEP_ROLLOUTS = `
  SELECT ${STORED.map(({ name, sql }) => `${sql} AS ${name}`).join(', ')}, r.step AS atStep
  FROM rollout_row r JOIN group_row g ON g.group_id = r.group_id LEFT JOIN timing_row t ON t.rollout_id = r.rollout_id
  WHERE r.run_id = ? AND r.step BETWEEN ? AND ? ORDER BY r.step, r.group_id, r.ordinal, r.rollout_id`;

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
  SELECT ${CALLS.map(([name, sql]) => `${sql} AS ${name}`).join(', ')}, r.step AS atStep
  FROM rollout_row r JOIN tool_call_row c ON c.rollout_id = r.rollout_id
  WHERE r.run_id = ? AND r.step BETWEEN ? AND ? ORDER BY r.step, r.group_id, r.ordinal, r.rollout_id, c.ordinal`;

/** @throws Error `damaged` when rows of the run's steps are missing */
export function stepRevisions(db: ReadableLibrary, runId: number): readonly StepRevision[] {
  return db.transaction(() => readRevisions(db, runId))();
}

function readRevisions(db: ReadableLibrary, runId: number): readonly StepRevision[] {
  const unchecked = orNull(number);
  const steps = query<{ readonly [K in keyof StepRevision]: number | null }>(db, STEP_REVISIONS, {
    ...{ step: unchecked, revision: unchecked, rollouts: unchecked, hasSteps: unchecked },
  }).all(runId);
  const revisions = steps.filter((step): step is StepRevision => Object.values(step).every(Number.isInteger));
  if (revisions.length < steps.length)
    throw damaged(`step_row, step_revision_row or run_row lacks a step of run ${runId}`);
  const revised = queryValue(db, REVISED_STEPS, number).get(runId) ?? 0;
  if (
    (revised > steps.length && queryValue(db, STEP_WITHOUT_SUMS, number).get(runId) !== undefined) ||
    (steps.length === 0 && queryValue(db, ANY_ROLLOUT, number).get(runId) !== undefined)
  )
    throw damaged(`step_row lacks steps of run ${runId}, which has rollouts in them`);
  return revisions;
}

const WRONG_SUMS = `
  SELECT run_id AS runId, step FROM step_row s WHERE rollouts <> (SELECT count(*) FROM rollout_row r
    WHERE r.run_id = s.run_id AND r.step = s.step) LIMIT 1`;

/** @returns the first step whose stored number of rollouts is not that of its rows, as a sentence; undefined if none is */
export function wrongStepSum(db: ReadableLibrary): string | undefined {
  try {
    for (const { runId } of listRuns(db)) stepRevisions(db, runId);
    const wrong = query(db, WRONG_SUMS, { runId: number, step: number }).get();
    return (
      wrong && `step ${wrong.step} of run ${wrong.runId} has another number of rollouts than is stored for it`
    );
  } catch (error) {
    if (!isOfStorage(error) || !(error instanceof Error)) throw error;
    return error.message;
  }
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

function fillCodes(
  array: { [i: number]: number },
  rows: Rows,
  column: number,
  { encode, from = 0, to = rows.length }: { encode: Encode } & Partial<Range>,
): void {
  for (let i = from; i < to; i++) array[i] = encode(rows[i]?.[column] ?? null);
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

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The place of a step in the arrays of a block, and its dictionaries. */
interface StepPart {
  readonly rollouts: Range;
  readonly calls: Range;
  readonly dictionaries: StepDictionaries;
}

/** Columns of consecutive steps in shared arrays. An array for each step and column would take 300 bytes more. */
export interface StepBlock {
  readonly arrays: StepArrays;
  readonly parts: ReadonlyMap<number, StepPart>;
}

/** Computes all columns of a step from its rows. */
export function readStepColumns(db: ReadableLibrary, runId: number, step: number): StepColumns {
  const { arrays, parts } = readStepBlock(db, runId, { from: step, to: step });
  return { arrays, dictionaries: parts.get(step)?.dictionaries ?? NO_TEXTS };
}

/**
 * @param steps the first and the last step
 * @throws Error `damaged` when a step has not the number of rollouts that is stored for it
 */
export function readStepBlock(db: ReadableLibrary, runId: number, steps: Range): StepBlock {
  return db.transaction(() => readBlock(db, runId, steps))();
}

function readBlock(db: ReadableLibrary, runId: number, steps: Range): StepBlock {
  const rows = rawRows(db, STEP_ROLLOUTS, runId, steps.from, steps.to);
  const calls = rawRows(db, STEP_CALLS, runId, steps.from, steps.to);
  const arrays = {
    ...emptyArrays(ROLLOUT_COLUMNS, rows.length),
    ...emptyArrays(CALL_COLUMNS, calls.length),
  } as StepArrays;
  // Cells have the order of `STORED`, which the SELECT is built from.
  STORED.forEach(({ name, field }, column) => {
    if (field?.column === 'code')
      fillCodes(arrays[name], rows, column, { encode: codeOf(field.oneOf ?? []) });
    else if (!DICTIONARY_NAMES.has(name)) fill(arrays[name], rows, column);
  });
  arrays.latencyMs.fill(Number.NaN);
  const outcomeCode = codeOf(TOOL_OUTCOMES);
  CALLS.forEach(([name], column) => {
    if (name === 'callOutcome')
      fillCodes(arrays[name], calls, column, { encode: (cell) => outcomeCode(cell) - 1 });
    else if (name !== 'callRollout' && name !== 'callName') fill(arrays[name], calls, column);
  });
  const callsOf = rangesOf(calls, CALLS.length);
  const rolloutsOf = rangesOf(rows, STORED.length);
  const stored = query(db, STORED_ROLLOUTS, { step: number, rollouts: number }).all(
    ...[runId, steps.from, steps.to],
  );
  const sums = new Map(stored.map(({ step, rollouts }) => [step, rollouts]));
  for (const step of new Set([...sums.keys(), ...rolloutsOf.keys()])) {
    const { from, to } = rolloutsOf.get(step) ?? { from: 0, to: 0 };
    if (to - from !== sums.get(step))
      throw damaged(
        `step ${step} of run ${runId} has ${sums.get(step) ?? 0} rollouts in step_row, but ${to - from} in rollout_row`,
      );
  }
  const parts = new Map<number, StepPart>();
  for (const [step, rollouts] of rolloutsOf) {
    const range = callsOf.get(step) ?? { from: 0, to: 0 };
    const dictionaries = fillByStep(arrays, { rows, rollouts }, { rows: calls, calls: range });
    parts.set(step, { rollouts, calls: range, dictionaries });
  }
  return { arrays, parts };
}

/** The rows of each step, by the step in this column. */
function rangesOf(rows: Rows, column: number): ReadonlyMap<number, Range> {
  const ranges = new Map<number, Range>();
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const step = Number(rows[from]?.[column]);
    while (to < rows.length && rows[to]?.[column] === step) to++;
    ranges.set(step, { from, to });
  }
  return ranges;
}

const NO_LIST: readonly string[] = [];
const NO_TEXTS = Object.fromEntries(
  DICTIONARIES.map((name) => [name, NO_LIST]),
) as unknown as StepDictionaries;
const DICTIONARY_NAMES: ReadonlySet<string> = new Set(DICTIONARIES);
const CODED = STORED.flatMap(({ name }, column) => {
  const dictionary = DICTIONARIES.find((known) => known === name);
  return dictionary === undefined ? [] : [{ name, dictionary, column }];
});

/** Fills the columns whose numbers are relative to the step: codes of its dictionaries, and indexes of its rollouts. */
function fillByStep(
  arrays: StepArrays,
  { rows, rollouts }: { readonly rows: Rows; readonly rollouts: Range },
  { rows: callRows, calls }: { readonly rows: Rows; readonly calls: Range },
): StepDictionaries {
  const texts: Partial<Record<DictionaryName, readonly string[]>> = {};
  for (const { name, dictionary, column } of CODED) {
    const codes = new Codes();
    fillCodes(arrays[name], rows, column, { encode: dictionaryOf(codes), ...rollouts });
    if (codes.texts.length > 0) texts[dictionary] = codes.texts;
  }
  if (calls.to > calls.from) {
    const indexOf = new Map<number, number>();
    for (let i = rollouts.from; i < rollouts.to; i++)
      indexOf.set(arrays.rolloutId[i] ?? 0, i - rollouts.from);
    const names = new Codes();
    const tools = new Codes();
    const encodeCall = {
      callRollout: (cell: RawCell) => indexOf.get(Number(cell)) ?? 0,
      callName: dictionaryOf(names),
    };
    for (const name of ['callRollout', 'callName'] as const) {
      const column = CALLS.findIndex(([each]) => each === name);
      fillCodes(arrays[name], callRows, column, { encode: encodeCall[name], ...calls });
    }
    sumUpCalls(arrays, { callRows, calls, rollouts }, { names, tools });
    if (names.texts.length > 0) texts.callName = names.texts;
    if (tools.texts.length > 0) texts.tools = tools.texts;
  }
  return { ...NO_TEXTS, ...texts };
}

/** Summarizes a rollout's calls: outcomes, tools, and the slowest call. */
function sumUpCalls(
  arrays: StepArrays,
  { callRows, calls, rollouts }: { readonly callRows: Rows; readonly calls: Range; readonly rollouts: Range },
  codes: Readonly<Record<'names' | 'tools', Codes>>,
): void {
  // The call column rounds to 32 bits; the slowest latency is kept exactly.
  const latencies = CALLS.findIndex(([name]) => name === 'callLatencyMs');
  const toolsOf = new Map<number, Set<string>>();
  for (let call = calls.from; call < calls.to; call++) {
    const at = rollouts.from + (arrays.callRollout[call] ?? 0);
    arrays.outcomes[at] = (arrays.outcomes[at] ?? 0) | (1 << (arrays.callOutcome[call] ?? 0));
    const latency = Number(callRows[call]?.[latencies] ?? Number.NaN);
    const slowest = arrays.latencyMs[at] ?? Number.NaN;
    if (!(slowest >= latency) && !Number.isNaN(latency)) arrays.latencyMs[at] = latency;
    const name = codes.names.texts[(arrays.callName[call] ?? 0) - 1];
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

/**
 * Steps from a place on whose columns are missing, outdated or of another shape. A search from the beginning for each
 * step would be quadratic in the number of steps.
 */
export const STALE_STEPS = `
  SELECT s.run_id AS runId, s.step, v.revision FROM step_row s JOIN step_revision_row v USING (run_id, step)
  WHERE (s.run_id, s.step) > (?, ?) AND NOT EXISTS (SELECT 1 FROM step_column_row c
    WHERE c.run_id = s.run_id AND c.step = s.step AND c.name = '${SHAPE}' AND c.revision = v.revision)
  ORDER BY s.run_id, s.step LIMIT 1`;

interface StaleStep {
  readonly runId: number;
  readonly step: number;
  readonly revision: number;
}

/** Computes a step's chart data from its columns. */
export type MakeFacts = (step: number, columns: StepColumns) => StepFacts;

/**
 * Steps with fewer rollouts are read in blocks: reading each stored column takes longer than computing it, and takes
 * more memory. Only their chart data are stored.
 */
export const SMALL_STEP = 64;

/** Computes and stores the columns of stale steps, one step per call. */
export class StepColumnWriter {
  private readonly db: WritableLibrary;
  private readonly factsOf: MakeFacts;
  /** The last step that was stored. The search continues there, and begins again at the end. */
  private last: Pick<StaleStep, 'runId' | 'step'> | undefined;

  constructor(db: WritableLibrary, factsOf: MakeFacts) {
    this.db = db;
    this.factsOf = factsOf;
  }

  /** @returns false when no step is left */
  storeOne(): boolean {
    return this.db.transaction(() => {
      const from = this.last;
      const stale = (from && this.staleAfter(from)) ?? this.staleAfter(undefined);
      this.last = stale;
      if (stale === undefined) return false;
      this.store(stale);
      return true;
    })();
  }

  private staleAfter(place: Pick<StaleStep, 'runId' | 'step'> | undefined): StaleStep | undefined {
    const spec = { runId: number, step: number, revision: number };
    return query<StaleStep>(this.db, STALE_STEPS, spec).get(place?.runId ?? -1, place?.step ?? 0);
  }

  private store({ runId, step, revision }: StaleStep): void {
    const columns = readStepColumns(this.db, runId, step);
    const { arrays, dictionaries } = columns;
    // Columns of another shape would otherwise never be deleted.
    statementOf(this.db, FORGET).run(runId, step);
    const insert = statementOf(this.db, SAVE);
    const save = (name: string, bytes: Buffer): void => {
      insert.run(runId, step, name, revision, bytes);
    };
    if (arrays.rolloutId.length >= SMALL_STEP) {
      for (const name of Object.keys(NUMBER_COLUMNS) as ColumnName[]) {
        const { buffer, byteOffset, byteLength } = arrays[name];
        save(name, Buffer.from(buffer, byteOffset, byteLength));
      }
      for (const name of DICTIONARIES) save(textsOf(name), Buffer.from(JSON.stringify(dictionaries[name])));
    }
    save(SHAPE, Buffer.alloc(0));
    save(FACTS, Buffer.from(JSON.stringify(this.factsOf(step, columns))));
  }
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
