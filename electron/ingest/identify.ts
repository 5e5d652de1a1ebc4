/**
 * What a file is, from its first bytes: a log of a known format, or something that is said to
 * be what it is. Names decide nothing.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isObject, type JsonObject } from '../../shared/format/fields.ts';
import type { LineIssue } from '../../shared/format/format.ts';
import { detectFormat } from '../../shared/format/index.ts';
import { readJson } from '../../shared/format/lenientJson.ts';
import { LineSplitter } from '../../shared/format/lineSplitter.ts';
import type { FileIdentity } from '../storage/libraryWriter.ts';
import { recordHash } from './recordHash.ts';

/** Bytes whose hash tells an appended file from a replaced one. */
export const HEAD_BYTES = 4096;
/** Detection looks at this many records … */
const RECORDS = 20;
/** … and reads at most this much, unless not even one line ends within it. */
const WINDOW = 1 << 20;
/** V8 strings end at about 512 MiB; a line has to fit twice (bytes and text). */
export const LONGEST_LINE = 256 << 20;

export type Identified =
  | { readonly kind: 'log'; readonly format: string; readonly firstRecordHash: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'refused'; readonly issue: LineIssue & { readonly line?: number } };

/** @throws the system's error when the file cannot be opened or read */
export function identityOf(path: string, headBytes: number = HEAD_BYTES): FileIdentity {
  const file = openSync(path, 'r');
  try {
    const stat = fstatSync(file, { bigint: true });
    const head = bytesAt(file, 0, Math.min(headBytes, Number(stat.size)));
    return {
      path,
      bytes: Number(stat.size),
      mtimeMs: Number(stat.mtimeNs / 1000n) / 1000,
      inode: String(stat.ino),
      headHash: hashOf(head),
      headBytes: head.byteLength,
    };
  } finally {
    closeSync(file);
  }
}

/**
 * Hash of what stands right before `offset`: a file rewritten with the same beginning, as a
 * resumed trainer does, differs there.
 * @throws the system's error when the file cannot be opened or read
 */
export function tailHashOf(path: string, offset: number): string {
  const file = openSync(path, 'r');
  try {
    const start = Math.max(0, offset - HEAD_BYTES);
    return hashOf(bytesAt(file, start, offset - start));
  } finally {
    closeSync(file);
  }
}

function bytesAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

/** @throws the system's error when the file cannot be read */
export function identify(path: string, name: string): Identified {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size === 0) return { kind: 'empty' };
    const first = Buffer.alloc(Math.min(size, 8192));
    readSync(file, first, 0, first.length, 0);
    const foreign = foreignContent(first);
    if (foreign !== undefined) return { kind: 'refused', issue: { severity: 'refused', ...foreign } };
    return fromRecords(readHead(file, size), name);
  } finally {
    closeSync(file);
  }
}

interface Head {
  readonly records: readonly JsonObject[];
  readonly firstRecordHash: string;
  /** Why the first lines are no records, when none is. */
  readonly firstProblem?: { readonly line: number; readonly message: string };
}

function fromRecords(head: Head, name: string): Identified {
  if (head.records.length === 0) {
    const { line, message } = head.firstProblem ?? { line: 1, message: 'every line is blank' };
    return {
      kind: 'refused',
      issue: { severity: 'refused', code: 'no_records', line, message: `not JSON Lines: ${message}` },
    };
  }
  const format = detectFormat({ name, records: head.records });
  if (format === undefined) {
    const keys = Object.keys(head.records[0] ?? {});
    const shown = keys.slice(0, 12).join(', ') + (keys.length > 12 ? ', …' : '');
    return {
      kind: 'refused',
      issue: {
        severity: 'refused',
        code: 'unknown_format',
        message: `no known log format has records with the fields: ${shown === '' ? '(none)' : shown}`,
      },
    };
  }
  return { kind: 'log', format: format.name, firstRecordHash: head.firstRecordHash };
}

function readHead(file: number, size: number): Head {
  const splitter = new LineSplitter(0, LONGEST_LINE);
  const records: JsonObject[] = [];
  let firstRecordHash = '';
  let firstProblem: Head['firstProblem'];
  let line = 0;
  let position = 0;
  const take = (bytes: Uint8Array): void => {
    line++;
    const text = textOfLine(bytes, line === 1);
    if (text.trim() === '') return;
    const reading = readJson(text);
    if (reading.ok && isObject(reading.value)) {
      if (records.length === 0) firstRecordHash = recordHash(bytes);
      records.push(reading.value);
    } else
      firstProblem ??= { line, message: reading.ok ? 'the line is JSON, but no object' : reading.message };
  };
  // Stop early once enough is known; a first line of many megabytes is read to its end.
  while (position < size && records.length < RECORDS && (position < WINDOW || line === 0)) {
    const chunk = Buffer.alloc(Math.min(WINDOW, size - position));
    const length = readSync(file, chunk, 0, chunk.length, position);
    if (length === 0) break;
    position += length;
    for (const found of splitter.push(chunk.subarray(0, length))) {
      if ('bytes' in found) take(found.bytes);
      else {
        line++;
        firstProblem ??= { line, message: `the line has ${found.tooLong} bytes, more than ${LONGEST_LINE}` };
      }
    }
  }
  const rest = position >= size ? splitter.rest() : undefined;
  if (rest !== undefined) take(rest.bytes);
  return firstProblem === undefined
    ? { records, firstRecordHash }
    : { records, firstRecordHash, firstProblem };
}

/** Decodes one line; the byte order mark of a first line is no part of its JSON. */
export function textOfLine(bytes: Uint8Array, isFirst: boolean): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return isFirst && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

const MAGIC: readonly (readonly [string, readonly number[], string])[] = [
  ['compressed', [0x1f, 0x8b], 'gzip-compressed; decompress it first'],
  ['compressed', [0x28, 0xb5, 0x2f, 0xfd], 'zstd-compressed; decompress it first'],
  [
    'archive',
    [0x50, 0x4b, 0x03, 0x04],
    'a zip archive (a .pt file of torch.save is one too), not a text log',
  ],
  ['parquet', [0x50, 0x41, 0x52, 0x31], 'a Parquet file, not a text log'],
  ['sqlite', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20], 'an SQLite database, not a text log'],
  ['pickle', [0x80, 0x04, 0x95], 'a Python pickle; it is never loaded, because loading one runs code'],
  ['utf16', [0xff, 0xfe], 'UTF-16 text; convert it to UTF-8'],
  ['utf16', [0xfe, 0xff], 'UTF-16 text; convert it to UTF-8'],
];

const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

function foreignContent(first: Buffer): { code: string; message: string } | undefined {
  const text = first.toString('latin1');
  if (text.startsWith(LFS_POINTER)) {
    const size = /^size (\d+)$/m.exec(text)?.[1];
    const bytes = size === undefined ? '' : ` of ${Number(size).toLocaleString('en')} bytes`;
    return {
      code: 'git_lfs_pointer',
      message: `a Git LFS pointer; the log itself${bytes} was not fetched (git lfs pull)`,
    };
  }
  for (const [code, magic, message] of MAGIC) {
    if (magic.every((byte, i) => first[i] === byte)) return { code, message };
  }
  const nul = first.indexOf(0);
  if (nul >= 0) return { code: 'binary', message: `not text: byte 0 at position ${nul}` };
  return undefined;
}
