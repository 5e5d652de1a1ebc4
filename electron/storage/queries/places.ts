import type { ParsedParams, ProblemOccurrence, ResultOf } from '../../../shared/api/contract.ts';
import { ApiError, found } from '../../../shared/api/errors.ts';
import { RUN_KINDS } from '../../../shared/domain/model.ts';
import type { ReadableLibrary } from '../open.ts';
import { boolean, number, oneOf, optional, query, queryValue, type RowSpec, text } from '../rows.ts';
import { configOf, runName } from '../views.sql.ts';
import { sameProblems } from './sameProblem.ts';

const RUN = 'SELECT run_id FROM run_row WHERE run_key = ?';
const GROUP = 'SELECT group_id FROM group_row WHERE run_id = ? AND step = ? AND group_key = ?';
const ROLLOUT = 'SELECT rollout_id FROM rollout_row WHERE group_id = ? AND ordinal = ?';
const SOURCE = `SELECT f.path, f.container, f.unit, r.line, r.byte_offset AS byteOffset, r.byte_length AS byteLength,
    r.content_hash AS recordHash
  FROM rollout_row r JOIN file_row f USING (file_id) WHERE r.rollout_id = ?`;

const SIBLINGS = 'SELECT rollout_id FROM rollout_row WHERE group_id = ? ORDER BY ordinal, rollout_id';

const GROUPS_OF_RUN = 'SELECT group_id FROM group_row WHERE run_id = ? ORDER BY step, group_id';
export const GROUPS_OF_STEP =
  'SELECT group_id FROM group_row WHERE run_id = ? AND step = ? ORDER BY group_id';

export interface Address {
  readonly runKey: string;
  readonly step?: number | undefined;
  readonly groupKey?: string | undefined;
  readonly ordinal?: number | undefined;
}

export interface ResolvedAddress {
  readonly runId: number;
  readonly groupId?: number;
  readonly rolloutId?: number;
}

const one = (db: ReadableLibrary, sql: string, ...values: readonly (string | number)[]): number | undefined =>
  queryValue(db, sql, number).get(...values);

/** @throws ApiError that names the first part of the address that does not exist */
export function resolveAddress(
  db: ReadableLibrary,
  { runKey, step, groupKey, ordinal }: Address,
): ResolvedAddress {
  const runId = found(one(db, RUN, runKey), `run ${runKey}`);
  if (step === undefined || groupKey === undefined) return { runId };
  const groupId = found(
    one(db, GROUP, runId, step, groupKey),
    `group ${groupKey} at step ${step} of run ${runKey}`,
  );
  if (ordinal === undefined) return { runId, groupId };
  const rolloutId = found(one(db, ROLLOUT, groupId, ordinal), `rollout ${ordinal} of group ${groupKey}`);
  return { runId, groupId, rolloutId };
}

/** @throws ApiError when there is no such run, or no parameter is given */
export function runIdOf(
  db: ReadableLibrary,
  { runId, runKey }: { readonly runId?: number | undefined; readonly runKey?: string | undefined },
): number {
  if (runId !== undefined) return runId;
  if (runKey !== undefined) return found(one(db, RUN, runKey), `run ${runKey}`);
  throw new ApiError({ code: 'bad_request', message: 'runId or runKey is required' });
}

/** The rollouts of a group by ordinal. */
export function siblingIds(db: ReadableLibrary, groupId: number): Uint32Array {
  return Uint32Array.from(queryValue(db, SIBLINGS, number).all(groupId));
}

/** The groups of a run, or of one of its steps, in log order. */
export function groupIds(db: ReadableLibrary, runId: number, step: number | undefined): Uint32Array {
  const ids =
    step === undefined
      ? queryValue(db, GROUPS_OF_RUN, number).all(runId)
      : queryValue(db, GROUPS_OF_STEP, number).all(runId, step);
  return Uint32Array.from(ids);
}

export interface RecordSource {
  readonly path: string;
  readonly container: string;
  readonly unit: string;
  readonly line: number;
  readonly byteOffset: number;
  readonly byteLength: number;
  /** Ends with `:` and a number if the record holds several rollouts. */
  readonly recordHash: string;
}

const SOURCE_ROW: RowSpec<RecordSource> = {
  path: text,
  container: text,
  unit: text,
  line: number,
  byteOffset: number,
  byteLength: number,
  recordHash: text,
};

export function recordSource(db: ReadableLibrary, rolloutId: number): RecordSource | undefined {
  return query(db, SOURCE, SOURCE_ROW).get(rolloutId);
}

const PLACES_FROM = `FROM json_each(:problems) same JOIN group_row g2 ON g2.problem_no = same.value
  JOIN run_row n ON n.run_id = g2.run_id ${configOf('n')}`;
const PROBLEM_PLACES = `SELECT n.run_key AS runKey, ${runName('n')} AS runName, n.kind,
    iif(n.has_steps, g2.step, NULL) AS step, g2.group_id AS groupId, g2.group_key AS groupKey, g2.rollouts, g2.correct,
    g2.correct_known AS correctKnown, iif(g2.reward_known > 0, g2.reward_sum / g2.reward_known, NULL) AS meanReward,
    g2.group_id = :groupId AS isThis
  ${PLACES_FROM} ORDER BY n.run_id, g2.step, g2.group_id LIMIT :limit`;
const PLACE_COUNT = `SELECT count(*) ${PLACES_FROM}`;

const PLACE_ROW: RowSpec<ProblemOccurrence> = {
  runKey: text,
  runName: text,
  kind: oneOf(RUN_KINDS),
  step: optional(number),
  groupId: number,
  groupKey: text,
  rollouts: number,
  correct: number,
  correctKnown: number,
  meanReward: optional(number),
  isThis: boolean,
};

/** Groups of the same question in all runs, including the group itself. */
export function problemPlaces(
  db: ReadableLibrary,
  params: ParsedParams<'problem.occurrences'>,
): ResultOf<'problem.occurrences'> {
  const problems = sameProblems(db, params.groupId);
  const places = query(db, PROBLEM_PLACES, PLACE_ROW).all({ ...params, problems });
  const total = queryValue(db, PLACE_COUNT, number).get({ problems }) ?? 0;
  return { places, total };
}

export interface RolloutAddress {
  readonly step: number;
  readonly groupKey: string;
  readonly problemId: string;
  readonly ordinal: number;
  readonly isCorrect?: boolean;
}

export const ADDRESSES = `SELECT r.rollout_id AS rolloutId, r.step, g.group_key AS groupKey, p.problem_id AS problemId,
    r.ordinal, r.is_correct AS isCorrect
  FROM rollout_row r JOIN group_row g USING (group_id) JOIN problem_row p USING (problem_no)
  WHERE r.rollout_id IN (SELECT value FROM json_each(?))`;

const ADDRESS_ROW: RowSpec<RolloutAddress & { readonly rolloutId: number }> = {
  rolloutId: number,
  step: number,
  groupKey: text,
  problemId: text,
  ordinal: number,
  isCorrect: optional(boolean),
};

export function addressesOf(
  db: ReadableLibrary,
  rolloutIds: readonly number[],
): ReadonlyMap<number, RolloutAddress> {
  const rows = query(db, ADDRESSES, ADDRESS_ROW).all(JSON.stringify([...new Set(rolloutIds)]));
  return new Map(rows.map(({ rolloutId, ...address }) => [rolloutId, address]));
}
