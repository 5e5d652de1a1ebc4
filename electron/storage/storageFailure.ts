/** Explains errors of SQLite and of the file system: what happened, what is kept, what to do. */
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ApiFailure } from '../../shared/api/errors.ts';
import { shellWord } from '../../shared/domain/shellWord.ts';

const DAMAGED = 'DAMAGED';

/** Creates the error for stored content that Turnwise never writes. */
export const damaged = (what: string): Error => Object.assign(new Error(what), { code: DAMAGED });

/** Whether SQLite, or a check of stored content, refused to go on. */
export function isOfStorage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('SQLITE_') || code === DAMAGED;
}

/** Codes of a full disk. SHMSIZE: there is no room for the index of the write-ahead log. */
const FULL: ReadonlySet<string> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT']);

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && FULL.has(String(error.code));

/** Adds to an error which part of the work is saved, in sentences without the last full stop. */
export function noteSaved(error: unknown, saved: string): void {
  if (error instanceof Error) Object.assign(error, { saved });
}

/**
 * @param libraryPath the library that was open
 * @param outputPath a new file that was being written, if any
 * @returns undefined when the error is a bug
 */
export function storageFailure(
  error: unknown,
  libraryPath: string,
  outputPath?: string,
): ApiFailure | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const message =
    isDiskFull(error) && outputPath === undefined
      ? fullMessage(libraryPath, 'saved' in error ? String(error.saved) : undefined)
      : messageOf(String(error.code), error.message, libraryPath, outputPath);
  return message === undefined ? undefined : { code: 'refused', message };
}

function messageOf(
  code: string,
  reason: string,
  library: string,
  output: string | undefined,
): string | undefined {
  if (FULL.has(code))
    return `not written: the disk of ${output} is full. The library is unchanged. Free some space and try again`;
  if (output !== undefined && code === 'EFBIG')
    return `not written: ${output} would be larger than its disk or a limit of your system allows. The library is unchanged`;
  if (output !== undefined && (code === 'EACCES' || code === 'EPERM' || code === 'EROFS'))
    return `not written: ${output} cannot be written (${reason})`;
  // Sums of stored numbers overflow only where Turnwise has not written them.
  const isOverflow = code === 'SQLITE_ERROR' && reason === 'integer overflow';
  if (code.startsWith('SQLITE_CORRUPT') || code === DAMAGED || isOverflow)
    return damagedMessage(library, reason);
  if (code === 'SQLITE_NOTADB')
    return `${library} is not a Turnwise library. If it was one, its first page is damaged. To save your labels, notes, views and mappings into a new library: ${doctorCommand(library)}`;
  if (code.startsWith('SQLITE_READONLY')) return readOnlyMessage(library, reason);
  if (LOCKLESS.has(code) || (code.startsWith('SQLITE_BUSY') && isOnNetwork(library)))
    return `the library ${library} is on a file system without file locks or shared memory, such as a network drive. Copy it to a local disk and open the copy`;
  if (code.startsWith('SQLITE_BUSY'))
    return `the library ${library} is in use: another program has been writing to it for more than ten seconds. Try again when it has finished`;
  if (code.startsWith('SQLITE_IOERR'))
    return `the library ${library} could not be read or written: the disk reports an error (${code})`;
  return undefined;
}

function fullMessage(library: string, saved: string | undefined): string {
  const reason = `the disk is full, and the library ${library} cannot grow`;
  return saved === undefined
    ? `not saved: ${reason}. Everything saved before is kept. Free some space and try again`
    : `not everything is saved: ${reason}. ${saved}. Free some space and try again`;
}

/** Linux file system types: NFS, SMB (three), 9P, AFS. If locks are missing there, SQLite only reports "busy". */
const NETWORK_TYPES: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x5346414f,
]);

function isOnNetwork(library: string): boolean {
  try {
    return NETWORK_TYPES.has(statfsSync(dirname(library)).type);
  } catch {
    return false;
  }
}

/** Codes reported when the write-ahead log cannot lock or share its index. */
const LOCKLESS = new Set([
  'SQLITE_PROTOCOL',
  'SQLITE_NOLFS',
  'SQLITE_IOERR_LOCK',
  'SQLITE_IOERR_RDLOCK',
  'SQLITE_IOERR_UNLOCK',
  'SQLITE_IOERR_CHECKRESERVEDLOCK',
  'SQLITE_IOERR_SHMOPEN',
  'SQLITE_IOERR_SHMLOCK',
  'SQLITE_IOERR_SHMMAP',
]);

/** @param what damaged parts, or the message of SQLite */
function damagedMessage(library: string, what: string): string {
  return `the library ${library} is damaged: ${what}. To save your labels, notes, views and mappings into a new library, and to read the logs again: ${doctorCommand(library)}`;
}

export function unreadableMessage(library: string): string {
  return `${library} is not a Turnwise library. If it was one, its first pages are damaged, and nothing can be read from it: read the logs into a new library`;
}

export function doctorCommand(library: string): string {
  return `turnwise doctor ${shellWord(library)} --into NEW.turnwise`;
}

function readOnlyMessage(library: string, reason: string): string {
  return `not saved: the library ${library} is read-only (${reason})`;
}
