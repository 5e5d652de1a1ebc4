import { useState } from 'react';
import type { RocStep, Stage } from '../../../shared/api/contract.ts';
import { StepChart } from '../../charts/StepChart.tsx';
import type { Series } from '../../charts/StepChartParts.tsx';
import { useUrlQuery } from '../../data/useRoute.ts';
import { amount, count, counted, percent, ratio } from '../../ui/numbers.ts';
import { errorsAfter, errorsBefore, keepRate, type NamedSide } from './reportModel.ts';

interface RocChartsProps {
  readonly sides: readonly NamedSide[];
  readonly stages: readonly Stage[];
  readonly onOpenStep: (step: number) => void;
}

const asPercent = (value: number) => `${percent(value, value > 0 && value < 0.095 ? 1 : 0)}%`;

const HINT = 'A point opens its groups. A click elsewhere opens the report of the step';

/** What the resampling does, step by step; the first chart is the quantity of the paper's Fig. 4. */
export function RocCharts({ sides, stages, onOpenStep }: RocChartsProps) {
  const [hovered, setHovered] = useState<number>();
  const [query, setQuery] = useUrlQuery();
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
  /** One number per step with the way to its groups, which are found by the key of a tally. */
  const pointsOf = (
    named: NamedSide,
    value: (row: RocStep) => number | undefined,
    behind: (row: RocStep) => { readonly key: string; readonly groups: number },
    words: (row: RocStep) => string,
  ) => {
    const byStep = new Map(named.side.steps.map((row) => [row.step, row]));
    const rowAt = (index: number) => byStep.get(steps[index] ?? -1);
    return {
      values: steps.map((_, index) => {
        const row = rowAt(index);
        return row === undefined ? undefined : value(row);
      }),
      onOpenPoint: (index: number) => {
        const row = rowAt(index);
        const key = row === undefined ? undefined : behind(row).key;
        setQuery({ of: query.get('of') === key ? undefined : key });
      },
      pointTitle: (index: number) => {
        const row = rowAt(index);
        if (row === undefined) return '';
        return `step ${row.step}: ${words(row)}. Shows ${counted(behind(row).groups, 'group')}`;
      },
    };
  };
  const poolErrors = pointsOf(
    first,
    errorsBefore,
    (row) => row.erroneousBefore,
    (row) => `${count(row.errorsBefore)} of ${count(row.callsBefore)} calls of correct rollouts failed`,
  );
  const keptErrors = (named: NamedSide) =>
    pointsOf(
      named,
      errorsAfter,
      (row) => row.erroneousAfter,
      (row) =>
        `${amount(row.errorsAfter)} of ${amount(row.callsAfter)} calls of kept correct rollouts failed`,
    );
  const rateOf = (named: NamedSide, which: 'positives' | 'negatives') =>
    pointsOf(
      named,
      (row) => keepRate(row[which]),
      (row) => row[which],
      (row) => `${amount(row[which].kept)} of ${count(row[which].decided)} ${which} kept`,
    );
  const health = (pick: (row: RocStep) => number) =>
    rows.map((row) => ratio(pick(row), row.allWrong + row.mixed + row.allRight));
  const errors: Series[] = [
    { name: 'pool', ...poolErrors, color: 'var(--ink3)', isDashed: true },
    {
      name: `kept, ${first.id === 'whatIf' ? 'what if' : first.id}`,
      ...keptErrors(first),
      color: 'var(--wrong)',
    },
    ...(second === undefined ? [] : [{ name: 'what if', ...keptErrors(second), color: 'var(--ink)' }]),
  ];
  const rates: Series[] = [
    { name: '✓', ...rateOf(first, 'positives'), color: 'var(--right)' },
    { name: '✕', ...rateOf(first, 'negatives'), color: 'var(--wrong)' },
    ...(second === undefined
      ? []
      : [
          { name: '✓ if', ...rateOf(second, 'positives'), color: 'var(--right)', isDashed: true },
          { name: '✕ if', ...rateOf(second, 'negatives'), color: 'var(--wrong)', isDashed: true },
        ]),
  ];
  return (
    <section className="charts roc-charts" aria-label="By step">
      <StepChart
        {...common}
        title="Tool errors within correct rollouts"
        hint={HINT}
        format={asPercent}
        series={errors}
      />
      <StepChart
        {...common}
        title="Kept, of correct and of incorrect"
        hint={HINT}
        format={asPercent}
        series={rates}
      />
      <StepChart
        {...common}
        title="Groups"
        hint="A click opens the report of the step"
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
