/**
 * Plans one file: skip it, continue after the last position, or start over. Decides by size, inode, time,
 * and the hashes of its beginning and of blocks before its former end.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync } from 'node:fs';
import type { FileIdentity, KnownFile, LibraryWriter } from '../storage/libraryWriter.ts';
import type { Adapter } from './containers/adapter.ts';
import { type Container, isAppendable, type RecordUnit } from './containers/container.ts';
import { openFile, streamFile } from './containers/openFile.ts';
import { reasonOf } from './discover.ts';
import { hasTail, identityOf } from './identify.ts';

export type Plan =
  | { readonly kind: 'unchanged'; readonly known: KnownFile }
  | { readonly kind: 'appended'; readonly known: KnownFile; readonly identity: FileIdentity }
  | { readonly kind: 'replaced'; readonly known: KnownFile; readonly identity: FileIdentity }
  | { readonly kind: 'new'; readonly identity: FileIdentity }
  /** The same content was read under another path, which still exists. */
  | { readonly kind: 'duplicate'; readonly known: KnownFile; readonly identity: FileIdentity };

/** Issue code of a file that was not read because its adapter was not named. */
export const NEEDS_ADAPTER = 'needs_adapter';

export interface Unreadable {
  readonly kind: 'unreadable';
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/**
 * @param adapter the adapter of this call, if it has one
 * @param mayRead whether a file that the library names may be compared with this one
 */
export async function planFile(
  path: string,
  writer: LibraryWriter,
  adapter: Adapter | undefined,
  mayRead: (path: string) => boolean,
): Promise<Plan | Unreadable> {
  try {
    const identity = identityOf(path);
    const atPath = writer.knownFile(path);
    const known = atPath?.format === undefined ? (writer.movedFile(identity, mayRead) ?? atPath) : atPath;
    // Retries files that were not read: they may have grown, a new format may match, or the file of the same content
    // may be gone.
    if (known?.format === undefined) {
      const same = await sameFile(identity, writer, adapter, mayRead);
      if (same !== undefined) return { kind: 'duplicate', known: same, identity };
      return known === undefined ? { kind: 'new', identity } : { kind: 'appended', known, identity };
    }
    const isUntouched =
      identity.mtimeMs === known.mtimeMs && identity.inode === known.inode && identity.bytes === known.bytes;
    if (known.adapter !== adapter?.hash) {
      if (adapter !== undefined) return { kind: 'replaced', known, identity };
      // Without its adapter the file is no log, and its rollouts would be lost.
      return known.status === 'read' && isUntouched ? { kind: 'unchanged', known } : needsAdapter(path);
    }
    if (known.status === 'partial' && known.offset === 0) return { kind: 'replaced', known, identity };
    if (!continues(path, known, identity)) return { kind: 'replaced', known, identity };
    if (identity.bytes > known.bytes) return { kind: 'appended', known, identity };
    // If the size is equal, inode and time stamp decide whether the file was written to.
    if (!isUntouched) return { kind: 'replaced', known, identity };
    return known.status === 'partial' ? { kind: 'appended', known, identity } : { kind: 'unchanged', known };
  } catch (error) {
    return { kind: 'unreadable', path, ...reasonOf(error) };
  }
}

function needsAdapter(path: string): Unreadable {
  const message =
    'it was read with an adapter, and has changed, was not read to its end or is to be read again; name the adapter: ' +
    'turnwise ingest PATH --adapter COMMAND. To read it without one, remove its run first';
  return { kind: 'unreadable', path, code: NEEDS_ADAPTER, message };
}

/** Whether the part of the file that was read is unchanged. */
function continues(path: string, known: KnownFile, identity: FileIdentity): boolean {
  if (identity.bytes < known.bytes || identity.bytes < known.headBytes) return false;
  const container = known.container as Container;
  const isSameSize = identity.bytes === known.bytes;
  // Rows and members move when the file is rewritten.
  if (!isAppendable(container, known.unit as RecordUnit) && !isSameSize) return false;
  if (identityOf(path, known.headBytes).headHash !== known.headHash) return false;
  // The tail of an adapter's output is compared when the adapter runs again.
  if (container === 'adapter') return true;
  if (known.tailHash === undefined) return true;
  const file = openFile(path);
  try {
    return hasTail(file, known.tailHash);
  } finally {
    closeSync(file);
  }
}

/** Compares the whole content of files with equal size and beginning. Such files are rare. */
async function sameFile(
  identity: FileIdentity,
  writer: LibraryWriter,
  adapter: Adapter | undefined,
  mayRead: (path: string) => boolean,
): Promise<KnownFile | undefined> {
  if (identity.bytes === 0) return undefined;
  for (const candidate of writer.filesOfSameHead(identity)) {
    if (candidate.adapter !== adapter?.hash) continue;
    // A file whose run was removed may still have rollouts of other runs, and reading its copy would
    // duplicate those.
    const isRead = candidate.status === 'read' || writer.countRollouts(candidate.fileId) > 0;
    if (candidate.format === undefined || !isRead) continue;
    if (!mayRead(candidate.path) || !existsSync(candidate.path)) continue;
    // If the candidate has grown since, its stored rollouts do not describe this content.
    if (identityOf(candidate.path).bytes !== identity.bytes) continue;
    if ((await hashOfFile(candidate.path)) === (await hashOfFile(identity.path))) return candidate;
  }
  return undefined;
}

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of streamFile(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
