/** Resample-on-Correct recomputed, and comparison of rollouts. */
import { z } from 'zod';
import { MAX_LANES } from '../domain/alignLanes.ts';
import { RESAMPLE_RULES, SETTING_NAMES } from '../domain/downSampling.ts';
import type { ActionTree, AlikeList, ForkTree } from './compareRows.ts';
import { defineMethod, resultOf } from './method.ts';
import type { PackedComparison } from './packedRows.ts';
import { id, progressKey, rolloutAddress } from './paramTypes.ts';
import { type GroupLedger, type GroupsBehind, PENALTY_KINDS, type RocReport } from './rocRows.ts';

export const rocChoice = z.object({
  rule: z.enum(RESAMPLE_RULES).optional(),
  penalty: z.enum(PENALTY_KINDS).optional(),
  settings: z.partialRecord(z.enum(SETTING_NAMES), z.union([z.boolean(), z.number(), z.string()])).optional(),
  groupSize: z.int().positive().max(100_000).optional(),
});

export const ANALYSIS_METHODS = {
  /** One group's pool with every decision and its reason: logged, recomputed, and under a what-if. */
  'roc.group': defineMethod({
    params: z.object({ groupId: id, basis: rocChoice.default({}), whatIf: rocChoice.optional() }),
    result: resultOf<GroupLedger>(),
    runsOn: 'reader',
  }),
  /**
   * As `roc.group`, over a step or a run. Long-running: `progressKey` names the request in
   * `analysis.progress`.
   */
  'roc.report': defineMethod({
    params: z.object({
      runId: id,
      step: id.optional(),
      basis: rocChoice.default({}),
      whatIf: rocChoice.optional(),
      progressKey: z.string().max(100).optional(),
    }),
    result: resultOf<RocReport>(),
    runsOn: 'analysis',
  }),
  /** The groups behind one number of a report, by the number's key, with the changed decisions of each. */
  'roc.groups': defineMethod({
    params: z.object({ reportId: id, key: z.string().max(200) }),
    result: resultOf<GroupsBehind>(),
    runsOn: 'analysis',
    isAtOnce: true,
  }),
  /**
   * Aligns two to four rollouts, given by id or address. `baseline` is the index of the one the others are
   * aligned with.
   */
  'compare.align': defineMethod({
    params: z.object({
      rollouts: z
        .array(z.union([id, rolloutAddress]))
        .min(1)
        .max(MAX_LANES),
      baseline: id.default(0),
    }),
    /** `unpackComparison` turns it into rows. */
    result: resultOf<PackedComparison>(),
    runsOn: 'comparison',
  }),
  /** Fork tree of one group, or of several groups of one problem at several steps. */
  'compare.tree': defineMethod({
    params: z.object({ groupIds: z.array(id).min(1).max(1000) }),
    result: resultOf<ForkTree>(),
    runsOn: 'comparison',
  }),
  /** As `compare.tree`, by what the rollouts do: their tool calls and answers. */
  'compare.actionTree': defineMethod({
    params: z.object({ groupIds: z.array(id).min(1).max(1000) }),
    result: resultOf<ActionTree>(),
    runsOn: 'comparison',
  }),
  /** Rollouts of the same problem that resemble this one most. */
  'compare.alike': defineMethod({
    params: z.object({
      rolloutId: id,
      limit: z.int().positive().max(512).default(50),
      progressKey,
    }),
    result: resultOf<AlikeList>(),
    runsOn: 'comparison',
  }),
} as const;
