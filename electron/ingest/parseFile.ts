/**
 * Reads one file from an offset to its end: bytes → lines → records → parsed lines → batches.
 * Runs in the parser thread, ahead of the writer by a bounded number of batches.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { LineReader, ParsedLine } from '../../shared/format/format.ts';
import { formatNamed } from '../../shared/format/index.ts';
import { type ByteLine, LineSplitter } from '../../shared/format/lineSplitter.ts';
import type { PackedBatch } from '../storage/batch.ts';
import { LONGEST_LINE } from './identify.ts';
import { BatchBuilder, type LinePlace } from './packBatch.ts';
import { packTokens } from './packTokens.ts';
import { readRecord } from './readRecord.ts';
import { recordHash } from './recordHash.ts';

export interface ParseRequest {
  readonly path: string;
  readonly format: string;
  /** Where reading goes on, and how many lines stand before it. */
  readonly offset: number;
  readonly lines: number;
  /** Size when the file was identified; what is appended meanwhile waits for the next call. */
  readonly bytes: number;
}

export interface ParseOutcome {
  /** A last line without line end that is no whole record: it is left for when it is complete. */
  readonly incompleteLine?: number;
  readonly isCancelled: boolean;
}

const CHUNK = 1 << 20;

/** @throws the system's error when the file cannot be read */
export async function parseFile(
  request: ParseRequest,
  emit: (batch: PackedBatch) => Promise<void>,
  isCancelled: () => boolean,
): Promise<ParseOutcome> {
  const format = formatNamed(request.format);
  if (format === undefined) throw new Error(`no format is named ${request.format}`);
  const parser = new FileParser(format.open({ name: basename(request.path) }), request);
  const file = await open(request.path, 'r');
  try {
    const splitter = new LineSplitter(request.offset, LONGEST_LINE);
    const chunk = Buffer.allocUnsafe(CHUNK);
    if (await continuesAfterUnendedLine(file, request.offset, chunk)) parser.lines--;
    for (let position = request.offset; position < request.bytes; ) {
      if (isCancelled()) return { isCancelled: true };
      const { bytesRead } = await file.read(chunk, 0, Math.min(CHUNK, request.bytes - position), position);
      if (bytesRead === 0) break;
      position += bytesRead;
      for (const line of splitter.push(chunk.subarray(0, bytesRead))) {
        if ('bytes' in line) parser.take(line);
        else parser.tooLong(line.tooLong, line.nextOffset);
        if (parser.isFull) {
          await emit(await parser.finish());
          if (isCancelled()) return { isCancelled: true };
        }
      }
    }
    const rest = splitter.rest();
    const isIncomplete = rest !== undefined && !parser.takeIfWhole(rest);
    if (!parser.isEmpty) await emit(await parser.finish());
    return { isCancelled: false, ...(isIncomplete ? { incompleteLine: parser.lines + 1 } : {}) };
  } finally {
    await file.close();
  }
}

/** The last line read had no line end yet: the one that comes first now is not a line of its own. */
async function continuesAfterUnendedLine(file: FileHandle, offset: number, buffer: Buffer): Promise<boolean> {
  if (offset === 0) return false;
  await file.read(buffer, 0, 1, offset - 1);
  return buffer[0] !== 0x0a;
}

class FileParser {
  lines: number;
  private readonly reader: LineReader;
  private readonly builder = new BatchBuilder();
  private offset: number;
  /** Where the batch being built begins. */
  private committed: number;
  private sawSomething = false;

  constructor(reader: LineReader, request: ParseRequest) {
    this.reader = reader;
    this.offset = request.offset;
    this.committed = request.offset;
    this.lines = request.lines;
  }

  get isFull(): boolean {
    return this.builder.isFull;
  }

  get isEmpty(): boolean {
    return !this.sawSomething;
  }

  finish(): Promise<PackedBatch> {
    this.sawSomething = false;
    const startOffset = this.committed;
    this.committed = this.offset;
    return this.builder.finish(startOffset, this.offset, this.lines);
  }

  tooLong(bytes: number, nextOffset: number): void {
    this.advance(nextOffset);
    const message = `the line has ${bytes} bytes, more than the ${LONGEST_LINE} a line may have`;
    this.builder.addIssue({ severity: 'refused', code: 'line_too_long', message }, this.lines);
  }

  /** The last line of a file that does not end in a line end; only a whole record counts as one. */
  takeIfWhole(line: ByteLine): boolean {
    const reading = readRecord(line.bytes, this.lines === 0);
    if (reading.kind === 'issue') return false;
    this.take(line);
    return true;
  }

  take(line: ByteLine): void {
    const isFirst = this.lines === 0;
    this.advance(line.nextOffset);
    try {
      this.read(line, isFirst);
    } catch (error) {
      // Whatever one line does to a reader (nesting that exhausts the stack, say), the next line is read.
      const message = `the record cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      this.builder.addIssue({ severity: 'refused', code: 'unreadable_record', message }, this.lines);
    }
  }

  private read(line: ByteLine, isFirst: boolean): void {
    const reading = readRecord(line.bytes, isFirst);
    switch (reading.kind) {
      case 'blank':
        return;
      case 'issue':
        this.builder.addIssue(reading.issue, this.lines);
        return;
      case 'record': {
        const place = { line: this.lines, byteOffset: line.offset, byteLength: line.bytes.byteLength };
        for (const warning of reading.warnings) this.builder.addIssue(warning, this.lines);
        this.pack(this.reader.read(reading.record, this.lines), place, line.bytes);
      }
    }
  }

  private advance(nextOffset: number): void {
    this.lines++;
    this.offset = nextOffset;
    this.sawSomething = true;
  }

  private pack(parsed: ParsedLine, place: LinePlace, bytes: Uint8Array): void {
    if ('warnings' in parsed)
      for (const warning of parsed.warnings) this.builder.addIssue(warning, place.line);
    switch (parsed.kind) {
      case 'rollout':
        this.builder.addRollout(parsed.rollout, place, recordHash(bytes));
        return;
      case 'issue':
        this.builder.addIssue(parsed.issue, place.line);
        return;
      case 'signal': {
        const { address, tokens } = parsed.signal;
        this.builder.add({
          kind: 'signal',
          signal: { address, tokens: packTokens(tokens), line: place.line },
        });
        return;
      }
      case 'decision':
        this.builder.add({ kind: 'decision', decision: parsed.decision, line: place.line });
        return;
      case 'run':
        this.builder.add({ kind: 'run', run: parsed.run });
        return;
      case 'stage':
        this.builder.add({ kind: 'stage', stage: parsed.stage });
        return;
      case 'metric':
        this.builder.add({ kind: 'metric', metric: parsed.metric });
        return;
      case 'skip':
        return;
    }
  }
}
