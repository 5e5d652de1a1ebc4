/**
 * Identifies a file by its first bytes: a log of a known format, or another kind of file that the message
 * names. File names do not matter.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import type { JsonObject } from '../../shared/format/fields.ts';
import type { LineIssue } from '../../shared/format/format.ts';
import { detectFormat, partsOfRecord } from '../../shared/format/index.ts';
import { readJson } from '../../shared/format/lenientJson.ts';
import type { FileIdentity } from '../storage/libraryWriter.ts';
import type { Adapter } from './containers/adapter.ts';
import { ArrowSource } from './containers/arrow.ts';
import {
  type Container,
  CorruptContainerError,
  containerOf,
  type RecordUnit,
} from './containers/container.ts';
import { openFile } from './containers/openFile.ts';
import { ParquetSource } from './containers/parquet.ts';
import { SqliteSource } from './containers/sqlite.ts';
import { ZipSource } from './containers/zip.ts';
import { type Head, headOfBytes, headOfSource } from './readHead.ts';

/** Bytes that are hashed to distinguish an appended file from a replaced one. */
const HEAD_BYTES = 4096;

export interface Log {
  readonly kind: 'log';
  readonly format: string;
  readonly container: Container;
  readonly unit: RecordUnit;
  readonly firstRecordHash: string;
  readonly adapterHash?: string;
}

export type Identified =
  | Log
  | { readonly kind: 'empty' }
  | {
      readonly kind: 'refused';
      readonly issue: LineIssue & { readonly line?: number };
      /** The first records of an unknown format, from which a mapping can be made. */
      readonly head?: Head & { readonly container: Container };
      /** The file is an unfinished line, which may become a record. */
      readonly isHalfLine?: true;
    };

/** An adapter always writes the Turnwise log, whatever its input file is. */
export function adaptedLog({ hash }: Adapter): Log {
  const reading = { format: 'turnwise', container: 'adapter', unit: 'output line' } as const;
  // Rollouts of the Turnwise log name their run, so the first record need not distinguish it.
  return { kind: 'log', ...reading, firstRecordHash: '', adapterHash: hash };
}

/** Tries the user's mappings, before the built-in formats. */
export type DetectMapping = (records: readonly JsonObject[]) => string | undefined;

/** @throws the system's error when the file cannot be opened or read */
export function identityOf(path: string, headBytes: number = HEAD_BYTES): FileIdentity {
  const file = openFile(path);
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

/** Blocks of `HEAD_BYTES` that are compared of a file that has grown. */
const SAMPLES = 64;

/**
 * The end of a file when it is read, and a hash of blocks before it, the last of which ends there: `END:HASH`. It
 * detects a file that was rewritten with the same beginning, as a resumed trainer does, and records that were
 * corrected, unless they are few in a large file.
 *
 * @param file descriptor
 * @param end in bytes of the file itself, also if it is compressed
 */
export function tailOf(file: number, end: number): string {
  const last = Math.max(0, end - HEAD_BYTES);
  const hash = createHash('sha256');
  const blocks = Math.min(SAMPLES, Math.ceil(end / HEAD_BYTES));
  for (let i = 0; i < blocks; i++) {
    const start = blocks === 1 ? last : Math.round((last * i) / (blocks - 1));
    hash.update(bytesAt(file, start, Math.min(HEAD_BYTES, end - start)));
  }
  return `${end}:${hash.digest('hex').slice(0, 32)}`;
}

/** The end of a list's elements, since a list grows before its closing bracket. */
export function endOfElements(file: number, bytes: number): number {
  const start = Math.max(0, bytes - 64);
  const text = bytesAt(file, start, bytes - start).toString('latin1');
  return start + text.replace(/\s*\]?\s*$/, '').length;
}

/** Whether the file still has the bytes of `tail`. */
export function hasTail(file: number, tail: string): boolean {
  const end = Number(/^(\d+):/.exec(tail)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(end) && tailOf(file, end) === tail;
}

function bytesAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

/** @throws the system's error when the file cannot be read */
export async function identify(
  path: string,
  name: string,
  detectMapping?: DetectMapping,
): Promise<Identified> {
  const first = firstBytes(path);
  if (first.byteLength === 0) return { kind: 'empty' };
  const container = containerOf(first);
  const foreign = container === 'plain' ? foreignContent(first) : undefined;
  if (foreign !== undefined) return refused(foreign);
  try {
    return fromHead(await headOf(path, container), container, name, detectMapping);
  } catch (error) {
    if (error instanceof NoLogError) return refused(error);
    if (error instanceof CorruptContainerError) return refused({ code: 'damaged', message: error.message });
    if (!(error instanceof Error) || 'syscall' in error) throw error;
    // The failure of one file, such as an exhausted stack, must not stop the others.
    return refused({ code: 'unreadable', message: `the first records cannot be read: ${error.message}` });
  }
}

/** The container by a file's first bytes, without opening it. @throws the system's error */
export const containerAt = (path: string): Container => containerOf(firstBytes(path));

function firstBytes(path: string): Buffer {
  const file = openFile(path);
  try {
    return bytesAt(file, 0, 8192);
  } finally {
    closeSync(file);
  }
}

/** A readable container without a log in it. */
class NoLogError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

async function headOf(path: string, container: Container): Promise<Head> {
  switch (container) {
    case 'zip': {
      const zip = await ZipSource.open(path);
      try {
        if (zip.contents === 'torch') throw new NoLogError('pickle', TORCH);
        if (zip.contents === 'other') throw new NoLogError('archive', archiveMessage(zip.names));
        return await headOfSource(zip, 'member');
      } finally {
        await zip.close();
      }
    }
    case 'parquet': {
      const parquet = await ParquetSource.open(path);
      try {
        return await headOfSource(parquet, 'row');
      } finally {
        await parquet.close();
      }
    }
    case 'arrow': {
      const arrow = ArrowSource.open(path);
      try {
        return await headOfSource(arrow, 'row');
      } finally {
        await arrow.close();
      }
    }
    case 'sqlite': {
      const database = await SqliteSource.open(path);
      try {
        if (!database.isKnown) throw new NoLogError('sqlite', sqliteMessage(database.tables));
        return await headOfSource(database, 'row');
      } finally {
        await database.close();
      }
    }
    default:
      return headOfBytes(path, container);
  }
}

const TORCH =
  'a PyTorch file (torch.save), which holds a Python pickle. Turnwise never loads pickles, because loading one runs code. ' +
  'Export it on the training machine: turnwise recorder slime prints the exporter';

/** A name in a message. A name in a file may have a megabyte. */
const shortName = (name: string): string => (name.length > 100 ? `${name.slice(0, 100)}…` : name);

function archiveMessage(names: readonly string[]): string {
  const shown = names.slice(0, 5).map(shortName).join(', ') + (names.length > 5 ? ', …' : '');
  return `a zip archive of ${names.length} members (${shown}), not an Inspect log; unpack it first`;
}

function sqliteMessage(tables: ReadonlySet<string>): string {
  const isOurs = tables.has('rollout_row') && tables.has('file_row');
  if (isOurs) return 'a Turnwise library, not a log; open it with --library';
  const names = [...tables].sort();
  const shown = names.slice(0, 6).map(shortName).join(', ') + (names.length > 6 ? ', …' : '');
  return `an SQLite database that is no store of MLflow or Trackio, nor tinker-cookbook's capture store (tables: ${shown === '' ? 'none' : shown})`;
}

function fromHead(
  head: Head,
  container: Container,
  name: string,
  detectMapping: DetectMapping | undefined,
): Identified {
  const { records, unit, firstRecordHash } = head;
  if (records.length === 0) {
    const nothing = unit === 'row' ? 'the table has no whole row' : 'every line is blank';
    const { number, message } = head.firstProblem ?? { number: 1, message: nothing };
    const issue: LineIssue & { line: number } = {
      severity: 'refused',
      code: 'no_records',
      line: number,
      message: `no records: ${message}`,
    };
    const isHalfLine = container === 'plain' && head.isOneUnendedLine === true;
    return { kind: 'refused', issue, ...(isHalfLine ? { isHalfLine } : {}) };
  }
  const mapping = detectMapping?.(records);
  if (mapping !== undefined) return { kind: 'log', format: mapping, container, unit, firstRecordHash };
  const format = detectFormat({ name, records });
  if (format !== undefined) {
    const hasParts =
      format.parts !== undefined && records.some((record) => partsOfRecord(record) !== undefined);
    return { kind: 'log', format: format.name, container, unit: hasParts ? 'part' : unit, firstRecordHash };
  }
  const keys = Object.keys(records[0] ?? {});
  const shown = keys.slice(0, 12).map(shortName).join(', ') + (keys.length > 12 ? ', …' : '');
  return {
    kind: 'refused',
    issue: {
      severity: 'refused',
      code: 'unknown_format',
      message: `no known log format has records with the fields: ${shown === '' ? '(none)' : shown}`,
    },
    head: { ...head, container },
  };
}

function refused(found: { readonly code: string; readonly message: string }): Identified {
  return { kind: 'refused', issue: { severity: 'refused', code: found.code, message: found.message } };
}

/** Files that are not text, or that replace a log, with the message for each. */
const MAGIC: readonly (readonly [string, readonly number[], string])[] = [
  [
    'pickle',
    [0x80, 0x04, 0x95],
    'a Python pickle. Turnwise never loads pickles, because loading one runs code. Export it on the training machine: ' +
      'turnwise recorder slime prints the exporter',
  ],
  ['pickle', [0x80, 0x02], 'a Python pickle. Turnwise never loads pickles, because loading one runs code'],
  ['utf16', [0xff, 0xfe], 'UTF-16 text; convert it to UTF-8'],
  ['utf16', [0xfe, 0xff], 'UTF-16 text; convert it to UTF-8'],
];

const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

/** The beginning of every file that the library `tokenizers` writes. */
const TOKENIZER = /^\s*\{\s*"version":\s*"[^"]*",\s*"truncation":[\s\S]{1,400}?"padding":/;

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
  if (TOKENIZER.test(text)) {
    return {
      code: 'tokenizer',
      message: 'a tokenizer, not a log; assign it to a run under Sources, or with turnwise tokenizer',
    };
  }
  for (const [code, magic, message] of MAGIC) {
    if (magic.every((byte, i) => first[i] === byte)) return { code, message };
  }
  const nul = first.indexOf(0);
  if (nul >= 0 && !hasRecord(first))
    return { code: 'binary', message: `not text: byte 0 at position ${nul}` };
  return undefined;
}

/** Whether a whole line is a JSON object, as in a log with a damaged line. A binary file has none. */
function hasRecord(first: Buffer): boolean {
  const lines = first.toString('utf8').split('\n').slice(0, -1);
  return lines.some((line) => {
    const reading = line.startsWith('{') ? readJson(line) : undefined;
    return reading?.ok === true;
  });
}
