/** Problems over steps and runs. */
import { z } from 'zod';
import { defineMethod, resultOf } from './method.ts';
import { filter, id, progressKey, stepPlace } from './paramTypes.ts';
import type {
  DisputedAnswer,
  FailureClusters,
  ProblemChanges,
  ProblemHistory,
  ProblemMap,
  ProblemSuspect,
} from './problemRows.ts';

export const PROBLEM_METHODS = {
  'problem.map': defineMethod({
    params: z.object({ runId: id, filter, progressKey }),
    result: resultOf<ProblemMap>(),
    runsOn: 'charts',
  }),
  /** Problems whose rollouts agree on an answer that is not the ground truth. */
  'problem.suspects': defineMethod({
    params: z.object({ runId: id, filter, progressKey }),
    result: resultOf<{ readonly suspects: readonly ProblemSuspect[] }>(),
    runsOn: 'charts',
  }),
  /** Answers that were judged both correct and incorrect within a problem. */
  'problem.disputed': defineMethod({
    params: z.object({ runId: id, filter, progressKey }),
    result: resultOf<{ readonly answers: readonly DisputedAnswer[] }>(),
    runsOn: 'charts',
  }),
  /** Incorrect rollouts with similar actions, of the whole run or of a range of steps. */
  'problem.failures': defineMethod({
    params: z.object({ runId: id, filter, from: id.optional(), to: id.optional(), progressKey }),
    result: resultOf<FailureClusters>(),
    runsOn: 'charts',
  }),
  /** History of a group's problem, which is found elsewhere by its normalized question. */
  'problem.history': defineMethod({
    params: z.object({ groupId: id }),
    result: resultOf<ProblemHistory>(),
    runsOn: 'reader',
  }),
  /** Problems that became correct or incorrect between two steps. */
  'problem.changes': defineMethod({
    params: z.object({ from: stepPlace, to: stepPlace }),
    result: resultOf<ProblemChanges>(),
    runsOn: 'reader',
  }),
} as const;
