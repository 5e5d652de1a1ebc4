/**
 * The rollouts of a failure pack, in an order that every library agrees on, with the other rollouts of
 * their groups.
 */
import type { ReadableLibrary } from '../open.ts';
import { number, query, queryValue } from '../rows.ts';

/** Keys are compared as bytes. */
export const PACK_ORDER = `SELECT r.rollout_id FROM json_each(?) ids JOIN rollout_row r ON r.rollout_id = ids.value
  JOIN run_row n ON n.run_id = r.run_id JOIN group_row g ON g.group_id = r.group_id
  ORDER BY n.run_key, r.step, g.group_key, r.ordinal`;
const GROUPS =
  'SELECT DISTINCT r.group_id FROM json_each(:ids) ids JOIN rollout_row r ON r.rollout_id = ids.value';
export const SIBLING_COUNT = `SELECT count(*) FROM rollout_row WHERE group_id IN (${GROUPS})
  AND rollout_id NOT IN (SELECT value FROM json_each(:ids))`;
export const GROUPS_OF_PACK = `SELECT r.rollout_id AS rolloutId, r.group_id AS groupId FROM json_each(?) ids
  JOIN rollout_row r ON r.rollout_id = ids.value ORDER BY ids.key`;
export const MEMBERS = 'SELECT rollout_id FROM rollout_row WHERE group_id = ? ORDER BY ordinal';

/** The rollouts that still exist. */
export function inPackOrder(db: ReadableLibrary, ids: readonly number[]): Uint32Array {
  return Uint32Array.from(queryValue(db, PACK_ORDER, number).all(JSON.stringify(ids)));
}

export function countSiblings(db: ReadableLibrary, ids: Uint32Array): number {
  return queryValue(db, SIBLING_COUNT, number).get({ ids: JSON.stringify(Array.from(ids)) }) ?? 0;
}

const WITH_TOKENS =
  'SELECT count(*) FROM json_each(?) packed JOIN token_row t ON t.rollout_id = packed.value';

/** @returns the number of rollouts with per-token data */
export function countWithTokens(db: ReadableLibrary, ids: Uint32Array): number {
  return queryValue(db, WITH_TOKENS, number).get(JSON.stringify(Array.from(ids))) ?? 0;
}

/** A group with its packed rollouts. */
export interface PackedGroup {
  readonly groupId: number;
  readonly ids: readonly number[];
}

/** Groups and their rollouts, in the order of `ids`. */
export function packedGroups(db: ReadableLibrary, ids: Uint32Array): readonly PackedGroup[] {
  const row = { rolloutId: number, groupId: number };
  const rows = query(db, GROUPS_OF_PACK, row).all(JSON.stringify(Array.from(ids)));
  const groups = Map.groupBy(rows, ({ groupId }) => groupId);
  return [...groups].map(([groupId, packed]) => ({ groupId, ids: packed.map(({ rolloutId }) => rolloutId) }));
}

/** All rollouts of a group, by ordinal. */
export function membersOf(db: ReadableLibrary, groupId: number): readonly number[] {
  return queryValue(db, MEMBERS, number).all(groupId);
}
