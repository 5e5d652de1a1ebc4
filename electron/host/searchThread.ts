/**
 * The thread that searches texts, as the host sees it: started with the first search. Where a regular
 * expression takes longer in one rollout than `LONGEST_MS`, the thread is ended, and another one asked
 * the same without that rollout.
 */
import { Worker } from 'node:worker_threads';
import type { ParsedParams, RolloutHits, SearchPage } from '../../shared/api/contract.ts';
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import { type AbortSignal, CANCELLED } from '../../shared/api/transport.ts';
import { entryOf } from '../worker/entry.ts';
import type { WorkerOptions } from '../worker/messages.ts';
import type { SearcherMessage, SearcherRequest } from '../worker/searcherMessages.ts';
import { endThread, Unanswered } from './endThread.ts';

const LONGEST_MS = 2000;
/** Rollouts one search may be caught in: an expression without end would be caught in each. */
const MOST_SKIPPED = 4;
const LOOK_MS = 250;
/** As `BEAT` of the messages: a host takes types alone from a worker. */
const STOP = 0;
const ROLLOUT = 1;
const SINCE = 2;
const NUMBERS = 3;

const ENDLESS: ApiFailure = {
  code: 'refused',
  message: `the regular expression was given up: in each of ${MOST_SKIPPED + 1} rollouts it took longer than 2 s. Repetitions of repetitions do, as in (a+)+`,
};

type Question =
  | { kind: 'page'; params: ParsedParams<'search.page'> }
  | { kind: 'hits'; params: ParsedParams<'search.hits'> };

interface Job {
  readonly question: Question;
  readonly beat: SharedArrayBuffer;
  readonly skipped: number[];
  readonly settle: (result: Result<unknown>) => void;
}

export class SearchThread {
  private readonly options: WorkerOptions;
  /** In the order they were asked, which is the order of the answers. */
  private readonly jobs = new Map<number, Job>();
  private worker: Worker | undefined;
  /** Loaded, or failed to. */
  private ready: Promise<void> = Promise.resolve();
  private watch: ReturnType<typeof setInterval> | undefined;
  private readonly unanswered = new Unanswered();
  private nextId = 1;

  constructor(options: WorkerOptions) {
    this.options = options;
  }

  page(params: ParsedParams<'search.page'>, signal?: AbortSignal): Promise<Result<SearchPage>> {
    return this.ask({ kind: 'page', params }, signal) as Promise<Result<SearchPage>>;
  }

  hits(params: ParsedParams<'search.hits'>, signal?: AbortSignal): Promise<Result<RolloutHits>> {
    return this.ask({ kind: 'hits', params }, signal) as Promise<Result<RolloutHits>>;
  }

  async close(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    for (const { beat } of this.jobs.values()) new Float64Array(beat)[STOP] = 1;
    this.failAll({ code: 'closed', message: 'the library has been closed' });
    const atRest = this.ready.then(() => this.unanswered.none());
    await endThread(worker, atRest);
  }

  private ask(question: Question, signal?: AbortSignal): Promise<Result<unknown>> {
    if (signal?.aborted === true) return Promise.resolve({ ok: false, failure: CANCELLED });
    const id = this.nextId++;
    const beat = new SharedArrayBuffer(NUMBERS * Float64Array.BYTES_PER_ELEMENT);
    return new Promise((resolve) => {
      const onAbort = (): void => {
        new Float64Array(beat)[STOP] = 1;
        settle({ ok: false, failure: CANCELLED });
      };
      const settle = (result: Result<unknown>): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve(result);
      };
      signal?.addEventListener('abort', onAbort);
      const job: Job = { question, beat, skipped: [], settle };
      this.jobs.set(id, job);
      this.start();
      this.send(id, job);
    });
  }

  private send(id: number, { question, beat, skipped }: Job): void {
    const request: SearcherRequest = { id, beat, skipped: [...skipped], ...question };
    if (this.worker === undefined) return;
    this.unanswered.asked(id);
    this.worker.postMessage(request);
  }

  private start(): void {
    this.watch ??= setInterval(() => this.look(), LOOK_MS);
    if (this.worker !== undefined) return;
    const worker = new Worker(entryOf('searcher'), { workerData: this.options });
    this.ready = new Promise((resolve) => {
      worker.once('message', () => resolve());
      worker.once('error', () => resolve());
    });
    worker.on('message', (message: SearcherMessage) => {
      if (message.kind !== 'result') return;
      this.unanswered.answered(message.id);
      this.jobs.get(message.id)?.settle(message.result);
      this.forget(message.id);
    });
    worker.on('error', (error) => {
      if (this.worker !== worker) return;
      this.worker = undefined;
      this.unanswered.forget();
      this.failAll({ code: 'internal', message: `the search stopped: ${error.message}` });
    });
    this.worker = worker;
  }

  /** A job stays until the thread is done with it, wanted or not: what it hangs in is known by it. */
  private look(): void {
    for (const [caught, { beat, skipped, settle }] of this.jobs) {
      const told = new Float64Array(beat);
      const rolloutId = told[ROLLOUT] ?? 0;
      if (rolloutId === 0 || Date.now() - (told[SINCE] ?? 0) < LONGEST_MS) continue;
      const former = this.worker;
      this.worker = undefined;
      // It is in a regular expression, so it has been loaded long since.
      void former?.terminate();
      this.unanswered.forget();
      told[ROLLOUT] = 0;
      skipped.push(rolloutId);
      if (skipped.length > MOST_SKIPPED) {
        settle({ ok: false, failure: ENDLESS });
        this.forget(caught);
      }
      if (this.jobs.size > 0) this.start();
      for (const [id, job] of this.jobs) {
        if (new Float64Array(job.beat)[STOP] === 0) this.send(id, job);
        else this.forget(id);
      }
      return;
    }
  }

  private forget(id: number): void {
    this.jobs.delete(id);
    if (this.jobs.size > 0) return;
    clearInterval(this.watch);
    this.watch = undefined;
  }

  private failAll(failure: ApiFailure): void {
    for (const [id, { settle }] of [...this.jobs]) {
      settle({ ok: false, failure });
      this.forget(id);
    }
  }
}
