/**
 * One ingest call: finds the files, plans each one, has it parsed, and writes it.
 *
 *   discover ─► plan (unchanged | continue | start over | duplicate) ─► identify ─► parser ─► LibraryWriter
 *
 * A bad line never stops a file, and a bad file never stops the call.
 */
import { dirname, join } from 'node:path';
import { DUPLICATE_FILE, type IngestIssue } from '../../shared/domain/model.ts';
import { layoutOf } from '../../shared/format/layout.ts';
import {
  ConcurrentIngestError,
  type FileReading,
  type KnownFile,
  type LibraryWriter,
  type UnreadPath,
} from '../storage/libraryWriter.ts';
import { runPlaceOf } from '../storage/runPlace.ts';
import { noteSaved } from '../storage/storageFailure.ts';
import { canContinue, threadMs, tooMuchComputing } from './computingTime.ts';
import type { Adapter } from './containers/adapter.ts';
import { LONGEST_RECORD } from './containers/bytes.ts';
import { type Discovered, discover, realOf, reasonOf, TOKENIZER_FILE } from './discover.ts';
import { type Identified, identityOf, type Log } from './identify.ts';
import type { Mappings } from './mappings.ts';
import type { ParseOutcome, ParseRequest } from './parseFile.ts';
import { NEEDS_ADAPTER, type Plan, planFile } from './planFile.ts';
import {
  identifyFor,
  MOST_FILES,
  type Parser,
  PendingParse,
  type Prepared,
  ReadAhead,
  requestOf,
} from './readAhead.ts';
import { readTokenizerFile, type TokenizerFile } from './tokenizerFile.ts';

const UNPLACED_TOKENS = 'unplaced_tokens';

/** `read` from the start, `appended` since the last ingest, `unchanged`, or `duplicate` of an ingested file. */
type FileStatus = 'read' | 'appended' | 'unchanged' | 'duplicate' | 'refused';

export interface FileReport {
  readonly path: string;
  readonly format: string | null;
  readonly status: FileStatus;
  /** Rollouts of this file in the library, including those of earlier calls. `issues` also includes them. */
  readonly rollouts: number;
  readonly issues: readonly IngestIssue[];
  /** Records that joined a rollout of another file, and records that wait for a rollout. */
  readonly joined?: number;
  readonly waiting?: number;
  /** Whether the lines of issues are lines that an adapter wrote. */
  readonly isAdapted?: true;
  /** Whether a later call has to continue reading, for example because another process is reading the file. */
  readonly isUnread?: true;
  /** Absent when the file could not be opened. */
  readonly fileId?: number;
}

export interface IngestOutcome {
  readonly files: readonly FileReport[];
  readonly groups: number;
  /** Rollouts read by this call. */
  readonly added: number;
  readonly bytes: number;
  /** The runs of these files, in file order. */
  readonly runKeys: readonly string[];
  readonly isCancelled: boolean;
}

interface IngestStatus {
  readonly currentPath?: string;
  readonly files: number;
  readonly filesDone: number;
  readonly bytes: number;
  /** The part of `bytes` that is read. For a continued file, both include what earlier calls have read. */
  readonly bytesDone: number;
  readonly rollouts: number;
  readonly issues: number;
  /** The part of `issues` about records that are in the library. Absent: none. */
  readonly caveats?: number;
  /** Files whose content was read under another path. Absent: none. */
  readonly duplicates?: number;
  /** The run of the first rollout read. */
  readonly runKey?: string;
  /** Runs of the files that were read, now or before. Absent: none. */
  readonly runs?: number;
  /** One file, or files that are steps of one run by their paths. */
  readonly isOneRun?: true;
}

export interface IngestOptions {
  readonly onStatus?: (status: IngestStatus) => void;
  /** Called after each commit with the runs whose rows changed. */
  readonly onChange?: (runIds: readonly number[]) => void;
  /** Called with rollouts that got annotations. */
  readonly onPlaced?: (rolloutIds: readonly number[]) => void;
  readonly isCancelled?: () => boolean;
  /** The user's mappings, for files that no format recognizes. */
  readonly mappings?: Mappings;
  /** Every file is read with it. It comes from the command line only. */
  readonly adapter?: Adapter | undefined;
  /** Reads known files from their start, even if they have not changed. */
  readonly readAgain?: boolean | undefined;
  /** Called with the real path of each file to read, and of other files that the library names. Default: all. */
  readonly mayRead?: (path: string) => boolean;
  /**
   * Whether the file is followed, so more lines may come. A half-written last line is then no issue. A later call that
   * does not follow the file reports it. Default: no file is followed.
   */
  readonly isFollowed?: (path: string) => boolean;
}

export async function ingest(
  paths: readonly string[],
  writer: LibraryWriter,
  parser: Parser,
  options: IngestOptions = {},
): Promise<IngestOutcome> {
  const { mayRead = () => true } = options;
  const call = new IngestCall(discover(paths, writer.path, mayRead), writer, parser, options);
  return call.run();
}

class IngestCall {
  private readonly found: readonly Discovered[];
  private readonly named: ReadonlySet<string>;
  private readonly writer: LibraryWriter;
  private readonly parser: Parser;
  private readonly options: IngestOptions;
  private readonly status: { -readonly [K in keyof IngestStatus]: IngestStatus[K] };
  /** Files to read again, because a file whose rollouts they had joined was forgotten. */
  private readonly dependents = new Set<string>();
  /** Runs that had rollouts of forgotten files. */
  private readonly forgottenOf = new Set<number>();
  /** Files that ended their parser once. They are read alone then. */
  private readonly endedParser = new Set<string>();
  /** Files that were rewritten while this call read them, and are read from their beginning. */
  private readonly rewritten = new Set<string>();
  private readonly mayRead: (path: string) => boolean;
  private readonly runKeys = new Set<string>();
  private hasGrown = false;
  private isCancelled = false;
  /** The first thing that is not saved if the next statement fails. */
  private unsaved = 'the list of files to read';
  /** Bytes that earlier calls have read of the files that this call continues. */
  private bytesBefore = 0;
  /** The files after the current one, which are prepared ahead. */
  private next: readonly string[] = [];
  private readonly ahead: ReadAhead;

  constructor(found: readonly Discovered[], writer: LibraryWriter, parser: Parser, options: IngestOptions) {
    this.found = found;
    this.named = new Set(found.map(({ path }) => path));
    this.writer = writer;
    this.parser = parser;
    this.options = options;
    this.mayRead = options.mayRead ?? (() => true);
    const { mappings, adapter } = options;
    this.ahead = new ReadAhead({ parser, writer, mappings, adapter, mayRead: this.mayRead });
    this.status = { files: found.length, filesDone: 0, bytes: 0, bytesDone: 0, rollouts: 0, issues: 0 };
    if (areOneRun(found.map(({ path }) => path))) this.status.isOneRun = true;
  }

  async run(): Promise<IngestOutcome> {
    try {
      return await this.readAll();
    } catch (error) {
      noteSaved(error, this.savedText());
      throw error;
    }
  }

  private savedText(): string {
    const { rollouts, files, filesDone } = this.status;
    const count = (n: number, noun: string): string =>
      `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
    const after = files - filesDone - 1;
    const more = after > 0 ? `, and the ${count(after, 'file')} after it` : '';
    return `Saved: ${count(rollouts, 'rollout')} that this call has read. Not saved: ${this.unsaved}${more}`;
  }

  private async readAll(): Promise<IngestOutcome> {
    if (this.options.readAgain === true)
      for (const { kind, path } of this.found) if (kind === 'file') this.markForReading(path);
    const unread = this.found.flatMap(({ kind, path }) => (kind === 'file' ? this.toRead(path) : []));
    this.writer.addUnread(unread);
    const files: FileReport[] = [];
    const readOne = async (file: Discovered, next: readonly Discovered[] = []): Promise<void> => {
      const unreadable = next.findIndex(({ kind }) => kind !== 'file');
      this.next = next.slice(0, unreadable < 0 ? next.length : unreadable).map(({ path }) => path);
      files.push(file.kind === 'unreadable' ? this.unreadable(file) : await this.readPath(file.path));
      if (!this.isCancelled) this.dropUnread(file.path, files.at(-1));
      this.status.filesDone++;
      this.report();
    };
    try {
      for (const [i, file] of this.found.entries()) {
        if (this.shouldStop()) break;
        await readOne(file, this.found.slice(i + 1, i + 1 + MOST_FILES));
      }
      for (const path of this.dependents) {
        if (this.shouldStop()) break;
        if (files.some((file) => file.path === path && file.status === 'read')) continue;
        await readOne({ kind: 'file', path });
      }
    } finally {
      await this.ahead.drop();
    }
    this.unsaved =
      'which annotations, pool joins, tokenizers and metrics belong to the new rollouts; turnwise ingest --again finds them';
    // A file that is read as another run, for example with another mapping, may leave its former run empty.
    if (this.forgottenOf.size > 0 && this.status.rollouts > 0) {
      this.writer.dropEmptyRuns([...this.forgottenOf]);
      this.options.onChange?.([...this.forgottenOf]);
    }
    const fileIds = files.flatMap((file) => (file.fileId === undefined ? [] : [file.fileId]));
    const groups = this.writer.countGroups(fileIds);
    const runKeys = this.writer.runKeysOf(fileIds);
    const placed = this.writer.annotations.place();
    if (placed.length > 0) this.options.onPlaced?.(placed);
    const bytes = this.status.bytesDone - this.bytesBefore;
    if (bytes > 0) {
      const changed = [...this.writer.rules.apply(runKeys), ...this.placeTokens(files)];
      if (changed.length > 0) this.options.onChange?.(changed);
      this.writer.checkpoint();
    }
    // Reported at the end, because a later file may have brought the missing rollout or run.
    const reports = files.map((file) =>
      file.fileId === undefined
        ? file
        : { ...file, issues: this.writer.issuesOf(file.path), ...this.writer.joinsOf(file.fileId) },
    );
    return {
      files: reports,
      groups,
      added: this.status.rollouts,
      bytes,
      runKeys,
      isCancelled: this.isCancelled,
    };
  }

  /**
   * Token ids find their text with the `tokenizer.json` that the recorder writes beside its log.
   * @returns the runs that changed
   */
  private placeTokens(files: readonly FileReport[]): readonly number[] {
    const changed: number[] = [];
    // Files of one directory follow each other, and a tokenizer takes half a second to read.
    let last: { readonly path: string; readonly file: TokenizerFile } | undefined;
    const tokenizerAt = (path: string, realPath: string): TokenizerFile => {
      if (last?.path !== path) last = { path, file: readTokenizerFile(path, realPath) };
      return last.file;
    };
    for (const { path, fileId, format } of files) {
      if (fileId === undefined) continue;
      const beside = join(dirname(path), TOKENIZER_FILE);
      const found = realOf(beside);
      const readable = found !== undefined && this.mayRead(found) ? found : undefined;
      if (readable === undefined && format !== 'turnwise') continue;
      this.writer.dropIssuesWithCode(fileId, UNPLACED_TOKENS);
      const runs = this.writer.rules.unalignedRuns(fileId);
      const file = readable === undefined || runs.length === 0 ? undefined : tokenizerAt(beside, readable);
      for (const [i, { runKey, rollouts }] of runs.entries()) {
        if (file?.ok === true && i < MOST_TOKENIZED) {
          this.writer.rules.setTokenizer(runKey, file.name, file.tokenizer);
          const runId = this.writer.runIdOf(runKey);
          if (runId !== undefined) changed.push(runId);
          continue;
        }
        const why =
          file === undefined
            ? found === undefined
              ? `there is no ${TOKENIZER_FILE} beside the log`
              : `only the log was opened, not ${TOKENIZER_FILE} beside it`
            : file.ok
              ? `the log has ${runs.length} runs, and ${TOKENIZER_FILE} is taken for ${MOST_TOKENIZED}`
              : file.message;
        const message = `${rollouts.toLocaleString('en')} rollout${rollouts === 1 ? ' has' : 's have'} token ids without text, so their signals cannot be aligned: ${why}. Assign a tokenizer under Sources, or with turnwise tokenizer`;
        this.addIssue(fileId, { severity: 'warning', code: UNPLACED_TOKENS, message });
      }
    }
    return changed;
  }

  private shouldStop(): boolean {
    if (this.options.isCancelled?.() === true) this.isCancelled = true;
    return this.isCancelled;
  }

  /** A file that is read again because another was replaced keeps its adapter. All others use the call's adapter. */
  private adapterOf(path: string): Adapter | undefined {
    const isDependent = !this.named.has(path) && this.writer.knownFile(path)?.adapter === undefined;
    return isDependent ? undefined : this.options.adapter;
  }

  private dropUnread(path: string, report: FileReport | undefined): void {
    if (report?.isUnread === true) return;
    // Without its adapter, a file that waits for it is not a log.
    const isRead = report?.status !== 'refused' || this.options.adapter !== undefined;
    this.writer.dropUnread(path, isRead);
  }

  /** Stored in the library, so that a call that continues an interrupted one also reads the file again. */
  private markForReading(path: string): void {
    try {
      const known = this.writer.knownFile(path) ?? this.writer.movedFile(identityOf(path), this.mayRead);
      if (known !== undefined) this.writer.readAgain(known.fileId);
    } catch {
      // The error is reported when the file is read.
    }
  }

  /** Adds an estimate to the progress bar. How much is read is decided later, for each file. */
  private toRead(path: string): readonly UnreadPath[] {
    try {
      const { bytes } = identityOf(path, 0);
      const known = this.writer.knownFile(path);
      const { adapter } = this.options;
      const hasAdapter = adapter !== undefined || known?.adapter !== undefined;
      if (adapter !== undefined && known?.adapter !== adapter.hash) {
        this.status.bytes += bytes;
        return [{ path, bytes, hasAdapter }];
      }
      const isPartial = known?.status === 'partial';
      // The position in an adapter's output is not a position in the file, so count the whole file.
      if (hasAdapter && (isPartial || bytes !== known?.bytes)) {
        this.status.bytes += bytes;
        return [{ path, bytes, hasAdapter }];
      }
      const isWhole = this.options.readAgain === true || known?.format === undefined;
      if (isPartial && !isWhole) {
        // Only in a plain file the position is one of the file.
        const before = known.container === 'plain' && known.unit !== 'part' ? known.offset : 0;
        this.bytesBefore += before;
        this.status.bytesDone += before;
        this.status.bytes += bytes;
        return [{ path, bytes, hasAdapter }];
      }
      const before = isWhole ? 0 : known.bytes;
      this.status.bytes += Math.max(0, bytes - before);
      return isPartial || bytes > before ? [{ path, bytes, hasAdapter }] : [];
    } catch {
      // The error is reported when the file is read.
      return [];
    }
  }

  private async readPath(path: string): Promise<FileReport> {
    const prepared = await this.ahead.take(path);
    if (prepared !== undefined) return this.read(prepared.plan, prepared);
    const plan = await planFile(path, this.writer, this.adapterOf(path), this.mayRead);
    switch (plan.kind) {
      case 'unreadable':
        return this.unreadable(plan);
      case 'unchanged':
        if (this.isEndMisreported(plan.known))
          return this.read({ kind: 'appended', known: plan.known, identity: plan.known });
        this.addRunsOf(plan.known.fileId);
        return this.reportOf(plan.known.fileId, plan.known.path, plan.known.format, 'unchanged');
      case 'duplicate':
        return this.duplicate(plan);
      default:
        return this.read(plan);
    }
  }

  /** The status names the runs that have grown, or those of known files if none has. */
  private addRunsOf(fileId: number, hasNew = false): void {
    if (!hasNew && this.hasGrown) return;
    const runKeys = this.writer.runKeysOf([fileId]);
    if (runKeys.length === 0) return;
    if (hasNew && !this.hasGrown) this.runKeys.clear();
    this.hasGrown = hasNew;
    for (const runKey of runKeys) this.runKeys.add(runKey);
    const [first] = this.runKeys;
    this.status.runKey = first;
    this.status.runs = this.runKeys.size;
  }

  private isFollowed(path: string): boolean {
    return this.options.isFollowed?.(path) === true;
  }

  /** Whether the issue of a half-written last line is missing, or is present although the file is followed. */
  private isEndMisreported(known: KnownFile): boolean {
    if (!endsInLine(known) || known.offset >= known.bytes) return false;
    const isReported = this.writer.issuesOf(known.path).some(({ code }) => code === INCOMPLETE_LINE);
    return isReported === this.isFollowed(known.path);
  }

  private async read(plan: ReadPlan, prepared?: Prepared): Promise<FileReport> {
    const { identity } = plan;
    const { path } = identity;
    const adapter = this.adapterOf(path);
    this.status.currentPath = path;
    this.unsaved = `the rest of ${path}`;
    this.report();
    let begun: number | undefined;
    try {
      const { mappings } = this.options;
      const services = { parser: this.parser, mappings, adapter };
      const identified = prepared?.identified ?? (await identifyFor(path, identity.bytes, services));
      if (identified.kind !== 'log') {
        if (plan.kind === 'replaced') this.forget(plan.known.fileId);
        return this.refuse(plan, identified);
      }
      const { format, firstRecordHash: runHash } = identified;
      const isContinued = plan.kind === 'appended' && isSameReading(plan.known, identified);
      const forgotten = plan.kind !== 'new' && !isContinued && plan.known.offset > 0 ? plan.known : undefined;
      const begin = (): number => {
        if (begun !== undefined) return begun;
        if (plan.kind === 'replaced') this.forget(plan.known.fileId);
        else if (forgotten !== undefined) this.forget(forgotten.fileId);
        begun = this.fileRow(plan, identified, 'partial');
        if (plan.kind !== 'new') this.writer.dropIssuesWithCode(begun, ...CODES_OF_END);
        return begun;
      };
      // Keep the old data until the adapter writes something: it may fail at once, for example because of a typo.
      if (adapter === undefined || forgotten === undefined) begin();
      const from = isContinued ? plan.known : { offset: 0, lines: 0, tailHash: undefined };
      const { offset, lines, tailHash } = from;
      const request = requestOf(path, identified, identity.bytes, services, { offset, lines, tailHash });
      const parse = prepared?.parse ?? new PendingParse(this.parser, request);
      this.ahead.fill(identity, this.next);
      const file = () => ({ fileId: begin(), path, format, runHash });
      const outcome = await this.write(file, request, parse);
      if (outcome.isChanged === true) return await this.readRewritten(path);
      if (outcome.isCancelled && begun === undefined && forgotten !== undefined) {
        this.isCancelled = true;
        return this.reportOf(forgotten.fileId, path, forgotten.format, 'unchanged');
      }
      if (adapter !== undefined && outcome.damage !== undefined)
        return this.adapterFailed(
          plan,
          identified,
          outcome.damage,
          begun === undefined ? forgotten : undefined,
        );
      const fileId = begin();
      if (outcome.isCancelled) this.isCancelled = true;
      else {
        this.unsaved = `only that ${path} was read to its end`;
        this.reportEnd(fileId, request, outcome);
        this.writer.updateFile(
          fileId,
          identity,
          identified,
          outcome.isCutShort === true ? 'partial' : 'read',
        );
      }
      const report = this.reportOf(fileId, path, format, isContinued ? 'appended' : 'read');
      return outcome.isCutShort === true ? { ...report, isUnread: true } : report;
    } catch (error) {
      await prepared?.parse?.drop();
      // A cancelled parser that did not answer was killed.
      if (parserEnded(error) && this.shouldStop()) return this.interrupted(path);
      if (parserEnded(error) && !this.endedParser.has(path)) return this.readAlone(path);
      if (error instanceof ConcurrentIngestError) return this.reportBusy(path, error.message);
      if (!isSystemError(error)) throw error;
      // The content that was read before is gone, even if the new one cannot be read.
      if (parserEnded(error) && plan.kind === 'replaced' && begun === undefined)
        this.forget(plan.known.fileId);
      return this.unreadable({ path, ...reasonOf(error) });
    }
  }

  /** Reads a file from its beginning that was rewritten while it was read. If that happens again, the next call does. */
  private async readRewritten(path: string): Promise<FileReport> {
    const known = this.writer.knownFile(path);
    if (known === undefined) return this.readPath(path);
    if (!this.rewritten.has(path)) {
      this.rewritten.add(path);
      return this.read({ kind: 'replaced', known, identity: identityOf(path) });
    }
    const message = 'the file is rewritten again and again; the next call reads it from its beginning';
    this.addIssue(known.fileId, { severity: 'warning', code: REWRITTEN, message });
    return { ...this.reportOf(known.fileId, path, known.format, 'read'), isUnread: true };
  }

  /** Reports a file that was cancelled. The next call continues it. */
  private interrupted(path: string): FileReport {
    const known = this.writer.knownFile(path);
    return known === undefined
      ? { path, format: null, status: 'unchanged', rollouts: 0, issues: [], isUnread: true }
      : this.reportOf(known.fileId, path, known.format, 'unchanged');
  }

  /** Reads the file again on its own, because reading ahead in the next file may have blocked the parser. */
  private async readAlone(path: string): Promise<FileReport> {
    this.endedParser.add(path);
    this.next = [];
    return this.readPath(path);
  }

  /** Refuses the file if the adapter wrote nothing. Otherwise it is continued when the adapter is named again. */
  private adapterFailed(
    { identity }: ReadPlan,
    identified: Log,
    damage: string,
    kept: KnownFile | undefined,
  ): FileReport {
    const { path } = identity;
    const known = kept ?? this.writer.knownFile(path);
    const fileId = known?.fileId ?? this.writer.addFile(identity, identified, 'partial');
    const isRead = known !== undefined && known.lines > 0;
    if (!isRead) this.writer.updateFile(fileId, identity, undefined, 'refused');
    const rest =
      kept !== undefined
        ? '. What was read of this file before is kept'
        : isRead
          ? '. Its output up to there was read, and the next call continues'
          : '';
    this.writer.dropIssuesWithCode(fileId, ...(kept === undefined ? CODES_OF_END : [ADAPTER_FAILED]));
    const message = `the adapter failed: ${damage}${rest}`;
    this.addIssue(fileId, { severity: 'refused', code: ADAPTER_FAILED, message });
    this.reportMasked(fileId);
    this.reportUnlisted(fileId);
    const report = this.reportOf(
      fileId,
      path,
      isRead ? (known.format ?? identified.format) : undefined,
      kept !== undefined ? 'unchanged' : isRead ? 'read' : 'refused',
    );
    return isRead ? { ...report, isUnread: true } : report;
  }

  private forget(fileId: number): void {
    const { runIds, paths } = this.writer.forgetFile(fileId);
    for (const runId of runIds) this.forgottenOf.add(runId);
    for (const path of paths) if (this.named.has(path) || this.mayRead(path)) this.dependents.add(path);
    this.options.onChange?.(runIds);
  }

  private async write(
    file: () => { fileId: number; path: string; format: string; runHash: string },
    request: ParseRequest,
    parse: PendingParse,
  ): Promise<ParseOutcome> {
    // If the job was cancelled during identification, there was no parse to cancel.
    if (this.shouldStop()) {
      await parse.drop();
      return { isCancelled: true };
    }
    const { bytesDone: base, rollouts: added, issues, caveats } = this.status;
    const isBytes = request.container === 'plain' && request.unit !== 'part';
    const toRead = isBytes ? request.bytes - request.offset : request.bytes;
    let writingMs = 0;
    let tooLong: string | undefined;
    const read = await parse.take((batch) => {
      if (tooLong !== undefined) return;
      const startedAt = threadMs();
      const written = file();
      const { runIds, rollouts } = this.writer.writeBatch(written, batch);
      if (rollouts > 0) this.addRunsOf(written.fileId, true);
      // Offsets in compressed files and tables are not byte positions in the file.
      if (isBytes) this.status.bytesDone = base + batch.offset - request.offset;
      this.status.rollouts += rollouts;
      for (const { severity } of batch.issues) this.countIssue(severity);
      this.options.onChange?.(runIds);
      this.report();
      writingMs += threadMs() - startedAt;
      if (request.adapter === undefined)
        tooLong = tooMuchComputing(writingMs, request.bytes + (batch.otherBytes ?? 0), request.unit);
      if (tooLong !== undefined) parse.stop();
    });
    const outcome =
      tooLong === undefined
        ? read
        : {
            isCancelled: this.shouldStop(),
            damage: tooLong,
            ...(canContinue(request.unit) ? { isCutShort: true as const } : {}),
          };
    // A file that was rewritten is forgotten, and read from its beginning.
    if (outcome.isChanged === true)
      Object.assign(this.status, { bytesDone: base, rollouts: added, issues, caveats });
    else if (!outcome.isCancelled) this.status.bytesDone = base + toRead;
    return outcome;
  }

  private reportEnd(fileId: number, request: ParseRequest, outcome: ParseOutcome): void {
    // A line that is too long already will never be readable.
    const isAwaited =
      outcome.tooLong === undefined &&
      (endsInLine(request) || request.container === 'arrow') &&
      this.isFollowed(request.path);
    if (outcome.incompleteLine !== undefined && !isAwaited) {
      this.addIssue(fileId, {
        severity: 'refused',
        code: INCOMPLETE_LINE,
        line: outcome.incompleteLine,
        message:
          outcome.tooLong === undefined
            ? `the last ${request.unit} is incomplete; once it is complete, opening or following the file again reads it`
            : `the last ${request.unit} does not end and has ${outcome.tooLong} bytes; the limit is ${LONGEST_RECORD}`,
      });
    }
    if (outcome.damage !== undefined) {
      const isCutShort = outcome.isCutShort === true;
      const message = `${outcome.damage}; everything before that was read${isCutShort ? ', and the next call continues there' : ''}`;
      this.addIssue(fileId, { severity: 'refused', code: isCutShort ? PARSER_ENDED : 'damaged', message });
    }
    const isEmpty = outcome.incompleteLine === undefined && this.writer.knownFile(request.path)?.lines === 0;
    if (request.adapter !== undefined && isEmpty) {
      const message = 'the adapter wrote no record for this file';
      this.addIssue(fileId, { severity: 'warning', code: 'no_records', message });
    }
    this.reportMasked(fileId);
    this.reportUnlisted(fileId);
  }

  private reportUnlisted(fileId: number): void {
    const unlisted = this.writer.unlistedIssuesOf(fileId);
    if (unlisted === 0) return;
    this.writer.dropIssuesWithCode(fileId, 'more_issues');
    const message = `${unlisted.toLocaleString('en')} more issues of this file are not listed`;
    this.addIssue(fileId, { severity: 'refused', code: 'more_issues', message });
  }

  private reportMasked(fileId: number): void {
    const masked = this.writer.maskedOf(fileId);
    if (masked === 0) return;
    this.writer.dropIssuesWithCode(fileId, 'masked_values');
    const what = masked === 1 ? '1 credential was' : `${masked} credentials were`;
    this.addIssue(fileId, {
      severity: 'warning',
      code: 'masked_values',
      message: `${what} masked in configurations and extra fields; texts of rollouts are not changed`,
    });
  }

  private addIssue(fileId: number, issue: Parameters<LibraryWriter['addIssue']>[1]): void {
    this.countIssue(issue.severity);
    this.writer.addIssue(fileId, issue);
  }

  private countIssue(severity: IngestIssue['severity']): void {
    this.status.issues++;
    if (severity === 'warning') this.status.caveats = (this.status.caveats ?? 0) + 1;
  }

  private refuse(plan: ReadPlan, found: Exclude<Identified, { kind: 'log' }>): FileReport {
    const { identity } = plan;
    this.status.bytesDone += identity.bytes;
    const isEmpty = found.kind === 'empty';
    const isAwaited = (isEmpty || found.isHalfLine === true) && this.isFollowed(identity.path);
    const status = isEmpty || isAwaited ? 'read' : 'refused';
    const fileId = this.fileRow(plan, undefined, status);
    this.writer.dropIssues(fileId);
    if (isAwaited) return this.reportOf(fileId, identity.path, undefined, status);
    this.addIssue(
      fileId,
      isEmpty ? { severity: 'warning', code: 'empty_file', message: 'the file is empty' } : found.issue,
    );
    return this.reportOf(fileId, identity.path, undefined, status);
  }

  private fileRow(plan: ReadPlan, reading: FileReading, status: string): number {
    if (plan.kind === 'new') return this.writer.addFile(plan.identity, reading, status);
    // A file that was refused or empty may be a log now.
    if (plan.known.format !== reading?.format) this.writer.dropIssues(plan.known.fileId);
    this.writer.updateFile(plan.known.fileId, plan.identity, reading, status);
    return plan.known.fileId;
  }

  private reportOf(fileId: number, path: string, format: string | undefined, status: FileStatus): FileReport {
    const rollouts = this.writer.countRollouts(fileId);
    const isAdapted = this.writer.knownFile(path)?.container === 'adapter';
    const report = { path, fileId, format: format ?? null, status, rollouts, issues: [] };
    return isAdapted ? { ...report, isAdapted } : report;
  }

  /** Reports a duplicate. It has a file row without a format, so that it is read if the other copy disappears. */
  private duplicate({ known, identity }: Extract<Plan, { kind: 'duplicate' }>): FileReport {
    this.status.bytesDone += identity.bytes;
    this.status.duplicates = (this.status.duplicates ?? 0) + 1;
    this.addRunsOf(known.fileId);
    const { path } = identity;
    const message = duplicateText(known.path, this.writer.runNamesOf(known.fileId));
    const fileId = this.writer.knownFile(path)?.fileId ?? this.writer.addFile(identity, undefined, 'refused');
    this.writer.updateFile(fileId, identity, undefined, 'refused');
    this.writer.dropIssues(fileId);
    const issue: IngestIssue = { severity: 'warning', code: DUPLICATE_FILE, message };
    this.writer.addIssue(fileId, issue);
    return { path, format: known.format ?? null, status: 'duplicate', rollouts: 0, issues: [issue] };
  }

  /** Reports a file that another process is reading. Its rollouts are or will be in the library. */
  private reportBusy(path: string, message: string): FileReport {
    const known = this.writer.knownFile(path);
    const rollouts = known === undefined ? 0 : this.writer.countRollouts(known.fileId);
    const issues: IngestIssue[] = [{ severity: 'warning', code: 'busy', message }];
    return { path, format: known?.format ?? null, status: 'unchanged', rollouts, issues, isUnread: true };
  }

  /** Stores an existing file that cannot be read. A path that does not exist is only reported. */
  private unreadable(found: Unreadable): FileReport {
    this.status.issues++;
    const needsAdapter = found.code === NEEDS_ADAPTER;
    const report: FileReport = {
      ...reportUnreadable(found),
      ...(needsAdapter ? { isUnread: true, status: 'unchanged' } : {}),
    };
    const known = this.writer.knownFile(found.path);
    const hasRollouts = known?.format !== undefined;
    if (hasRollouts && known.lines > 0 && found.code === PARSER_ENDED) return this.endedWithin(known, found);
    if (hasRollouts && needsAdapter)
      this.writer.addUnread([{ path: found.path, bytes: known.bytes, hasAdapter: true }]);
    if (hasRollouts && (needsAdapter || found.code === PARSER_ENDED)) {
      this.writer.dropIssuesWithCode(known.fileId, found.code);
      for (const issue of report.issues) this.writer.addIssue(known.fileId, issue);
    }
    if (found.code === 'not_found' || found.code === 'empty_directory' || hasRollouts) return report;
    const identity = { path: found.path, bytes: 0, mtimeMs: 0, inode: '0', headHash: '', headBytes: 0 };
    const fileId = known?.fileId ?? this.writer.addFile(identity, undefined, 'refused');
    this.writer.dropIssues(fileId);
    for (const issue of report.issues) this.writer.addIssue(fileId, issue);
    return { ...report, fileId };
  }

  /** Keeps what was read of a file before its content ended the parser. */
  private endedWithin({ fileId, lines, format }: KnownFile, { path, code, message }: Unreadable): FileReport {
    const issue: IngestIssue = {
      ...{ severity: 'refused', code, line: lines + 1 },
      message: `${message}. Everything before record ${(lines + 1).toLocaleString('en')} was read; the fault is there or after it`,
    };
    this.writer.dropIssuesWithCode(fileId, code);
    this.writer.addIssue(fileId, issue);
    return { ...this.reportOf(fileId, path, format, 'refused'), issues: [issue] };
  }

  private report(): void {
    this.options.onStatus?.({ ...this.status });
  }
}

function areOneRun(paths: readonly string[]): boolean {
  if (paths.length < 2) return true;
  const homes = new Set(paths.map((path) => runPlaceOf(path, undefined).home));
  return homes.size === 1 && paths.every((path) => layoutOf(path).step !== undefined);
}

/** Runs of a file that take the tokenizer beside it. Each run keeps a copy, and the recorder writes one run. */
const MOST_TOKENIZED = 16;

interface Unreadable {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

const PARSER_ENDED = 'parser_ended';
const ADAPTER_FAILED = 'adapter_failed';
const INCOMPLETE_LINE = 'incomplete_line';
const REWRITTEN = 'rewritten';
/** Issues about the end of the data read so far. The next call determines them again. */
const CODES_OF_END = [
  INCOMPLETE_LINE,
  REWRITTEN,
  'damaged',
  PARSER_ENDED,
  ADAPTER_FAILED,
  'no_records',
  NEEDS_ADAPTER,
] as const;

type ReadPlan = Exclude<Plan, { kind: 'unchanged' | 'duplicate' }>;

/** Whether the file may end in a half-written line, and its positions are byte offsets. */
function endsInLine({ container, unit }: Pick<KnownFile, 'container' | 'unit'>): boolean {
  return container === 'plain' && (unit === 'line' || unit === 'text');
}

/** Whether the file can be continued in the same format, container and unit. */
function isSameReading(known: KnownFile, found: Log): boolean {
  return known.format === found.format && known.container === found.container && known.unit === found.unit;
}

function duplicateText(path: string, runs: readonly string[]): string {
  const text = (of: string) => `same content as ${path}${of}, so it was not read again`;
  if (runs.length === 0) return text('');
  const [noun, it] = runs.length === 1 ? ['run', 'that run'] : ['runs', 'those runs'];
  return `${text(` of ${noun} ${runs.join(', ')}`)}; to read it from here, remove ${it} and open this file again`;
}

function reportUnreadable(found: Unreadable): FileReport {
  const issue: IngestIssue = { severity: 'refused', code: found.code, message: found.message };
  return { path: found.path, format: null, status: 'refused', rollouts: 0, issues: [issue] };
}

function parserEnded(error: unknown): boolean {
  return isSystemError(error) && (error as { code?: unknown }).code === 'PARSER_ENDED';
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
