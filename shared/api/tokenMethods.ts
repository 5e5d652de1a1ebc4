/** One rollout with its tokens, and token statistics over many rollouts. */
import { z } from 'zod';
import { SOURCE_KINDS } from '../domain/entropy.ts';
import { AFTER, STATISTICS_BY } from '../domain/signalStatistics.ts';
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
  TokenOccurrences,
  TokenStatistics,
} from './rows.ts';

/** A group or rollout also names its run, which keys progress and caches. */
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
  /** One signal per token. Without `signal`: the best available one. `vocabulary`: for upper bounds. */
  'rollout.signal': defineMethod({
    params: z.object({
      rolloutId: id,
      signal: z.enum(SIGNALS).optional(),
      vocabulary: z.int().positive().max(10_000_000).optional(),
    }),
    result: resultOf<RolloutSignal>(),
    runsOn: 'reader',
  }),
  /** Alternatives listed for the tokens from `from` on. */
  'rollout.alternatives': defineMethod({
    params: z.object({
      rolloutId: id,
      from: id,
      limit: z.int().positive().max(1000).default(1),
    }),
    result: resultOf<TokenAlternatives>(),
    runsOn: 'reader',
  }),
  /** Signals that a run, a step, a group or a rollout has, each with the number of rollouts. */
  'token.signals': defineMethod({
    params: z.object(tokenScope),
    result: resultOf<AvailableSignals>(),
    runsOn: 'reader',
  }),
  /**
   * A signal over a run, a step, a group or a rollout, grouped by one or several cuts in one pass.
   * Long-running like `roc.report`.
   */
  'token.statistics': defineMethod({
    params: z.object({
      ...tokenScope,
      by: z.array(z.enum(STATISTICS_BY)).min(1).max(STATISTICS_BY.length),
      signal: z.enum(SIGNALS).optional(),
      vocabulary: z.int().positive().max(10_000_000).optional(),
      window: z.int().nonnegative().max(100_000).optional(),
      /** The lexicon, which the user may have edited, for its overlap with high-signal tokens. */
      words: z.array(z.string().max(200)).max(1000).optional(),
      leastTokens: z.int().positive().optional(),
      progressKey: z.string().max(100).optional(),
    }),
    result: resultOf<TokenStatistics>(),
    runsOn: 'analysis',
  }),
  /**
   * Occurrences of a token that the policy sampled, or of reflection tokens after tool responses with one result.
   * Highest (or lowest) values first. Long-running. Absent `source`: the source with most of these tokens.
   */
  'token.occurrences': defineMethod({
    params: z.object({
      ...tokenScope,
      signal: z.enum(SIGNALS),
      source: signalSource.optional(),
      wanted: z.union([
        z.object({ token: z.string().min(1).max(10_000) }),
        z.object({ reflection: z.enum(AFTER), window: z.int().nonnegative().max(100_000) }),
      ]),
      order: direction.default('descending'),
      vocabulary: z.int().positive().max(10_000_000).optional(),
      limit: z.int().positive().max(1000).default(100),
      progressKey: z.string().max(100).optional(),
    }),
    result: resultOf<TokenOccurrences>(),
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
    runsOn: 'inspector',
  }),
} as const;
