/**
 * Reads the raw record of a rollout from its source file by byte range. Reads only below directories that
 * the user has opened, and only if the file still contains that record. Otherwise reports the source as missing.
 * A library from somebody else contains paths, too. The hash of the whole record proves that its author knew the
 * content.
 */
import { realpathSync } from 'node:fs';
import type { RecordChunk } from '../../shared/api/contract.ts';
import { ApiError } from '../../shared/api/errors.ts';
import { contentHash } from '../storage/contentHash.ts';
import type { RecordSource } from '../storage/queries/places.ts';
import { bytesBetween, LONGEST_RECORD } from './containers/bytes.ts';
import {
  type Container,
  CorruptContainerError,
  isAppendable,
  type RecordUnit,
} from './containers/container.ts';
import { reasonOf } from './discover.ts';
import { type Granted, requireGranted } from './granted.ts';
import { openRecords } from './openRecords.ts';
import { textOfRecord } from './readHead.ts';

export async function readRecordChunk(
  source: RecordSource,
  offset: number,
  limit: number,
  granted: Granted,
): Promise<RecordChunk> {
  requireGranted(source.path, granted);
  let path: string;
  try {
    path = realpathSync.native(source.path);
  } catch (error) {
    throw sourceMissing(`${source.path}: ${reasonOf(error).message}`);
  }
  const container = source.container as Container;
  if (container === 'adapter') throw outputNotKept(source);
  const isRewritten = !isAppendable(container, source.unit as RecordUnit);
  const { byteOffset, byteLength } = source;
  if (byteLength > LONGEST_RECORD) throw changed(source);
  try {
    const { bytes: record, name } = isRewritten
      ? await recordOf(path, container, source)
      : { bytes: await bytesBetween(path, container, byteOffset, byteOffset + byteLength) };
    if (contentHash(record) !== hashOf(source)) throw changed(source);
    const start = Math.min(offset, byteLength);
    const bytes = record.subarray(start, start + limit);
    const whole = start + bytes.byteLength < byteLength ? wholeCharacters(bytes) : bytes;
    const next = start + whole.byteLength;
    return {
      path: source.path,
      line: source.line,
      unit: source.unit,
      ...(name === undefined ? {} : { name }),
      isRewritten,
      byteLength,
      offset: start,
      text: textOfRecord(whole, source.line === 1 && start === 0),
      ...(next < byteLength ? { nextOffset: next } : {}),
    };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof CorruptContainerError) throw changed(source);
    throw sourceMissing(`${source.path}: ${reasonOf(error).message}`);
  }
}

/** The record of a rollout for a pack, with its position. If the source cannot be read, returns the reason. */
export async function wholeRecord(
  source: RecordSource | undefined,
  granted: Granted,
): Promise<{
  readonly path: string;
  readonly line: number;
  readonly text?: string;
  readonly missing?: string;
}> {
  if (source === undefined)
    return { path: '', line: 0, missing: 'the library has no source position for it' };
  const { path, line, byteLength } = source;
  try {
    const { text } = await readRecordChunk(source, 0, byteLength, granted);
    return { path, line, text };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { path, line, missing: error.message };
  }
}

/** Rows and members have no byte range in the file; the container fetches them by number. */
async function recordOf(
  path: string,
  container: Container,
  source: RecordSource,
): Promise<{ readonly bytes: Buffer; readonly name?: string | undefined }> {
  const records = await openRecords(path, container, source.unit as RecordUnit);
  try {
    for await (const some of records.records(source.byteOffset)) {
      for (const record of some) {
        if (!('bytes' in record)) continue;
        return { bytes: Buffer.from(record.bytes).subarray(0, source.byteLength), name: record.name };
      }
    }
    return { bytes: Buffer.alloc(0) };
  } finally {
    await records.close();
  }
}

/** Rollouts of one record share the hash before the colon. */
const hashOf = ({ recordHash }: RecordSource): string => recordHash.replace(/:\d+$/, '');

/** Drops an incomplete character at the end, which continues in the next chunk. */
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

function sourceMissing(message: string): ApiError {
  return new ApiError({ code: 'source_gone', message });
}

/** The command is not run again to show a record: a library never makes Turnwise run anything. */
function outputNotKept({ path, line }: RecordSource): ApiError {
  return sourceMissing(
    `the raw record is line ${line} of what an adapter wrote for ${path}; it is not in the file, and the output of adapters is not kept`,
  );
}

function changed(source: RecordSource): ApiError {
  return sourceMissing(
    `${source.path} has changed since it was read; ${source.unit} ${source.line} is no longer this record`,
  );
}
