/** Columns of a step: made from the rows, kept, and read again. */
import type { StepFacts } from '../../../shared/api/contract.ts';
import { STOP_REASONS, TOOL_OUTCOMES } from '../../../shared/domain/model.ts';
import {
  ARRAYS,
  type ArrayName,
  CALL_COLUMNS,
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

export interface StepRevision {
  readonly step: number;
  readonly revision: number;
  readonly rollouts: number;
  /** 0: the log knows no step. */
  readonly hasSteps: number;
}

/** Steps of a run with rollouts, in order. */
const STEP_REVISIONS = `
  SELECT s.step, v.revision, s.rollouts, n.has_steps AS hasSteps
  FROM step_row s JOIN step_revision_row v USING (run_id, step) JOIN run_row n USING (run_id)
  WHERE s.run_id = ? ORDER BY s.step`;

/** Group and index are the order of the log, and the order of the index. */
export const STEP_ROLLOUTS = `
  SELECT r.rollout_id, r.group_id, g.problem_no, r.ordinal, r.reward, r.is_correct, r.kept, r.turns, r.tool_calls,
    r.tool_errors, r.policy_tokens, r.response_chars, r.mean_entropy, r.entropy_tokens, r.p_err, r.p_format, r.penalty,
    r.advantage, r.stop_reason, r.stop_reason_source = 'logged', r.reason, r.answer, r.flags,
    r.started_at, r.ended_at, t.duration_ms, t.worker, t.gpu
  FROM rollout_row r JOIN group_row g ON g.group_id = r.group_id LEFT JOIN timing_row t ON t.rollout_id = r.rollout_id
  WHERE r.run_id = ? AND r.step = ? ORDER BY r.group_id, r.ordinal, r.rollout_id`;

export const STEP_CALLS = `
  SELECT c.rollout_id, c.turn, c.outcome, c.latency_ms, c.name, c.is_repeat, c.is_latency_logged, c.queue_ms,
    c.started_at
  FROM rollout_row r JOIN tool_call_row c ON c.rollout_id = r.rollout_id
  WHERE r.run_id = ? AND r.step = ? ORDER BY r.group_id, r.ordinal, r.rollout_id, c.ordinal`;

export function stepRevisions(db: ReadableLibrary, runId: number): readonly StepRevision[] {
  return db.prepare<[number], StepRevision>(STEP_REVISIONS).all(runId);
}

type Cell = string | number | null;

/** Strings as codes from 1 on, in order of appearance. */
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

const number = (cell: Cell | undefined): number =>
  cell === null || cell === undefined ? Number.NaN : Number(cell);
const integer = (cell: Cell | undefined): number =>
  cell === null || cell === undefined ? UNKNOWN_I32 : Number(cell);
const flag = (cell: Cell | undefined): number => (cell === null || cell === undefined ? -1 : Number(cell));
const text = (cell: Cell | undefined): string | null => (typeof cell === 'string' ? cell : null);

/** Reads the rows themselves. */
export function readStepColumns(db: ReadableLibrary, runId: number, step: number): StepColumns {
  const rollouts = db.prepare(STEP_ROLLOUTS).raw().all(runId, step) as Cell[][];
  const calls = db.prepare(STEP_CALLS).raw().all(runId, step) as Cell[][];
  const arrays = {
    ...emptyArrays(ROLLOUT_COLUMNS, rollouts.length),
    ...emptyArrays(CALL_COLUMNS, calls.length),
  } as StepArrays;
  const reasons = new Codes();
  const answers = new Codes();
  const workers = new Codes();
  const gpus = new Codes();
  const indexOf = new Map<number, number>();
  rollouts.forEach((row, i) => {
    indexOf.set(Number(row[0]), i);
    arrays.rolloutId[i] = Number(row[0]);
    arrays.groupId[i] = Number(row[1]);
    arrays.problemNo[i] = Number(row[2]);
    arrays.index[i] = integer(row[3]);
    arrays.reward[i] = number(row[4]);
    arrays.correct[i] = flag(row[5]);
    arrays.kept[i] = flag(row[6]);
    arrays.turns[i] = integer(row[7]);
    arrays.toolCalls[i] = integer(row[8]);
    arrays.toolErrors[i] = integer(row[9]);
    arrays.latencyMs[i] = Number.NaN;
    arrays.tokens[i] = integer(row[10]);
    arrays.chars[i] = integer(row[11]);
    arrays.entropy[i] = number(row[12]);
    arrays.entropyTokens[i] = integer(row[13]);
    arrays.pErr[i] = number(row[14]);
    arrays.pFormat[i] = number(row[15]);
    arrays.penalty[i] = number(row[16]);
    arrays.advantage[i] = number(row[17]);
    arrays.stop[i] = (STOP_REASONS as readonly Cell[]).indexOf(row[18] ?? null) + 1;
    arrays.isStopLogged[i] = Number(row[19] ?? 0);
    arrays.reason[i] = reasons.of(text(row[20]));
    arrays.answer[i] = answers.of(text(row[21]));
    arrays.flags[i] = Number(row[22]);
    const startedAt = number(row[23]);
    const loggedEnd = number(row[24]);
    const seconds = number(row[25]) / 1000;
    const endedAt = Number.isNaN(loggedEnd) ? startedAt + seconds : loggedEnd;
    arrays.startedAt[i] = startedAt;
    arrays.endedAt[i] = endedAt;
    arrays.duration[i] = Number.isNaN(endedAt - startedAt) ? seconds : endedAt - startedAt;
    arrays.worker[i] = workers.of(text(row[26]));
    arrays.gpu[i] = gpus.of(text(row[27]));
  });
  const callDictionaries = fillCalls(arrays, calls, indexOf);
  return {
    arrays,
    dictionaries: {
      reasons: reasons.texts,
      answers: answers.texts,
      workers: workers.texts,
      gpus: gpus.texts,
      ...callDictionaries,
    },
  };
}

function fillCalls(
  arrays: StepArrays,
  calls: readonly Cell[][],
  indexOf: ReadonlyMap<number, number>,
): Pick<StepDictionaries, 'toolSets' | 'callNames'> {
  const names = new Codes();
  const toolSets = new Codes();
  const toolsOf = new Map<number, Set<string>>();
  calls.forEach((row, i) => {
    const at = indexOf.get(Number(row[0])) ?? 0;
    const outcome = (TOOL_OUTCOMES as readonly Cell[]).indexOf(row[2] ?? null);
    const latency = number(row[3]);
    arrays.callRollout[i] = at;
    arrays.callTurn[i] = Number(row[1]);
    arrays.callOutcome[i] = outcome;
    arrays.callLatencyMs[i] = latency;
    arrays.callName[i] = names.of(text(row[4]));
    arrays.callRepeat[i] = Number(row[5]);
    arrays.callLatencyLogged[i] = flag(row[6]);
    arrays.callQueueMs[i] = number(row[7]);
    arrays.callStartedAt[i] = number(row[8]);
    arrays.outcomes[at] = (arrays.outcomes[at] ?? 0) | (1 << outcome);
    const slowest = arrays.latencyMs[at] ?? Number.NaN;
    if (!(slowest >= latency) && !Number.isNaN(latency)) arrays.latencyMs[at] = latency;
    const name = text(row[4]);
    if (name === null) return;
    const tools = toolsOf.get(at) ?? new Set();
    toolsOf.set(at, tools.add(name));
  });
  for (const [at, tools] of toolsOf) arrays.tools[at] = toolSets.of(JSON.stringify([...tools].sort()));
  return { toolSets: toolSets.texts, callNames: names.texts };
}

function emptyArrays(columns: Readonly<Record<string, ArrayName>>, length: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, array]) => [name, new ARRAYS[array](length)]),
  );
}

/** Kept beside the columns, under a name that is no column's. The number changes with what the facts mean. */
const FACTS = 'facts 1';

const FORGET = 'DELETE FROM step_column_row WHERE run_id = ? AND step = ?';
const SAVE = 'INSERT INTO step_column_row (run_id, step, name, revision, bytes) VALUES (?, ?, ?, ?, ?)';

/** Stands beside the columns of a step: a step whose columns are of another shape is made anew. */
const SHAPE = `shape ${FACTS} ${[...Object.keys(NUMBER_COLUMNS), ...DICTIONARIES].join(' ')}`;

/** Steps whose columns are missing, of an older revision or of another shape; the oldest run first. */
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

/** What charts show of a step, made from its columns. */
export type MakeFacts = (step: number, columns: StepColumns) => StepFacts;

/** Keeps the columns of one step that has none, or older ones. @returns false when there is none left */
export function keepColumnsOfOneStep(db: WritableLibrary, factsOf: MakeFacts): boolean {
  return db.transaction(() => {
    const stale = db.prepare<[], StaleStep>(STALE_STEPS).get();
    if (stale === undefined) return false;
    const { runId, step, revision } = stale;
    const columns = readStepColumns(db, runId, step);
    const { arrays, dictionaries } = columns;
    // Those of another shape would lie there for good.
    db.prepare(FORGET).run(runId, step);
    const save = db.prepare(SAVE);
    for (const name of Object.keys(NUMBER_COLUMNS) as ColumnName[]) {
      const { buffer, byteOffset, byteLength } = arrays[name];
      save.run(runId, step, name, revision, Buffer.from(buffer, byteOffset, byteLength));
    }
    for (const name of DICTIONARIES)
      save.run(runId, step, name, revision, Buffer.from(JSON.stringify(dictionaries[name])));
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

/** @returns undefined where it is not kept, or is of another revision */
export function keptColumn<N extends ColumnName>(
  db: ReadableLibrary,
  { runId, step, revision }: ColumnPlace,
  name: N,
): ColumnArray<N> | undefined {
  const bytes = keptBytes(db, { runId, step, revision }, name);
  if (bytes === undefined) return undefined;
  const array = ARRAYS[NUMBER_COLUMNS[name]];
  // The driver's bytes may begin anywhere; numbers of eight bytes may not.
  const aligned = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return new array(aligned as ArrayBuffer) as ColumnArray<N>;
}

export function keptDictionary(
  db: ReadableLibrary,
  place: ColumnPlace,
  name: DictionaryName,
): readonly string[] | undefined {
  const bytes = keptBytes(db, place, name);
  return bytes === undefined ? undefined : (JSON.parse(bytes.toString('utf8')) as string[]);
}

export function keptFacts(db: ReadableLibrary, place: ColumnPlace): StepFacts | undefined {
  const bytes = keptBytes(db, place, FACTS);
  return bytes === undefined ? undefined : (JSON.parse(bytes.toString('utf8')) as StepFacts);
}

function keptBytes(db: ReadableLibrary, { runId, step, revision }: ColumnPlace, name: string) {
  return db
    .prepare<[number, number, string, number], Buffer>(KEPT_COLUMN)
    .pluck()
    .get(runId, step, name, revision);
}

/** What groups and their problems are called, and how they did: of a run, or of one step of it. */
const GROUP_FACTS = `
  SELECT g.group_id AS groupId, g.group_key AS groupKey, g.problem_no AS problemNo, p.problem_id AS problemId,
    p.ground_truth AS groundTruth, p.source, g.rollouts, g.correct, g.correct_known AS correctKnown,
    q.question_hash AS questionKey
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
  /** The same for groups of the same question. */
  readonly questionKey: string;
}

export function groupFacts(db: ReadableLibrary, runId: number): readonly GroupFacts[] {
  return db.prepare<[number], GroupFacts>(GROUP_FACTS).all(runId);
}
