/**
 * Reads the first records of a file and determines its unit: lines, elements of an array, or a sequence of
 * values. Reads no more than necessary.
 */
import { isObject, type JsonObject } from '../../shared/format/fields.ts';
import { LIST_KEY, TEXT_KEY } from '../../shared/format/format.ts';
import { partsOfRecord } from '../../shared/format/index.ts';
import { readJson } from '../../shared/format/lenientJson.ts';
import { isMetricsLine } from '../../shared/format/verlConsole.ts';
import { contentHash } from '../storage/contentHash.ts';
import { checkPending, chunksOf, LONGEST_RECORD, splitterFor } from './containers/bytes.ts';
import {
  type Container,
  CorruptContainerError,
  isAppendable,
  type RecordSource,
  type RecordUnit,
  type SourceRecord,
} from './containers/container.ts';

/** Number of records that detection uses. */
const RECORDS = 20;
/** Bytes that detection reads, unless the first record is longer. */
const WINDOW = 1 << 20;
/** Bytes read at once. Most records are shorter. */
const CHUNK = 64 << 10;

const LINE_FEED = 0x0a;
/** Field of server-sent events, the lines of a streamed answer. */
const EVENT_DATA = 'data:';

export interface Head {
  readonly unit: RecordUnit;
  readonly records: readonly JsonObject[];
  readonly firstRecordHash: string;
  /** The reason why the first record could not be parsed. */
  readonly firstProblem?: { readonly number: number; readonly message: string };
  /** The only line has no line end, so it may be half a line. */
  readonly isOneUnendedLine?: true;
}

export async function headOfSource(source: RecordSource, unit: RecordUnit): Promise<Head> {
  const head = new HeadBuilder(unit);
  for await (const records of upToDamage(source.records(0), () => head.records.length > 0)) {
    for (const record of records) {
      head.take(record);
      if (head.isEnough) return head.finish();
    }
  }
  return head.finish();
}

/** Stops at damage after the first part. The full read reports the damage. */
async function* upToDamage<T>(parts: AsyncIterable<T>, isSomething: () => boolean): AsyncGenerator<T> {
  try {
    yield* parts;
  } catch (error) {
    if (!(error instanceof CorruptContainerError && isSomething())) throw error;
  }
}

/** @throws the system's error, or CorruptContainerError when the beginning cannot be unpacked */
export async function headOfBytes(path: string, container: Container): Promise<Head> {
  const start = await openingOf(path, container);
  const guess = unitOf(start);
  const head = await readWith(guess, path, container);
  if (head.records.length === 0 && !/^[[{]/.test(start)) {
    const printed = await printedHead(path, container);
    if (printed !== undefined) return printed;
  }
  if (guess === 'line' || head.records.length > 0) {
    // A list of messages is one conversation, not a list of records.
    if (guess !== 'element' || !head.records.some(isMessage)) return head;
    return readWith(startsWithWholeLine(start) ? 'line' : 'value', path, container);
  }
  return readWith('line', path, container);
}

/** The first lines as text, or as much of the first line as the window holds. */
async function openingOf(path: string, container: Container): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  const chunks = chunksOf(path, container, 0, { chunkSize: CHUNK });
  for await (const chunk of upToDamage(chunks, () => length > 0)) {
    pieces.push(Buffer.from(chunk));
    length += chunk.byteLength;
    // The first line with content is enough.
    if (length >= WINDOW || chunk.includes(LINE_FEED)) break;
  }
  return Buffer.concat(pieces)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
}

/** The unit of the individual parts when several records form a rollout. Tables and archives have only one unit. */
export async function unitOfBytes(path: string, container: Container): Promise<RecordUnit> {
  return isAppendable(container, 'line') ? (await headOfBytes(path, container)).unit : 'row';
}

/** Guesses the unit: an array or a pretty-printed object does not end in the first line. */
function unitOf(start: string): RecordUnit {
  if (start.startsWith('[')) return 'element';
  if (!start.startsWith('{')) return 'line';
  const firstLine = firstLineOf(start);
  return /^\{\s*$|[{[,]$/.test(firstLine) && !readJson(firstLine).ok ? 'value' : 'line';
}

function startsWithWholeLine(start: string): boolean {
  return start.includes('\n') && readJson(firstLineOf(start)).ok;
}

function firstLineOf(start: string): string {
  const end = start.indexOf('\n');
  return (end < 0 ? start : start.slice(0, end)).trimEnd();
}

async function readWith(unit: RecordUnit, path: string, container: Container): Promise<Head> {
  const splitter = splitterFor(unit, 0);
  const head = new HeadBuilder(unit);
  let position = 0;
  const chunks = chunksOf(path, container, 0, { chunkSize: CHUNK });
  for await (const chunk of upToDamage(chunks, () => head.seen > 0)) {
    position += chunk.byteLength;
    for (const record of splitter.push(chunk)) {
      head.take(record);
      if (head.isEnough) return head.finish();
    }
    checkPending(splitter, container);
    // A first record beyond the window is read to its end.
    if (position >= WINDOW && head.seen > 0) return head.finish();
  }
  const rest = splitter.rest();
  if (rest !== undefined) head.takeUnended(rest);
  else if (splitter.pending > 0) head.take({ tooLong: splitter.pending, nextOffset: 0 });
  return head.finish();
}

/** Bytes. Large, because a trainer prints much before its first step. */
const PRINTED_WINDOW = 64 << 20;

/** Searches a file that is not JSON for lines that a trainer prints per step. */
async function printedHead(path: string, container: Container): Promise<Head | undefined> {
  const splitter = splitterFor('text', 0);
  const records: JsonObject[] = [];
  let firstRecordHash = '';
  let position = 0;
  for await (const chunk of upToDamage(chunksOf(path, container, 0), () => position > 0)) {
    position += chunk.byteLength;
    for (const line of splitter.push(chunk)) {
      if ('tooLong' in line) continue;
      const text = textOfRecord(line.bytes, position === chunk.byteLength);
      if (!isMetricsLine(text)) continue;
      if (records.length === 0) firstRecordHash = contentHash(line.bytes);
      records.push({ [TEXT_KEY]: text });
    }
    if (position >= PRINTED_WINDOW || records.length >= RECORDS) break;
  }
  return records.length === 0 ? undefined : { unit: 'text', records, firstRecordHash };
}

class HeadBuilder {
  seen = 0;
  private readonly unit: RecordUnit;
  readonly records: JsonObject[] = [];
  private hash = '';
  private bytes = 0;
  private problem: Head['firstProblem'];
  private isOneUnendedLine = false;

  constructor(unit: RecordUnit) {
    this.unit = unit;
  }

  get isEnough(): boolean {
    return this.records.length >= RECORDS || (this.bytes >= WINDOW && this.records.length > 0);
  }

  take(record: SourceRecord): void {
    this.seen++;
    if ('tooLong' in record) {
      this.fail(`the ${this.unit} has ${record.tooLong} bytes; the limit is ${LONGEST_RECORD}`);
      return;
    }
    this.bytes += record.bytes.byteLength;
    const text = textOfRecord(record.bytes, this.seen === 1);
    if (text.trim() === '') return;
    const isEvent = text.startsWith(EVENT_DATA);
    const reading = readSafely(isEvent ? text.slice(EVENT_DATA.length) : text);
    const value = reading.ok ? objectOf(reading.value) : undefined;
    // Event streams are only read if their records are parts of a rollout.
    if (value === undefined || (isEvent && partsOfRecord(value) === undefined)) {
      this.fail(
        reading.ok
          ? `the ${this.unit} is JSON, but neither an object nor a list of objects`
          : `not JSON: ${printable(reading.message)}`,
      );
      return;
    }
    if (this.records.length === 0) this.hash = contentHash(record.bytes);
    this.records.push(value);
  }

  takeUnended(record: SourceRecord): void {
    this.isOneUnendedLine = this.unit === 'line' && this.seen === 0;
    this.take(record);
  }

  finish(): Head {
    const { unit, records, hash: firstRecordHash, problem: firstProblem } = this;
    return {
      ...{ unit, records, firstRecordHash },
      ...(firstProblem === undefined ? {} : { firstProblem }),
      ...(this.isOneUnendedLine ? { isOneUnendedLine: true } : {}),
    };
  }

  private fail(message: string): void {
    this.problem ??= { number: this.seen, message };
  }
}

/** Deep nesting exhausts the stack; only this record fails. */
function readSafely(text: string): ReturnType<typeof readJson> {
  try {
    return readJson(text);
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** V8's message quotes the text, which may contain control characters. */
function printable(message: string): string {
  return message.replace(/[^\P{C}]+/gu, '\ufffd');
}

/** A record is an object. A list of objects or lists becomes an object with the list under `LIST_KEY`. */
export function objectOf(value: unknown): JsonObject | undefined {
  if (isObject(value)) return value;
  return Array.isArray(value) && value.some((inner) => typeof inner === 'object' && inner !== null)
    ? { [LIST_KEY]: value }
    : undefined;
}

function isMessage(record: JsonObject): boolean {
  return (
    (typeof record['role'] === 'string' && ('content' in record || 'tool_calls' in record)) ||
    (typeof record['from'] === 'string' && 'value' in record)
  );
}

/** Decodes one record, and drops the byte order mark of the first. */
export function textOfRecord(bytes: Uint8Array, isFirst: boolean): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return isFirst && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
