/**
 * Continuations of a rollout, sampled at the endpoint that the user has named when Turnwise was started
 * (`electron/sampling`). No request names an address.
 */
import { z } from 'zod';
import type { GradeWay } from '../domain/grade.ts';
import type { OriginOf } from '../domain/origin.ts';
import type { SampledRollout } from '../domain/valueByTurn.ts';
import { defineMethod, resultOf } from './method.ts';
import { id, progressKey } from './paramTypes.ts';

const position = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('turn'), turn: z.int().positive(), at: z.enum(['start', 'end']) }),
  z.object({ kind: z.literal('character'), at: id }),
  z.object({ kind: z.literal('token'), token: id }),
]);

const settings = z.object({
  n: z.int().min(1).max(256).default(4),
  temperature: z.number().min(0).max(2).default(1),
  topP: z.number().gt(0).max(1).default(1),
  /** Limit of each continuation, over all of its turns. */
  maxTokens: z.int().min(1).max(200_000).default(4096),
  /** OpenAI's limit is 4. */
  stop: z.array(z.string().min(1).max(200)).max(4).default([]),
  seed: z.int().nonnegative().max(2_000_000_000).default(1),
});

/** A regular expression that a correct answer matches. Absent: graded against the ground truth. */
const pattern = z.string().min(1).max(1000).refine(isPattern, 'this is no regular expression').optional();

export const continuationParams = z.object({
  rolloutId: id,
  position,
  /** Written at the position before the continuation is sampled. */
  edit: z.string().max(100_000).default(''),
  settings: settings.prefault({}),
  pattern,
});
export type ContinuationParams = z.output<typeof continuationParams>;

/** The origin that is stored with a continuation. */
export const continuationOrigin = continuationParams.omit({ rolloutId: true }).extend({ model: z.string() });

const valueParams = continuationParams.pick({ rolloutId: true, pattern: true }).extend({
  /** `n` is the most continuations per turn, `seed` the first of the prompt; each turn adds 1,000. */
  settings: settings.extend({ n: settings.shape.n.default(32) }).prefault({}),
  /** Most sampled tokens of this request. What is stored already does not count. */
  budget: z.int().positive().max(100_000_000),
});
export type ValueParams = z.output<typeof valueParams>;

function isPattern(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Id of a request for continuations; the group of its rollouts. */
const requestId = z.string().regex(/^[\w-]{1,80}$/);

export interface NamedEndpoint {
  /** `HOST:PORT`. */
  readonly host: string;
  readonly model: string;
}

export interface SamplingPreview {
  /** Absent: none is named, or `problem` says what is wrong with it. */
  readonly endpoint?: NamedEndpoint;
  readonly problem?: string;
  readonly form: 'text' | 'messages';
  /** Path of the request: `/v1/completions`. */
  readonly path: string;
  /** The first request as JSON. Further ones differ in their seed. */
  readonly body: string;
  /** Sampled tokens of all continuations together, at most. */
  readonly mostTokens: number;
  /** Sentences on what was inferred. */
  readonly notes: readonly string[];
  /** The text of the response just before the position. */
  readonly before: string;
  /** The rest of the sentence after the position. */
  readonly sentence: string;
  readonly hasGroundTruth: boolean;
}

export interface ContinuationRow {
  /** Position in the group, from 0. */
  readonly index: number;
  /** Absent: it failed, or is not in the library yet. */
  readonly rolloutId?: number;
  readonly answer?: string;
  readonly isCorrect?: boolean;
  readonly gradedBy?: GradeWay;
  /** Why there is no continuation. */
  readonly failure?: string;
}

export interface SampledContinuations {
  /** Names the request for `sampling.resume`. */
  readonly id: string;
  /** The rollout that is continued. */
  readonly origin: OriginOf;
  /** Key of the run of the continuations. */
  readonly runKey: string;
  readonly step: number;
  readonly continuations: readonly ContinuationRow[];
}

/** A request for continuations that ended before all of them were stored. */
export interface InterruptedContinuations {
  readonly id: string;
  /** The rollout that is continued. */
  readonly origin: OriginOf;
  readonly position: ContinuationParams['position'];
  readonly edit: string;
  readonly model: string;
  /** When it was made, ISO 8601. */
  readonly at: string;
  /** Continuations that were asked for. */
  readonly asked: number;
  /** Indices of those that are not stored. */
  readonly missing: readonly number[];
}

/** All stored continuations of a batch, also those of earlier files. */
export interface AnsweredBatch extends SampledContinuations {
  /**
   * Continuations that need another answer, because they called tools, which were run, or because there is no answer
   * yet: `sampling.nextBatch`.
   */
  readonly waiting: number;
}

export interface ReadAnswers {
  /** One per request. */
  readonly continuations: readonly AnsweredBatch[];
  /** Answers that were read, also if they were stored before. */
  readonly answers: number;
  /** Lines that gave no continuation, from 1, with the reason. */
  readonly failures: readonly { readonly line: number; readonly message: string }[];
}

/** Stored continuations of a rollout by position. */
export interface StoredContinuations extends SampledRollout {
  readonly rolloutId: number;
}

export interface SampledValue {
  readonly stored: StoredContinuations;
  /** Sampled by this request. */
  readonly continuations: number;
  readonly tokens: number;
  /** Every turn has the most continuations. False: the budget ended first. */
  readonly isComplete: boolean;
}

export const SAMPLING_METHODS = {
  /** What `sampling.start` would send. Sends nothing. */
  'sampling.preview': defineMethod({
    params: continuationParams,
    result: resultOf<SamplingPreview>(),
    runsOn: 'host',
  }),
  /**
   * Samples continuations, with `sampling.progress`, and stores each when it ends. Cancelling keeps those that have
   * ended.
   */
  'sampling.start': defineMethod({
    params: continuationParams.extend({ progressKey }),
    result: resultOf<SampledContinuations>(),
    runsOn: 'host',
  }),
  /** Samples what is missing of an earlier request. Without an id, of the last one. */
  'sampling.resume': defineMethod({
    params: z.object({ id: requestId.optional(), progressKey }),
    result: resultOf<SampledContinuations>(),
    runsOn: 'host',
  }),
  /**
   * Requests that were cancelled, killed or failed in part, newest first. Batches and values by turn are not among them.
   */
  'sampling.interrupted': defineMethod({
    params: z.object({}),
    result: resultOf<readonly InterruptedContinuations[]>(),
    runsOn: 'host',
  }),
  /**
   * Samples continuations from the ends of the turns of a rollout, with `sampling.progress`, and stores each when it
   * ends. What is stored of the same policy counts, so the same request goes on where an earlier one stopped.
   */
  'sampling.value': defineMethod({
    params: valueParams.extend({ progressKey }),
    result: resultOf<SampledValue>(),
    runsOn: 'host',
  }),
  /** Stored continuations of rollouts by position, for `shared/domain/valueByTurn.ts`. */
  'sampling.stored': defineMethod({
    params: z.object({ rolloutIds: z.array(id).max(1000) }),
    result: resultOf<readonly StoredContinuations[]>(),
    runsOn: 'reader',
  }),
  /** Requests as JSON Lines in OpenAI's batch form, for `sampling.read`. Sends nothing. */
  'sampling.batch': defineMethod({
    params: continuationParams,
    result: resultOf<{ readonly id: string; readonly requests: number; readonly lines: string }>(),
    runsOn: 'host',
  }),
  /** The requests of what is not complete after the answers that were read, in the same form. Sends nothing. */
  'sampling.nextBatch': defineMethod({
    params: z.object({ ids: z.array(requestId).min(1).max(1000) }),
    result: resultOf<{ readonly requests: number; readonly lines: string }>(),
    runsOn: 'host',
  }),
  /**
   * Reads the answers of a batch, as JSON Lines, and runs the Python calls that end their turns. Refuses lines without
   * any answer to a request of ours.
   */
  'sampling.read': defineMethod({
    params: z.object({ lines: z.string().max(200_000_000) }),
    result: resultOf<ReadAnswers>(),
    runsOn: 'host',
  }),
} as const;
