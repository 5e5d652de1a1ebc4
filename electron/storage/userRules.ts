/**
 * What the user decides about runs and mappings. Rules hold for what is read later, too, so
 * they are kept by stable keys (directory, run key), never by row.
 */
import type { Mapping } from '../../shared/format/mapping.ts';
import { type GroupKey, orderGroupKey, promptGroupKey } from './groupRegistry.ts';
import type { IngestStatements } from './ingestWrites.ts';
import type { WritableLibrary } from './open.ts';
import { runPlaceOf } from './runPlace.ts';
import type { ChosenGroupRule } from './runRegistry.ts';
import { Touched } from './touched.ts';

export function saveMapping(db: WritableLibrary, mapping: Mapping): void {
  db.prepare('INSERT OR REPLACE INTO mapping_row VALUES (?, ?)').run(mapping.name, JSON.stringify(mapping));
}

export function removeMapping(db: WritableLibrary, name: string): boolean {
  return db.prepare('DELETE FROM mapping_row WHERE name = ?').run(name).changes > 0;
}

/** @returns files to be read anew: those below the directory whose rollouts name no run themselves */
export function nameRun(db: WritableLibrary, directory: string, name: string | null): readonly number[] {
  // By their own place, not by that of their run: a run of several directories is known by the first.
  const all = db.prepare('SELECT file_id, path, format FROM file_row WHERE format IS NOT NULL').all();
  const files = (all as { file_id: number; path: string; format: string }[]).flatMap((file) => {
    const { place, home } = runPlaceOf(file.path, file.format);
    return place === directory || home === directory ? [file.file_id] : [];
  });
  if (name === null) db.prepare('DELETE FROM run_name_row WHERE directory = ?').run(directory);
  else db.prepare('INSERT OR REPLACE INTO run_name_row VALUES (?, ?)').run(directory, name);
  return files;
}

interface RegroupedRecord {
  rollout_id: number;
  step: number;
  group_id: number;
  ordinal: number;
  group_key: string;
  rule: 'logged' | 'prompt' | 'order';
  read_group: string | null;
  read_rule: 'logged' | 'prompt' | 'order' | null;
  read_ordinal: number | null;
  /** The rollout's own, which a group by order need not be of. */
  problem_no: number;
  /** Of the prompt of the group it is in. */
  prompt_segments: number;
  prompt_hash: string;
}

/**
 * Puts the rollouts of a run into other groups, or back into those of the log. Must run inside
 * a transaction.
 * @returns the number of groups the run has now
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
  const rows = db
    .prepare(
      `SELECT r.rollout_id, r.step, r.group_id, r.ordinal, g.group_key, g.rule, r.read_group, r.read_rule, r.read_ordinal,
        p.problem_no, shown.segments AS prompt_segments, q.prompt_hash
       FROM rollout_row r JOIN group_row g USING (group_id)
       JOIN problem_row p ON p.problem_no = coalesce(r.read_problem, g.problem_no) JOIN prompt_row q USING (prompt_id)
       JOIN problem_row asked ON asked.problem_no = g.problem_no JOIN prompt_row shown ON shown.prompt_id = asked.prompt_id
       WHERE r.run_id = ? ORDER BY r.step, r.rollout_id`,
    )
    .all(run.runId) as RegroupedRecord[];
  const regrouping = new Regrouping(db, sql, run.runId, rule);
  for (const row of rows) regrouping.place(row);
  regrouping.finish();
  return Number(db.prepare('SELECT count(*) FROM group_row WHERE run_id = ?').pluck().get(run.runId));
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
  private readonly touched = new Touched();
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
      // By way of negative numbers: none of the new ones may be taken while the old ones go.
      'UPDATE segment_row SET ordinal = -1 - ordinal WHERE rollout_id = :rolloutId',
      'UPDATE segment_row SET ordinal = :by - 1 - ordinal WHERE rollout_id = :rolloutId',
      `UPDATE tool_call_row SET call_segment = call_segment + :by, response_segment = response_segment + :by
       WHERE rollout_id = :rolloutId`,
    ].map((sql) => db.prepare<[{ rolloutId: number; by: number }]>(sql));
  }

  place(row: RegroupedRecord): void {
    const asRead = {
      key: row.read_group ?? row.group_key,
      rule: row.read_rule ?? row.rule,
      ordinal: row.read_group === null ? row.ordinal : row.read_ordinal,
    };
    const group = this.groupFor(row, this.keyOf(row, asRead));
    const wanted = this.rule === undefined ? asRead.ordinal : null;
    const ordinal = wanted === null || group.taken.has(wanted) ? group.next : wanted;
    group.taken.add(ordinal);
    while (group.taken.has(group.next)) group.next++;
    const isBack = this.rule === undefined;
    this.shift(row.rollout_id, group.promptSegments - row.prompt_segments);
    this.move.run({
      rolloutId: row.rollout_id,
      groupId: group.groupId,
      ordinal,
      readGroup: isBack ? null : asRead.key,
      readRule: isBack ? null : asRead.rule,
      readOrdinal: isBack ? null : asRead.ordinal,
      readProblem: isBack ? null : row.problem_no,
    });
    this.touched.group(row.group_id, this.runId, row.step);
    this.touched.group(group.groupId, this.runId, row.step);
  }

  /** Segments of the response are numbered after those of the prompt that is shown. */
  private shift(rolloutId: number, by: number): void {
    if (by === 0) return;
    for (const statement of this.shifts) statement.run({ rolloutId, by });
  }

  finish(): void {
    this.touched.refresh(this.sql);
  }

  private keyOf(row: RegroupedRecord, asRead: GroupKey): GroupKey {
    switch (this.rule?.rule) {
      case 'prompt':
        return promptGroupKey(row.prompt_hash);
      case 'order': {
        const seen = this.seen.get(row.step) ?? 0;
        this.seen.set(row.step, seen + 1);
        return orderGroupKey(seen, this.rule.size);
      }
      default:
        return asRead;
    }
  }

  private groupFor(row: RegroupedRecord, { key, rule }: GroupKey) {
    const place = `${row.step} ${key}`;
    const known = this.groups.get(place);
    if (known !== undefined) return known;
    const found = this.sql.groupByKey.get(this.runId, row.step, key) as { group_id: number } | undefined;
    const groupId =
      found?.group_id ??
      Number(this.sql.addGroup.run(this.runId, row.step, key, row.problem_no, rule).lastInsertRowid);
    const { segments } = this.sql.promptOfGroup.get(groupId) as { segments: number };
    const group = { groupId, promptSegments: segments, taken: new Set<number>(), next: 0 };
    this.groups.set(place, group);
    return group;
  }
}
