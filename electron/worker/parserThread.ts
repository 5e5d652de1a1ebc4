import { Worker } from 'node:worker_threads';
import type { Identified } from '../ingest/identify.ts';
import type { Mappings } from '../ingest/mappings.ts';
import type { ParseOutcome, ParseRequest } from '../ingest/parseFile.ts';
import type { Parser } from '../ingest/readAhead.ts';
import type { PackedBatch } from '../storage/batch.ts';
import { entryOf } from './entry.ts';
import type { ParserMessage, ParserRequest } from './messages.ts';

/** Longer than any record that can be read takes; a thread that is merely waiting answers at once. */
const PATIENCE_MS = 60_000;
const PINGS = 4;
/** What a thread that is given up says to those who wait for it. */
const LOST = 'lost';

type OnBatch = (batch: PackedBatch) => void | Promise<void>;

/**
 * The parser thread as the writer sees it. Files are parsed in the order they are asked for. One
 * thread: with the writer's and the compression of texts in libuv's it keeps two cores busy, and a second
 * one was measured to be slower.
 */
export class ParserThread implements Parser {
  private readonly entry: URL;
  private readonly patienceMs: number;
  private readonly running = new Set<number>();
  private worker: Worker;
  private asked = 0;
  /** Questions not answered yet, and signs of life asked for in vain since the last one. */
  private open = 0;
  private unanswered = 0;
  private watch: NodeJS.Timeout | undefined;
  /** A thread that is still loading is not silent; one that cannot load says so itself. */
  private isLoaded = false;

  /** @param patienceMs of silence, after which the thread is taken to hang */
  constructor(entry: URL = entryOf('parser'), patienceMs: number = PATIENCE_MS) {
    this.entry = entry;
    this.patienceMs = patienceMs;
    this.worker = this.start();
  }

  identify(path: string, name: string, mappings: Mappings | undefined): Promise<Identified> {
    const forced = mappings?.forced === undefined ? {} : { forced: mappings.forced };
    const question = { kind: 'identify' as const, path, name, mappings: mappings?.all ?? [], ...forced };
    return this.ask(question, (message, resolve) => {
      if (message.kind === 'identified') resolve(message.identified);
    });
  }

  parse(request: ParseRequest, onBatch: OnBatch, signal?: AbortSignal): Promise<ParseOutcome> {
    // Once writing has failed, what is still in flight is passed over; the thread is free when it says so.
    let failure: Error | undefined;
    let written: Promise<void> = Promise.resolve();
    let parseId = 0;
    const cancel = (): void => this.send({ kind: 'cancel', parseId });
    const take = async (batch: PackedBatch): Promise<void> => {
      if (failure !== undefined) return;
      try {
        await onBatch(batch);
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
    parseId = this.asked;
    this.running.add(parseId);
    signal?.addEventListener('abort', cancel);
    return outcome.finally(() => {
      this.running.delete(parseId);
      signal?.removeEventListener('abort', cancel);
    });
  }

  /** Ends the parses that are running or waiting. */
  cancel(): void {
    for (const parseId of this.running) this.send({ kind: 'cancel', parseId });
  }

  async close(): Promise<void> {
    clearInterval(this.watch);
    await this.worker.terminate();
  }

  private start(): Worker {
    const worker = new Worker(this.entry);
    // One listener per question; two files may be asked about at once, and a job may be cancelled in between.
    worker.setMaxListeners(0);
    worker.on('message', () => {
      if (worker === this.worker) this.isLoaded = true;
      this.unanswered = 0;
    });
    // Of the thread itself, as when a damaged count makes it ask for more memory than there is: it has ended.
    worker.on('error', (error) => {
      if (worker === this.worker) this.replace(`its content ended the reader: ${error.message}`);
    });
    return worker;
  }

  /**
   * A damaged file can send a decoder round in circles, and nothing but ending its thread stops
   * that. While there are questions the thread is asked for a sign of life; what it was doing
   * when it fell silent ends as an unreadable file, and a new thread reads on.
   */
  private watchOver(): void {
    this.watch ??= setInterval(() => {
      if (this.open === 0) {
        clearInterval(this.watch);
        this.watch = undefined;
        // Counted, not timed: while this thread itself is busy no question is asked.
      } else if (!this.isLoaded) {
        this.unanswered = 0;
      } else if (this.unanswered < PINGS) {
        this.unanswered++;
        this.send({ kind: 'ping' });
      } else {
        const seconds = Math.round(this.patienceMs / 1000);
        this.replace(
          `its content kept the reader busy for more than ${seconds} s without a result; it is taken to be damaged`,
        );
      }
    }, this.patienceMs / PINGS);
    this.watch.unref();
  }

  /** What is open ends as an unreadable file; whatever is asked from now on, a new thread answers. */
  private replace(message: string): void {
    const ended = this.worker;
    this.isLoaded = false;
    this.worker = this.start();
    this.unanswered = 0;
    ended.emit(LOST, Object.assign(new Error(message), { code: 'HANGS', syscall: 'parse' }));
    void ended.terminate();
  }

  private ask<T>(
    question: DistributiveOmit<Extract<ParserRequest, { kind: 'identify' | 'parse' }>, 'parseId'>,
    onMessage: (message: ParserMessage, resolve: (value: T) => void, reject: (error: Error) => void) => void,
  ): Promise<T> {
    const parseId = ++this.asked;
    const { worker } = this;
    this.open++;
    this.watchOver();
    const answer = new Promise<T>((resolve, reject) => {
      const settle = (finish: () => void): void => {
        worker.off('message', receive);
        worker.off(LOST, fail);
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
      worker.on(LOST, fail);
    });
    this.send({ parseId, ...question });
    return answer;
  }

  private send(message: ParserRequest): void {
    this.worker.postMessage(message);
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
