/**
 * The raw record of a rollout, read from its source by byte range. Only below directories the
 * user has opened, and only while the file still holds that record: otherwise it is said that
 * the source is gone, never something else shown in its place.
 */
import { closeSync, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import type { RecordChunk } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import type { RecordSource } from '../storage/queries/places.ts';
import { reasonOf } from './discover.ts';
import { textOfLine } from './identify.ts';
import { recordHash } from './recordHash.ts';

/** Longer records are recognised by their edges instead of their hash: they are paged, not read whole. */
const LONGEST_HASHED = 1 << 20;

export function readRecordChunk(
  source: RecordSource,
  offset: number,
  limit: number,
  grantedRoots: readonly string[],
): Result<RecordChunk> {
  let path: string;
  try {
    path = realpathSync(source.path);
  } catch (error) {
    return gone(`${source.path}: ${reasonOf(error).message}`);
  }
  if (
    !grantedRoots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep))
  ) {
    const message = `${source.path} is outside the directories that have been opened`;
    return { ok: false, failure: { code: 'not_granted', message } };
  }
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).size < source.byteOffset + source.byteLength || !holdsRecord(file, source)) {
      return gone(
        `${source.path} has changed since it was read; line ${source.line} is no longer this record`,
      );
    }
    const start = Math.min(offset, source.byteLength);
    const bytes = read(file, source.byteOffset + start, Math.min(limit, source.byteLength - start));
    const whole = start + bytes.byteLength < source.byteLength ? wholeCharacters(bytes) : bytes;
    const next = start + whole.byteLength;
    return {
      ok: true,
      value: {
        path: source.path,
        line: source.line,
        byteLength: source.byteLength,
        offset: start,
        text: textOfLine(whole, source.line === 1 && start === 0),
        ...(next < source.byteLength ? { nextOffset: next } : {}),
      },
    };
  } finally {
    closeSync(file);
  }
}

function holdsRecord(file: number, source: RecordSource): boolean {
  if (source.byteLength <= LONGEST_HASHED) {
    return recordHash(read(file, source.byteOffset, source.byteLength)) === source.contentHash;
  }
  const before = source.byteOffset === 0 ? '\n' : read(file, source.byteOffset - 1, 1).toString('latin1');
  const first = read(file, source.byteOffset, 4).toString('utf8');
  const last = read(file, source.byteOffset + source.byteLength - 1, 1).toString('latin1');
  return before === '\n' && /^\ufeff?\s*\{/.test(first) && /[}\s]/.test(last);
}

function read(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

/** Drops the start of a character whose end lies in the next chunk. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.byteLength;
  for (let back = 1; back <= Math.min(4, bytes.byteLength); back++) {
    const byte = bytes[bytes.byteLength - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    if (length > back) end = bytes.byteLength - back;
    break;
  }
  return bytes.subarray(0, end);
}

function gone(message: string): Result<RecordChunk> {
  return { ok: false, failure: { code: 'source_gone', message } };
}
