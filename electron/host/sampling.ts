/** Continuations of rollouts: previews, samples, stores and reads them, and writes and takes batches. */

import { randomBytes } from 'node:crypto';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import type {
  AnsweredBatch,
  ContinuationParams,
  ContinuationRow,
  Events,
  HostInfo,
  InterruptedContinuations,
  PythonAnswer,
  PythonCell,
  ReadAnswers,
  ResultOf,
  RolloutDetail,
  SampledContinuations,
  SampledValue,
  StoredContinuations,
  ValueParams,
} from '../../shared/api/contract.ts';
import { ApiError, failureOf, notFound, refused } from '../../shared/api/errors.ts';
import { type AbortSignal, CANCELLED } from '../../shared/api/transport.ts';
import { continuationFrom, continuationRequest, restOfSentence } from '../../shared/domain/continuation.ts';
import type { OriginOf } from '../../shared/domain/origin.ts';
import { proposedMode } from '../../shared/domain/rerun.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';
import { endOfTurn, nextTurn, policyKey, turnEndedAt, turnSamples } from '../../shared/domain/valueByTurn.ts';
import { codeCalls } from '../../shared/domain/verifyCalls.ts';
import { type BatchAnswer, type BatchFailure, batchLines, readBatch } from '../sampling/batch.ts';
import { sentRequest } from '../sampling/client.ts';
import {
  ContinuationFile,
  paramsOf,
  runOfContinuations,
  type StoredRequest,
  storedRequests,
} from '../sampling/continuationFile.ts';
import { type Endpoint, hostOf, namedEndpoint } from '../sampling/endpoint.ts';
import { type RecordedRollout, recordOf } from '../sampling/record.ts';
import {
  type Continuation,
  type ContinuationTask,
  openedContinuation,
  sampleAll,
  takeAnswer,
  tooManyCalls,
} from '../sampling/sampler.ts';
import type { HostHandlers } from './host.ts';
import type { LibraryThreads } from './libraryThreads.ts';

export interface SamplingOptions {
  readonly libraryPath: string;
  readonly threads: Pick<LibraryThreads, 'ask'>;
  readonly python: (cells: readonly PythonCell[], signal?: AbortSignal) => Promise<PythonAnswer>;
  /** Reads a file of continuations into the library. */
  readonly read: (path: string) => Promise<void>;
  readonly requireWritable: () => void;
  readonly emit: (progress: Events['sampling.progress']) => void;
}

type SamplingMethod = Extract<keyof HostHandlers, `sampling.${string}`>;

/** This many continuations are sampled from the end of a turn before the next turn is chosen. */
const VALUE_BATCH = 4;
/** The first seeds of two turns differ by this. A server may draw alike at two positions with one seed. */
const SEEDS_PER_TURN = 1000;
const MOST_SEED = 2_000_000_000;

/** A continuation has at most this many turns if the run states no limit. */
const TURN_LIMIT = 10;
/** Milliseconds between two events of a continuation. A token takes less, and a page needs no event for each. */
const EVENT_MS = 50;
/** UTF-16 units of the text before the position that a preview shows. */
const SHOWN_BEFORE = 400;
/** Stands for the model in a batch if the environment names none. */
const NO_MODEL = 'MODEL';

/** Only the newest requests are searched for interrupted ones, because their files are read whole. */
const SEARCHED_REQUESTS = 50;

/** A rollout with what its continuations need. */
interface Prepared extends RecordedRollout {
  readonly task: ContinuationTask;
}

export class Sampling {
  private readonly options: SamplingOptions;
  /** The requests that are being sampled, by id. */
  private readonly running = new Map<
    string,
    { readonly signal: AbortSignal | undefined; readonly ended: Promise<unknown> }
  >();

  /** Ends when the answers that were asked to be read are taken. */
  private reading: Promise<unknown> = Promise.resolve();

  constructor(options: SamplingOptions) {
    this.options = options;
  }

  info(): Pick<HostInfo, 'endpoint'> {
    const { endpoint } = endpointOrProblem();
    return endpoint === undefined ? {} : { endpoint: { host: hostOf(endpoint), model: endpoint.model } };
  }

  handlers(): Pick<HostHandlers, SamplingMethod> {
    return {
      'sampling.preview': (params) => this.preview(params),
      'sampling.start': ({ progressKey, ...params }, signal) => this.start(params, progressKey, signal),
      'sampling.resume': ({ id, progressKey }, signal) => this.resume(id, progressKey, signal),
      'sampling.interrupted': () => this.interrupted(),
      'sampling.value': ({ progressKey, ...params }, signal) => this.value(params, progressKey, signal),
      'sampling.batch': (params) => this.batch(params),
      'sampling.nextBatch': ({ ids }) => this.nextBatch(ids),
      'sampling.read': ({ lines }, signal) => this.readAnswers(lines, signal),
    };
  }

  private async preview(params: ContinuationParams): Promise<ResultOf<'sampling.preview'>> {
    const { detail, start, task } = await this.prepare(params);
    const { endpoint, problem } = endpointOrProblem();
    const { settings } = task;
    const request = continuationRequest(start);
    const { path, body } = sentRequest(modelOf(endpoint), request, settings, settings.seed);
    return {
      ...(endpoint === undefined ? {} : { endpoint: { host: hostOf(endpoint), model: endpoint.model } }),
      ...(problem === undefined ? {} : { problem }),
      form: request.form,
      path: endpoint === undefined ? `/v1${path}` : `${new URL(endpoint.url).pathname}${path}`,
      body: JSON.stringify(body, null, 2),
      mostTokens: settings.n * settings.maxTokens,
      notes: start.notes,
      before: start.response.slice(Math.max(0, start.editStart - SHOWN_BEFORE), start.editStart),
      sentence: sentenceAt(detail, start.at),
      hasGroundTruth: task.groundTruth !== undefined,
    };
  }

  private async start(
    params: ContinuationParams,
    progressKey: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<SampledContinuations> {
    const endpoint = requireEndpoint();
    const prepared = await this.prepare(params);
    const file = this.newFile(params, prepared, endpoint);
    return this.sample(file, prepared, endpoint, progressKey, signal);
  }

  private async resume(
    id: string | undefined,
    progressKey: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<SampledContinuations> {
    this.options.requireWritable();
    const endpoint = requireEndpoint();
    const { libraryPath } = this.options;
    await this.cancelledEnded();
    const chosen = id ?? storedRequests(libraryPath)[0];
    if (chosen === undefined) throw notFound('there is no request for continuations');
    if (this.running.has(chosen)) throw refused(`the continuations of ${chosen} are being sampled`);
    const file = ContinuationFile.toAppend(libraryPath, chosen);
    if (file.request.budget !== undefined)
      throw refused(`${file.id} belongs to a value by turn, which goes on when it is started again`);
    if (file.request.model !== endpoint.model)
      throw refused(
        `the continuations of ${file.id} were sampled from ${file.request.model}, not from ${endpoint.model}`,
      );
    return this.sample(file, await this.prepareStored(file.request), endpoint, progressKey, signal);
  }

  private async interrupted(): Promise<readonly InterruptedContinuations[]> {
    const { libraryPath } = this.options;
    await this.cancelledEnded();
    const interrupted: InterruptedContinuations[] = [];
    for (const id of storedRequests(libraryPath).slice(0, SEARCHED_REQUESTS)) {
      // The host answers other requests between two files.
      await setImmediate();
      const file = this.running.has(id) ? undefined : readOrNone(libraryPath, id);
      const missing = file?.missing() ?? [];
      if (file === undefined || missing.length === 0) continue;
      const { origin, position, edit, settings, model, at, budget, isBatch } = file.request;
      if (budget !== undefined || isBatch === true) continue;
      const rest = { id, origin: originOf(origin), position, edit, model, at };
      interrupted.push({ ...rest, asked: settings.n, missing });
    }
    return interrupted;
  }

  /** Waits for requests that were cancelled. They end soon after the page that cancelled them has gone on. */
  private async cancelledEnded(): Promise<void> {
    const cancelled = [...this.running.values()].filter(({ signal }) => signal?.aborted === true);
    await Promise.all(cancelled.map(({ ended }) => ended));
  }

  private async batch(params: ContinuationParams): Promise<ResultOf<'sampling.batch'>> {
    const prepared = await this.prepare(params);
    const { endpoint } = endpointOrProblem();
    const file = this.newFile(params, prepared, endpoint, { isBatch: true });
    const { task } = prepared;
    const open = Array.from({ length: task.settings.n }, (_, index) => openedContinuation(task, index));
    return {
      id: file.id,
      requests: open.length,
      lines: batchLines(file.id, modelOf(endpoint), task, open),
    };
  }

  private async nextBatch(ids: readonly string[]): Promise<ResultOf<'sampling.nextBatch'>> {
    const { endpoint } = endpointOrProblem();
    const parts: string[] = [];
    let requests = 0;
    for (const id of new Set(ids)) {
      const file = ContinuationFile.read(this.options.libraryPath, id);
      const missing = file.missing();
      if (missing.length === 0) continue;
      const { task } = await this.prepareStored(file.request);
      const open = file.open(task);
      const asked = missing.map((index) => open.get(index) ?? openedContinuation(task, index));
      parts.push(batchLines(id, modelOf(endpoint), task, asked));
      requests += asked.length;
    }
    return { requests, lines: parts.join('') };
  }

  private async readAnswers(lines: string, signal: AbortSignal | undefined): Promise<ReadAnswers> {
    this.options.requireWritable();
    const batch = readBatch(lines);
    if (batch.answers.length === 0) throw refused('there is no answer to a request of ours in this file');
    // Two pages may read the same answers. The second must find what the first has stored.
    const taken = this.reading.then(() => this.takeBatch(batch, signal));
    this.reading = taken.catch(() => undefined);
    return taken;
  }

  private async takeBatch(
    batch: ReturnType<typeof readBatch>,
    signal: AbortSignal | undefined,
  ): Promise<ReadAnswers> {
    if (signal?.aborted === true) throw new ApiError(CANCELLED);
    const failures = [...batch.failures];
    const continuations: AnsweredBatch[] = [];
    for (const [id, those] of Map.groupBy(batch.answers, (answer) => answer.id)) {
      let file: ContinuationFile;
      let prepared: Prepared;
      try {
        file = ContinuationFile.toAppend(this.options.libraryPath, id);
        prepared = await this.prepareStored(file.request);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // Other answers of the file belong to requests that are here.
        failures.push(...those.map(({ line }) => ({ line, message: error.message })));
        continue;
      }
      const sampled = await this.takeAnswers(file, prepared, those, failures, signal);
      continuations.push({ ...sampled, waiting: file.missing().length });
    }
    return {
      continuations,
      answers: batch.answers.length + batch.failures.length - failures.length,
      failures: failures.sort((a, b) => a.line - b.line),
    };
  }

  private async takeAnswers(
    file: ContinuationFile,
    prepared: Prepared,
    answers: readonly BatchAnswer[],
    failures: BatchFailure[],
    signal: AbortSignal | undefined,
  ): Promise<SampledContinuations> {
    const { task } = prepared;
    const { n } = task.settings;
    const rows = new Map<number, ContinuationRow>();
    const open = new Map(file.open(task));
    try {
      for (const { line, index, before, outcome } of answers) {
        if (index >= n) {
          failures.push({ line, message: `request ${file.id} has ${n} continuations, and none ${index}` });
          continue;
        }
        if (typeof outcome === 'string') {
          failures.push({ line, message: outcome });
          rows.set(index, { index, failure: outcome });
          continue;
        }
        const continuation = open.get(index) ?? openedContinuation(task, index);
        if (file.done.has(index) || before < continuation.answers) continue;
        if (before > continuation.answers) {
          failures.push({ line, message: 'the answer before it has not been read' });
          continue;
        }
        const taken = await takeAnswer(task, continuation, outcome, { python: this.options.python, signal });
        const refusal =
          taken.refusal ??
          (taken.ended === undefined
            ? file.saveOpen(taken.open)
            : file.append(recordOf(file, prepared, taken.ended)));
        if (refusal !== undefined) {
          failures.push({ line, message: refusal });
          rows.set(index, { index, failure: refusal });
        } else if (taken.refusal === undefined && taken.ended === undefined) open.set(index, taken.open);
      }
    } finally {
      // What was taken before a stop is kept.
      if (file.done.size > 0) await this.options.read(file.path);
    }
    return this.finish(file, rows);
  }

  private newFile(
    params: ContinuationParams,
    { detail }: Prepared,
    endpoint: Endpoint | undefined,
    kind: Pick<StoredRequest, 'budget' | 'isBatch'> = {},
  ): ContinuationFile {
    this.options.requireWritable();
    const { position, edit, settings, pattern } = params;
    const { row, run, group } = detail;
    const now = new Date();
    const id = `${now.toISOString().replaceAll(/\D/g, '')}-${randomBytes(4).toString('hex')}`;
    return ContinuationFile.create(this.options.libraryPath, id, run.name, {
      origin: { run: run.runKey, step: row.step ?? 0, group: group.groupKey, index: row.ordinal },
      ...{ position, edit, settings },
      ...(pattern === undefined ? {} : { pattern }),
      model: modelOf(endpoint),
      ...(endpoint === undefined ? {} : { endpoint: hostOf(endpoint) }),
      at: now.toISOString(),
      ...kind,
    });
  }

  private async sample(
    file: ContinuationFile,
    prepared: Prepared,
    endpoint: Endpoint,
    progressKey: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<SampledContinuations> {
    const progress = new SamplingProgress(progressKey, this.options.emit);
    const { rows } = await this.sampleInto(
      file,
      prepared,
      new Set(file.done.keys()),
      endpoint,
      progress,
      signal,
    );
    return this.finish(file, rows);
  }

  private async value(
    params: ValueParams,
    progressKey: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<SampledValue> {
    const { rolloutId, settings, pattern, budget } = params;
    const endpoint = requireEndpoint();
    const stored = await this.stored(rolloutId);
    const { lastTurn, isCorrect } = stored;
    if (lastTurn === 0) throw refused('this rollout has no turns');
    if (budget < settings.maxTokens)
      throw refused('the budget is smaller than the most tokens of one continuation');
    const { n: most, seed: _, ...how } = settings;
    const policy = { model: endpoint.model, ...how, pattern };
    const turns = new Map(turnSamples(stored.positions, policy).map((one) => [one.turn, one]));
    const files = new Map<number, { readonly file: ContinuationFile; readonly prepared: Prepared }>();
    let [tokens, continuations] = [0, 0];
    for (;;) {
      const size = Math.min(VALUE_BATCH, Math.floor((budget - tokens) / settings.maxTokens));
      const plan = { lastTurn, isCorrect, batch: VALUE_BATCH, most };
      const turn = nextTurn([...turns.values()], plan);
      if (turn === undefined || size === 0)
        return {
          stored: await this.stored(rolloutId),
          ...{ continuations, tokens, isComplete: turn === undefined },
        };
      const before = turns.get(turn) ?? { turn, sampled: 0, graded: 0, correct: 0 };
      const used = await this.fileOfTurn(files, turn, params, endpoint);
      const { task } = used.prepared;
      // Seeds that are stored already would be sampled alike.
      const done = new Set(used.file.done.keys());
      for (const { position, edit, policy: other, seeds } of stored.positions)
        if (turnEndedAt(position) === turn && edit === '' && policyKey(other) === policyKey(policy))
          for (const one of seeds) done.add(one - used.file.request.settings.seed);
      const n = indexAfter(done, Math.min(size, most - before.sampled));
      const sampled = await this.sampleInto(
        used.file,
        { ...used.prepared, task: { ...task, settings: { ...task.settings, n } } },
        done,
        endpoint,
        new SamplingProgress(progressKey, this.options.emit, turn),
        signal,
      );
      const rows = [...sampled.rows.values()];
      const failure = rows.find((row) => row.failure !== undefined)?.failure;
      if (failure !== undefined) throw refused(failure);
      tokens += sampled.tokens;
      continuations += rows.length;
      turns.set(turn, {
        turn,
        sampled: before.sampled + rows.length,
        graded: before.graded + rows.filter((row) => row.isCorrect !== undefined).length,
        correct: before.correct + rows.filter((row) => row.isCorrect === true).length,
      });
    }
  }

  private async stored(rolloutId: number): Promise<StoredContinuations> {
    const [stored] = await this.options.threads.ask('sampling.stored', { rolloutIds: [rolloutId] });
    if (stored === undefined) throw notFound(`there is no rollout ${rolloutId}`);
    return stored;
  }

  /** One file per turn: its rollouts are a group, whose pass rate is the value. */
  private async fileOfTurn(
    files: Map<number, { readonly file: ContinuationFile; readonly prepared: Prepared }>,
    turn: number,
    { rolloutId, settings, pattern, budget }: ValueParams,
    endpoint: Endpoint,
  ): Promise<{ readonly file: ContinuationFile; readonly prepared: Prepared }> {
    const known = files.get(turn);
    if (known !== undefined) return known;
    const seed = (settings.seed + turn * SEEDS_PER_TURN) % MOST_SEED;
    const asked = {
      rolloutId,
      position: endOfTurn(turn),
      edit: '',
      settings: { ...settings, seed },
      pattern,
    };
    const prepared = await this.prepare(asked);
    if (prepared.task.groundTruth === undefined && pattern === undefined)
      throw refused('the log has no ground truth, so a value needs a pattern that a correct answer matches');
    const made = { file: this.newFile(asked, prepared, endpoint, { budget }), prepared };
    files.set(turn, made);
    return made;
  }

  /**
   * Samples what is missing, and reads the file into the library, also when it is cancelled or fails.
   * @param done indices that are not sampled
   */
  private sampleInto(
    ...[file, prepared, done, endpoint, progress, signal]: Parameters<Sampling['sampleUnlisted']>
  ): ReturnType<Sampling['sampleUnlisted']> {
    const sampled = this.sampleUnlisted(file, prepared, done, endpoint, progress, signal);
    const ended = sampled.catch(() => undefined).finally(() => this.running.delete(file.id));
    this.running.set(file.id, { signal, ended });
    return sampled;
  }

  private async sampleUnlisted(
    file: ContinuationFile,
    prepared: Prepared,
    done: ReadonlySet<number>,
    endpoint: Endpoint,
    progress: SamplingProgress,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly rows: ReadonlyMap<number, ContinuationRow>; readonly tokens: number }> {
    const rows = new Map<number, ContinuationRow>();
    let tokens = 0;
    try {
      const failed = await sampleAll(prepared.task, {
        ...{ endpoint, signal, python: this.options.python, done },
        random: seededRandom(prepared.task.settings.seed),
        wait: async (milliseconds, stop) => {
          await wait(milliseconds, undefined, { signal: stop as globalThis.AbortSignal | undefined });
        },
        onText: (index, text) => progress.text(index, text),
        onEnd: (continuation) => {
          const refusal = file.append(recordOf(file, prepared, continuation));
          if (refusal !== undefined) throw refused(refusal);
          const row = rowOf(continuation);
          rows.set(continuation.index, row);
          tokens += continuation.tokensUsed;
          progress.ended(row);
        },
      });
      for (const { index, message } of failed) {
        const row = { index, failure: message };
        rows.set(index, row);
        progress.ended(row);
      }
    } catch (error) {
      if (signal?.aborted === true) throw new ApiError(CANCELLED);
      throw error;
    } finally {
      // Ended continuations are kept.
      if (file.done.size > 0) await this.options.read(file.path);
    }
    return { rows, tokens };
  }

  private async finish(
    file: ContinuationFile,
    rows: ReadonlyMap<number, ContinuationRow>,
  ): Promise<SampledContinuations> {
    const { origin } = file.request;
    const runKey = runOfContinuations(origin.run);
    const indices = [...new Set([...file.done.keys(), ...rows.keys()])].sort((a, b) => a - b);
    const continuations: ContinuationRow[] = [];
    for (const index of indices) {
      const address = { runKey, step: origin.step, groupKey: file.id, ordinal: index };
      const stored = file.done.get(index);
      const rolloutId = stored === undefined ? undefined : await this.find(address);
      const row = stored ?? rows.get(index) ?? { index };
      continuations.push(rolloutId === undefined ? row : { ...row, rolloutId });
    }
    return { id: file.id, origin: originOf(origin), runKey, step: origin.step, continuations };
  }

  private async find({ runKey, step, groupKey, ordinal }: OriginOf): Promise<number | undefined> {
    try {
      const page = await this.options.threads.ask('page.open', { runKey, step, groupKey, ordinal });
      return page.rolloutId;
    } catch (error) {
      if (failureOf(error)?.code === 'not_found') return undefined;
      throw error;
    }
  }

  private async prepareStored(request: StoredRequest): Promise<Prepared> {
    const rolloutId = await this.find(originOf(request.origin));
    if (rolloutId === undefined) {
      const { run, step, group, index } = request.origin;
      throw refused(
        `the rollout that is continued is not in this library: run ${run}, step ${step}, group ${group}, ${index}`,
      );
    }
    return this.prepare(paramsOf(request, rolloutId));
  }

  private async prepare({
    rolloutId,
    position,
    edit,
    settings,
    pattern,
  }: ContinuationParams): Promise<Prepared> {
    const { threads } = this.options;
    const detail = await threads.ask('rollout.get', { rolloutId });
    const refusal = tooManyCalls(detail.response);
    if (refusal !== undefined) throw refused(refusal);
    const tokens =
      detail.tokens?.isAligned === true ? await threads.ask('rollout.tokens', { rolloutId }) : undefined;
    const start = continuationFrom({ ...detail, tokenEnds: tokens?.ends }, position, edit);
    if (typeof start === 'string') throw refused(start);
    const calls = codeCalls(detail);
    const output = calls.find(({ response }) => response !== undefined)?.response;
    const { groundTruth } = detail.row;
    const limit = detail.limits.find(({ kind }) => kind === 'turns')?.value;
    return {
      ...{ detail, start, tokens },
      task: {
        ...{ start, settings, pattern, groundTruth },
        turnLimit: limit ?? TURN_LIMIT,
        mode: proposedMode(calls).mode,
        toolOutput: output,
      },
    };
  }
}

/** Joins the pieces of a continuation, so that an event does not come with each token. */
class SamplingProgress {
  private readonly progressKey: string | undefined;
  private readonly emit: SamplingOptions['emit'];
  private readonly turn: number | undefined;
  private readonly pending = new Map<number, { text: string; sentAt: number }>();

  /** @param turn the turn from whose end is sampled, for a value by turn */
  constructor(progressKey: string | undefined, emit: SamplingOptions['emit'], turn?: number) {
    this.progressKey = progressKey;
    this.emit = emit;
    this.turn = turn;
  }

  text(index: number, text: string): void {
    const pending = this.pending.get(index) ?? { text: '', sentAt: Number.NEGATIVE_INFINITY };
    this.pending.set(index, pending);
    pending.text += text;
    if (performance.now() - pending.sentAt >= EVENT_MS) this.send(index, pending);
  }

  ended(row: ContinuationRow): void {
    const pending = this.pending.get(row.index);
    if (pending !== undefined && pending.text !== '') this.send(row.index, pending);
    this.event({ index: row.index, ended: row });
  }

  private send(index: number, pending: { text: string; sentAt: number }): void {
    this.event({ index, text: pending.text });
    pending.text = '';
    pending.sentAt = performance.now();
  }

  private event(about: Pick<Events['sampling.progress'], 'index' | 'text' | 'ended'>): void {
    if (this.progressKey === undefined) return;
    this.emit({
      progressKey: this.progressKey,
      ...(this.turn === undefined ? {} : { turn: this.turn }),
      ...about,
    });
  }
}

/** The index after `count` indices that are not done, counted from 0. */
function indexAfter(done: ReadonlySet<number>, count: number): number {
  let index = 0;
  for (let left = count; left > 0; index += 1) if (!done.has(index)) left -= 1;
  return index;
}

function rowOf({ index, answer, grade }: Pick<Continuation, 'index' | 'answer' | 'grade'>): ContinuationRow {
  return {
    index,
    ...(answer === undefined ? {} : { answer }),
    ...(grade?.isCorrect === undefined ? {} : { isCorrect: grade.isCorrect }),
    ...(grade === undefined ? {} : { gradedBy: grade.way }),
  };
}

const originOf = ({ run, step, group, index }: StoredRequest['origin']): OriginOf => ({
  ...{ runKey: run, step, groupKey: group, ordinal: index },
});

/** Files that are no requests of ours are left to whoever put them there. */
function readOrNone(libraryPath: string, id: string): ContinuationFile | undefined {
  try {
    return ContinuationFile.read(libraryPath, id);
  } catch {
    return undefined;
  }
}

function endpointOrProblem(): { readonly endpoint?: Endpoint; readonly problem?: string } {
  try {
    const endpoint = namedEndpoint(process.env);
    return endpoint === undefined ? {} : { endpoint };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function requireEndpoint(): Endpoint {
  const endpoint = namedEndpoint(process.env);
  if (endpoint === undefined)
    throw refused(
      'no endpoint was named when Turnwise was started; set TURNWISE_ENDPOINT and TURNWISE_ENDPOINT_MODEL',
    );
  return endpoint;
}

const modelOf = (endpoint: Endpoint | undefined): string =>
  endpoint?.model ?? process.env['TURNWISE_ENDPOINT_MODEL'] ?? NO_MODEL;

function sentenceAt({ response, segments }: RolloutDetail, at: number): string {
  const segment = segments.find(({ turn, outer }) => turn > 0 && outer.start <= at && at < outer.end);
  return segment === undefined ? '' : restOfSentence(response, at, segment.inner.end);
}
