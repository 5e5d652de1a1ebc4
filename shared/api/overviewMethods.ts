/** The overview of a run beyond its series: logged metrics, evaluations, solved problems. */
import { z } from 'zod';
import type {
  EvaluationPanel,
  LatencyDistribution,
  LoggedMetric,
  LoggedRetries,
  SolvedProblems,
} from './browseRows.ts';
import { defineMethod, resultOf } from './method.ts';
import { filter, id, progressKey } from './paramTypes.ts';
import type { StepSchedule } from './scheduleRows.ts';

export const OVERVIEW_METHODS = {
  /** Metrics that the trainer logged, by name, with the steps they were logged at. */
  'metric.list': defineMethod({
    params: z.object({ runId: id }),
    result: resultOf<{ readonly metrics: readonly LoggedMetric[] }>(),
    runsOn: 'reader',
  }),
  /**
   * pass@1, pass@k and majority@k of each source of problems, per step. The filter selects problems: if one
   * rollout of a problem matches at any step, all its rollouts count. A condition on `step` selects steps.
   * Long-running with a filter, like `roc.report`.
   */
  'eval.summary': defineMethod({
    params: z.object({ runId: id, step: id.optional(), filter, progressKey }),
    result: resultOf<{ readonly panels: readonly EvaluationPanel[] }>(),
    runsOn: 'charts',
  }),
  /** Retries that the samples of an Inspect log state. Long-running, because it reads the record of each sample. */
  'eval.retries': defineMethod({
    params: z.object({ runId: id, progressKey }),
    result: resultOf<LoggedRetries>(),
    runsOn: 'analysis',
  }),
  /** Problems of a step whose rollouts are all correct. */
  'problem.solved': defineMethod({
    params: z.object({ runId: id, step: id }),
    result: resultOf<SolvedProblems>(),
    runsOn: 'reader',
  }),
  /** When and where the rollouts of a step ran. Long-running with a filter, like `roc.report`. */
  'step.schedule': defineMethod({
    params: z.object({ runId: id, step: id, filter, progressKey }),
    result: resultOf<StepSchedule>(),
    runsOn: 'charts',
  }),
  /**
   * Distribution of tool call latencies over a range of steps, both ends included. Long-running with a
   * filter, like `roc.report`.
   */
  'run.latencies': defineMethod({
    params: z.object({ runId: id, from: id.optional(), to: id.optional(), filter, progressKey }),
    result: resultOf<LatencyDistribution>(),
    runsOn: 'charts',
  }),
} as const;
