/** The thread for long questions, as the host sees it: started with the first one. */
import { Worker } from 'node:worker_threads';
import type {
  LibrarySizes,
  ResultOf,
  RocReport,
  TokenPlaces,
  TokenStatistics,
} from '../../shared/api/contract.ts';
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import { type AbortSignal, CANCELLED } from '../../shared/api/transport.ts';
import type {
  AnalysisMessage,
  AnalysisRequest,
  DecisionsHead,
  DecisionsRequest,
} from '../worker/analysisMessages.ts';
import { entryOf } from '../worker/entry.ts';
import type { WorkerOptions } from '../worker/messages.ts';
import { endThread, Unanswered } from './endThread.ts';

type ReportRequest = Extract<AnalysisRequest, { kind: 'report' }>['request'];
type StatisticsRequest = Extract<AnalysisRequest, { kind: 'statistics' }>['request'];
type CompareQuestion = Extract<AnalysisRequest, { kind: 'compare' }>['question'];
type PlacesRequest = Extract<AnalysisRequest, { kind: 'places' }>['request'];
export type BrowseQuestion = Extract<AnalysisRequest, { kind: 'browse' }>['question'];
type DataSetRequest = Extract<AnalysisRequest, { kind: 'export' }>['request'];
type DataSetReport = ResultOf<'run.export'>;
type PackRequest = Extract<AnalysisRequest, { kind: 'pack' }>['request'];
type PackTextRequest = Extract<AnalysisRequest, { kind: 'packText' }>['request'];
type Page = Extract<AnalysisMessage, { kind: 'page' }>['step'];
type Question = AnalysisRequest extends infer R ? (R extends AnalysisRequest ? Omit<R, 'id'> : never) : never;

/** A thread looks whether its answer is still wanted many times a second. */
const CAUGHT_MS = 3000;

/** For one text: a regular expression that takes longer never comes back from it. */
const LONGEST_TEXT_MS = 2000;
const LOOK_MS = 250;

const ENDLESS =
  'the regular expression was given up: in one text it took longer than 2 s. Repetitions of repetitions do, as in (a+)+';
const INTERRUPTED: ApiFailure = {
  code: 'internal',
  message: 'an earlier question could not be interrupted; ask again',
};

interface Job {
  readonly question: Question;
  readonly settle: (result: Result<unknown>) => void;
  readonly onNews: (message: AnalysisMessage) => void;
}

export interface DecisionListeners {
  readonly onHead: (head: DecisionsHead) => void;
  /** The next step is decided when this resolves. */
  readonly onPage: (step: Page) => Promise<void> | void;
}

export interface Progress {
  readonly stepsDone: number;
  readonly steps: number;
  /** Of everything, 0 … 1, where it is known closer than by steps. */
  readonly share?: number;
}
export type OnProgress = (progress: Progress) => void;

const newsFor =
  (onProgress: OnProgress) =>
  (message: AnalysisMessage): void => {
    if (message.kind === 'progress') onProgress(message);
  };

/** As `Stoppable` of the messages: a host takes types alone from a worker. */
const STOP = 0;
const TEXTS = 1;

/** As `Stoppable` says; set when the signal is. */
export function stopFlag(signal: AbortSignal | undefined): SharedArrayBuffer {
  const stop = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  signal?.addEventListener('abort', () => void Atomics.store(new Int32Array(stop), STOP, 1));
  return stop;
}

export class AnalysisThread {
  private readonly options: WorkerOptions;
  private readonly jobs = new Map<number, Job>();
  private worker: Worker | undefined;
  /** Loaded, or failed to. */
  private ready: Promise<void> = Promise.resolve();
  /** Questions given up that have not ended yet. */
  private readonly givenUp = new Map<number, NodeJS.Timeout>();
  private readonly unanswered = new Unanswered();
  /** Flags of questions that look at one. */
  private readonly stops = new Set<SharedArrayBuffer>();
  /** The text that is being looked through, by its number, and since when. */
  private readonly texts = new Map<number, { readonly number: number; readonly since: number }>();
  private watch: NodeJS.Timeout | undefined;
  private nextId = 1;

  constructor(options: WorkerOptions) {
    this.options = options;
  }

  report(request: ReportRequest, onProgress: OnProgress, signal?: AbortSignal): Promise<Result<RocReport>> {
    const answer = this.ask({ kind: 'report', request }, newsFor(onProgress), signal);
    return answer as Promise<Result<RocReport>>;
  }

  statistics(
    request: StatisticsRequest,
    onProgress: OnProgress,
    signal?: AbortSignal,
  ): Promise<Result<TokenStatistics>> {
    const answer = this.ask({ kind: 'statistics', request }, newsFor(onProgress), signal);
    return answer as Promise<Result<TokenStatistics>>;
  }

  places(request: PlacesRequest, onProgress: OnProgress, signal?: AbortSignal): Promise<Result<TokenPlaces>> {
    const answer = this.ask({ kind: 'places', request }, newsFor(onProgress), signal);
    return answer as Promise<Result<TokenPlaces>>;
  }

  /** A cancel reaches the thread in the middle of its work. */
  compare<Answer>(
    question: CompareQuestion,
    onProgress: OnProgress,
    signal?: AbortSignal,
  ): Promise<Result<Answer>> {
    const stop = stopFlag(signal);
    return this.ask({ kind: 'compare', question, stop }, newsFor(onProgress), signal) as Promise<
      Result<Answer>
    >;
  }

  browse<Answer>(
    question: BrowseQuestion,
    onProgress: OnProgress,
    signal?: AbortSignal,
  ): Promise<Result<Answer>> {
    const stop = stopFlag(signal);
    return this.ask({ kind: 'browse', question, stop }, newsFor(onProgress), signal) as Promise<
      Result<Answer>
    >;
  }

  sizes(onProgress: OnProgress, signal?: AbortSignal): Promise<Result<LibrarySizes>> {
    const answer = this.ask({ kind: 'sizes', stop: stopFlag(signal) }, newsFor(onProgress), signal);
    return answer as Promise<Result<LibrarySizes>>;
  }

  exportDataSet(
    request: DataSetRequest,
    onProgress: OnProgress,
    signal?: AbortSignal,
  ): Promise<Result<DataSetReport>> {
    const answer = this.ask({ kind: 'export', request, stop: stopFlag(signal) }, newsFor(onProgress), signal);
    return answer as Promise<Result<DataSetReport>>;
  }

  pack(
    request: PackRequest,
    onProgress: OnProgress,
    signal?: AbortSignal,
  ): Promise<Result<ResultOf<'pack.export'>>> {
    const answer = this.ask({ kind: 'pack', request, stop: stopFlag(signal) }, newsFor(onProgress), signal);
    return answer as Promise<Result<ResultOf<'pack.export'>>>;
  }

  packText(request: PackTextRequest, signal?: AbortSignal): Promise<Result<ResultOf<'pack.text'>>> {
    const answer = this.ask({ kind: 'packText', request }, () => undefined, signal);
    return answer as Promise<Result<ResultOf<'pack.text'>>>;
  }

  groups(reportId: number, key: string): Promise<Result<{ readonly ids: Uint32Array }>> {
    const nothing = (): void => undefined;
    return this.ask({ kind: 'groups', reportId, key }, nothing) as Promise<Result<{ ids: Uint32Array }>>;
  }

  decisions(
    request: DecisionsRequest,
    { onHead, onPage }: DecisionListeners,
    signal?: AbortSignal,
  ): Promise<Result<unknown>> {
    const onNews = (message: AnalysisMessage): void => {
      if (message.kind === 'head') onHead(message.head);
      if (message.kind !== 'page') return;
      const { id } = message;
      void Promise.resolve(onPage(message.step)).then(() => this.send({ id, kind: 'taken' }));
    };
    return this.ask({ kind: 'decisions', request }, onNews, signal);
  }

  async close(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    for (const id of [...this.givenUp.keys()]) this.ended(id);
    for (const id of this.jobs.keys()) worker?.postMessage({ id, kind: 'cancel' } satisfies AnalysisRequest);
    for (const stop of this.stops) Atomics.store(new Int32Array(stop), STOP, 1);
    this.failAll({ code: 'closed', message: 'the library has been closed' });
    const atRest = this.ready.then(() => this.unanswered.none());
    await endThread(worker, atRest);
  }

  private ask(
    question: Question,
    onNews: (message: AnalysisMessage) => void,
    signal?: AbortSignal,
  ): Promise<Result<unknown>> {
    if (signal?.aborted === true) return Promise.resolve({ ok: false, failure: CANCELLED });
    const id = this.nextId++;
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.send({ id, kind: 'cancel' });
        this.expectEnd(id);
        settle({ ok: false, failure: CANCELLED });
      };
      const settle = (result: Result<unknown>): void => {
        signal?.removeEventListener('abort', onAbort);
        this.jobs.delete(id);
        this.texts.delete(id);
        if (this.jobs.size === 0) clearInterval(this.watch);
        if ('stop' in question) this.stops.delete(question.stop);
        resolve(result);
      };
      signal?.addEventListener('abort', onAbort);
      this.jobs.set(id, { question, settle, onNews });
      if ('stop' in question) this.stops.add(question.stop);
      if (this.jobs.size === 1) {
        this.watch = setInterval(() => this.look(), LOOK_MS);
        this.watch.unref();
      }
      this.put(id, question);
    });
  }

  private put(id: number, question: Question): void {
    this.start();
    this.unanswered.asked(id);
    this.send({ id, ...question });
  }

  private send(request: AnalysisRequest): void {
    this.worker?.postMessage(request);
  }

  private start(): void {
    if (this.worker !== undefined) return;
    const worker = new Worker(entryOf('analysis'), { workerData: this.options });
    this.ready = new Promise((resolve) => {
      worker.once('message', () => resolve());
      worker.once('error', () => resolve());
    });
    worker.on('message', (message: AnalysisMessage) => {
      const job = this.jobs.get(message.id);
      if (message.kind !== 'result') {
        job?.onNews(message);
        return;
      }
      this.ended(message.id);
      this.unanswered.answered(message.id);
      job?.settle(message.result);
    });
    worker.on('error', (error) => {
      if (this.worker === worker) this.worker = undefined;
      this.unanswered.forget();
      this.failAll({ code: 'internal', message: `the analysis stopped: ${error.message}` });
    });
    this.worker = worker;
  }

  /** A question that was given up is answered soon, or the thread is caught in it: in a regular expression without end. */
  private expectEnd(id: number): void {
    if (this.worker === undefined) return;
    const timer = setTimeout(() => this.replace(), CAUGHT_MS);
    timer.unref();
    this.givenUp.set(id, timer);
  }

  private ended(id: number): void {
    clearTimeout(this.givenUp.get(id));
    this.givenUp.delete(id);
  }

  /** Whether the thread is still in the text it was in. */
  private look(): void {
    for (const [id, { question, settle }] of this.jobs) {
      if (!('stop' in question)) continue;
      const number = Atomics.load(new Int32Array(question.stop), TEXTS);
      const known = this.texts.get(id);
      if (number % 2 === 0) this.texts.delete(id);
      else if (known?.number !== number) this.texts.set(id, { number, since: performance.now() });
      else if (performance.now() - known.since >= LONGEST_TEXT_MS) {
        settle({ ok: false, failure: { code: 'refused', message: ENDLESS } });
        this.replace();
        return;
      }
    }
  }

  /** Ends the thread; another answers what waited behind. */
  private replace(): void {
    const { worker } = this;
    this.worker = undefined;
    for (const id of [...this.givenUp.keys()]) this.ended(id);
    this.unanswered.forget();
    this.texts.clear();
    void this.ready.then(() => worker?.terminate());
    for (const [id, { question, settle }] of [...this.jobs]) {
      // Whoever takes pages has some of them already.
      if (question.kind === 'decisions') settle({ ok: false, failure: INTERRUPTED });
      else this.put(id, question);
    }
  }

  private failAll(failure: ApiFailure): void {
    for (const { settle } of [...this.jobs.values()]) settle({ ok: false, failure });
  }
}
