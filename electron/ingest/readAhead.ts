/**
 * While one file is written, the next ones are already planned, identified and parsed: with
 * hundreds of small files the parser would otherwise wait for the writer, and the writer for
 * the parser, at every one of them.
 */
import { basename } from 'node:path';
import type { PackedBatch } from '../storage/batch.ts';
import type { FileIdentity, LibraryWriter } from '../storage/libraryWriter.ts';
import type { Identified, Log } from './identify.ts';
import type { Mappings } from './mappings.ts';
import type { ParseOutcome, ParseRequest } from './parseFile.ts';
import { type Plan, planFile } from './planFile.ts';

export interface Parser {
  identify(path: string, name: string, mappings: Mappings | undefined): Promise<Identified>;
  /** Batches are handed over one by one, each when the one before it is done. */
  parse(
    request: ParseRequest,
    onBatch: (batch: PackedBatch) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<ParseOutcome>;
}

/** The parsing of a file whose batches wait until it is its turn. */
export class Reading {
  private write: ((batch: PackedBatch) => void) | undefined;
  private open: (() => void) | undefined;
  private readonly outcome: Promise<ParseOutcome>;
  private readonly controller = new AbortController();

  constructor(parser: Parser, request: ParseRequest) {
    const turn = new Promise<void>((resolve) => {
      this.open = resolve;
    });
    this.outcome = parser.parse(
      request,
      (batch) => turn.then(() => this.write?.(batch)),
      this.controller.signal,
    );
    // Until somebody takes it, a failure is nobody's; who takes it gets it.
    this.outcome.catch(() => undefined);
  }

  take(write: (batch: PackedBatch) => void): Promise<ParseOutcome> {
    this.write = write;
    this.open?.();
    return this.outcome;
  }

  async drop(): Promise<void> {
    this.controller.abort();
    this.open?.();
    await this.outcome.catch(() => undefined);
  }
}

export interface Prepared {
  readonly path: string;
  readonly plan: Extract<Plan, { kind: 'new' }>;
  readonly identified: Identified;
  readonly reading: Reading | undefined;
}

export interface AheadServices {
  readonly parser: Parser;
  readonly writer: LibraryWriter;
  readonly mappings: Mappings | undefined;
}

/** At most so many files ahead, and with their batches at most so many bytes; one always. */
export const MOST_FILES = 4;
const MOST_BYTES = 16 << 20;

type Likeness = Pick<FileIdentity, 'bytes' | 'headHash'>;

interface Waiting {
  readonly path: string;
  readonly likeness: Likeness;
  readonly prepared: Promise<Prepared | undefined>;
}

/**
 * The files after the one being read, in their order. Only files the library does not know: what
 * is to be done with the others may change with the files before them; likewise one that may be
 * the duplicate of a file before it (the same size and beginning).
 */
export class ReadAhead {
  private readonly services: AheadServices;
  private readonly waiting: Waiting[] = [];
  private filling: Promise<void> = Promise.resolve();

  constructor(services: AheadServices) {
    this.services = services;
  }

  /** @param paths what follows the file being read, nearest first */
  fill(current: Likeness, paths: readonly string[]): void {
    this.filling = this.look(current, paths);
  }

  private async look(current: Likeness, paths: readonly string[]): Promise<void> {
    for (const path of paths.slice(0, MOST_FILES)) {
      if (this.waiting.some((file) => file.path === path)) continue;
      const before = [current, ...this.waiting.map(({ likeness }) => likeness)];
      const bytes = before.slice(1).reduce((sum, likeness) => sum + likeness.bytes, 0);
      if (bytes > MOST_BYTES) return;
      const plan = await planOf(path, this.services.writer);
      if (plan === undefined) return;
      const { identity } = plan;
      if (this.waiting.length > 0 && bytes + identity.bytes > MOST_BYTES) return;
      if (before.some((other) => other.bytes === identity.bytes && other.headHash === identity.headHash))
        return;
      this.waiting.push({ path, likeness: identity, prepared: prepare(path, plan, this.services) });
    }
  }

  /** What has been prepared of a file whose turn it is; what was prepared instead of it is dropped. */
  async take(path: string): Promise<Prepared | undefined> {
    await this.filling;
    if (this.waiting[0]?.path === path) return this.waiting.shift()?.prepared;
    await this.drop();
    return undefined;
  }

  async drop(): Promise<void> {
    await this.filling;
    for (const { prepared } of this.waiting.splice(0)) await (await prepared)?.reading?.drop();
  }
}

async function planOf(path: string, writer: LibraryWriter): Promise<Prepared['plan'] | undefined> {
  try {
    const plan = await planFile(path, writer);
    return plan.kind === 'new' ? plan : undefined;
  } catch {
    // Whatever it is, it will be met again, and said, when it is the file's turn; likewise below.
    return undefined;
  }
}

async function prepare(
  path: string,
  plan: Prepared['plan'],
  { parser, mappings }: AheadServices,
): Promise<Prepared | undefined> {
  try {
    const identified = await parser.identify(path, basename(path), mappings);
    if (identified.kind !== 'log') return { path, plan, identified, reading: undefined };
    const request = requestOf(path, identified, plan.identity.bytes, mappings);
    return { path, plan, identified, reading: new Reading(parser, request) };
  } catch {
    return undefined;
  }
}

export function requestOf(
  path: string,
  { format, container, unit }: Log,
  bytes: number,
  mappings: Mappings | undefined,
  from: { readonly offset: number; readonly lines: number } = { offset: 0, lines: 0 },
): ParseRequest {
  const mapping = mappings?.named(format);
  return { path, format, container, unit, bytes, ...from, ...(mapping === undefined ? {} : { mapping }) };
}
