/** The tools page of a run: what became of calls step by step, and how long they took; in numbers where the log knows no step. */
import type { RunDetail } from '../../../../shared/api/contract.ts';
import { LatencyPanel } from './LatencyPanel.tsx';
import { OverviewCharts } from './OverviewCharts.tsx';
import { ToolFigures } from './ToolFigures.tsx';
import { TOOL_CHARTS } from './toolCharts.ts';

interface ToolsPageProps {
  readonly run: RunDetail;
  /** In order. */
  readonly steps: readonly number[];
}

export function ToolsPage({ run, steps }: ToolsPageProps) {
  if (!run.hasSteps) return <ToolFigures run={run} steps={steps} />;
  return (
    <OverviewCharts
      run={run}
      steps={steps}
      specs={TOOL_CHARTS}
      isWhole
      besides={{ toolLatency: (range) => <LatencyPanel run={run} steps={steps} range={range} /> }}
    />
  );
}
