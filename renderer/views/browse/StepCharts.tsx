import { useState } from 'react';
import type { Stage, StepSummary } from '../../../shared/api/contract.ts';
import { StepChart } from '../../charts/StepChart.tsx';
import { compact, decimal, percent, ratio } from '../../ui/numbers.ts';
import { noToolShare, passRate, toolCallsPerRollout, toolErrorRate, truncatedShare } from './browseModel.ts';

interface StepChartsProps {
  readonly rows: readonly StepSummary[];
  readonly stages: readonly Stage[];
  readonly onOpenStep: (step: number) => void;
}

const asPercent = (value: number) => `${percent(value, value > 0 && value < 0.095 ? 1 : 0)}%`;

/** Six questions on one step axis; the table below holds every number. */
export function StepCharts({ rows, stages, onOpenStep }: StepChartsProps) {
  const [hovered, setHovered] = useState<number>();
  const steps = rows.map((row) => row.step);
  const common = {
    steps,
    stages: stages.map((stage) => ({ step: stage.fromStep, name: stage.name })),
    hovered,
    onHover: setHovered,
    onOpen: (index: number) => {
      const row = rows[index];
      if (row !== undefined) onOpenStep(row.step);
    },
  };
  const hasPass = rows.some((row) => row.correctKnown > 0);
  const hasTruncated = rows.some((row) => (row.truncated ?? 0) > 0);
  const hasEntropy = rows.some((row) => row.meanEntropy !== undefined);
  const health = (pick: (row: StepSummary) => number) =>
    rows.map((row) => ratio(pick(row), row.groupsAllWrong + row.groupsMixed + row.groupsAllRight));

  return (
    <section className="charts" aria-label="By step">
      {hasPass ? (
        <StepChart
          {...common}
          title="Right rollouts"
          format={asPercent}
          series={[{ name: 'right', values: rows.map(passRate), color: 'var(--right)' }]}
        />
      ) : (
        <StepChart
          {...common}
          title="Mean reward"
          format={(value) => decimal(value)}
          series={[{ name: 'reward', values: rows.map((row) => row.meanReward), color: 'var(--ink)' }]}
        />
      )}
      <StepChart
        {...common}
        title="Rollouts without any tool call"
        format={asPercent}
        series={[{ name: 'no tool call', values: rows.map(noToolShare), color: 'var(--ink)' }]}
      />
      <StepChart
        {...common}
        title="Failed tool calls"
        format={asPercent}
        series={[{ name: 'tool errors', values: rows.map(toolErrorRate), color: 'var(--wrong)' }]}
      />
      <StepChart
        {...common}
        title="Response length, characters"
        format={compact}
        series={[
          { name: 'characters', values: rows.map((row) => row.meanResponseChars), color: 'var(--ink)' },
        ]}
      />
      {hasEntropy ? (
        <StepChart
          {...common}
          title="Mean entropy, nats"
          format={(value) => decimal(value)}
          series={[{ name: 'entropy', values: rows.map((row) => row.meanEntropy), color: 'var(--h4)' }]}
        />
      ) : !hasTruncated ? (
        <StepChart
          {...common}
          title="Tool calls per rollout"
          format={(value) => decimal(value)}
          series={[{ name: 'tool calls', values: rows.map(toolCallsPerRollout), color: 'var(--ink)' }]}
        />
      ) : (
        <StepChart
          {...common}
          title="Truncated at the length limit"
          format={asPercent}
          series={[{ name: 'truncated', values: rows.map(truncatedShare), color: 'var(--ink)' }]}
        />
      )}
      {rows.some((row) => row.groupsMixed > 0) ? (
        <StepChart
          {...common}
          title="Group health"
          format={asPercent}
          bands={[
            { name: '✕', shares: health((row) => row.groupsAllWrong), color: 'var(--wrong)' },
            { name: 'mixed', shares: health((row) => row.groupsMixed), color: 'var(--rule2)' },
            { name: '✓', shares: health((row) => row.groupsAllRight), color: 'var(--right)' },
          ]}
        />
      ) : (
        <StepChart
          {...common}
          title="Turns per rollout"
          format={(value) => decimal(value, 1)}
          series={[{ name: 'turns', values: rows.map((row) => row.meanTurns), color: 'var(--ink)' }]}
        />
      )}
    </section>
  );
}
