/** Opens a page by its address and returns the first answers that the page needs. */
import { z } from 'zod';
import { SIGNALS } from '../domain/tokenSignal.ts';
import { rocChoice } from './analysisMethods.ts';
import type { RolloutAnnotations } from './annotationRows.ts';
import { defineMethod, resultOf } from './method.ts';
import { id } from './paramTypes.ts';
import type { GroupLedger } from './rocRows.ts';
import type { GroupRow, RolloutDetail, RolloutRow, RolloutSignal, TokenAlternatives } from './rows.ts';
import type { StoredContinuations } from './samplingMethods.ts';
import type { ProblemOccurrence } from './sourceRows.ts';

/** Tokens whose alternatives come with a replay. They show whether the log lists any. */
export const FIRST_ALTERNATIVES = 64;

/** Groups of the same problem that come with a group. */
export const FIRST_OCCURRENCES = 100;

export const PAGE_METHODS = {
  /**
   * Resolves the parts of a URL to ids and returns, in the same request, the results of other methods that
   * the page needs. The page puts them into its cache.
   */
  'page.open': defineMethod({
    params: z.object({
      runKey: z.string(),
      step: id.optional(),
      groupKey: z.string().optional(),
      ordinal: id.optional(),
      /**
       * `rollout`: for a comparison lane; `replay`: with signal, annotations and siblings; `group`: with rows
       * and ledger.
       */
      show: z.enum(['rollout', 'replay', 'group']).optional(),
      /** For `replay`: params of `rollout.signal`. */
      signal: z
        .object({
          signal: z.enum(SIGNALS).optional(),
          vocabulary: z.int().positive().max(10_000_000).optional(),
        })
        .optional(),
      /** For `group`: params of `roc.group`. */
      roc: z.object({ basis: rocChoice.optional(), whatIf: rocChoice.optional() }).optional(),
      /** For `group`: larger groups come without a ledger. */
      largestLedger: id.optional(),
    }),
    result: resultOf<OpenedPage>(),
    runsOn: 'reader',
  }),
} as const;

export interface OpenedPage {
  readonly runId: number;
  readonly groupId?: number;
  readonly rolloutId?: number;
  readonly answers: readonly PageAnswer[];
}

/** The result of `method` with `params`. */
export type PageAnswer =
  | Answer<'rollout.get', { rolloutId: number }, RolloutDetail>
  | Answer<
      'rollout.signal',
      { rolloutId: number; signal?: string | undefined; vocabulary?: number | undefined },
      RolloutSignal
    >
  | Answer<'rollout.alternatives', { rolloutId: number; from: number; limit: number }, TokenAlternatives>
  | Answer<'sampling.stored', { rolloutIds: readonly number[] }, readonly StoredContinuations[]>
  | Answer<'annotation.list', { rolloutId: number }, RolloutAnnotations>
  | Answer<'rollout.order', object, { readonly runId: number; readonly ids: Uint32Array }>
  | Answer<'group.order', object, { readonly runId: number; readonly ids: Uint32Array }>
  | Answer<'group.rows', { groupIds: readonly number[] }, readonly GroupRow[]>
  | Answer<'rollout.rows', { rolloutIds: readonly number[] }, readonly RolloutRow[]>
  | Answer<
      'problem.occurrences',
      { groupId: number; limit: number },
      { readonly places: readonly ProblemOccurrence[]; readonly total: number }
    >
  | Answer<'roc.group', object, GroupLedger>;

interface Answer<M extends string, P, V> {
  readonly method: M;
  readonly params: P;
  readonly value: V;
}
