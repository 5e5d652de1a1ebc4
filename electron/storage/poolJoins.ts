/**
 * Joins a log of the whole pool with a log of its kept rollouts. Matched rollouts are kept, and get the
 * reward and other fields of the second log. The remaining rollouts of those steps are discarded. Rollouts
 * match by step, question and text; equal texts are paired in order.
 */
import type { PoolJoinRow } from '../../shared/api/contract.ts';
import { comparableText } from '../../shared/domain/comparableText.ts';
import { contentHash } from './contentHash.ts';
import type { WritableLibrary } from './open.ts';
import { boolean, number, orNull, query, queryValue, type RowOf, text } from './rows.ts';
import { StoredTexts } from './storedTexts.ts';

export interface PoolJoin {
  readonly poolKey: string;
  readonly keptKey: string;
}

const ROLLOUT_ROW = {
  ...{ rolloutId: number, step: number, ordinal: number, groupKey: text, questionHash: orNull(text) },
  ...{ blockId: number, start: number, end: number, kept: orNull(number), reward: orNull(number) },
};
type RolloutRecord = RowOf<typeof ROLLOUT_ROW>;

const MOST_LEFTOVERS = 20;
/** Columns that a match fills in when the pool lacks them. */
const FILLED = [
  'reward',
  'logged_correct',
  'answer',
  'answer_source',
  'reason',
  'p_err',
  'p_format',
  'penalty',
  'advantage',
] as const;

const ROLLOUTS = `
  SELECT r.rollout_id AS rolloutId, r.step, r.ordinal, g.group_key AS groupKey, q.question_hash AS questionHash,
    r.block_id AS blockId, r.text_start AS start, r.text_end AS end, r.kept, r.reward
  FROM rollout_row r JOIN group_row g USING (group_id) JOIN problem_row p ON p.problem_no = g.problem_no
  JOIN prompt_row q USING (prompt_id)
  WHERE r.run_id = ? AND r.step = ? ORDER BY r.group_id, r.ordinal`;
const SHARED_STEPS = `SELECT step FROM step_row WHERE run_id = ? INTERSECT SELECT step FROM step_row WHERE run_id = ?`;

export function listPoolJoins(db: WritableLibrary): readonly PoolJoin[] {
  const sql =
    'SELECT pool_key AS poolKey, kept_key AS keptKey FROM pool_join_row ORDER BY pool_key, kept_key';
  return query(db, sql, { poolKey: text, keptKey: text }).all();
}

export function addPoolJoin(db: WritableLibrary, { poolKey, keptKey }: PoolJoin): void {
  db.prepare('INSERT OR IGNORE INTO pool_join_row VALUES (?, ?)').run(poolKey, keptKey);
}

/** @returns whether the join existed */
export function removePoolJoin(db: WritableLibrary, { poolKey, keptKey }: PoolJoin): boolean {
  const sql = 'DELETE FROM pool_join_row WHERE pool_key = ? AND kept_key = ?';
  return db.prepare(sql).run(poolKey, keptKey).changes > 0;
}

/** Reverts what a join wrote. Must run inside a transaction, like `applyPoolJoin`. */
export function undoPoolJoin(db: WritableLibrary, poolId: number, keptKey: string): void {
  const filled = ['kept', 'rule', ...FILLED];
  const cleared = filled.map((name) => `${name} = iif(instr(m.filled, ' ${name} ') > 0, NULL, r.${name})`);
  db.prepare(
    `UPDATE rollout_row AS r SET ${cleared.join(', ')} FROM pool_match_row m
     WHERE m.rollout_id = r.rollout_id AND m.kept_key = ? AND r.run_id = ?`,
  ).run(keptKey, poolId);
  db.prepare(
    `DELETE FROM pool_match_row WHERE kept_key = ?
       AND rollout_id IN (SELECT rollout_id FROM rollout_row WHERE run_id = ?)`,
  ).run(keptKey, poolId);
}

/** Applies the join to every step that both runs have. Decisions from the pool's own log are kept. */
export function applyPoolJoin(
  db: WritableLibrary,
  pool: number,
  kept: { readonly runId: number; readonly runKey: string; readonly name: string },
): PoolJoinRow {
  undoPoolJoin(db, pool, kept.runKey);
  const writer = new MatchWriter(db, kept);
  const steps = queryValue(db, SHARED_STEPS, number).all(pool, kept.runId);
  const rollouts = query(db, ROLLOUTS, ROLLOUT_ROW);
  const keyOf = matchKeys(db);
  const report = { steps: 0, pool: 0, matched: 0, discarded: 0, conflicts: 0, ambiguous: 0, leftovers: 0 };
  const firstLeftovers: { step: number; groupKey: string; ordinal: number }[] = [];
  for (const step of steps) {
    const waiting = grouped(rollouts.all(kept.runId, step), keyOf);
    const all = grouped(rollouts.all(pool, step), keyOf);
    const matches = new Map<number, RolloutRecord>();
    for (const [key, rows] of all) {
      const listed = waiting.get(key) ?? [];
      if (listed.length > 0 && listed.length < rows.length) report.ambiguous += listed.length;
      for (const row of rows) {
        const match = takeMatch(row, listed);
        if (match !== undefined) matches.set(row.rolloutId, match);
      }
    }
    for (const row of [...waiting.values()].flat()) {
      report.leftovers++;
      if (firstLeftovers.length < MOST_LEFTOVERS) {
        firstLeftovers.push({ step, groupKey: row.groupKey, ordinal: row.ordinal });
      }
    }
    // The second log has no rollout of this step, so it does not cover the step and discards nothing.
    if (matches.size === 0) continue;
    report.steps++;
    report.matched += matches.size;
    for (const row of [...all.values()].flat()) {
      report.pool++;
      const match = matches.get(row.rolloutId);
      if (match === undefined && row.kept === null) report.discarded++;
      if (isConflict(row, match)) report.conflicts++;
      if (match !== undefined || row.kept === null) writer.write(row, match?.rolloutId);
    }
  }
  return { ...report, firstLeftovers };
}

function grouped(
  rows: readonly RolloutRecord[],
  keyOf: (row: RolloutRecord) => string,
): Map<string, RolloutRecord[]> {
  const groups = new Map<string, RolloutRecord[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const others = groups.get(key);
    if (others === undefined) groups.set(key, [row]);
    else others.push(row);
  }
  return groups;
}

/** Among equal texts, takes the rollout with the same index in its group, otherwise the next one. */
function takeMatch(row: RolloutRecord, listed: RolloutRecord[]): RolloutRecord | undefined {
  const same = listed.findIndex(({ ordinal }) => ordinal === row.ordinal);
  return listed.splice(Math.max(0, same), 1)[0];
}

function isConflict(row: RolloutRecord, match: RolloutRecord | undefined): boolean {
  if (row.kept !== null && row.kept !== Number(match !== undefined)) return true;
  const rewards = [row.reward, match?.reward ?? null];
  return !rewards.includes(null) && rewards[0] !== rewards[1];
}

/** The matching key of a rollout. */
function matchKeys(db: WritableLibrary): (row: RolloutRecord) => string {
  const stored = new StoredTexts(db);
  return (row) => `${row.questionHash ?? ''} ${contentHash(comparableText(stored.text(row)))}`;
}

class MatchWriter {
  private readonly fill;
  private readonly discard;
  private readonly nulls;
  private readonly note;
  private readonly kept: { readonly runKey: string; readonly name: string };

  constructor(db: WritableLibrary, kept: { readonly runKey: string; readonly name: string }) {
    this.kept = kept;
    const filled = Object.fromEntries([...FILLED, 'rule', 'kept'].map((name) => [name, boolean]));
    this.nulls = query<Record<string, boolean>>(
      db,
      `SELECT ${FILLED.map((name) => `t.${name} IS NULL AND f.${name} IS NOT NULL AS ${name}`).join(', ')}, t.rule IS NULL AND t.kept IS NULL AS rule,
         t.kept IS NULL AS kept
       FROM rollout_row t, rollout_row f WHERE t.rollout_id = :to AND f.rollout_id = :from`,
      filled,
    );
    this.fill = db.prepare(
      `UPDATE rollout_row AS t SET kept = coalesce(t.kept, 1), rule = iif(t.kept IS NULL, coalesce(t.rule, :rule), t.rule),
         ${FILLED.map((name) => `${name} = coalesce(t.${name}, f.${name})`).join(', ')}
       FROM rollout_row f WHERE t.rollout_id = :to AND f.rollout_id = :from`,
    );
    this.discard = queryValue(
      db,
      'UPDATE rollout_row SET kept = 0, rule = coalesce(rule, :rule) WHERE rollout_id = :to RETURNING rule = :rule',
      number,
    );
    this.note = db.prepare('INSERT OR REPLACE INTO pool_match_row VALUES (?, ?, ?, ?)');
  }

  write({ rolloutId: to }: RolloutRecord, from: number | undefined): void {
    const rule = `listed in ${this.kept.name}`;
    const filled: string[] = [];
    if (from === undefined) {
      filled.push('kept');
      if (this.discard.get({ to, rule }) === 1) filled.push('rule');
    } else {
      const nulls = this.nulls.get({ to, from }) ?? {};
      filled.push(...Object.keys(nulls).filter((name) => nulls[name]));
      this.fill.run({ to, from, rule });
    }
    this.note.run(to, this.kept.runKey, from ?? null, ` ${filled.join(' ')} `);
  }
}
