import { Worker } from 'node:worker_threads';
import type { Identified } from '../ingest/identify.ts';
import type { Mappings } from '../ingest/mappings.ts';
import type { ParseOutcome, ParseRequest } from '../ingest/parseFile.ts';
import type { Parser } from '../ingest/readAhead.ts';
import type { PackedBatch } from '../storage/batch.ts';
import { entryOf } from './entry.ts';
import type { ParserMessage, ParserRequest } from './messages.ts';

type OnBatch = (batch: PackedBatch) => void | Promise<void>;

/**
 * The parser thread as the writer sees it. Files are parsed in the order they are asked for. One
 * thread: with the writer's and the compression of texts in libuv's it keeps two cores busy, and a second
 * one was measured to be slower.
 */
export class ParserThread implements Parser {
  private readonly worker = new Worker(entryOf('parser'));
  private readonly running = new Set<number>();
  private asked = 0;

  constructor() {
    // One listener per question; two files may be asked about at once, and a job may be cancelled in between.
    this.worker.setMaxListeners(0);
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
    await this.worker.terminate();
  }

  private ask<T>(
    question: DistributiveOmit<Extract<ParserRequest, { kind: 'identify' | 'parse' }>, 'parseId'>,
    onMessage: (message: ParserMessage, resolve: (value: T) => void, reject: (error: Error) => void) => void,
  ): Promise<T> {
    const parseId = ++this.asked;
    const answer = new Promise<T>((resolve, reject) => {
      const settle = (finish: () => void): void => {
        this.worker.off('message', receive);
        this.worker.off('error', fail);
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
      this.worker.on('message', receive);
      this.worker.on('error', fail);
    });
    this.send({ parseId, ...question });
    return answer;
  }

  private send(message: ParserRequest): void {
    this.worker.postMessage(message);
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
