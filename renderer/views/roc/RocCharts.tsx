import { useState } from 'react';
import type { RocStep, Stage } from '../../../shared/api/contract.ts';
import type { PanelLine } from '../../charts/panelModel.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { amount, asShare, count, counted, ratio } from '../../ui/numbers.ts';
import { SavingChart } from '../../widgets/charts/SavingChart.tsx';
import { errorsAfter, errorsBefore, keepRate, type NamedSide } from './reportModel.ts';

interface RocChartsProps {
  /** Source named in exported files, and prefix of their names. */
  readonly of: { readonly source: string; readonly fileName: string };
  readonly sides: readonly NamedSide[];
  readonly stages: readonly Stage[];
  readonly onOpenStep: (step: number) => void;
}

const POINT_HINT = 'A click on a point shows its groups';

/** The effect of resampling by step. The first chart shows the quantity of the paper's Fig. 4. */
export function RocCharts({ of, sides, stages, onOpenStep }: RocChartsProps) {
  const [step, setStep] = useState<number>();
  const [query, setQuery] = useUrlQuery();
  const [first, second] = sides;
  if (first === undefined) return null;
  const rows = first.side.steps;
  const axis = rows.map((row) => row.step);
  const common = {
    ...of,
    axis,
    marks: stages.map((stage) => ({ step: stage.fromStep, name: plainLogText(stage.name) })),
    step,
    onStep: setStep,
    range: undefined,
    onRange: () => undefined,
    format: asShare,
    provenance: 'from rollouts',
  } as const;
  /** One number per step. A point opens its groups by the key of its tally. */
  const line = (
    named: NamedSide,
    look: Pick<PanelLine, 'name' | 'color' | 'stroke'>,
    value: (row: RocStep) => number | undefined,
    behind: (row: RocStep) => { readonly key: string; readonly groups: number },
    words: (row: RocStep) => string,
  ): PanelLine => {
    const byStep = new Map(named.side.steps.map((row) => [row.step, row]));
    return {
      ...look,
      key: look.name,
      role: 'main',
      steps: axis,
      values: axis.map((at) => {
        const row = byStep.get(at);
        return row === undefined ? undefined : value(row);
      }),
      onOpen: (at) => {
        const row = byStep.get(at);
        const key = row === undefined ? undefined : behind(row).key;
        setQuery({ of: query.get('of') === key ? undefined : key });
      },
      opens: (at) => {
        const row = byStep.get(at);
        return row === undefined ? 'nothing' : `${counted(behind(row).groups, 'group')}; ${words(row)}`;
      },
    };
  };
  const keptErrors = (named: NamedSide, look: Pick<PanelLine, 'name' | 'color' | 'stroke'>) =>
    line(
      named,
      look,
      errorsAfter,
      (row) => row.erroneousAfter,
      (row) =>
        `${amount(row.errorsAfter)} of ${amount(row.callsAfter)} calls of kept correct rollouts failed`,
    );
  const rateOf = (
    named: NamedSide,
    which: 'positives' | 'negatives',
    look: Pick<PanelLine, 'name' | 'color' | 'stroke'>,
  ) =>
    line(
      named,
      look,
      (row) => keepRate(row[which]),
      (row) => row[which],
      (row) => `${amount(row[which].kept)} of ${count(row[which].decided)} ${which} kept`,
    );
  const errors = [
    line(
      first,
      { name: 'pool', color: 'var(--ink3)', stroke: 'dashed' },
      errorsBefore,
      (row) => row.erroneousBefore,
      (row) => `${count(row.errorsBefore)} of ${count(row.callsBefore)} calls of correct rollouts failed`,
    ),
    keptErrors(first, {
      name: `kept, ${first.id === 'whatIf' ? 'what if' : first.id}`,
      color: 'var(--wrong)',
      stroke: 'solid',
    }),
    ...(second === undefined
      ? []
      : [keptErrors(second, { name: 'what if', color: 'var(--ink)', stroke: 'solid' })]),
  ];
  const rates = [
    rateOf(first, 'positives', { name: 'correct', color: 'var(--right)', stroke: 'solid' }),
    rateOf(first, 'negatives', { name: 'incorrect', color: 'var(--wrong)', stroke: 'solid' }),
    ...(second === undefined
      ? []
      : [
          rateOf(second, 'positives', {
            name: 'correct, what if',
            color: 'var(--right)',
            stroke: 'dashed',
          }),
          rateOf(second, 'negatives', {
            name: 'incorrect, what if',
            color: 'var(--wrong)',
            stroke: 'dashed',
          }),
        ]),
  ];
  const health = (name: string, color: string, pick: (row: RocStep) => number): PanelLine => ({
    ...{ key: name, name, color, stroke: 'solid', role: 'main', steps: axis },
    values: rows.map((row) => ratio(pick(row), row.allWrong + row.mixed + row.allRight)),
    onOpen: onOpenStep,
    opens: 'the report of the step',
  });
  return (
    <section className="charts roc-charts" aria-label="By step">
      <p className="dim roc-at">
        The figures beside the names are those of step {step ?? axis.at(-1)}
        {step === undefined && ', the last'}
      </p>
      <SavingChart
        {...common}
        title="Failed calls in correct"
        unit="of tool calls"
        describe={`Failed tool calls of correct rollouts, in the pool and among the kept. ${POINT_HINT}`}
        lines={errors}
      />
      <SavingChart
        {...common}
        title="Kept by class"
        unit="of rollouts"
        describe={`The share of correct and of incorrect rollouts that is kept. ${POINT_HINT}`}
        lines={rates}
      />
      <SavingChart
        {...common}
        title="Groups by outcome"
        unit="of groups"
        describe="Groups whose rollouts are all incorrect, mixed, all correct. A click opens the report of the step"
        isStacked
        lines={[
          health('all incorrect', 'var(--wrong)', (row) => row.allWrong),
          health('mixed', 'var(--rule2)', (row) => row.mixed),
          health('all correct', 'var(--right)', (row) => row.allRight),
        ]}
      />
    </section>
  );
}
