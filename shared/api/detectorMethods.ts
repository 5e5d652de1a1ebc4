/** Detectors of reward hacking and degeneration. */
import { z } from 'zod';
import { type RolloutFinding, THRESHOLD_NAMES, thresholdFault } from '../domain/detectors/detectors.ts';
import type { DetectorReport } from './detectorRows.ts';
import { defineMethod, resultOf } from './method.ts';
import { filter, id, progressKey } from './paramTypes.ts';

/** Only those that differ from their defaults need to be given. */
const thresholds = z
  .partialRecord(z.enum(THRESHOLD_NAMES), z.number())
  .superRefine((values, check) => {
    for (const name of THRESHOLD_NAMES) {
      const value = values[name];
      const fault = value === undefined ? undefined : thresholdFault(name, value);
      if (fault !== undefined) check.addIssue({ code: 'custom', message: fault, path: [name] });
    }
  })
  .default({});

export const DETECTOR_METHODS = {
  /** All findings in the matching rollouts of a run or step; `limit` per detector have their place. */
  'detector.report': defineMethod({
    params: z.object({
      runId: id,
      filter,
      step: id.optional(),
      thresholds,
      limit: z.int().min(0).max(100_000).default(100),
      progressKey,
    }),
    result: resultOf<DetectorReport>(),
    runsOn: 'charts',
  }),
  /** The findings in one rollout. */
  'detector.rollout': defineMethod({
    params: z.object({ rolloutId: id, thresholds }),
    result: resultOf<{ readonly findings: readonly RolloutFinding[] }>(),
    runsOn: 'lists',
  }),
} as const;
