/**
 * While one file is written, the next one is already planned, identified and parsed: with
 * hundreds of small files the parser would otherwise wait for the writer, and the writer for
 * the parser, at every one of them.
 */
import { basename } from 'node:path';
import type { PackedBatch } from '../storage/batch.ts';
import type { LibraryWriter } from '../storage/libraryWriter.ts';
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

/**
 * Only files the library does not know: what is to be done with the others may change with the
 * file being read.
 * @param current size and beginning of that file: another of the same may be its duplicate
 */
export async function prepare(
  path: string,
  { parser, writer, mappings }: AheadServices,
  current: { readonly bytes: number; readonly headHash: string },
): Promise<Prepared | undefined> {
  try {
    const plan = await planFile(path, writer);
    if (plan.kind !== 'new') return undefined;
    const { bytes, headHash } = plan.identity;
    if (bytes === current.bytes && headHash === current.headHash) return undefined;
    const identified = await parser.identify(path, basename(path), mappings);
    if (identified.kind !== 'log') return { path, plan, identified, reading: undefined };
    const request = requestOf(path, identified, bytes, mappings);
    return { path, plan, identified, reading: new Reading(parser, request) };
  } catch {
    // Whatever it is, it will be met again, and said, when it is the file's turn.
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
