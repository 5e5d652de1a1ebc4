/**
 * A file that appears under its final name when it is complete. The content is written to PATH.partial. The head is
 * known only at the end and is then put before the content. Existing files are never overwritten.
 */
import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { refused } from '../../../shared/api/errors.ts';

const CHUNK = 1 << 20;

export class PackFile {
  readonly path: string;
  private readonly hash: Hash = createHash('sha256');
  private readonly body: string;
  private descriptor: number | undefined;
  private buffered: string[] = [];
  private heldChars = 0;
  private size = 0;

  /** @throws ApiError `refused` when the path exists; the system's error when the file cannot be created */
  constructor(path: string) {
    refuseExisting(path);
    if (!existsSync(dirname(path))) throw refused(`there is no directory ${dirname(path)}`);
    this.path = path;
    this.body = `${path}.partial`;
    this.descriptor = openNew(this.body);
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
    if (head !== '') {
      closeSync(descriptor);
      whole = `${this.path}.whole.partial`;
      try {
        ({ sha256, bytes } = joined(whole, head, this.body));
      } catch (error) {
        rmSync(whole, { force: true });
        throw error;
      }
      rmSync(this.body);
    } else {
      fsyncSync(descriptor);
      closeSync(descriptor);
    }
    this.descriptor = undefined;
    try {
      moveTo(whole, this.path);
    } finally {
      rmSync(whole, { force: true });
    }
    return { bytes, sha256 };
  }

  /** Deletes the unfinished file. */
  abandon(): void {
    if (this.descriptor === undefined) return;
    closeSync(this.descriptor);
    this.descriptor = undefined;
    rmSync(this.body, { force: true });
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

/** Removes the rest of an interrupted export, and creates the file. Neither step follows a link. */
function openNew(path: string): number {
  rmSync(path, { force: true });
  return openSync(path, 'wx', 0o600);
}

export function refuseExisting(path: string): void {
  if (existsSync(path)) throw refused(`${path} already exists`);
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

function joined(path: string, head: string, body: string): { sha256: string; bytes: number } {
  const hash = createHash('sha256');
  const [from, to] = [openSync(body, 'r'), openNew(path)];
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

/** A hard link fails if the target exists. Without hard links, checks for the target first. */
function moveTo(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw refused(`${to} already exists`);
    refuseExisting(to);
    renameSync(from, to);
  }
}
