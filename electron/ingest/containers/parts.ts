/**
 * Collects the parts of rollouts that a log spreads over its file: spans of traces, chunks of streamed answers
 * (`LogFormat.parts`). A record is `{"#parts": […]}` with all parts of a key, in the order of the first parts.
 *
 * The file is read once to find the positions of all parts, then once more rollout by rollout. Parts that are not a
 * byte range of a plain file are copied to a temporary file, so memory holds positions only.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type KeyedPart, PARTS_KEY } from '../../../shared/format/format.ts';
import { partsOfRecord } from '../../../shared/format/index.ts';
import { readJson } from '../../../shared/format/lenientJson.ts';
import { LONGEST_RECORD } from './bytes.ts';
import { type Container, CorruptContainerError, type RecordSource, type SourceRecord } from './container.ts';
import { openFile } from './openFile.ts';

/** Byte ranges in the file, or in the temporary copy if the start is negative. */
type Places = number[];

interface Collected {
  /** Number of the record with the first part. */
  readonly number: number;
  /** Start, length, start, length … The start s in the copy is stored as −1 − s. */
  readonly places: Places;
  /** False for a record that is not a part. It is passed on unchanged. */
  readonly isPart: boolean;
  bytes: number;
}

/** Limit of rollouts in a file, because their positions are kept in memory. */
const MOST_ROLLOUTS = 1 << 21;
const OPENING = Buffer.from(`{"${PARTS_KEY}":[`);
const CLOSING = Buffer.from(']}');
const BRACE = 0x7b;
/** Text allowed before an object: a byte order mark, or the field name of an event. */
const PREFIX = /^\ufeff?\s*(?:data:\s*)?$/;
/** Lines of an event stream without data: fields, comments, and the end. */
const NO_DATA = /^(?:data:\s*(?:\[DONE\]\s*)?$|(?:event|id|retry)?:)/;

export class PartSource implements RecordSource {
  /** A plain file, opened before it is collected: another may take its name. */
  private readonly file: number | undefined;
  private readonly source: RecordSource;
  private readonly all: Collected[] = [];
  private readonly byKey = new Map<string, Collected>();
  private copy: { readonly directory: string; readonly file: number; bytes: number } | undefined;
  /** Thrown after the rollouts before the damage were yielded. */
  private damage: CorruptContainerError | undefined;

  constructor(path: string, container: Container, source: RecordSource) {
    this.file = container === 'plain' ? openFile(path) : undefined;
    this.source = source;
  }

  get header(): Readonly<Record<string, unknown>> | undefined {
    return this.source.header;
  }

  async *records(from: number): AsyncGenerator<Iterable<SourceRecord>> {
    // Empty lists let the caller cancel.
    for await (const _ of this.collect()) yield [];
    for (let i = from; i < this.all.length; i++) {
      const found = this.all[i];
      if (found === undefined) return;
      const nextOffset = i + 1;
      const { bytes, number } = found;
      if (bytes > LONGEST_RECORD) yield [{ tooLong: bytes, nextOffset, number }];
      else yield [{ bytes: this.read(found), offset: i, nextOffset, number }];
    }
    if (this.damage !== undefined) throw this.damage;
  }

  async close(): Promise<void> {
    await this.source.close();
    if (this.file !== undefined) closeSync(this.file);
    if (this.copy === undefined) return;
    closeSync(this.copy.file);
    rmSync(this.copy.directory, { recursive: true, force: true });
  }

  private async *collect(): AsyncGenerator<void> {
    if (this.all.length > 0) return;
    let number = 0;
    try {
      for await (const records of this.source.records(0)) {
        for (const record of records) {
          number++;
          if (this.all.length > MOST_ROLLOUTS)
            throw new CorruptContainerError(`more than ${MOST_ROLLOUTS} rollouts in parts; split the file`);
          if ('tooLong' in record) {
            this.all.push({ number, places: [], isPart: false, bytes: record.tooLong });
          } else {
            this.take(record, number);
            number += record.moreBlank ?? 0;
          }
        }
        // Reading a plain file does not wait, and a thread that handles no message counts as hung.
        await nextTurn();
        yield;
      }
    } catch (error) {
      if (!(error instanceof CorruptContainerError)) throw error;
      this.damage = error;
    }
    this.byKey.clear();
  }

  private take(
    { bytes, offset, isUnended }: Extract<SourceRecord, { bytes: Uint8Array }>,
    number: number,
  ): void {
    const brace = bytes.indexOf(BRACE);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    const opening = text.indexOf('{');
    const object = PREFIX.test(text.slice(0, opening)) ? objectIn(text.slice(opening)) : undefined;
    if (object === undefined) {
      // Skip the end of a file that is being written, and lines without data.
      if (isUnended === true || text.trim() === '' || NO_DATA.test(text)) return;
      this.all.push({ number, places: this.placeOf(bytes, offset), isPart: false, bytes: bytes.byteLength });
      return;
    }
    const parts = partsOfRecord(object);
    if (parts === undefined) {
      this.all.push({ number, places: this.placeOf(bytes, offset), isPart: false, bytes: bytes.byteLength });
      return;
    }
    for (const { key, part } of parts) {
      const isWhole = part === object;
      const json = isWhole ? bytes.subarray(brace) : Buffer.from(JSON.stringify(part));
      const places = isWhole ? this.placeOf(json, offset + brace) : this.copied(json);
      const known = this.byKey.get(key);
      if (known === undefined) {
        const collected = { number, places: [...places], isPart: true, bytes: json.byteLength };
        this.byKey.set(key, collected);
        this.all.push(collected);
      } else {
        known.places.push(...places);
        known.bytes += json.byteLength;
      }
    }
  }

  private placeOf(bytes: Uint8Array, offset: number): Places {
    return this.file !== undefined ? [offset, bytes.byteLength] : this.copied(bytes);
  }

  private copied(bytes: Uint8Array): Places {
    if (this.copy === undefined) {
      const directory = mkdtempSync(join(tmpdir(), 'turnwise-parts-'));
      this.copy = { directory, file: openSync(join(directory, 'parts'), 'wx+', 0o600), bytes: 0 };
    }
    const start = this.copy.bytes;
    for (let at = 0; at < bytes.byteLength; ) at += writeSync(this.copy.file, bytes, at);
    this.copy.bytes += bytes.byteLength;
    return [-1 - start, bytes.byteLength];
  }

  private read({ places, isPart }: Collected): Buffer {
    const pieces: Buffer[] = [];
    for (let i = 0; i < places.length; i += 2) {
      if (i > 0) pieces.push(Buffer.from(','));
      pieces.push(this.stretch(places[i] ?? 0, places[i + 1] ?? 0));
    }
    return isPart ? Buffer.concat([OPENING, ...pieces, CLOSING]) : Buffer.concat(pieces);
  }

  private stretch(start: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    const [file, position] = start < 0 ? [this.copy?.file, -1 - start] : [this.file, start];
    return bytes.subarray(0, file === undefined ? 0 : readSync(file, bytes, 0, length, position));
  }
}

function objectIn(text: string): KeyedPart['part'] | undefined {
  try {
    const reading = readJson(text);
    const value = reading.ok ? reading.value : undefined;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    // Deep nesting exhausts the stack. The reader reports it.
    return undefined;
  }
}
