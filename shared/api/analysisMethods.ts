/** Resample-on-Correct recomputed, and rollouts side by side. */
import { z } from 'zod';
import { MAX_LANES } from '../domain/alignLanes.ts';
import { RESAMPLE_RULES, SETTING_NAMES } from '../domain/downSampling.ts';
import type { AlikeList, ForkTree } from './compareRows.ts';
import { defineMethod, resultOf } from './method.ts';
import type { PackedComparison } from './packedRows.ts';
import { id, progressKey } from './paramTypes.ts';
import { type GroupLedger, PENALTY_KINDS, type RocReport } from './rocRows.ts';

const rocChoice = z.object({
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
  /** The same over a step or a whole run. Long: `progressKey` names it in `analysis.progress`; cancel the request to end it. */
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
  /** The groups behind a number of a report, by its key. */
  'roc.groups': defineMethod({
    params: z.object({ reportId: id, key: z.string().max(200) }),
    result: resultOf<{ readonly ids: Uint32Array }>(),
    runsOn: 'analysis',
    isAtOnce: true,
  }),
  /** Two to four rollouts side by side, aligned with the one of them that is the baseline (an index). */
  'compare.align': defineMethod({
    params: z.object({ rolloutIds: z.array(id).min(1).max(MAX_LANES), baseline: id.default(0) }),
    /** `unpackComparison` makes rows of it. */
    result: resultOf<PackedComparison>(),
    runsOn: 'comparison',
  }),
  /** Where the rollouts of a group part; of several groups: of one problem at several steps. */
  'compare.tree': defineMethod({
    params: z.object({ groupIds: z.array(id).min(1).max(1000) }),
    result: resultOf<ForkTree>(),
    runsOn: 'comparison',
  }),
  /** Rollouts of the same problem that are most like this one. */
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
