/**
 * Stores continuations as a Turnwise log of their own (shared/format/TURNWISE.md#continuations). The first line says
 * what was asked; each further line is a continuation. A file that was left at any moment can be continued.
 *
 * Continuations of a batch that wait for their next answer are beside it, in `ID.open.jsonl`, which no reader of logs
 * reads. The last line of a continuation counts.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { notFound, refused } from '../../shared/api/errors.ts';
import {
  type ContinuationParams,
  type ContinuationRow,
  continuationParams,
} from '../../shared/api/samplingMethods.ts';
import { messageOfError } from '../../shared/domain/fileProblem.ts';
import { GRADE_WAYS } from '../../shared/domain/grade.ts';
import { countValues, tryParseJson } from '../../shared/domain/parseJson.ts';
import {
  type ContinuationTask,
  continuationOf,
  type OpenContinuation,
  type WrittenToken,
} from './sampler.ts';

/** The rollout that a continuation starts from. */
const ORIGIN = z.object({
  run: z.string().min(1),
  step: z.int().nonnegative(),
  group: z.string(),
  index: z.int().nonnegative(),
});

const ASKED = continuationParams.omit({ rolloutId: true }).extend({
  origin: ORIGIN,
  model: z.string(),
  endpoint: z.string().optional(),
  at: z.string(),
  /** Budget of the value by turn that it belongs to, in tokens. */
  budget: z.number().optional(),
  /** Its requests were written to a file, and a file has the answers. */
  isBatch: z.boolean().optional(),
});
/** A request as stored: all but the text that was sent, which follows from the origin. */
export type StoredRequest = z.infer<typeof ASKED>;

/** Fields of a stored continuation that its row shows. */
const STORED = z.object({
  index: z.int().nonnegative(),
  answer: z.string().optional(),
  is_correct: z.boolean().optional(),
  origin: z.object({ graded_by: z.enum(GRADE_WAYS).optional() }).optional(),
});

const TOKEN = z.object({
  text: z.string(),
  isSampled: z.boolean(),
  logprob: z.number().max(0).optional(),
  top: z.array(z.tuple([z.string(), z.number()])).optional(),
});
const isToken = (value: unknown): value is WrittenToken => TOKEN.safeParse(value).success;

/** A rollout has far fewer turns. */
const MOST_ANSWERS = 10_000;

const OPEN = z.object({
  index: z.int().nonnegative(),
  answers: z.int().positive().max(MOST_ANSWERS),
  response: z.string(),
  tokens: z.array(z.custom<WrittenToken>(isToken)).optional(),
  tokensUsed: z.int().nonnegative(),
});

/** Key of the request in the configuration of the run. */
const PREFIX = 'continuation ';
const ID = /^[\w-]{1,80}$/;
/** Bytes. Logs are not read beyond it (`LONGEST_RECORD` in electron/ingest/containers/bytes.ts). */
const LONGEST_LINE = 64 << 20;
/** Bytes of `ID.jsonl`, which is read whole. */
const MOST_STORED = 512 << 20;
/** Objects, lists and fields of `ID.jsonl`. Its tokens are lists of numbers, which count once each. */
const MOST_VALUES = 4 << 20;
/** Bytes of `ID.open.jsonl`, which is read whole. 256 continuations of long texts with their tokens need some MB each. */
const MOST_OPEN = 256 << 20;

export const runOfContinuations = (run: string): string => `${run}~counterfactual`;

/** Parameters of the request, for a rollout of this library. */
export function paramsOf(stored: StoredRequest, rolloutId: number): ContinuationParams {
  const { position, edit, settings, pattern } = stored;
  return { rolloutId, position, edit, settings, ...(pattern === undefined ? {} : { pattern }) };
}

export class ContinuationFile {
  readonly id: string;
  readonly path: string;
  readonly request: StoredRequest;
  /** The continuations that the file has, by index. */
  readonly done: Map<number, ContinuationRow>;

  private constructor(id: string, path: string, request: StoredRequest, done: Map<number, ContinuationRow>) {
    this.id = id;
    this.path = path;
    this.request = request;
    this.done = done;
  }

  /** @param name of the original run @throws ApiError when the file cannot be written */
  static create(libraryPath: string, id: string, name: string, request: StoredRequest): ContinuationFile {
    const path = pathOf(libraryPath, id);
    makeDirectory(dirname(path));
    const line = {
      v: 1,
      type: 'run',
      run: runOfContinuations(request.origin.run),
      name: `Continuations of ${name}`,
      model: request.model,
      [PREFIX + id]: request,
    };
    write(path, constants.O_CREAT | constants.O_EXCL, `${JSON.stringify(line)}\n`);
    return new ContinuationFile(id, path, request, new Map());
  }

  /** Opens a file of an earlier request to append to it. A last line without an end is removed. */
  static toAppend(libraryPath: string, id: string): ContinuationFile {
    const { file, bytes, isWhole } = ContinuationFile.parse(libraryPath, id);
    if (!isWhole) truncate(file.path, bytes);
    return file;
  }

  /** Reads a file of an earlier request, and leaves it as it is. */
  static read(libraryPath: string, id: string): ContinuationFile {
    return ContinuationFile.parse(libraryPath, id).file;
  }

  private static parse(
    libraryPath: string,
    id: string,
  ): {
    readonly file: ContinuationFile;
    /** Bytes of the whole lines. */
    readonly bytes: number;
    readonly isWhole: boolean;
  } {
    const path = pathOf(libraryPath, id);
    const text = read(path, MOST_STORED);
    if (text === undefined) throw notFound(`there is no request for continuations ${id}`);
    // The host answers nobody while it parses, and the file may be somebody else's.
    if (countValues(text).values > MOST_VALUES)
      throw refused(`${path} has more than ${MOST_VALUES} objects, lists and fields`);
    const end = text.lastIndexOf('\n') + 1;
    const [first, ...lines] = text.slice(0, end).split('\n').slice(0, -1);
    const asked = ASKED.safeParse(fieldOf(first, PREFIX + id));
    if (!asked.success) throw refused(`${path} does not begin with a request for continuations`);
    const done = new Map<number, ContinuationRow>();
    for (const line of lines) {
      const row = rowOf(tryParseJson(line));
      if (row !== undefined) done.set(row.index, row);
    }
    return {
      file: new ContinuationFile(id, path, asked.data, done),
      ...{ bytes: Buffer.byteLength(text.slice(0, end)), isWhole: end === text.length },
    };
  }

  /** Indices of the continuations that are not in the file. */
  missing(): readonly number[] {
    return Array.from({ length: this.request.settings.n }, (_, index) => index).filter(
      (index) => !this.done.has(index),
    );
  }

  /**
   * Continuations that have taken answers of a batch and wait for the next one, by index.
   *
   * @throws ApiError if their file cannot be read
   */
  open(task: ContinuationTask): ReadonlyMap<number, OpenContinuation> {
    const open = new Map<number, OpenContinuation>();
    const text = read(openPath(this.path), MOST_OPEN) ?? '';
    for (const line of text.split('\n')) {
      const { data } = OPEN.safeParse(tryParseJson(line));
      const one = data === undefined ? undefined : continuationOf(task, data);
      if (one !== undefined && !this.done.has(one.index)) open.set(one.index, one);
    }
    return open;
  }

  /**
   * @returns a sentence if the line would be too long, and is not stored
   * @throws ApiError if the file cannot be written, or would have more bytes than is read again
   */
  saveOpen(continuation: OpenContinuation): string | undefined {
    // A line that was cut off by a kill ends where the next one begins.
    const line = `\n${JSON.stringify(continuation)}\n`;
    const refusal = refusalOf(line);
    if (refusal === undefined)
      write(openPath(this.path), constants.O_CREAT | constants.O_APPEND, line, MOST_OPEN);
    return refusal;
  }

  /**
   * Appends a whole line and syncs it to disk.
   *
   * @returns a sentence if the line would be too long, and is not stored
   * @throws ApiError if the file cannot be written
   */
  append(record: Readonly<Record<string, unknown>> & { readonly index: number }): string | undefined {
    if (this.done.has(record.index)) return undefined;
    const line = `${JSON.stringify(record)}\n`;
    const refusal = refusalOf(line);
    if (refusal !== undefined) return refusal;
    write(this.path, constants.O_APPEND, line);
    this.done.set(record.index, rowOf(record) ?? { index: record.index });
    return undefined;
  }
}

function refusalOf(line: string): string | undefined {
  const bytes = Buffer.byteLength(line);
  return bytes > LONGEST_LINE
    ? `the continuation has ${bytes} bytes as a line of a log; the limit is ${LONGEST_LINE}`
    : undefined;
}

function rowOf(record: unknown): ContinuationRow | undefined {
  const stored = STORED.safeParse(record);
  if (!stored.success) return undefined;
  const { index, answer, is_correct: isCorrect, origin } = stored.data;
  return {
    index,
    ...(answer === undefined ? {} : { answer }),
    ...(isCorrect === undefined ? {} : { isCorrect }),
    ...(origin?.graded_by === undefined ? {} : { gradedBy: origin.graded_by }),
  };
}

/** @returns the ids of all requests, newest first; ids begin with their time */
export function storedRequests(libraryPath: string): readonly string[] {
  const directory = dirname(pathOf(libraryPath, 'any'));
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .flatMap((name) => /^([\w-]{1,80})\.jsonl$/.exec(name)?.[1] ?? [])
    .sort()
    .reverse();
}

function pathOf(libraryPath: string, id: string): string {
  if (!ID.test(id)) throw refused('an id of continuations has letters, digits and -');
  return join(dirname(resolve(libraryPath)), 'counterfactual', `${id}.jsonl`);
}

const openPath = (path: string): string => path.replace(/\.jsonl$/, '.open.jsonl');

function fieldOf(line: string | undefined, key: string): unknown {
  const value = tryParseJson(line ?? '');
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** Refuses links, because beside a library from somebody else one could lead anywhere. */
function makeDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (!lstatSync(path).isDirectory()) throw refused(`${path} is not a directory`);
}

/**
 * Links are not followed, and a pipe's other end is not waited for, because the host would answer nobody meanwhile.
 * Windows has no such flags.
 */
const NO_LINK_NO_WAIT = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** @returns undefined if there is no file @throws ApiError if it is no regular file, or has more than `most` bytes */
function read(path: string, most: number): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | NO_LINK_NO_WAIT);
    const opened = fstatSync(file);
    if (!opened.isFile()) throw new Error('it is not a regular file');
    if (opened.size > most) throw new Error(`it has ${opened.size} bytes; the limit is ${most}`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw refused(`${path} cannot be read: ${messageOfError(error)}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** @param most bytes of the file with the line */
function write(path: string, flags: number, line: string, most = Number.POSITIVE_INFINITY): void {
  let file: number;
  try {
    file = openSync(path, constants.O_WRONLY | NO_LINK_NO_WAIT | flags, 0o600);
  } catch (error) {
    throw refused(`${path} cannot be written: ${messageOfError(error)}`);
  }
  const before = fstatSync(file).size;
  try {
    const bytes = Buffer.from(line);
    if (before + bytes.length > most) throw new Error(`it would have more than ${most} bytes`);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } catch (error) {
    // Half a line would be an issue of the log.
    ftruncateSync(file, before);
    throw refused(`${path} was not written: ${messageOfError(error)}`);
  } finally {
    closeSync(file);
  }
}

function truncate(path: string, bytes: number): void {
  const file = openSync(path, constants.O_RDWR | NO_LINK_NO_WAIT);
  try {
    ftruncateSync(file, bytes);
  } finally {
    closeSync(file);
  }
}
