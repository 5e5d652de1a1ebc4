/**
 * A file that appears under its final name when it is complete. The content is written to PATH.partial. The head is
 * known only at the end and is then put before the content. No existing file is overwritten, neither PATH nor
 * PATH.partial: another export may be writing that.
 */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { refused } from '../../../shared/api/errors.ts';
import { createUnfinished, finishFile, refuseExisting, unfinishedPath } from '../../storage/unfinished.ts';

const CHUNK = 1 << 20;

export class PackFile {
  readonly path: string;
  private readonly hash: Hash = createHash('sha256');
  private readonly body: string;
  private descriptor: number | undefined;
  private buffered: string[] = [];
  private heldChars = 0;
  private size = 0;
  private isEnded = false;

  /** @throws ApiError `refused` when PATH or PATH.partial exists; the system's error when it cannot be created */
  constructor(path: string) {
    refuseExisting(path);
    if (!existsSync(dirname(path))) throw refused(`there is no directory ${dirname(path)}`);
    this.path = path;
    this.body = unfinishedPath(path);
    this.descriptor = createUnfinished(this.body, () => openSync(this.body, 'wx', 0o600));
  }

  /** Lone surrogates become the replacement character of UTF-8. */
  write(text: string): void {
    this.buffered.push(text);
    this.heldChars += text.length;
    if (this.heldChars >= CHUNK) this.flush();
  }

  /** Hash of everything written. */
  digest(): string {
    this.flush();
    return this.hash.copy().digest('hex');
  }

  /** @param head text to put before the content */
  finish(head: string): { readonly bytes: number; readonly sha256: string } {
    this.flush();
    const { descriptor } = this;
    if (descriptor === undefined) throw new Error(`${this.path} is closed`);
    let whole = this.body;
    let sha256 = this.hash.copy().digest('hex');
    let bytes = this.size;
    if (head === '') {
      fsyncSync(descriptor);
      this.close();
    } else {
      this.close();
      whole = unfinishedPath(`${this.path}.whole`);
      const to = createUnfinished(whole, () => openSync(whole, 'wx', 0o600));
      try {
        ({ sha256, bytes } = joined(to, head, this.body));
      } catch (error) {
        rmSync(whole, { force: true });
        throw error;
      }
      rmSync(this.body);
    }
    this.isEnded = true;
    try {
      finishFile(whole, this.path);
    } finally {
      rmSync(whole, { force: true });
    }
    return { bytes, sha256 };
  }

  /** Deletes the unfinished file. */
  abandon(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.close();
    rmSync(this.body, { force: true });
  }

  private close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private flush(): void {
    if (this.buffered.length === 0 || this.descriptor === undefined) return;
    const bytes = Buffer.from(this.buffered.join(''), 'utf8');
    this.buffered = [];
    this.heldChars = 0;
    this.hash.update(bytes);
    this.size += bytes.byteLength;
    writeAll(this.descriptor, bytes);
  }
}

/** Writes a small file at once. */
export function writeWhole(path: string, text: string): { readonly bytes: number; readonly sha256: string } {
  const file = new PackFile(path);
  try {
    file.write(text);
    return file.finish('');
  } finally {
    file.abandon();
  }
}

/** @param to is closed */
function joined(to: number, head: string, body: string): { sha256: string; bytes: number } {
  const hash = createHash('sha256');
  const from = openSync(body, 'r');
  let size = 0;
  const take = (bytes: Uint8Array): void => {
    hash.update(bytes);
    size += bytes.byteLength;
    writeAll(to, bytes);
  };
  try {
    take(Buffer.from(head, 'utf8'));
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let read = readSync(from, chunk); read > 0; read = readSync(from, chunk))
      take(chunk.subarray(0, read));
    fsyncSync(to);
  } finally {
    closeSync(from);
    closeSync(to);
  }
  return { sha256: hash.digest('hex'), bytes: size };
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.byteLength; ) at += writeSync(descriptor, bytes, at);
}
