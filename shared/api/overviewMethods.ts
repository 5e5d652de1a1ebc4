/** The overview of a run beyond its series: what the trainer logged, evaluations, problems that are solved. */
import { z } from 'zod';
import type { EvaluationPanel, LatencyDistribution, LoggedMetric, SolvedProblems } from './browseRows.ts';
import { filter, id, progressKey } from './paramTypes.ts';
import type { StepSchedule } from './scheduleRows.ts';

export const OVERVIEW_PARAMS = {
  /** Numbers the trainer logged itself, by name, each with the steps it was logged at. */
  'metric.list': z.object({ runId: id }),
  /**
   * pass@1, pass@k and majority@k of each source of problems, per step. The filter chooses problems: one with a rollout
   * that matches, at whichever step, is there with all its rollouts. A condition on `step` chooses steps. Long under a filter: like `roc.report`.
   */
  'eval.summary': z.object({ runId: id, step: id.optional(), filter, progressKey }),
  /** The problems of a step all of whose rollouts are correct. */
  'problem.solved': z.object({ runId: id, step: id }),
  /** When and where the rollouts of a step ran. Long under a filter: like `roc.report`. */
  'step.schedule': z.object({ runId: id, step: id, filter, progressKey }),
  /** How the latencies of tool calls lie, from step to step, both included. Long under a filter: like `roc.report`. */
  'run.latencies': z.object({ runId: id, from: id.optional(), to: id.optional(), filter, progressKey }),
} as const;

export interface OverviewResults {
  'metric.list': { readonly metrics: readonly LoggedMetric[] };
  'eval.summary': { readonly panels: readonly EvaluationPanel[] };
  'problem.solved': SolvedProblems;
  'step.schedule': StepSchedule;
  'run.latencies': LatencyDistribution;
}
