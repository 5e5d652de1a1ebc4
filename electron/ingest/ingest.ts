/**
 * One ingest call: find the files, decide for each what is new, have it parsed, write it.
 *
 *   discover ─► identity ─► plan (unchanged | continue | start over) ─► parser ─► LibraryWriter
 *
 * One bad line never ends a file, one bad file never ends the call.
 */
import { basename } from 'node:path';
import type { IngestIssue } from '../../shared/domain/model.ts';
import type { PackedBatch } from '../storage/batch.ts';
import {
  ConcurrentIngestError,
  type FileIdentity,
  type KnownFile,
  type LibraryWriter,
} from '../storage/libraryWriter.ts';
import { type Discovered, discover, reasonOf } from './discover.ts';
import { identify, identityOf, tailHashOf } from './identify.ts';
import type { ParseOutcome, ParseRequest } from './parseFile.ts';

/** `read` from the start, `appended` from where it ended last time, `unchanged` not at all. */
export type FileStatus = 'read' | 'appended' | 'unchanged' | 'refused';

export interface FileReport {
  readonly path: string;
  readonly format: string | null;
  readonly status: FileStatus;
  /** In the library from this file now, already-read ones included; likewise `issues`. */
  readonly rollouts: number;
  readonly issues: readonly IngestIssue[];
  /** Absent for what could not even be opened. */
  readonly fileId?: number;
}

export interface IngestOutcome {
  readonly files: readonly FileReport[];
  readonly groups: number;
  readonly bytes: number;
  /** The runs these files belong to, in the order of the files. */
  readonly runKeys: readonly string[];
  readonly isCancelled: boolean;
}

export interface IngestStatus {
  readonly currentPath?: string;
  readonly files: number;
  readonly filesDone: number;
  readonly bytes: number;
  readonly bytesDone: number;
  readonly rollouts: number;
  readonly issues: number;
  /** The first run rollouts were read of. */
  readonly runKey?: string;
}

export interface Parser {
  parse(request: ParseRequest, onBatch: (batch: PackedBatch) => void): Promise<ParseOutcome>;
}

export interface IngestOptions {
  readonly onStatus?: (status: IngestStatus) => void;
  /** After each commit: the runs whose rows changed. */
  readonly onChange?: (runIds: readonly number[]) => void;
  readonly isCancelled?: () => boolean;
}

type Plan =
  | { readonly kind: 'unchanged'; readonly known: KnownFile }
  | { readonly kind: 'appended'; readonly known: KnownFile; readonly identity: FileIdentity }
  | { readonly kind: 'replaced'; readonly known: KnownFile; readonly identity: FileIdentity }
  | { readonly kind: 'new'; readonly identity: FileIdentity };

export async function ingest(
  paths: readonly string[],
  writer: LibraryWriter,
  parser: Parser,
  options: IngestOptions = {},
): Promise<IngestOutcome> {
  const call = new IngestCall(discover(paths, writer.path), writer, parser, options);
  return call.run();
}

class IngestCall {
  private readonly found: readonly Discovered[];
  private readonly writer: LibraryWriter;
  private readonly parser: Parser;
  private readonly options: IngestOptions;
  private readonly status: { -readonly [K in keyof IngestStatus]: IngestStatus[K] };
  private isCancelled = false;

  constructor(found: readonly Discovered[], writer: LibraryWriter, parser: Parser, options: IngestOptions) {
    this.found = found;
    this.writer = writer;
    this.parser = parser;
    this.options = options;
    this.status = { files: found.length, filesDone: 0, bytes: 0, bytesDone: 0, rollouts: 0, issues: 0 };
  }

  async run(): Promise<IngestOutcome> {
    const plans = this.found.map((file) => (file.kind === 'file' ? this.plan(file.path) : file));
    for (const plan of plans) {
      if ('identity' in plan)
        this.status.bytes += plan.identity.bytes - ('known' in plan ? startOf(plan) : 0);
    }
    const files: FileReport[] = [];
    for (const plan of plans) {
      if (this.isCancelled || this.options.isCancelled?.() === true) {
        this.isCancelled = true;
        break;
      }
      files.push(plan.kind === 'unreadable' ? this.unreadable(plan) : await this.read(plan));
      this.status.filesDone++;
      this.report();
    }
    const fileIds = files.flatMap((file) => (file.fileId === undefined ? [] : [file.fileId]));
    const groups = this.writer.countGroups(fileIds);
    this.writer.checkpoint();
    // Only now: a later file may have brought the rollout an earlier decision speaks of.
    const reports = files.map((file) =>
      file.fileId === undefined ? file : { ...file, issues: this.writer.issuesOf(file.path) },
    );
    const runKeys = this.writer.runKeysOf(fileIds);
    return { files: reports, groups, bytes: this.status.bytesDone, runKeys, isCancelled: this.isCancelled };
  }

  private plan(path: string): Plan | (Discovered & { kind: 'unreadable' }) {
    try {
      const identity = identityOf(path);
      const known = this.writer.knownFile(path) ?? this.writer.movedFile(identity);
      if (known === undefined) return { kind: 'new', identity };
      // A refused or empty file is looked at again: it may have grown, or Turnwise learnt its format.
      if (known.format === undefined) return { kind: 'appended', known, identity };
      const hasSameHead =
        identity.bytes >= known.headBytes && identityOf(path, known.headBytes).headHash === known.headHash;
      const hasSameTail = known.tailHash === undefined || tailHashOf(path, known.offset) === known.tailHash;
      if (!hasSameHead || !hasSameTail || identity.bytes < known.bytes)
        return { kind: 'replaced', known, identity };
      if (identity.bytes > known.bytes || known.status === 'partial')
        return { kind: 'appended', known, identity };
      // Same size: the same inode and time stamp mean nobody wrote to it.
      const isUntouched = identity.mtimeMs === known.mtimeMs && identity.inode === known.inode;
      return isUntouched ? { kind: 'unchanged', known } : { kind: 'replaced', known, identity };
    } catch (error) {
      return { kind: 'unreadable', path, ...reasonOf(error) };
    }
  }

  private async read(plan: Plan): Promise<FileReport> {
    if (plan.kind === 'unchanged') {
      this.status.runKey ??= this.writer.runKeysOf([plan.known.fileId])[0];
      return this.reportOf(plan.known.fileId, plan.known.path, plan.known.format, 'unchanged');
    }
    const { identity } = plan;
    const { path } = identity;
    this.status.currentPath = path;
    this.report();
    try {
      const identified = identify(path, basename(path));
      if (plan.kind === 'replaced') {
        const changed = this.writer.forgetFile(plan.known.fileId);
        this.options.onChange?.(changed);
      }
      const isContinued =
        plan.kind === 'appended' && identified.kind === 'log' && plan.known.format === identified.format;
      if (identified.kind !== 'log') return this.refuse(plan, identified);
      const fileId = this.fileRow(plan, identified.format, 'partial');
      const outcome = await this.parse(
        { fileId, path, format: identified.format, runHash: identified.firstRecordHash },
        {
          path,
          format: identified.format,
          offset: isContinued ? plan.known.offset : 0,
          lines: isContinued ? plan.known.lines : 0,
          bytes: identity.bytes,
        },
      );
      if (outcome.isCancelled) this.isCancelled = true;
      else {
        this.writer.updateFile(fileId, identity, identified.format, 'read');
        const offset = this.writer.knownFile(path)?.offset ?? 0;
        this.writer.setTail(fileId, tailHashOf(path, offset));
      }
      return this.reportOf(fileId, path, identified.format, isContinued ? 'appended' : 'read');
    } catch (error) {
      if (error instanceof ConcurrentIngestError) return this.leftToAnother(path, error.message);
      if (!isSystemError(error)) throw error;
      return this.unreadable({ path, ...reasonOf(error) });
    }
  }

  private async parse(
    file: { fileId: number; path: string; format: string; runHash: string },
    request: ParseRequest,
  ): Promise<ParseOutcome> {
    this.writer.dropIssuesWithCode(file.fileId, 'incomplete_line');
    const base = this.status.bytesDone;
    const outcome = await this.parser.parse(request, (batch) => {
      const changed = this.writer.writeBatch(file, batch);
      this.status.runKey ??= this.writer.runKeysOf([file.fileId])[0];
      this.status.bytesDone = base + batch.offset - request.offset;
      for (const item of batch.items) if (item.kind === 'rollout') this.status.rollouts++;
      this.status.issues += batch.issues.length;
      this.options.onChange?.(changed);
      this.report();
    });
    if (!outcome.isCancelled) this.status.bytesDone = base + request.bytes - request.offset;
    if (outcome.incompleteLine !== undefined) {
      this.status.issues++;
      this.writer.addIssue(file.fileId, {
        severity: 'refused',
        code: 'incomplete_line',
        line: outcome.incompleteLine,
        message: 'the last line is not whole (no line end, and no complete record); it is read once it is',
      });
    }
    return outcome;
  }

  private refuse(
    plan: Exclude<Plan, { kind: 'unchanged' }>,
    found: { kind: 'empty' } | { kind: 'refused'; issue: Omit<IngestIssue, 'line'> & { line?: number } },
  ): FileReport {
    const { identity } = plan;
    this.status.bytesDone += identity.bytes;
    this.status.issues++;
    const isEmpty = found.kind === 'empty';
    const fileId = this.fileRow(plan, undefined, isEmpty ? 'read' : 'refused');
    this.writer.dropIssues(fileId);
    this.writer.addIssue(
      fileId,
      isEmpty ? { severity: 'warning', code: 'empty_file', message: 'the file is empty' } : found.issue,
    );
    return this.reportOf(fileId, identity.path, undefined, isEmpty ? 'read' : 'refused');
  }

  private fileRow(
    plan: Exclude<Plan, { kind: 'unchanged' }>,
    format: string | undefined,
    status: string,
  ): number {
    if (plan.kind === 'new') return this.writer.addFile(plan.identity, format, status);
    // While it is being read, nobody can say where its tail is.
    this.writer.setTail(plan.known.fileId, undefined);
    // A file once refused or empty may have become a log.
    if (plan.known.format !== format) this.writer.dropIssues(plan.known.fileId);
    this.writer.updateFile(plan.known.fileId, plan.identity, format, status);
    return plan.known.fileId;
  }

  private reportOf(fileId: number, path: string, format: string | undefined, status: FileStatus): FileReport {
    const rollouts = this.writer.countRollouts(fileId);
    return { path, fileId, format: format ?? null, status, rollouts, issues: [] };
  }

  /** Nothing is wrong with the file: another process is reading it, and its rollouts are or will be there. */
  private leftToAnother(path: string, message: string): FileReport {
    const known = this.writer.knownFile(path);
    const rollouts = known === undefined ? 0 : this.writer.countRollouts(known.fileId);
    const issues: IngestIssue[] = [{ severity: 'warning', code: 'busy', message }];
    return { path, format: known?.format ?? null, status: 'unchanged', rollouts, issues };
  }

  /** A file that is there but cannot be read stays on record; a path that leads nowhere is only reported. */
  private unreadable(found: { path: string; code: string; message: string }): FileReport {
    this.status.issues++;
    const report = reportUnreadable(found);
    const known = this.writer.knownFile(found.path);
    const hasRollouts = known?.format !== undefined;
    if (found.code === 'not_found' || found.code === 'empty_directory' || hasRollouts) return report;
    const identity = { path: found.path, bytes: 0, mtimeMs: 0, inode: '0', headHash: '', headBytes: 0 };
    const fileId = known?.fileId ?? this.writer.addFile(identity, undefined, 'refused');
    this.writer.dropIssues(fileId);
    for (const issue of report.issues) this.writer.addIssue(fileId, issue);
    return { ...report, fileId };
  }

  private report(): void {
    this.options.onStatus?.({ ...this.status });
  }
}

function startOf(plan: Plan): number {
  return plan.kind === 'appended' ? plan.known.offset : 0;
}

function reportUnreadable(found: { path: string; code: string; message: string }): FileReport {
  const issue: IngestIssue = { severity: 'refused', code: found.code, message: found.message };
  return { path: found.path, format: null, status: 'refused', rollouts: 0, issues: [issue] };
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
