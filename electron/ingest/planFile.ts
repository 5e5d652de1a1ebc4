/**
 * What is to be done with a file: nothing, go on where reading ended, or start over. Told by
 * size, inode, time and the hashes of its beginning and of what stands before the position
 * reading ended at.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import type { FileIdentity, KnownFile, LibraryWriter } from '../storage/libraryWriter.ts';
import { type Container, isAppendable } from './containers/container.ts';
import { reasonOf } from './discover.ts';
import { identityOf, tailHashOf } from './identify.ts';

export type Plan =
  | { readonly kind: 'unchanged'; readonly known: KnownFile }
  | { readonly kind: 'appended'; readonly known: KnownFile; readonly identity: FileIdentity }
  | { readonly kind: 'replaced'; readonly known: KnownFile; readonly identity: FileIdentity }
  | { readonly kind: 'new'; readonly identity: FileIdentity }
  /** The same bytes have been read under another path, and are still there. */
  | { readonly kind: 'duplicate'; readonly known: KnownFile; readonly identity: FileIdentity };

export interface Unreadable {
  readonly kind: 'unreadable';
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

export async function planFile(path: string, writer: LibraryWriter): Promise<Plan | Unreadable> {
  try {
    const identity = identityOf(path);
    const known = writer.knownFile(path) ?? writer.movedFile(identity);
    if (known === undefined) {
      const same = await sameFile(identity, writer);
      return same === undefined ? { kind: 'new', identity } : { kind: 'duplicate', known: same, identity };
    }
    // A refused or empty file is looked at again: it may have grown, or Turnwise learnt its format.
    if (known.format === undefined) return { kind: 'appended', known, identity };
    if (known.status === 'partial' && known.offset === 0) return { kind: 'replaced', known, identity };
    if (!continues(path, known, identity)) return { kind: 'replaced', known, identity };
    if (identity.bytes > known.bytes || known.status === 'partial')
      return { kind: 'appended', known, identity };
    // Same size: the same inode and time stamp mean nobody wrote to it.
    const isUntouched = identity.mtimeMs === known.mtimeMs && identity.inode === known.inode;
    return isUntouched ? { kind: 'unchanged', known } : { kind: 'replaced', known, identity };
  } catch (error) {
    return { kind: 'unreadable', path, ...reasonOf(error) };
  }
}

/** Whether what was read of the file still stands where it stood. */
function continues(path: string, known: KnownFile, identity: FileIdentity): boolean {
  if (identity.bytes < known.bytes || identity.bytes < known.headBytes) return false;
  const container = known.container as Container;
  const isSameSize = identity.bytes === known.bytes;
  // Rows and members have no fixed place once the file is written anew.
  if (!isAppendable(container) && !isSameSize) return false;
  if (identityOf(path, known.headBytes).headHash !== known.headHash) return false;
  return known.tailHash === undefined || tailHashOf(path, tailPositionOf(known)) === known.tailHash;
}

/** Before this byte of the file itself its tail is hashed. In compressed files the offset counts other bytes. */
export function tailPositionOf(known: Pick<KnownFile, 'container' | 'offset' | 'bytes'>): number {
  return known.container === 'plain' ? known.offset : known.bytes;
}

/** Equal size and beginning are a reason to compare the whole content, which is rare. */
async function sameFile(identity: FileIdentity, writer: LibraryWriter): Promise<KnownFile | undefined> {
  if (identity.bytes === 0) return undefined;
  for (const candidate of writer.filesOfSameHead(identity)) {
    // One that a run was removed from still has rollouts of others: a second time they would be doubled.
    const isRead = candidate.status === 'read' || writer.countRollouts(candidate.fileId) > 0;
    if (candidate.format === undefined || !isRead || !existsSync(candidate.path)) continue;
    // It may have grown since; then what was read of it is not this.
    if (identityOf(candidate.path).bytes !== identity.bytes) continue;
    if ((await hashOfFile(candidate.path)) === (await hashOfFile(identity.path))) return candidate;
  }
  return undefined;
}

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
