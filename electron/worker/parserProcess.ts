import { Worker } from 'node:worker_threads';
import type { Identified } from '../ingest/identify.ts';
import type { Mappings } from '../ingest/mappings.ts';
import type { ParseOutcome, ParseRequest } from '../ingest/parseFile.ts';
import type { Parser } from '../ingest/readAhead.ts';
import type { PackedBatch, PackedItem, PackedProblem } from '../storage/batch.ts';
import { PARSER_LIMITS } from '../threads/heapLimits.ts';
import { unpackEach, unpackList } from '../threads/packedList.ts';
import { entryOf } from './entry.ts';
import type { ParserMessage, ParserRequest, SentBatch } from './messages.ts';

/** Longer than any readable record takes. An idle thread answers at once. */
const HANG_TIMEOUT_MS = 60_000;
const PINGS = 4;
/** Event that a terminated thread emits to pending requests. */
const THREAD_LOST = 'lost';

type OnBatch = (batch: PackedBatch) => void | Promise<void>;

/**
 * The parser thread, as seen by the writer. Files are parsed in the order of the requests. One thread is
 * enough: with the writer's and libuv's compression it keeps two cores busy, and a second one measured
 * slower.
 */
export class ParserThread implements Parser {
  private readonly entry: URL;
  private readonly hangTimeoutMs: number;
  private readonly running = new Set<number>();
  /** Started by the first request, because most commands read no log. */
  private worker: Worker | undefined;
  private lastParseId = 0;
  /** Pending requests, and pings sent since the last message. */
  private open = 0;
  private unanswered = 0;
  private watch: NodeJS.Timeout | undefined;
  /** A thread that is still loading cannot answer pings. If loading fails, the thread reports it. */
  private isLoaded = false;

  /** @param hangTimeoutMs silence after which the thread counts as hung */
  constructor(entry: URL = entryOf('parser'), hangTimeoutMs: number = HANG_TIMEOUT_MS) {
    this.entry = entry;
    this.hangTimeoutMs = hangTimeoutMs;
  }

  identify(path: string, name: string, mappings: Mappings | undefined): Promise<Identified> {
    const forced = mappings?.forced === undefined ? {} : { forced: mappings.forced };
    const question = { kind: 'identify' as const, path, name, mappings: mappings?.all ?? [], ...forced };
    return this.ask(question, (message, resolve) => {
      if (message.kind === 'identified') resolve(message.identified);
    });
  }

  parse(request: ParseRequest, onBatch: OnBatch, signal?: AbortSignal): Promise<ParseOutcome> {
    // After a failed write, batches in flight are skipped until the thread confirms the cancellation.
    let failure: Error | undefined;
    let written: Promise<void> = Promise.resolve();
    let parseId = 0;
    const cancel = (): void => this.send({ kind: 'cancel', parseId });
    const take = async (sent: SentBatch): Promise<void> => {
      if (failure !== undefined) return;
      try {
        await onBatch(received(sent));
        // Node delivers up to 1,000 messages of one port in a row. Without this, a cancellation on another port would
        // wait until the parser has sent everything.
        await new Promise((resolve) => setImmediate(resolve));
        this.send({ kind: 'credit', parseId });
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
    this.running.add(parseId);
    signal?.addEventListener('abort', cancel);
    return outcome.finally(() => {
      this.running.delete(parseId);
      signal?.removeEventListener('abort', cancel);
    });
  }

  /** Cancels running and waiting parses. */
  cancel(): void {
    for (const parseId of this.running) this.send({ kind: 'cancel', parseId });
  }

  async close(): Promise<void> {
    clearInterval(this.watch);
    await this.worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(this.entry, { resourceLimits: PARSER_LIMITS });
    // Each request adds a listener: two files may be parsed at once, besides cancelled ones.
    worker.setMaxListeners(0);
    worker.on('message', () => {
      if (worker === this.worker) this.isLoaded = true;
      this.unanswered = 0;
    });
    // An error ends the thread, for example when a damaged count makes it allocate too much memory.
    worker.on('error', (error) => {
      if (worker === this.worker) this.replace(`the content crashed the parser: ${error.message}`);
    });
    return worker;
  }

  /**
   * Pings the thread while requests are pending. A damaged file can send a decoder into an endless loop,
   * and only terminating the thread stops that. The current file then counts as unreadable, and a new
   * thread continues.
   */
  private startWatchdog(): void {
    this.watch ??= setInterval(() => {
      if (this.open === 0) {
        clearInterval(this.watch);
        this.watch = undefined;
        this.endIdle();
        // Pings are counted instead of timed, because no ping is sent while this thread is busy.
      } else if (!this.isLoaded) {
        this.unanswered = 0;
      } else if (this.unanswered < PINGS) {
        this.unanswered++;
        this.send({ kind: 'ping' });
      } else {
        const seconds = Math.round(this.hangTimeoutMs / 1000);
        this.replace(
          `the parser was busy for more than ${seconds} s without a result; the file is probably damaged`,
        );
      }
    }, this.hangTimeoutMs / PINGS);
    this.watch.unref();
  }

  /** Frees the memory of a thread without requests. The next request starts another one. */
  private endIdle(): void {
    void this.worker?.terminate();
    this.worker = undefined;
    this.isLoaded = false;
  }

  /** Fails pending requests as unreadable files and starts a new thread. */
  private replace(message: string): void {
    const ended = this.worker;
    this.isLoaded = false;
    this.worker = this.start();
    this.unanswered = 0;
    ended?.emit(THREAD_LOST, Object.assign(new Error(message), { code: 'PARSER_ENDED', syscall: 'parse' }));
    void ended?.terminate();
  }

  private ask<T>(
    question: DistributiveOmit<Extract<ParserRequest, { kind: 'identify' | 'parse' }>, 'parseId'>,
    onMessage: (message: ParserMessage, resolve: (value: T) => void, reject: (error: Error) => void) => void,
  ): Promise<T> {
    const parseId = ++this.lastParseId;
    const worker = this.worker ?? this.start();
    this.worker = worker;
    this.open++;
    this.startWatchdog();
    const answer = new Promise<T>((resolve, reject) => {
      let isSettled = false;
      // A thread may be lost while its last batches are still being written.
      const settle = (finish: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        worker.off('message', receive);
        worker.off(THREAD_LOST, fail);
        this.open--;
        finish();
      };
      const fail = (error: Error): void => settle(() => reject(error));
      const receive = (message: ParserMessage): void => {
        if (message.parseId !== parseId) return;
        if (message.kind === 'error') {
          const error = Object.assign(new Error(message.message), message.system ?? {});
          fail(error);
        } else onMessage(message, (value) => settle(() => resolve(value)), fail);
      };
      worker.on('message', receive);
      worker.on(THREAD_LOST, fail);
    });
    this.send({ parseId, ...question });
    return answer;
  }

  private send(message: ParserRequest): void {
    this.worker?.postMessage(message);
  }
}

/** `packList` in `parser.ts` has packed the two lists. */
function received({ items, problems, ...batch }: SentBatch): PackedBatch {
  return {
    ...batch,
    items: { [Symbol.iterator]: () => unpackEach(items) as Generator<PackedItem> },
    problems: unpackList(problems) as PackedProblem[],
  };
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
