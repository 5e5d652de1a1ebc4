/** Problems over steps and runs. */
import { z } from 'zod';
import { filter, id, progressKey } from './paramTypes.ts';
import type { DisputedAnswer, ProblemHistory, ProblemMap, ProblemSuspect } from './problemRows.ts';

export const PROBLEM_PARAMS = {
  'problem.map': z.object({ runId: id, filter, progressKey }),
  /** Problems whose rollouts agree on an answer that is not the ground truth. */
  'problem.suspects': z.object({ runId: id, filter, progressKey }),
  /** Answers that were judged right and wrong within a problem. */
  'problem.disputed': z.object({ runId: id, filter, progressKey }),
  /** Of the problem of a group, recognised elsewhere by its normalised question. */
  'problem.history': z.object({ groupId: id }),
} as const;

export interface ProblemResults {
  'problem.map': ProblemMap;
  'problem.suspects': { readonly suspects: readonly ProblemSuspect[] };
  'problem.disputed': { readonly answers: readonly DisputedAnswer[] };
  'problem.history': ProblemHistory;
}
