/**
 * Finds or adds the run of a rollout. A logged run id is the run (`id~eval` for its eval split). A format
 * without run ids makes each directory a run. Its key is a hash of the first file's first record, so equal
 * logs get equal keys in every library. It is named by the mapping that reads it, by its only file, or by its directory.
 */
import { basename, dirname, join } from 'node:path';
import type { RunKind } from '../../shared/domain/model.ts';
import { mappingNameOf } from '../../shared/format/mapping.ts';
import type { IngestStatements } from './ingestWrites.ts';
import { scopeOfDirectory } from './joins.ts';
import type { WritableLibrary } from './open.ts';
import { isGeneric, type RunPlace } from './runPlace.ts';

export interface RunEntry {
  readonly runId: number;
  /** The scope its files share (`run_row.scope`). */
  readonly scope: string;
  /** Logged id, or the name given by the user. Lines may address rollouts by it. */
  readonly loggedId: string | undefined;
  /** The user's rule, which overrides the log's. */
  readonly groupRule: ChosenGroupRule | undefined;
  hasBinaryRewards: boolean;
}

export type ChosenGroupRule = { readonly rule: 'prompt' } | { readonly rule: 'order'; readonly size: number };

interface RunRecord {
  readonly runId: number;
  readonly runKey: string;
  readonly scope: string;
  readonly hasBinaryRewards: boolean;
}

/** A run with a logged id. */
interface NamedRun {
  readonly id: string;
  readonly kind: RunKind;
  /** The key stored in a data set. Null if it follows from id and kind. */
  readonly key: string | null;
}

/** Train and eval rollouts of one logged id are separate runs. */
export function keyOfLogged(id: string, kind: RunKind): string {
  return kind === 'eval' ? `${id}~eval` : id;
}

export class RunRegistry {
  private readonly sql: IngestStatements;
  private readonly entries = new Map<string, RunEntry>();

  constructor(sql: IngestStatements) {
    this.sql = sql;
  }

  forget(): void {
    this.entries.clear();
  }

  logged(named: NamedRun, format: string, { place, home }: RunPlace, hasSteps: boolean): RunEntry {
    const { id: run, kind } = named;
    const runKey = named.key ?? keyOfLogged(run, kind);
    const cached = this.entries.get(`logged ${runKey}`);
    if (cached !== undefined) return cached;
    const row = this.sql.runByKey.get(runKey);
    const common = { kind, format, directory: place, home, hasSteps: Number(hasSteps) };
    const entry =
      row === undefined
        ? this.add({ runKey, keySource: 'logged', loggedId: run, scope: run, name: run, ...common })
        : this.entryOf(row, run);
    this.entries.set(`logged ${runKey}`, entry);
    return entry;
  }

  ofPlace(
    where: RunPlace,
    kind: RunKind,
    format: string,
    firstRecordHash: string,
    hasSteps: boolean,
  ): RunEntry {
    const { place: directory, home, file } = where;
    const cacheKey = `place ${kind} ${hasSteps} ${format} ${directory}`;
    const cached = this.entries.get(cacheKey);
    if (cached !== undefined) return cached;
    const given = this.givenName(where);
    if (given !== undefined) return this.logged({ id: given, kind, key: null }, format, where, hasSteps);
    const row = this.sql.runByDirectory.get(directory, kind, format, Number(hasSteps));
    const entry =
      row === undefined
        ? this.addDerived(
            { directory, home, kind, format, hasSteps: Number(hasSteps) },
            mappingNameOf(format) ?? nameOf(file ?? directory),
            firstRecordHash,
          )
        : this.entryOf(row, undefined);
    this.entries.set(cacheKey, entry);
    return entry;
  }

  /**
   * Scope of files that do not name a run: the user's name for the location or its directory, otherwise the
   * location itself.
   */
  scopeOf(where: RunPlace): string {
    return this.givenName(where) ?? scopeOfDirectory(where.place);
  }

  private givenName({ place, home }: RunPlace): string | undefined {
    return this.sql.runName.get(place) ?? this.sql.runName.get(home);
  }

  /**
   * Derives correctness again after rollouts were removed, because the remaining rewards may be binary.
   *
   * @returns whether the correctness of a remaining rollout changed
   */
  recomputeCorrectness(db: WritableLibrary, runId: number): boolean {
    this.forget();
    db.prepare(
      `UPDATE run_row SET has_binary_rewards = NOT EXISTS
         (SELECT 1 FROM rollout_row WHERE run_id = :runId AND reward IS NOT NULL AND reward NOT IN (0, 1))
       WHERE run_id = :runId`,
    ).run({ runId });
    const { changes } = db
      .prepare(
        `UPDATE rollout_row SET is_correct = new.is_correct
         FROM (SELECT r.rollout_id, coalesce(r.logged_correct, iif(n.has_binary_rewards, r.reward > 0, NULL)) AS is_correct
           FROM rollout_row r JOIN run_row n USING (run_id) WHERE r.run_id = :runId) new
         WHERE rollout_row.rollout_id = new.rollout_id AND rollout_row.is_correct IS NOT new.is_correct`,
      )
      .run({ runId });
    return changes > 0;
  }

  /** Notes that the file has rollouts of the run. With its second file, a run that was named by the first is renamed. */
  addFile({ runId, loggedId }: RunEntry, fileId: number): void {
    const { changes } = this.sql.addRunFile.run(runId, fileId);
    if (changes === 0 || loggedId !== undefined) return;
    const [other, third] = this.sql.otherFilesOfRun.all({ runId, fileId });
    if (other === undefined || third !== undefined || other.name !== nameOf(other.path)) return;
    this.sql.nameDerivedRun.run(nameOf(other.directory), runId);
  }

  private addDerived(values: NewRun, name: string, hash: string): RunEntry {
    const { directory, format } = values;
    const base = `${format.replace(/[^\w.-]+/g, '-')}-${hash.slice(0, 10)}`;
    for (let i = 1; ; i++) {
      const runKey = i === 1 ? base : `${base}-${i}`;
      // A copy of the same logs in another directory is a separate run.
      const taken = this.sql.runByKey.get(runKey);
      if (taken !== undefined && !this.dropIfEmpty(taken.runId)) continue;
      const scope = scopeOfDirectory(directory);
      return this.add({ runKey, keySource: 'derived', loggedId: null, scope, name, ...values });
    }
  }

  /** A run is empty if its file is being read again, for example with another mapping. */
  private dropIfEmpty(runId: number): boolean {
    // The run may have been added in this transaction, so its rollouts may still be buffered.
    this.sql.rows.flush();
    const { changes } = this.sql.dropEmptyRuns.run(JSON.stringify([runId]));
    if (changes > 0) this.forget();
    return changes > 0;
  }

  private add(
    values: NewRun & {
      runKey: string;
      keySource: 'logged' | 'derived';
      loggedId: string | null;
      scope: string;
      name: string;
    },
  ): RunEntry {
    const { lastInsertRowid } = this.sql.addRun.run({ ...values });
    return {
      runId: Number(lastInsertRowid),
      scope: values.scope,
      loggedId: values.loggedId ?? undefined,
      groupRule: this.groupRuleOf(values.runKey),
      hasBinaryRewards: true,
    };
  }

  private entryOf(row: RunRecord, loggedId: string | undefined): RunEntry {
    return {
      runId: row.runId,
      scope: row.scope,
      loggedId,
      groupRule: this.groupRuleOf(row.runKey),
      hasBinaryRewards: row.hasBinaryRewards,
    };
  }

  private groupRuleOf(runKey: string): ChosenGroupRule | undefined {
    const row = this.sql.groupRule.get(runKey);
    if (row === undefined) return undefined;
    return row.rule === 'order' ? { rule: 'order', size: row.size ?? 1 } : { rule: 'prompt' };
  }
}

interface NewRun {
  readonly kind: RunKind;
  readonly format: string;
  readonly directory: string;
  readonly home: string;
  readonly hasSteps: number;
}

/** The last part of the path without extensions, after the parts from the nearest one that describes the run. */
function nameOf(path: string): string {
  let name = basename(path).replace(/(?:\.(?:jsonl?|ndjson|parquet|gz|zst))+$/i, '');
  let first = name;
  for (let above = dirname(path); isGeneric(first) && basename(above) !== ''; above = dirname(above)) {
    first = basename(above);
    name = join(first, name);
  }
  return name || path;
}
