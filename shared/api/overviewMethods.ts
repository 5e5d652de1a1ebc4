/** The overview of a run beyond its series: what the trainer logged, evaluations, problems that are solved. */
import { z } from 'zod';
import type { EvaluationPanel, LatencyDistribution, LoggedMetric, SolvedProblems } from './browseRows.ts';
import { defineMethod, resultOf } from './method.ts';
import { filter, id, progressKey } from './paramTypes.ts';
import type { StepSchedule } from './scheduleRows.ts';

export const OVERVIEW_METHODS = {
  /** Numbers the trainer logged itself, by name, each with the steps it was logged at. */
  'metric.list': defineMethod({
    params: z.object({ runId: id }),
    result: resultOf<{ readonly metrics: readonly LoggedMetric[] }>(),
    runsOn: 'reader',
  }),
  /**
   * pass@1, pass@k and majority@k of each source of problems, per step. The filter chooses problems: one with a rollout
   * that matches, at whichever step, is there with all its rollouts. A condition on `step` chooses steps. Long under a filter: like `roc.report`.
   */
  'eval.summary': defineMethod({
    params: z.object({ runId: id, step: id.optional(), filter, progressKey }),
    result: resultOf<{ readonly panels: readonly EvaluationPanel[] }>(),
    runsOn: 'charts',
  }),
  /** The problems of a step all of whose rollouts are correct. */
  'problem.solved': defineMethod({
    params: z.object({ runId: id, step: id }),
    result: resultOf<SolvedProblems>(),
    runsOn: 'reader',
  }),
  /** When and where the rollouts of a step ran. Long under a filter: like `roc.report`. */
  'step.schedule': defineMethod({
    params: z.object({ runId: id, step: id, filter, progressKey }),
    result: resultOf<StepSchedule>(),
    runsOn: 'charts',
  }),
  /** How the latencies of tool calls lie, from step to step, both included. Long under a filter: like `roc.report`. */
  'run.latencies': defineMethod({
    params: z.object({ runId: id, from: id.optional(), to: id.optional(), filter, progressKey }),
    result: resultOf<LatencyDistribution>(),
    runsOn: 'charts',
  }),
} as const;
