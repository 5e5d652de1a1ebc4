/**
 * The user's rules for runs and mappings. Rules apply to later files too, so they are keyed by directory or
 * run key and never by row.
 */
import { GROUP_RULES } from '../../shared/format/format.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import { DirtyAggregates } from './dirtyAggregates.ts';
import { type GroupKey, orderGroupKey, promptGroupKey } from './groupRegistry.ts';
import type { IngestStatements } from './ingestWrites.ts';
import type { WritableLibrary } from './open.ts';
import { number, oneOf, orNull, query, queryValue, type RowOf, text } from './rows.ts';
import { runPlaceOf } from './runPlace.ts';
import type { ChosenGroupRule } from './runRegistry.ts';

export function saveMapping(db: WritableLibrary, mapping: Mapping): void {
  db.prepare('INSERT OR REPLACE INTO mapping_row VALUES (?, ?)').run(mapping.name, JSON.stringify(mapping));
}

export function removeMapping(db: WritableLibrary, name: string): boolean {
  return db.prepare('DELETE FROM mapping_row WHERE name = ?').run(name).changes > 0;
}

/**
 * @param check throws when a file may not be read; then nothing is changed
 * @returns files to read again: those below the directory whose rollouts name no run. A file with an adapter is not
 * among them, because an adapter names the run.
 */
export function nameRun(
  db: WritableLibrary,
  directory: string,
  name: string | null,
  check: (path: string) => void = () => undefined,
): readonly number[] {
  // Compare the location of each file, not of its run, because a run of several directories only stores the first.
  const sql =
    'SELECT file_id AS fileId, path, format FROM file_row WHERE format IS NOT NULL AND adapter IS NULL';
  const all = query(db, sql, { fileId: number, path: text, format: text }).all();
  const files = all.flatMap(({ fileId, path, format }) => {
    const { place, home } = runPlaceOf(path, format);
    if (place !== directory && home !== directory) return [];
    check(path);
    return [fileId];
  });
  if (name === null) db.prepare('DELETE FROM run_name_row WHERE directory = ?').run(directory);
  else db.prepare('INSERT OR REPLACE INTO run_name_row VALUES (?, ?)').run(directory, name);
  return files;
}

const REGROUPED = `
  SELECT r.rollout_id AS rolloutId, r.step, r.group_id AS groupId, r.ordinal, g.group_key AS groupKey, g.rule, g.pool,
    r.read_group AS readGroup, r.read_rule AS readRule, r.read_ordinal AS readOrdinal, p.problem_no AS problemNo,
    shown.segments AS promptSegments, q.prompt_hash AS promptHash, p.problem_id AS problemId
  FROM rollout_row r JOIN group_row g USING (group_id)
  JOIN problem_row p ON p.problem_no = coalesce(r.read_problem, g.problem_no) JOIN prompt_row q USING (prompt_id)
  JOIN problem_row asked ON asked.problem_no = g.problem_no JOIN prompt_row shown ON shown.prompt_id = asked.prompt_id
  WHERE r.run_id = ? ORDER BY r.step, r.rollout_id`;

const REGROUPED_ROW = {
  rolloutId: number,
  step: number,
  groupId: number,
  ordinal: number,
  groupKey: text,
  rule: oneOf(GROUP_RULES),
  pool: number,
  readGroup: orNull(text),
  readRule: orNull(oneOf(GROUP_RULES)),
  readOrdinal: orNull(number),
  /** Problem of the rollout. A group that follows from order may have a different one. */
  problemNo: number,
  /** Number of segments in the group's prompt. */
  promptSegments: number,
  promptHash: text,
  problemId: text,
};
type RegroupedRecord = RowOf<typeof REGROUPED_ROW>;

/**
 * Regroups the rollouts of a run by a rule, or restores the groups of the log. Must run inside a
 * transaction.
 *
 * @returns the run's new number of groups
 */
export function setGroupRule(
  db: WritableLibrary,
  sql: IngestStatements,
  run: { readonly runId: number; readonly runKey: string },
  rule: ChosenGroupRule | undefined,
): number {
  if (rule === undefined) db.prepare('DELETE FROM group_rule_row WHERE run_key = ?').run(run.runKey);
  else {
    const size = rule.rule === 'order' ? rule.size : null;
    db.prepare('INSERT OR REPLACE INTO group_rule_row VALUES (?, ?, ?)').run(run.runKey, rule.rule, size);
  }
  const regrouping = new Regrouping(db, sql, run.runId, rule);
  for (const row of query(db, REGROUPED, REGROUPED_ROW).all(run.runId)) regrouping.place(row);
  regrouping.finish();
  return queryValue(db, 'SELECT count(*) FROM group_row WHERE run_id = ?', number).get(run.runId) ?? 0;
}

interface RegroupedGroup {
  readonly groupId: number;
  readonly promptSegments: number;
  readonly taken: Set<number>;
  next: number;
}

class Regrouping {
  private readonly sql: IngestStatements;
  private readonly runId: number;
  private readonly rule: ChosenGroupRule | undefined;
  private readonly move;
  private readonly shifts;
  private readonly dirty = new DirtyAggregates();
  private readonly groups = new Map<string, RegroupedGroup>();
  private readonly seen = new Map<number, number>();

  constructor(db: WritableLibrary, sql: IngestStatements, runId: number, rule: ChosenGroupRule | undefined) {
    this.sql = sql;
    this.runId = runId;
    this.rule = rule;
    this.move =
      db.prepare(`UPDATE rollout_row SET group_id = :groupId, ordinal = :ordinal, read_group = :readGroup,
      read_rule = :readRule, read_ordinal = :readOrdinal, read_problem = :readProblem WHERE rollout_id = :rolloutId`);
    this.shifts = [
      // Negative numbers in between avoid collisions of new ordinals with old ones.
      'UPDATE segment_row SET ordinal = -1 - ordinal WHERE rollout_id = :rolloutId',
      'UPDATE segment_row SET ordinal = :by - 1 - ordinal WHERE rollout_id = :rolloutId',
      `UPDATE tool_call_row SET call_segment = call_segment + :by, response_segment = response_segment + :by
       WHERE rollout_id = :rolloutId`,
    ].map((sql) => db.prepare<[{ rolloutId: number; by: number }]>(sql));
  }

  place(row: RegroupedRecord): void {
    const asRead = {
      key: row.readGroup ?? row.groupKey,
      rule: row.readRule ?? row.rule,
      ordinal: row.readGroup === null ? row.ordinal : row.readOrdinal,
    };
    const group = this.groupFor(row, this.keyOf(row, asRead));
    const wanted = this.rule === undefined ? asRead.ordinal : null;
    const ordinal = wanted === null || group.taken.has(wanted) ? group.next : wanted;
    group.taken.add(ordinal);
    while (group.taken.has(group.next)) group.next++;
    const isBack = this.rule === undefined;
    this.shift(row.rolloutId, group.promptSegments - row.promptSegments);
    this.move.run({
      rolloutId: row.rolloutId,
      groupId: group.groupId,
      ordinal,
      readGroup: isBack ? null : asRead.key,
      readRule: isBack ? null : asRead.rule,
      readOrdinal: isBack ? null : asRead.ordinal,
      readProblem: isBack ? null : row.problemNo,
    });
    this.dirty.group(row.groupId, this.runId, row.step);
    this.dirty.group(group.groupId, this.runId, row.step);
  }

  /** Renumbers the segments of the response, which follow those of the displayed prompt. */
  private shift(rolloutId: number, by: number): void {
    if (by === 0) return;
    for (const statement of this.shifts) statement.run({ rolloutId, by });
  }

  finish(): void {
    this.dirty.refresh(this.sql);
  }

  private keyOf(row: RegroupedRecord, asRead: GroupKey): GroupKey {
    switch (this.rule?.rule) {
      case 'prompt':
        return promptGroupKey(row);
      case 'order': {
        const seen = this.seen.get(row.step) ?? 0;
        this.seen.set(row.step, seen + 1);
        return orderGroupKey(seen, this.rule.size);
      }
      default:
        return asRead;
    }
  }

  private add(row: RegroupedRecord, { key, rule }: GroupKey): number {
    const groupId = 1 + (this.sql.lastGroup.get() ?? 0);
    this.sql.rows.groups.add(groupId, this.runId, row.step, key, row.problemNo, rule, row.pool);
    this.sql.rows.flush();
    return groupId;
  }

  private groupFor(row: RegroupedRecord, { key, rule }: GroupKey) {
    const place = `${row.step} ${key}`;
    const known = this.groups.get(place);
    if (known !== undefined) return known;
    const groupId = this.sql.groupByKey.get(this.runId, row.step, key) ?? this.add(row, { key, rule });
    const prompt = this.sql.promptOfGroup.get(groupId);
    if (prompt === undefined) throw new Error(`group ${groupId} has no prompt`);
    const group = { groupId, promptSegments: prompt.segments, taken: new Set<number>(), next: 0 };
    this.groups.set(place, group);
    return group;
  }
}
