/**
 * Plans, identifies and parses the next files while one is written. With hundreds of small files, parser
 * and writer would otherwise wait for each other at every file.
 */
import { basename } from 'node:path';
import type { PackedBatch } from '../storage/batch.ts';
import type { FileIdentity, LibraryWriter } from '../storage/libraryWriter.ts';
import type { Adapter } from './containers/adapter.ts';
import { adaptedLog, type Identified, type Log } from './identify.ts';
import type { Mappings } from './mappings.ts';
import type { ParseOutcome, ParseRequest } from './parseFile.ts';
import { type Plan, planFile } from './planFile.ts';

export interface Parser {
  identify(path: string, name: string, mappings: Mappings | undefined): Promise<Identified>;
  /** Batches are passed one by one; each waits for the previous one. */
  parse(
    request: ParseRequest,
    onBatch: (batch: PackedBatch) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<ParseOutcome>;
}

/** A file that is parsed ahead. Its batches wait until the file's turn. */
export class PendingParse {
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
    // Marks the rejection as handled; `take()` rethrows it.
    this.outcome.catch(() => undefined);
  }

  take(write: (batch: PackedBatch) => void): Promise<ParseOutcome> {
    this.write = write;
    this.open?.();
    return this.outcome;
  }

  /** Ends the parse. Its outcome is that it was cancelled. */
  stop(): void {
    this.controller.abort();
  }

  async drop(): Promise<void> {
    this.stop();
    this.open?.();
    await this.outcome.catch(() => undefined);
  }
}

export interface Prepared {
  readonly path: string;
  readonly plan: Extract<Plan, { kind: 'new' }>;
  readonly identified: Identified;
  readonly parse: PendingParse | undefined;
}

export interface AheadServices {
  readonly parser: Parser;
  readonly writer: LibraryWriter;
  readonly mappings: Mappings | undefined;
  readonly adapter: Adapter | undefined;
  readonly mayRead: (path: string) => boolean;
}

/** Limits for reading ahead: files, and the sum of their bytes. One file is always allowed. */
export const MOST_FILES = 4;
const MOST_BYTES = 16 << 20;

type Likeness = Pick<FileIdentity, 'bytes' | 'headHash'>;

interface Waiting {
  readonly path: string;
  readonly likeness: Likeness;
  readonly prepared: Promise<Prepared | undefined>;
}

/**
 * Prepares the files after the current one, in order. Stops at a file that the library knows, because
 * earlier files may change its plan. Also stops at a possible duplicate of an earlier file (same size and
 * beginning).
 */
export class ReadAhead {
  private readonly services: AheadServices;
  private readonly waiting: Waiting[] = [];
  private filling: Promise<void> = Promise.resolve();

  constructor(services: AheadServices) {
    this.services = services;
  }

  /** @param paths the files after the current one, in order */
  fill(current: Likeness, paths: readonly string[]): void {
    this.filling = this.look(current, paths);
  }

  private async look(current: Likeness, paths: readonly string[]): Promise<void> {
    for (const path of paths.slice(0, MOST_FILES)) {
      if (this.waiting.some((file) => file.path === path)) continue;
      const before = [current, ...this.waiting.map(({ likeness }) => likeness)];
      const bytes = before.slice(1).reduce((sum, likeness) => sum + likeness.bytes, 0);
      if (bytes > MOST_BYTES) return;
      const plan = await planOf(path, this.services);
      if (plan === undefined) return;
      const { identity } = plan;
      if (this.waiting.length > 0 && bytes + identity.bytes > MOST_BYTES) return;
      if (before.some((other) => other.bytes === identity.bytes && other.headHash === identity.headHash))
        return;
      this.waiting.push({ path, likeness: identity, prepared: prepare(path, plan, this.services) });
    }
  }

  /** Returns the prepared file. If another file was prepared instead, drops that one. */
  async take(path: string): Promise<Prepared | undefined> {
    await this.filling;
    if (this.waiting[0]?.path === path) return this.waiting.shift()?.prepared;
    await this.drop();
    return undefined;
  }

  async drop(): Promise<void> {
    await this.filling;
    for (const { prepared } of this.waiting.splice(0)) await (await prepared)?.parse?.drop();
  }
}

async function planOf(
  path: string,
  { writer, adapter, mayRead }: AheadServices,
): Promise<Prepared['plan'] | undefined> {
  try {
    const plan = await planFile(path, writer, adapter, mayRead);
    return plan.kind === 'new' ? plan : undefined;
  } catch {
    // The error is reported when the file is processed. The same holds below.
    return undefined;
  }
}

async function prepare(
  path: string,
  plan: Prepared['plan'],
  services: AheadServices,
): Promise<Prepared | undefined> {
  const { parser, mappings, adapter } = services;
  try {
    const identified = await identifyFor(path, plan.identity.bytes, services);
    if (identified.kind !== 'log') return { path, plan, identified, parse: undefined };
    const request = requestOf(path, identified, plan.identity.bytes, { mappings, adapter });
    return { path, plan, identified, parse: new PendingParse(parser, request) };
  } catch {
    return undefined;
  }
}

export async function identifyFor(
  path: string,
  bytes: number,
  { parser, mappings, adapter }: Omit<AheadServices, 'writer' | 'mayRead'>,
): Promise<Identified> {
  if (adapter === undefined) return parser.identify(path, basename(path), mappings);
  return bytes === 0 ? { kind: 'empty' } : adaptedLog(adapter);
}

interface Position {
  readonly offset: number;
  readonly lines: number;
  readonly tailHash?: string | undefined;
}

export function requestOf(
  path: string,
  { format, container, unit }: Log,
  bytes: number,
  { mappings, adapter }: Pick<AheadServices, 'mappings' | 'adapter'>,
  from: Position = { offset: 0, lines: 0 },
): ParseRequest {
  const mapping = mappings?.named(format);
  return {
    ...{ path, format, container, unit, bytes, ...from },
    ...(mapping === undefined ? {} : { mapping }),
    ...(adapter === undefined ? {} : { adapter }),
  };
}
