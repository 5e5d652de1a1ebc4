/**
 * Parses one file from a position to its end: container → records → parsed lines → batches. Runs in the
 * parser process, ahead of the writer by a bounded number of batches.
 */
import { closeSync } from 'node:fs';
import { basename } from 'node:path';
import type { ParsedLine, ParsedRollout, RecordReader } from '../../shared/format/format.ts';
import { formatNamed } from '../../shared/format/index.ts';
import { layoutOf } from '../../shared/format/layout.ts';
import { formatOfMapping } from '../../shared/format/mapped.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import { Parts } from '../../shared/format/parts.ts';
import type { PackedBatch, PackedSignal } from '../storage/batch.ts';
import { contentHash, storedJoinKey } from '../storage/contentHash.ts';
import { canContinue, TookTooLongError } from './computingTime.ts';
import { type Adapter, AdapterOutputChangedError } from './containers/adapter.ts';
import { bytesBetween, LONGEST_RECORD } from './containers/bytes.ts';
import {
  type Container,
  CorruptContainerError,
  isAppendable,
  type RecordSource,
  type RecordUnit,
  type SourceRecord,
} from './containers/container.ts';
import { openFile } from './containers/openFile.ts';
import { endOfElements, hasTail, tailOf } from './identify.ts';
import { openRecords } from './openRecords.ts';
import { BatchBuilder, type LinePlace } from './packBatch.ts';
import { packTokens } from './packTokens.ts';
import { parseRecord, unreadable } from './parseRecord.ts';
import { readRecord } from './readRecord.ts';

export interface ParseRequest {
  readonly path: string;
  readonly format: string;
  readonly container: Container;
  readonly unit: RecordUnit;
  /** Start position, and the number of records before it. */
  readonly offset: number;
  readonly lines: number;
  /** Size when the file was identified. Data appended later waits for the next call. */
  readonly bytes: number;
  /** Set when the format is a mapping of the user. */
  readonly mapping?: Mapping;
  /** Set when the container is `adapter`. */
  readonly adapter?: Adapter;
  /** Tail of the file when it was last read, or hash of the adapter's records before the start position. */
  readonly tailHash?: string | undefined;
}

export interface ParseOutcome {
  /** Number of an unterminated last line that is not a whole record. The next call reads it. */
  readonly incompleteLine?: number;
  /** Bytes of that line if it exceeds the limit already, so that no call can read it. */
  readonly tooLong?: number;
  /**
   * The reason why the container could not be read to its end. The batches hold everything before the
   * damage.
   */
  readonly damage?: string;
  /** Reading ended because it took too long, which `damage` says. The next call continues there. */
  readonly isCutShort?: true;
  /** The part that was read has changed, so the file has to be read from its beginning. */
  readonly isChanged?: true;
  readonly isCancelled: boolean;
}

/**
 * @param signal stops an adapter that is still running
 * @param checkTime throws TookTooLongError when the file takes too long. It gets the bytes of other files that were read
 * @throws the system's error when the file cannot be read
 */
export async function parseFile(
  request: ParseRequest,
  emit: (batch: PackedBatch) => Promise<void>,
  isCancelled: () => boolean,
  signal?: AbortSignal,
  checkTime?: (otherBytes: number) => void,
): Promise<ParseOutcome> {
  const format =
    request.mapping === undefined ? formatNamed(request.format) : formatOfMapping(request.mapping);
  if (format === undefined) throw new Error(`unknown format: ${request.format}`);
  const { path, container, unit, bytes, offset, adapter } = request;
  let tail: Tail | undefined;
  let source: RecordSource | undefined;
  try {
    tail = container === 'adapter' ? undefined : new Tail(request);
    const from = { records: request.lines, hash: request.tailHash };
    const records = await openRecords(path, container, unit, { bytes, adapter, from, signal });
    source = records;
    const { header } = records;
    const context = {
      name: basename(path),
      layout: layoutOf(path),
      ...(header === undefined ? {} : { header }),
    };
    const parser = new FileParser(format.open(context), request);
    if ((unit === 'line' || unit === 'text') && (await continuesAfterUnendedLine(request))) parser.lines--;
    /** @throws RewrittenError */
    const emitBatch = async (): Promise<void> => {
      const batch = await parser.finish();
      tail?.check();
      const tailHash = tail?.hash ?? records.hashAt?.(batch.lines);
      const { otherBytes } = records;
      await emit({
        ...batch,
        ...(tailHash === undefined ? {} : { tailHash }),
        ...(otherBytes === undefined ? {} : { otherBytes }),
      });
    };
    let isIncomplete = false;
    let tooLong: number | undefined;
    let damage: string | undefined;
    let isCutShort = false;
    try {
      let turnedAt = performance.now();
      for await (const chunk of records.records(offset)) {
        if (isCancelled()) return { isCancelled: true };
        checkTime?.(records.otherBytes ?? 0);
        for (const record of chunk) {
          if ('bytes' in record && record.bytes.byteLength > LARGE_RECORD && !parser.isEmpty)
            await emitBatch();
          if (record.isUnended !== true) {
            if ('tooLong' in record) parser.tooLong(record);
            else parser.take(record);
          } else if ('tooLong' in record) {
            isIncomplete = true;
            tooLong = record.tooLong;
          } else isIncomplete = !parser.takeIfWhole(record);
          if (parser.isFull) {
            await emitBatch();
            if (isCancelled()) return { isCancelled: true };
          } else if (performance.now() - turnedAt > LONGEST_TURN_MS) {
            await new Promise((resolve) => setImmediate(resolve));
            if (isCancelled()) return { isCancelled: true };
          } else continue;
          checkTime?.(records.otherBytes ?? 0);
          turnedAt = performance.now();
        }
      }
    } catch (error) {
      if (!(error instanceof CorruptContainerError)) throw error;
      damage = error.message;
      isCutShort = error instanceof TookTooLongError && canContinue(unit);
    }
    if (isCancelled()) return { isCancelled: true };
    // The next call reads an open rollout from its first record on.
    if (!isCutShort) parser.close();
    if (!parser.isEmpty) await emitBatch();
    // A cancelled parse may have dropped its last batch, and then the file was not read to its end.
    if (isCancelled()) return { isCancelled: true };
    tail?.check();
    return {
      isCancelled: false,
      ...(isIncomplete ? { incompleteLine: parser.lines + 1 } : {}),
      ...(tooLong === undefined ? {} : { tooLong }),
      ...(damage === undefined ? {} : { damage }),
      ...(isCutShort ? { isCutShort } : {}),
    };
  } catch (error) {
    if (error instanceof AdapterOutputChangedError || error instanceof RewrittenError)
      return { isCancelled: false, isChanged: true };
    throw error;
  } finally {
    await source?.close();
    tail?.close();
  }
}

class RewrittenError extends Error {}

/**
 * Hashes blocks of a file before its records are read, because the file may be rewritten at any moment. The
 * hash is compared before each batch and stored with it, so that the next call detects a file that was rewritten.
 */
class Tail {
  readonly hash: string;
  private readonly isChecked: boolean;
  /** A file that is renamed to the path later has other bytes. */
  private readonly file: number;

  /** @throws the system's error, or RewrittenError if what earlier calls have read has changed */
  constructor({ path, container, unit, bytes, tailHash }: ParseRequest) {
    // Tables are rewritten when they grow. Text is not, also if its parts are collected first.
    this.isChecked = isAppendable(container, unit === 'part' ? 'line' : unit);
    this.file = openFile(path);
    const isList = container === 'plain' && unit === 'element';
    this.hash = tailOf(this.file, isList ? endOfElements(this.file, bytes) : bytes);
    if (!this.isChecked || tailHash === undefined || hasTail(this.file, tailHash)) return;
    this.close();
    throw new RewrittenError();
  }

  /** @throws RewrittenError */
  check(): void {
    if (this.isChecked && !hasTail(this.file, this.hash)) throw new RewrittenError();
  }

  close(): void {
    closeSync(this.file);
  }
}

/**
 * The event loop turns after this time, and after each batch. Rows of a table may be read without a turn, and many of
 * them may weigh little; the process would be taken for one that hangs.
 */
const LONGEST_TURN_MS = 200;

/** Bytes of a record that may end the process. Everything before it is stored first. */
const LARGE_RECORD = 4 << 20;

/** Whether the last line read had no line end, so that the next bytes do not begin a line. */
async function continuesAfterUnendedLine({ path, container, offset }: ParseRequest): Promise<boolean> {
  // The previous byte of a compressed file is not available. Only terminated lines of such files are read.
  if (offset === 0 || container !== 'plain') return false;
  const before = await bytesBetween(path, container, offset - 1, offset);
  return before[0] !== LINE_FEED;
}

const LINE_FEED = 0x0a;

/** A position to continue from: `lines` records end at `offset`. */
interface Position {
  readonly offset: number;
  readonly lines: number;
}

/** A rollout that the next record may continue. */
interface OpenRollout {
  readonly parts: Parts;
  readonly place: LinePlace;
  readonly partLines: number[];
  /** Hash of all records so far. */
  recordHash: string;
  readonly before: Position;
}

type ByteRecord = Extract<SourceRecord, { bytes: Uint8Array }>;

class FileParser {
  lines: number;
  private readonly reader: RecordReader;
  private readonly unit: RecordUnit;
  private readonly builder = new BatchBuilder();
  private offset: number;
  /** Start position of the batch being built. */
  private committed: number;
  private sawSomething = false;
  private open: OpenRollout | undefined;
  /** Position before the current record. */
  private before: Position;

  constructor(reader: RecordReader, request: ParseRequest) {
    this.reader = reader;
    this.unit = request.unit;
    this.offset = request.offset;
    this.committed = request.offset;
    this.lines = request.lines;
    this.before = { offset: request.offset, lines: request.lines };
  }

  get isFull(): boolean {
    return this.builder.isFull;
  }

  get isEmpty(): boolean {
    return !this.sawSomething;
  }

  /** Ends the batch before a rollout that the next record may continue. */
  finish(): Promise<PackedBatch> {
    this.sawSomething = false;
    const startOffset = this.committed;
    const offset = this.open?.before.offset ?? this.offset;
    const lines = this.open?.before.lines ?? this.lines;
    this.committed = offset;
    return this.builder.finish(startOffset, offset, lines);
  }

  /** Adds the open rollout, which no further record continues. */
  close(): void {
    const { open } = this;
    this.open = undefined;
    const rollout = open?.parts.join();
    if (open === undefined || rollout === undefined) return;
    const { place, partLines } = open;
    this.builder.addRollout(
      rollout,
      partLines.length === 0 ? place : { ...place, partLines },
      open.recordHash,
    );
    this.sawSomething = true;
  }

  tooLong({ tooLong: bytes, nextOffset, number }: Exclude<SourceRecord, ByteRecord>): void {
    this.advance(nextOffset);
    const message = `the record has ${bytes} bytes; the limit is ${LONGEST_RECORD}`;
    this.builder.addIssue({ severity: 'refused', code: 'line_too_long', message }, number ?? this.lines);
  }

  /**
   * Handles a record at the end of the file without line end or closing bracket. Only a whole record is
   * accepted.
   */
  takeIfWhole(record: ByteRecord): boolean {
    // A printed line may be cut anywhere, so it is only complete with a line end.
    if (this.unit === 'text') return false;
    const reading = readRecord(record.bytes, this.lines === 0, this.unit);
    if (reading.kind === 'issue') return false;
    this.take(record);
    return true;
  }

  take(record: ByteRecord): void {
    this.advance(record.nextOffset);
    const line = record.number ?? this.lines;
    const outcome = parseRecord(this.reader, record.bytes, line, this.unit);
    if (outcome.kind === 'blank') {
      this.lines += record.moreBlank ?? 0;
      return;
    }
    const place = { line, byteOffset: record.offset, byteLength: record.bytes.byteLength };
    for (const warning of outcome.warnings) this.builder.addIssue(warning, line);
    for (const [part, parsed] of outcome.lines.entries()) {
      try {
        this.pack(parsed, place, record.bytes, part);
      } catch (error) {
        // The writer cannot store this configuration. The rest may still be readable.
        this.builder.addIssue(unreadable(error), line);
      }
    }
  }

  private advance(nextOffset: number): void {
    this.before = { offset: this.offset, lines: this.lines };
    this.lines++;
    this.offset = nextOffset;
    this.sawSomething = true;
  }

  private addRollout(rollout: ParsedRollout, place: LinePlace, recordHash: string): void {
    if (this.open?.parts.continuesWith(rollout) === true) {
      this.open.parts.add(rollout);
      this.open.partLines.push(place.line);
      this.open.recordHash = contentHash(this.open.recordHash + recordHash);
      return;
    }
    this.close();
    if (rollout.partOf === undefined) this.builder.addRollout(rollout, place, recordHash);
    else {
      this.open = { parts: new Parts(rollout), place, partLines: [], recordHash, before: this.before };
    }
  }

  private pack(parsed: ParsedLine, place: LinePlace, bytes: Uint8Array, part: number): void {
    if ('warnings' in parsed)
      for (const warning of parsed.warnings) this.builder.addIssue(warning, place.line);
    switch (parsed.kind) {
      case 'rollout': {
        const hash = contentHash(bytes);
        // The index in the record distinguishes its rollouts.
        this.addRollout(parsed.rollout, place, part === 0 ? hash : `${hash}:${part}`);
        return;
      }
      case 'issue':
        this.close();
        this.builder.addIssue(parsed.issue, place.line);
        return;
      case 'signal': {
        const { tokens } = parsed.signal;
        const address = storedAddress(parsed.signal.address);
        this.builder.add({
          kind: 'signal',
          signal: { address, tokens: packTokens(tokens), line: place.line },
        });
        return;
      }
      case 'decision': {
        const { decision } = parsed.decision;
        const address = storedAddress(parsed.decision.address);
        this.builder.add({ kind: 'decision', decision: { address, decision }, line: place.line });
        return;
      }
      case 'run':
        this.builder.addRun(parsed.run);
        return;
      case 'stage':
        this.builder.addStage(parsed.stage);
        return;
      case 'metric':
        this.builder.add({ kind: 'metric', metric: parsed.metric });
        return;
      case 'annotation':
      case 'reading':
      case 'taxonomy':
        this.builder.add({ ...parsed, line: place.line });
        return;
      case 'skip':
        return;
    }
  }
}

type Address = PackedSignal['address'];

function storedAddress(address: Address): Address {
  return 'joinKey' in address ? { joinKey: storedJoinKey(address.joinKey) } : address;
}
