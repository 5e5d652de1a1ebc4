import { useState } from 'react';
import type { RocStep, Stage } from '../../../../shared/api/contract.ts';
import { type Series, StepChart } from '../../../charts/StepChart.tsx';
import { percent, ratio } from '../../../ui/numbers.ts';
import { errorsAfter, errorsBefore, keepRate, type NamedSide } from './reportModel.ts';

interface RocChartsProps {
  readonly sides: readonly NamedSide[];
  readonly stages: readonly Stage[];
  readonly onOpenStep: (step: number) => void;
}

const asPercent = (value: number) => `${percent(value, value > 0 && value < 0.095 ? 1 : 0)}%`;

/** What the resampling does, step by step; the first chart is the quantity of the paper's Fig. 4. */
export function RocCharts({ sides, stages, onOpenStep }: RocChartsProps) {
  const [hovered, setHovered] = useState<number>();
  const [first, second] = sides;
  if (first === undefined) return null;
  const rows = first.side.steps;
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
  const of = (named: NamedSide | undefined, pick: (row: RocStep) => number | undefined) => {
    const byStep = new Map(named?.side.steps.map((row) => [row.step, row]));
    return steps.map((step) => {
      const row = byStep.get(step);
      return row === undefined ? undefined : pick(row);
    });
  };
  const health = (pick: (row: RocStep) => number) =>
    rows.map((row) => ratio(pick(row), row.allWrong + row.mixed + row.allRight));
  const errors: Series[] = [
    { name: 'pool', values: of(first, errorsBefore), color: 'var(--ink3)', isDashed: true },
    {
      name: `kept, ${first.id === 'whatIf' ? 'what if' : first.id}`,
      values: of(first, errorsAfter),
      color: 'var(--wrong)',
    },
    ...(second === undefined
      ? []
      : [{ name: 'what if', values: of(second, errorsAfter), color: 'var(--ink)' }]),
  ];
  const rates: Series[] = [
    { name: '✓', values: of(first, (row) => keepRate(row.positives)), color: 'var(--right)' },
    { name: '✕', values: of(first, (row) => keepRate(row.negatives)), color: 'var(--wrong)' },
    ...(second === undefined
      ? []
      : [
          {
            name: '✓ if',
            values: of(second, (row) => keepRate(row.positives)),
            color: 'var(--right)',
            isDashed: true,
          },
          {
            name: '✕ if',
            values: of(second, (row) => keepRate(row.negatives)),
            color: 'var(--wrong)',
            isDashed: true,
          },
        ]),
  ];
  return (
    <section className="charts roc-charts" aria-label="By step">
      <StepChart {...common} title="Tool errors within right rollouts" format={asPercent} series={errors} />
      <StepChart {...common} title="Kept, of right and of wrong" format={asPercent} series={rates} />
      <StepChart
        {...common}
        title="Groups"
        format={asPercent}
        bands={[
          { name: '✕', shares: health((row) => row.allWrong), color: 'var(--wrong)' },
          { name: 'mixed', shares: health((row) => row.mixed), color: 'var(--rule2)' },
          { name: '✓', shares: health((row) => row.allRight), color: 'var(--right)' },
        ]}
      />
    </section>
  );
}
