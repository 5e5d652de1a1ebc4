/** Numbers the trainer logged itself. */
import type { LoggedMetric } from '../../../shared/api/contract.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, query, text } from '../rows.ts';

export const METRICS_OF_RUN = 'SELECT name, step, value FROM metric WHERE run_id = ? ORDER BY name, step';

export function listMetrics(db: ReadableLibrary, runId: number): readonly LoggedMetric[] {
  const rows = query(db, METRICS_OF_RUN, { name: text, step: number, value: number }).all(runId);
  const metrics = new Map<string, { name: string; steps: number[]; values: number[] }>();
  for (const { name, step, value } of rows) {
    let metric = metrics.get(name);
    if (metric === undefined) {
      metric = { name, steps: [], values: [] };
      metrics.set(name, metric);
    }
    metric.steps.push(step);
    metric.values.push(value);
  }
  return [...metrics.values()];
}
