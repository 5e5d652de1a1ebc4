/**
 * Stores files that a page in a browser sends. Each upload has its own folder below `uploads` beside the library,
 * because files of one directory may be read as one run.
 */
import { lstatSync, mkdirSync } from 'node:fs';
import { type FileHandle, open, rmdir, unlink } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { refused } from '../../shared/api/errors.ts';
import { MAX_UPLOAD_BYTES, type UploadedFile } from '../../shared/api/upload.ts';
import { layoutOf } from '../../shared/format/layout.ts';
import { realOf } from './grants.ts';

export interface Upload {
  /** The file name given by the page. */
  readonly name: string;
  /** Folder of an earlier file of the same upload. */
  readonly folder?: string | undefined;
  /** Fails when the page stops sending. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Long enough to distinguish names, short enough for every file system with a counter appended. */
const LONGEST_NAME_BYTES = 200;
const MOST_OF_ONE_NAME = 10_000;
/** Names that Windows reserves for devices. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** A real path, as runs name theirs. */
export function uploadsDirectory(libraryPath: string): string {
  const directory = dirname(resolve(libraryPath));
  return join(realOf(directory) ?? directory, 'uploads');
}

/** @throws ApiError when the name, the folder or the size is refused, or the disk fails */
export async function storeUpload(
  libraryPath: string,
  upload: Upload,
  mostBytes: number = MAX_UPLOAD_BYTES,
): Promise<UploadedFile> {
  const name = safeName(upload.name);
  const uploads = uploadsDirectory(libraryPath);
  const isNew = upload.folder === undefined;
  try {
    makeDirectory(uploads);
    const folder = upload.folder ?? newFolder(uploads, safeName(folderName(name)));
    if (folder !== safeName(folder)) throw refused(`${JSON.stringify(folder)} is no folder of an upload`);
    const directory = join(uploads, folder);
    requireOwnDirectory(directory);
    try {
      return { path: await writeFileIn(directory, name, upload.content, mostBytes), folder };
    } catch (error) {
      if (isNew) await rmdir(directory).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    if (codeOf(error) === 'refused') throw error;
    throw refused(`${name} was not saved: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function writeFileIn(
  directory: string,
  name: string,
  content: AsyncIterable<Uint8Array>,
  mostBytes: number,
): Promise<string> {
  const { path, file } = await createFile(directory, name);
  try {
    await pipeline(content, limited(name, mostBytes), file.createWriteStream());
    return path;
  } catch (error) {
    await file.close().catch(() => undefined);
    await unlink(path);
    throw error;
  }
}

async function createFile(
  directory: string,
  name: string,
): Promise<{ readonly path: string; readonly file: FileHandle }> {
  for (const numbered of numberedNames(name)) {
    const path = join(directory, numbered);
    try {
      // `wx` never replaces a file and never follows a link.
      return { path, file: await open(path, 'wx', 0o600) };
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  throw refused(`${MOST_OF_ONE_NAME} files named ${name} are there already`);
}

/** A number or a step says nothing about a run, which is named by its folder. */
function folderName(file: string): string {
  const stem = file.slice(0, file.length - extname(file).length);
  return layoutOf(file).step === undefined ? stem : `uploaded ${new Date().toISOString().slice(0, 10)}`;
}

function newFolder(uploads: string, name: string): string {
  for (const numbered of numberedNames(name)) {
    try {
      mkdirSync(join(uploads, numbered), { mode: 0o700 });
      return numbered;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  throw refused(`${MOST_OF_ONE_NAME} uploads named ${name} are there already`);
}

/** `a.jsonl`, `a (2).jsonl`, … */
function* numberedNames(name: string): Generator<string> {
  yield name;
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  for (let n = 2; n <= MOST_OF_ONE_NAME; n += 1) yield `${stem} (${n})${extension}`;
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    requireOwnDirectory(path);
  }
}

/** Refuses links, because beside a library from somebody else one could lead anywhere. */
function requireOwnDirectory(path: string): void {
  const found = lstatSync(path);
  const isOwn = process.getuid === undefined || found.uid === process.getuid();
  if (!found.isDirectory() || !isOwn) throw refused(`${path} is not a directory of yours`);
}

function limited(name: string, mostBytes: number) {
  return async function* (content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of content) {
      bytes += chunk.byteLength;
      if (bytes > mostBytes) throw refused(`${name} is larger than ${mostBytes} bytes. Open it by its path.`);
      yield chunk;
    }
  };
}

/** The last part of the name, without characters that a file system or a terminal interprets. */
export function safeName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? '';
  const plain = last
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>:"|?*]/gu, '-')
    .replaceAll(/^[-.\s]+|[.\s]+$/g, '')
    .replace(DEVICE, '$&-');
  const cut = shortened(plain);
  return cut === '' ? 'log' : cut;
}

/** Shortens the name but keeps its extension. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_NAME_BYTES) return name;
  const extension = [...extname(name)].slice(0, 20).join('');
  // A character takes at least a byte. Without this cut, a long name would be measured once per character.
  let stem = name.slice(0, name.length - extname(name).length).slice(0, LONGEST_NAME_BYTES);
  while (Buffer.byteLength(stem + extension) > LONGEST_NAME_BYTES) stem = [...stem].slice(0, -1).join('');
  return stem + extension;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
