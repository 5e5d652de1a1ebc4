/**
 * Keeps exports until a page in a browser has downloaded them. Each is in a new folder below `downloads` in the user's
 * own directory. A file can be downloaded once. It is deleted after the download, when nobody requests it, when too
 * many others wait, when the library is closed, or, after a kill, at the next start.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PackFormat } from '../../shared/api/contract.ts';
import { notFound } from '../../shared/api/errors.ts';
import { isRunning } from '../storage/databaseFiles.ts';
import { defaultLibraryPath } from './libraryPath.ts';
import { safeName } from './uploads.ts';
import { zipOf } from './zip.ts';

/** Time until an export expires. Pages request the file at once, so a page that does not has gone. */
const KEPT_MS = 10 * 60_000;
/** Upper limit of exports that wait. The oldest is deleted for a new one, since its page has probably gone. */
const MOST_WAITING = 16;
/** Distinguishes this process from an earlier one with the same id. Containers reuse ids. */
const THIS_START = `${process.pid}-${randomBytes(4).toString('hex')}`;

/** Formats with several files are sent as a zip. */
const CONTENT_TYPES: Partial<Readonly<Record<PackFormat, string>>> = {
  html: 'text/html; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
};
const ZIP_TYPE = 'application/zip';
/** Process id, random start id, and the suffix of `mkdtemp`. */
const OWN_NAME = /^(\d+)-[\da-f]{8}-\w+$/;

export interface Download {
  /** A file name without a directory, quotes and control characters. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
  /** Deletes the file. */
  remove(): void;
}

export interface ExportFolder {
  /** Path of the new file or directory. */
  readonly path: string;
  /** Offers the written export for download. @throws ApiError `refused` when it is too large */
  offer(): OfferedDownload;
  remove(): void;
}

export interface OfferedDownload {
  /** 256 bits. */
  readonly id: string;
  readonly name: string;
}

type Waiting = Download & { readonly timer: NodeJS.Timeout };

export class Downloads {
  private readonly root = join(dirname(defaultLibraryPath()), 'downloads');
  private readonly keptMs: number;
  private readonly waiting = new Map<string, Waiting>();
  /** Created with the first export. */
  private directory: string | undefined;

  constructor(keptMs: number = KEPT_MS) {
    this.keptMs = keptMs;
  }

  /** @param asked name proposed by the page */
  newFolder(asked: string, format: PackFormat): ExportFolder {
    if (this.directory === undefined) {
      mkdirSync(this.root, { recursive: true, mode: 0o700 });
      this.directory = mkdtempSync(join(this.root, `${THIS_START}-`));
    }
    const folder = mkdtempSync(join(this.directory, 'export-'));
    const name = safeName(asked);
    const remove = (): void => rmSync(folder, { recursive: true, force: true });
    return { path: join(folder, name), remove, offer: () => this.offer({ folder, name, format, remove }) };
  }

  /** @throws ApiError `not_found`, also for a download that was already taken */
  take(id: string): Download {
    const waiting = this.waiting.get(id);
    if (waiting === undefined)
      throw notFound(
        'there is no such download: it was sent already, nobody asked for it in time, or a later export took its place',
      );
    this.waiting.delete(id);
    clearTimeout(waiting.timer);
    return waiting;
  }

  close(): void {
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
    if (this.directory !== undefined) rmSync(this.directory, { recursive: true, force: true });
  }

  /** Deletes files left by processes that were killed. */
  removeLeft(): void {
    for (const name of namesIn(this.root)) {
      const pid = Number(OWN_NAME.exec(name)?.[1] ?? Number.NaN);
      const isLeft = pid === process.pid ? !name.startsWith(THIS_START) : pid > 0 && !isRunning(pid);
      if (isLeft) rmSync(join(this.root, name), { recursive: true, force: true });
    }
  }

  private offer({ folder, name: bare, format, remove }: OfferedFolder): OfferedDownload {
    const entries = readdirSync(folder, { withFileTypes: true });
    const path = join(folder, bare);
    const isOneFile = entries.length === 1 && entries[0]?.isFile() === true;
    const zip = isOneFile ? undefined : zipOf(folder);
    const name = isOneFile ? bare : `${bare}.zip`;
    const id = randomBytes(32).toString('base64url');
    const timer = setTimeout(() => this.drop(id), this.keptMs).unref();
    const [oldest] = this.waiting.keys();
    if (oldest !== undefined && this.waiting.size >= MOST_WAITING) this.drop(oldest);
    this.waiting.set(id, {
      name,
      contentType: (isOneFile ? CONTENT_TYPES[format] : undefined) ?? ZIP_TYPE,
      bytes: zip?.bytes ?? statSync(path).size,
      content: zip?.content() ?? contentOf(path),
      remove,
      timer,
    });
    return { id, name };
  }

  private drop(id: string): void {
    this.take(id).remove();
  }
}

interface OfferedFolder {
  readonly folder: string;
  readonly name: string;
  readonly format: PackFormat;
  remove(): void;
}

/** Opens the file only when reading starts. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // The directory does not exist yet, or cannot be read.
    return [];
  }
}
