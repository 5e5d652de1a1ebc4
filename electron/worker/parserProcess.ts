import { fileURLToPath } from 'node:url';
import { deserialize } from 'node:v8';
import type { Identified } from '../ingest/identify.ts';
import type { Mappings } from '../ingest/mappings.ts';
import type { ParseOutcome, ParseRequest } from '../ingest/parseFile.ts';
import type { Parser } from '../ingest/readAhead.ts';
import type { PackedBatch, PackedItem, PackedProblem } from '../storage/batch.ts';
import { type ChildProcess, forkProcess } from '../threads/childProcess.ts';
import { PARSER_HEAP } from '../threads/heapLimits.ts';
import { unpackEach, unpackList } from '../threads/packedList.ts';
import { entryOf } from './entry.ts';
import {
  MOST_PARSER_MEMORY,
  type ParserFrame,
  type ParserMessage,
  type ParserNews,
  type ParserRequest,
  type SentBatch,
} from './messages.ts';

/** A process without requests is ended after this time, which frees its memory. */
const IDLE_MS = 15_000;

/** A record of 64 MB takes a few seconds, and a process hears nothing meanwhile. */
const CANCEL_MS = 5_000;

const ENDED = `the content ended the parser: it takes more than ${MOST_PARSER_MEMORY / 2 ** 20} MiB of memory at once, or more than 8 s of computing for one record. Write smaller records, pages or batches, unless the file is damaged`;

/** A process that has not started after this time never will. */
const START_MS = 60_000;
const NOT_STARTED = 'the parser could not be started; the system may have no memory or processes left';

type OnBatch = (batch: PackedBatch) => void | Promise<void>;

export type StartParser = () => ChildProcess<ParserRequest, ParserFrame>;

const forkParser: StartParser = () =>
  forkProcess(fileURLToPath(entryOf('parser')), { name: 'Turnwise parser', execArgv: PARSER_HEAP });

/**
 * The parser process, as seen by the writer. Files are parsed in the order of the requests. One process is
 * enough: with the writer and libuv's compression it keeps two cores busy, and a second one measured slower.
 *
 * A process that ends fails its requests as unreadable files, and the next request starts another one. One that cannot be
 * started fails the whole call, because it says nothing of the files.
 */
export class ParserProcess implements Parser {
  private readonly start: StartParser;
  /** By the id of their parse. */
  private readonly open = new Map<number, Request>();
  /** Started by the first request, because most commands read no log. */
  private child: ChildProcess<ParserRequest, ParserFrame> | undefined;
  private lastParseId = 0;
  private idle: NodeJS.Timeout | undefined;

  /** @param start default: Node's fork */
  constructor(start: StartParser = forkParser) {
    this.start = start;
  }

  identify(path: string, name: string, mappings: Mappings | undefined): Promise<Identified> {
    const forced = mappings?.forced === undefined ? {} : { forced: mappings.forced };
    const question = { kind: 'identify' as const, path, name, mappings: mappings?.all ?? [], ...forced };
    return this.ask(question, (message, resolve) => {
      if (message.kind === 'identified') resolve(message.identified);
    });
  }

  parse(request: ParseRequest, onBatch: OnBatch, signal?: AbortSignal): Promise<ParseOutcome> {
    // After a failed write, batches in flight are skipped until the process confirms the cancellation.
    let failure: Error | undefined;
    let written: Promise<void> = Promise.resolve();
    let parseId = 0;
    const cancel = (): void => this.child?.send({ kind: 'cancel', parseId });
    const take = async (sent: SentBatch): Promise<void> => {
      if (failure !== undefined) return;
      try {
        await onBatch(received(sent));
        // Node delivers up to 1,000 messages of one port in a row. Without this, a cancellation on another port would
        // wait until the parser has sent everything.
        await new Promise((resolve) => setImmediate(resolve));
        this.child?.send({ kind: 'credit', parseId });
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error));
        cancel();
      }
    };
    const outcome = this.ask<ParseOutcome>({ kind: 'parse', request }, (message, resolve, reject) => {
      if (message.kind === 'batch') written = written.then(() => take(message.batch));
      else if (message.kind === 'done') {
        const { outcome: read } = message;
        void written.then(() => (failure === undefined ? resolve(read) : reject(failure)));
      }
    });
    parseId = this.lastParseId;
    signal?.addEventListener('abort', cancel);
    // After a failure the file is read again from the last stored position, so pending batches are stored first.
    return outcome.finally(() => written).finally(() => signal?.removeEventListener('abort', cancel));
  }

  /** Cancels running and waiting parses. A process that does not answer is killed. */
  cancel(): void {
    const { child } = this;
    const parseIds = [...this.open.keys()];
    for (const parseId of parseIds) child?.send({ kind: 'cancel', parseId });
    setTimeout(() => {
      if (child === undefined || child !== this.child || !parseIds.some((id) => this.open.has(id))) return;
      child.kill();
      this.fail(child, ended(ENDED));
    }, CANCEL_MS).unref();
  }

  close(): void {
    clearTimeout(this.idle);
    this.child?.kill();
    this.child = undefined;
  }

  private running(): ChildProcess<ParserRequest, ParserFrame> {
    if (this.child !== undefined) return this.child;
    const child = this.start();
    let isStarted = false;
    const starting = setTimeout(() => {
      child.kill();
      this.fail(child, new Error(NOT_STARTED));
    }, START_MS);
    starting.unref();
    child.onMessage((frame) => {
      if (child !== this.child) return;
      try {
        const message = deserialize(frame) as ParserMessage;
        if (message.kind === 'started') {
          isStarted = true;
          clearTimeout(starting);
        }
        // A late message of a cancelled parse has no request.
        else this.open.get(message.parseId)?.receive(message);
      } catch (error) {
        child.kill();
        this.fail(child, ended(error instanceof Error ? error.message : ENDED));
      }
    });
    child.onExit((why) => {
      clearTimeout(starting);
      if (isStarted) this.fail(child, ended(why instanceof Error ? why.message : ENDED));
      else this.fail(child, new Error(why instanceof Error ? `${NOT_STARTED}: ${why.message}` : NOT_STARTED));
    });
    this.child = child;
    return child;
  }

  private fail(child: ChildProcess<ParserRequest, ParserFrame>, error: Error): void {
    if (child !== this.child) return;
    this.child = undefined;
    for (const request of [...this.open.values()]) request.fail(error);
  }

  private ask<T>(
    question: DistributiveOmit<Extract<ParserRequest, { kind: 'identify' | 'parse' }>, 'parseId'>,
    onMessage: (message: ParserNews, resolve: (value: T) => void, reject: (error: Error) => void) => void,
  ): Promise<T> {
    const parseId = ++this.lastParseId;
    clearTimeout(this.idle);
    return new Promise<T>((resolve, reject) => {
      const settle = (finish: () => void): void => {
        if (!this.open.delete(parseId)) return;
        if (this.open.size === 0) this.endWhenIdle();
        finish();
      };
      const fail = (error: Error): void => settle(() => reject(error));
      const receive = (message: ParserNews): void => {
        if (message.kind === 'error') fail(Object.assign(new Error(message.message), message.system ?? {}));
        else onMessage(message, (value) => settle(() => resolve(value)), fail);
      };
      this.open.set(parseId, { receive, fail });
      this.running().send({ parseId, ...question });
    });
  }

  private endWhenIdle(): void {
    this.idle = setTimeout(() => this.close(), IDLE_MS);
    this.idle.unref();
  }
}

interface Request {
  readonly receive: (message: ParserNews) => void;
  readonly fail: (error: Error) => void;
}

/** The failure of a file whose content has ended the process. */
const ended = (message: string): Error =>
  Object.assign(new Error(message), { code: 'PARSER_ENDED', syscall: 'parse' });

/** `packList` in `parser.ts` has packed the two lists. */
function received({ items, problems, ...batch }: SentBatch): PackedBatch {
  return {
    ...batch,
    items: { [Symbol.iterator]: () => unpackEach(items) as Generator<PackedItem> },
    problems: unpackList(problems) as PackedProblem[],
  };
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
