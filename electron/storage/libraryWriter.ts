/**
 * Writes batches of parsed lines into a library. One transaction per batch holds its rollouts, the sums of
 * their groups and steps, and the file offset. If the process is killed, the library has the state after
 * some whole batch and ingest continues from there.
 *
 *   LibraryWriter ── RunRegistry (which run a file's rollouts belong to)
 *        └── RolloutWriter (one rollout and everything below it)
 */
import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { IngestIssue } from '../../shared/domain/model.ts';
import type { LineIssue } from '../../shared/format/format.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import { Annotations } from './annotations.ts';
import type { PackedBatch, PackedItem } from './batch.ts';
import { DirtyAggregates } from './dirtyAggregates.ts';
import { type IngestStatements, prepareIngest } from './ingestWrites.ts';
import { LibraryFile } from './libraryFile.ts';
import type { WritableLibrary } from './open.ts';
import { setForeignLinesWaiting } from './pendingLines.ts';
import { issuesOfFile } from './queries/issues.ts';
import { listMappings } from './queries/sources.ts';
import { RolloutWriter } from './rolloutWriter.ts';
import { number, queryValue } from './rows.ts';
import { runPlaceOf } from './runPlace.ts';
import { type ChosenGroupRule, RunRegistry } from './runRegistry.ts';
import { RunRemoval } from './runRemoval.ts';
import { RunRules } from './runRules.ts';
import { isDiskFull } from './storageFailure.ts';
import { nameRun, setGroupRule } from './userRules.ts';

/** File attributes from the file system. `headHash` distinguishes an appended file from a replaced one. */
export interface FileIdentity {
  readonly path: string;
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly inode: string;
  readonly headHash: string;
  readonly headBytes: number;
}

export interface KnownFile extends FileIdentity {
  readonly fileId: number;
  readonly format: string | undefined;
  readonly status: string;
  readonly container: string;
  readonly unit: string;
  readonly offset: number;
  readonly lines: number;
  /** Hash of the bytes before `offset`, set when the file has been read to its end. */
  readonly tailHash: string | undefined;
  /** Hash of the adapter that wrote the records. */
  readonly adapter: string | undefined;
}

export interface UnreadPath {
  readonly path: string;
  readonly bytes: number;
  /** Whether the file is to be read with an adapter. */
  readonly hasAdapter: boolean;
}

/** How a file is read. Undefined if the file is not read. */
export type FileReading =
  | {
      readonly format: string;
      readonly container: string;
      readonly unit: string;
      readonly adapterHash?: string;
    }
  | undefined;

function columnsOf(reading: FileReading) {
  return {
    format: reading?.format ?? null,
    container: reading?.container ?? 'plain',
    unit: reading?.unit ?? 'line',
    adapter: reading?.adapterHash ?? null,
  };
}

/**
 * Another process has moved the offset of this file since it was opened here. Continuing would duplicate
 * rollouts.
 */
export class ConcurrentIngestError extends Error {
  constructor(path: string) {
    super(`another Turnwise is reading ${path} into this library`);
    this.name = 'ConcurrentIngestError';
  }
}

export class LibraryWriter {
  private readonly db: WritableLibrary;
  private readonly sql: IngestStatements;
  private readonly runs: RunRegistry;
  private readonly rollouts: RolloutWriter;
  /** The user's rules for runs, which are applied again after ingest. */
  readonly rules: RunRules;
  readonly removal: RunRemoval;
  readonly whole: LibraryFile;
  readonly annotations: Annotations;

  constructor(db: WritableLibrary) {
    this.db = db;
    this.sql = prepareIngest(db);
    this.runs = new RunRegistry(this.sql);
    this.rollouts = new RolloutWriter(this.sql, this.runs);
    const transaction = (work: () => void): void => this.transaction(work);
    const services = { db, sql: this.sql, runs: this.runs, transaction };
    this.rules = new RunRules(services);
    this.removal = new RunRemoval({ ...services, rules: this.rules });
    this.whole = new LibraryFile(db);
    this.annotations = new Annotations(db);
  }

  /** Path of the library file. */
  get path(): string {
    return this.db.name;
  }

  knownFile(path: string): KnownFile | undefined {
    return this.sql.fileByPath.get(path);
  }

  /**
   * Finds the row of a moved file. Its beginning must match, and either its name matches and the old path no longer
   * exists, or its inode matches (a rotated log). Updates the path of the file. If its directory moved, the
   * directory's run is updated too. A row that the new path had, of a file that was not read, is deleted.
   *
   * @param mayRead whether a path that the library names may be read
   */
  movedFile(identity: FileIdentity, mayRead: (path: string) => boolean): KnownFile | undefined {
    const candidates = this.sql.filesByHead.all(identity.headHash, identity.headBytes);
    const row = candidates.find(({ path, inode }) =>
      // Asks the file system last: thousands of files may begin alike, such as empty ones.
      basename(path) === basename(identity.path)
        ? mayRead(path) && !existsSync(path)
        : inode === identity.inode && mayRead(path) && inodeAt(path) !== inode,
    );
    if (row === undefined) return undefined;
    const unread = this.knownFile(identity.path);
    this.transaction(() => {
      if (unread !== undefined) {
        this.sql.dropIssues.run(unread.fileId);
        this.sql.dropFile.run(unread.fileId);
      }
      this.sql.moveFile.run(identity.path, row.fileId);
      const to = runPlaceOf(identity.path, row.format);
      const from = runPlaceOf(row.path, row.format);
      this.sql.moveRuns.run({ to: to.place, from: from.place, home: to.home });
    });
    this.runs.forget();
    return this.knownFile(identity.path);
  }

  /** @throws ConcurrentIngestError when another process has added the same file in the meantime */
  addFile(identity: FileIdentity, reading: FileReading, status: string): number {
    const added = this.sql.addFile.run({ ...identity, ...columnsOf(reading), status });
    if (added.changes === 0) throw new ConcurrentIngestError(identity.path);
    return Number(added.lastInsertRowid);
  }

  updateFile(fileId: number, identity: FileIdentity, reading: FileReading, status: string): void {
    this.sql.updateFile.run({ ...identity, fileId, ...columnsOf(reading), status });
  }

  /** Candidates for the same file: equal size and equal beginning. */
  filesOfSameHead(identity: FileIdentity): readonly KnownFile[] {
    const files = this.sql.filesByHead.all(identity.headHash, identity.headBytes);
    return files.filter(({ bytes }) => bytes === identity.bytes);
  }

  /** Number of masked credential values in this file. */
  maskedOf(fileId: number): number {
    return this.sql.maskedOf.get(fileId) ?? 0;
  }

  joinsOf(fileId: number): { readonly joined?: number; readonly waiting?: number } {
    const joined = this.sql.countJoined.get(fileId) ?? 0;
    const waiting = this.sql.countWaiting.get(fileId) ?? 0;
    return joined + waiting === 0 ? {} : { joined, waiting };
  }

  /** Makes the next read of the file start at its beginning, even if the file has not changed. */
  readAgain(fileId: number): void {
    this.sql.readAgain.run(fileId);
  }

  /**
   * Deletes everything read from this file, so that it is read from the start again. Files whose records
   * had joined its rollouts are read again too, because their data was deleted with the rollouts.
   */
  forgetFile(fileId: number): { readonly runIds: readonly number[]; readonly paths: readonly string[] } {
    const dependents = this.sql.joinedFiles.all(fileId, fileId);
    const runIds = new Set<number>();
    const paths = new Set<string>();
    for (const id of [fileId, ...dependents.map((file) => file.fileId)]) {
      for (const runId of this.forgetOne(id)) runIds.add(runId);
    }
    for (const { fileId: id, path } of dependents) {
      paths.add(path);
      this.dropIssues(id);
    }
    return { runIds: [...runIds], paths: [...paths] };
  }

  private forgetOne(fileId: number): readonly number[] {
    const dirty = new DirtyAggregates();
    this.transaction(() => {
      const groups = [...this.sql.groupsOfFile.all(fileId, fileId), ...this.sql.groupsJoinedBy.all(fileId)];
      for (const { groupId, runId, step } of groups) dirty.group(groupId, runId, step);
      setForeignLinesWaiting(this.sql, fileId);
      for (const statement of this.sql.dropOfFile) statement.run(fileId);
      this.sql.dropIssues.run(fileId);
      this.sql.rewindFile.run(fileId);
      for (const runId of dirty.runs()) {
        if (this.runs.recomputeCorrectness(this.db, runId)) dirty.wholeRun(runId);
      }
      dirty.refresh(this.sql);
    });
    return dirty.runs();
  }

  /** Number of issues of this file that are counted but not listed. */
  unlistedIssuesOf(fileId: number): number {
    return this.sql.unlistedIssuesOf.get(fileId) ?? 0;
  }

  addIssue(fileId: number, issue: LineIssue & { readonly line?: number }): void {
    this.sql.issues.list(fileId, issue.line ?? null, issue.severity, issue.code, issue.message);
  }

  dropIssues(fileId: number): void {
    this.sql.dropIssues.run(fileId);
  }

  dropIssuesWithCode(fileId: number, ...codes: readonly string[]): void {
    for (const code of codes) this.sql.dropIssuesWithCode.run(fileId, code);
  }

  /** @returns the runs whose rows changed, and the number of the batch's rollouts */
  writeBatch(
    file: { fileId: number; path: string; format: string; runHash: string },
    batch: PackedBatch,
  ): { readonly runIds: readonly number[]; readonly rollouts: number } {
    const dirty = new DirtyAggregates();
    const others: PackedItem[] = [];
    let rollouts = 0;
    this.transaction(() => {
      const offset = this.sql.fileOffset.get(file.fileId);
      if (offset !== batch.startOffset) throw new ConcurrentIngestError(file.path);
      this.sql.issues.begin();
      this.rollouts.begin(file, batch, dirty);
      for (const item of batch.items) {
        this.rollouts.write(item);
        if (item.kind === 'rollout') rollouts++;
        else others.push(item);
      }
      this.rollouts.finish(dirty);
      const annotationIssues = this.annotations.mergeBatch(others, file.path);
      for (const { line = null, severity, code, message } of [...batch.issues, ...annotationIssues])
        this.sql.issues.add(file.fileId, line, severity, code, message);
      this.sql.issues.finish();
      dirty.refresh(this.sql);
      if (batch.tailHash !== undefined) this.sql.setTail.run(batch.tailHash, file.fileId);
      this.sql.moveFileOffset.run(batch.offset, batch.lines, batch.masked, file.fileId);
    });
    return { runIds: dirty.runs(), rollouts };
  }

  /** Remembers files before they are read, so that files left out by a stopped ingest are known. */
  addUnread(files: readonly UnreadPath[]): void {
    this.sql.addUnread.run(JSON.stringify(files));
  }

  /** @param isRead false: the file alone is not a log; it is kept if it waits for an adapter */
  dropUnread(path: string, isRead = true): void {
    this.sql.dropUnread.run(path, isRead ? 1 : 0);
  }

  countRollouts(fileId: number): number {
    return this.sql.countRollouts.get(fileId) ?? 0;
  }

  issuesOf(path: string): readonly IngestIssue[] {
    return issuesOfFile(this.db, path);
  }

  /** Counts distinct prompt groups that have a rollout from any of these files. */
  countGroups(fileIds: readonly number[]): number {
    const ids = JSON.stringify(fileIds);
    const sql = `SELECT count(DISTINCT group_id) FROM rollout_row
      WHERE file_id IN (SELECT value FROM json_each(?))`;
    return queryValue(this.db, sql, number).get(ids) ?? 0;
  }

  /** Keys of the runs of each file, training runs first, without duplicates. */
  runKeysOf(fileIds: readonly number[]): readonly string[] {
    return [...new Set(fileIds.flatMap((fileId) => this.sql.runKeysOfFile.all(fileId)))];
  }

  /** Names of the runs that have rollouts of this file. */
  runNamesOf(fileId: number): readonly string[] {
    return this.sql.runNamesOfFile.all(fileId);
  }

  mappings(): readonly Mapping[] {
    return listMappings(this.db);
  }

  /**
   * @param check throws when a file may not be read; then nothing is changed
   * @returns paths of files that were forgotten and have to be read again
   */
  nameRun(
    directory: string,
    name: string | null,
    check?: (path: string) => void,
  ): { readonly paths: readonly string[]; readonly runIds: readonly number[] } {
    const fileIds = nameRun(this.db, directory, name, check);
    const paths = fileIds.map((fileId) => String(this.sql.pathOfFile.get(fileId)));
    const runIds = fileIds.flatMap((fileId) => this.forgetFile(fileId).runIds);
    this.dropEmptyRuns(runIds);
    return { paths, runIds };
  }

  /** Removes those of these runs that have no rollout, because their files now belong to other runs. */
  dropEmptyRuns(runIds: readonly number[]): void {
    this.transaction(() => this.sql.dropEmptyRuns.run(JSON.stringify(runIds)));
    this.runs.forget();
  }

  /** @returns the run's new number of groups; undefined when there is no such run */
  setGroupRule(
    runKey: string,
    rule: ChosenGroupRule | undefined,
  ): { groups: number; runId: number } | undefined {
    const runId = this.runIdOf(runKey);
    if (runId === undefined) return undefined;
    let groups = 0;
    this.transaction(() => {
      groups = setGroupRule(this.db, this.sql, { runId, runKey }, rule);
      this.annotations.places.recomputePositions(runId);
    });
    this.runs.forget();
    return { groups, runId };
  }

  /** Truncates the write-ahead log. Called when no more batches are coming. */
  checkpoint(): void {
    try {
      this.db.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      // The log holds every transaction, so nothing is lost. The next checkpoint copies them.
      if (!isDiskFull(error)) throw error;
    }
  }

  runIdOf(runKey: string): number | undefined {
    return this.sql.runByKey.get(runKey)?.runId;
  }

  private transaction(work: () => void): void {
    try {
      this.db.transaction(work).immediate();
    } catch (error) {
      // The rollback made the caches stale.
      this.runs.forget();
      this.rollouts.forget();
      throw error;
    }
  }
}

function inodeAt(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : String(stat.ino);
}
