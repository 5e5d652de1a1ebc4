/** One rollout with its tokens, and statistics of tokens over many. */
import { z } from 'zod';
import { SOURCE_KINDS } from '../domain/entropy.ts';
import { STATISTICS_BY } from '../domain/signalStatistics.ts';
import { SIGNALS } from '../domain/tokenSignal.ts';
import { defineMethod, resultOf } from './method.ts';
import { direction, id } from './paramTypes.ts';
import type {
  AvailableSignals,
  RecordChunk,
  RolloutDetail,
  RolloutSignal,
  RolloutTokens,
  TokenAlternatives,
  TokenPlaces,
  TokenStatistics,
} from './rows.ts';

/** A group and a rollout name their run, too: it is what progress and caches go by. */
const tokenScope = {
  runId: id,
  step: id.optional(),
  groupId: id.optional(),
  rolloutId: id.optional(),
};
const signalSource = z.object({
  kind: z.enum(SOURCE_KINDS),
  k: z.int().nonnegative().optional(),
  bound: z.literal('lower').optional(),
  unit: z.string().max(100).optional(),
  temperature: z.number().optional(),
  policy: z.string().max(100).optional(),
});

export const TOKEN_METHODS = {
  /** From the words of a URL to ids. */
  'place.resolve': defineMethod({
    params: z.object({
      runKey: z.string(),
      step: id.optional(),
      groupKey: z.string().optional(),
      ordinal: id.optional(),
    }),
    result: resultOf<{ readonly runId: number; readonly groupId?: number; readonly rolloutId?: number }>(),
    runsOn: 'reader',
  }),
  'rollout.get': defineMethod({
    params: z.object({ rolloutId: id }),
    result: resultOf<RolloutDetail>(),
    runsOn: 'reader',
  }),
  'rollout.tokens': defineMethod({
    params: z.object({ rolloutId: id }),
    result: resultOf<RolloutTokens>(),
    runsOn: 'reader',
  }),
  /** One number per token and what it is; without `signal` the best there is. `vocabulary`: for upper bounds. */
  'rollout.signal': defineMethod({
    params: z.object({
      rolloutId: id,
      signal: z.enum(SIGNALS).optional(),
      vocabulary: z.int().positive().max(10_000_000).optional(),
    }),
    result: resultOf<RolloutSignal>(),
    runsOn: 'reader',
  }),
  /** What else could have stood at a token: the listed alternatives of some tokens from `from` on. */
  'rollout.alternatives': defineMethod({
    params: z.object({
      rolloutId: id,
      from: id,
      limit: z.int().positive().max(1000).default(1),
    }),
    result: resultOf<TokenAlternatives>(),
    runsOn: 'reader',
  }),
  /** Which signals a run, a step, a group or a rollout has, and of how many rollouts. */
  'token.signals': defineMethod({
    params: z.object(tokenScope),
    result: resultOf<AvailableSignals>(),
    runsOn: 'reader',
  }),
  /** A signal over a run, a step, a group or a rollout, cut in one or several ways by one reading. Long: like `roc.report`. */
  'token.statistics': defineMethod({
    params: z.object({
      ...tokenScope,
      by: z.array(z.enum(STATISTICS_BY)).min(1).max(STATISTICS_BY.length),
      signal: z.enum(SIGNALS).optional(),
      vocabulary: z.int().positive().max(10_000_000).optional(),
      window: z.int().nonnegative().max(100_000).optional(),
      /** Of the lexicon, which the user may have edited: how it agrees with what is high. */
      words: z.array(z.string().max(200)).max(1000).optional(),
      leastTokens: z.int().positive().optional(),
      progressKey: z.string().max(100).optional(),
    }),
    result: resultOf<TokenStatistics>(),
    runsOn: 'analysis',
  }),
  /** Where the policy sampled a token, highest (or lowest) values first. Long, too. `source`: without it the one of most tokens. */
  'token.places': defineMethod({
    params: z.object({
      ...tokenScope,
      signal: z.enum(SIGNALS),
      source: signalSource.optional(),
      token: z.string().min(1).max(10_000),
      order: direction.default('descending'),
      vocabulary: z.int().positive().max(10_000_000).optional(),
      limit: z.int().positive().max(1000).default(100),
      progressKey: z.string().max(100).optional(),
    }),
    result: resultOf<TokenPlaces>(),
    runsOn: 'analysis',
  }),
  /** The raw record in its source file, by byte range: `limit` bytes from `offset` on. */
  'rollout.record': defineMethod({
    params: z.object({
      rolloutId: id,
      offset: z.int().nonnegative().default(0),
      limit: z.int().positive().max(4_194_304).default(1_048_576),
    }),
    result: resultOf<RecordChunk>(),
    runsOn: 'reader',
  }),
} as const;
