/** One benchmark of an evaluation: accuracy over steps, by k, and its numbers. */

import { type ComponentProps, useMemo, useState } from 'react';
import type { EvaluationPanel, EvaluationPoint, RunDetail } from '../../../shared/api/contract.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import type { PanelLine } from '../../charts/panelModel.ts';
import { pathOfRoute } from '../../data/route.ts';
import { navigateTo } from '../../data/useRoute.ts';
import { useReferenceLines } from '../../state/chartSettings.ts';
import { asShare, counted, percent } from '../../ui/numbers.ts';
import { SavingChart } from '../../widgets/charts/SavingChart.tsx';
import { SavingValueChart } from '../../widgets/charts/SavingValueChart.tsx';
import { asCompact } from '../overview/overviewCharts.ts';
import { EvaluationTable } from './EvaluationTable.tsx';
import { accuracyLines, benchmarkName, byKCsv, chosenText, PASS_AT_1, sizeText } from './evaluationModel.ts';
import { isBenchmark, PUBLISHED } from './publishedResults.ts';
import { ReferencePicker } from './ReferencePicker.tsx';

interface BenchmarkPanelProps {
  readonly run: RunDetail;
  readonly panel: EvaluationPanel;
  readonly filter: string;
}

const NONE: readonly string[] = [];

export function BenchmarkPanel({ run, panel, filter }: BenchmarkPanelProps) {
  const [step, setStep] = useState<number>();
  const { points } = panel;
  const benchmark = panel.source ?? `run ${run.runKey}`;
  const own = useReferenceLines((state) => state.own);
  const shown = useReferenceLines((state) => state.shownOf[benchmark]) ?? NONE;
  const references = useMemo(
    () =>
      [...PUBLISHED.filter((line) => isBenchmark(panel.source, line.benchmark)), ...own].filter(({ id }) =>
        shown.includes(id),
      ),
    [panel.source, own, shown],
  );
  const levels = useMemo(
    () => references.map(({ name, value }) => ({ name: `${name} ${percent(value)} %`, value })),
    [references],
  );
  const axis = useMemo(() => points.map((point) => point.step), [points]);
  const lines = useMemo(() => {
    const condition = panel.source === undefined ? '' : `source:${JSON.stringify(panel.source)}`;
    const q = bothFilters(filter, condition);
    const search = new URLSearchParams({ tab: 'rollouts', ...(q === '' ? {} : { q }) });
    return accuracyLines(panel, {
      onOpen: (at) => navigateTo(`${pathOfRoute({ view: 'step', runKey: run.runKey, step: at })}?${search}`),
      // The filter applies to single rollouts of the list, so the list may lack rollouts behind the number.
      opens: filter === '' ? 'the rollouts of the step' : 'the rollouts of the step that match the filter',
    });
  }, [panel, filter, run.runKey]);
  const hasTokens = points.some(({ meanTokens }) => meanTokens !== undefined);
  const lengths = useMemo((): readonly PanelLine[] => {
    const values = points.map(({ meanTokens, meanChars }) => (hasTokens ? meanTokens : meanChars));
    const line = { color: 'var(--ink)', stroke: 'solid', role: 'main', steps: axis } as const;
    return values.some((value) => value !== undefined)
      ? [{ ...line, key: 'mean', name: 'mean', values }]
      : [];
  }, [points, axis, hasTokens]);
  const last = points.find((point) => point.step === step) ?? points.at(-1);
  if (last === undefined) return null;
  const common = {
    axis,
    step,
    onStep: setStep,
    range: undefined,
    onRange: () => undefined,
    source: `${run.name}, ${benchmarkName(panel)}${chosenText(filter)}`,
    fileName: `${run.name}-${benchmark}`,
    provenance: 'from rollouts',
  } as const;
  return (
    <section className="benchmark" aria-label={benchmarkName(panel)}>
      <header>
        <h2>{benchmarkName(panel)}</h2>
        <span className="dim">
          {points.length > 1 && `step ${last.step}: `}
          {sizeText(last)}
        </span>
        <ReferencePicker source={panel.source} benchmark={benchmark} />
      </header>
      <div className="benchmark-charts">
        {points.length > 1 && (
          <SavingChart
            {...common}
            title="Accuracy"
            unit="of problems"
            describe={PASS_AT_1}
            lines={lines}
            levels={levels}
            format={asShare}
          />
        )}
        <ByK point={last} hasSteps={run.hasSteps} source={common.source} fileName={common.fileName} />
        {lengths.length > 0 && points.length > 1 && (
          <SavingChart
            {...common}
            title="Mean response"
            unit={hasTokens ? 'policy tokens' : 'characters'}
            describe={
              hasTokens ? 'Over the rollouts whose policy tokens are known' : 'No token counts in this log'
            }
            lines={lengths}
            format={asCompact}
          />
        )}
      </div>
      <EvaluationTable
        label={`${benchmarkName(panel)}, numbers`}
        runKey={run.runKey}
        points={points}
        hasSteps={run.hasSteps}
        references={references}
      />
    </section>
  );
}

interface ByKProps {
  readonly point: EvaluationPoint;
  readonly hasSteps: boolean;
  /** Run, benchmark and filter of the data. */
  readonly source: string;
  /** Prefix of file names. */
  readonly fileName: string;
}

/** How much more samples help at one step. Renders nothing if each problem has a single sample. */
function ByK({ point, hasSteps, source, fileName }: ByKProps) {
  const { passAtK, passHatK, majorityAtK } = point;
  if (passAtK.length < 2) return null;
  const ks = passAtK.map(({ k }) => k);
  const majority = ks.map((k) => majorityAtK.find((one) => one.k === k)?.value);
  const hasMajority = majority.some((value) => value !== undefined);
  const shown: ComponentProps<typeof SavingValueChart>['series'] = [
    { name: 'pass@k', values: passAtK.map(({ value }) => value), color: 'var(--kept)' },
    { name: 'pass^k', values: passHatK.map(({ value }) => value), color: 'var(--right)' },
    ...(hasMajority
      ? [{ name: 'majority@k', values: majority, color: 'var(--ink)', isDashed: true } as const]
      : []),
  ];
  const title = `By samples${hasSteps ? `, step ${point.step}` : ''}`;
  return (
    <SavingValueChart
      title={title}
      unit="of problems"
      source={source}
      fileName={fileName}
      csv={() => byKCsv(hasSteps ? `${source}, step ${point.step}` : source, point)}
      xs={ks}
      height={134}
      top={1}
      series={shown}
      xLabel="k samples"
      isWhole
      format={asShare}
      rest={
        <>
          {shown.map(({ name, color, isDashed }) => (
            <span key={name}>
              <span
                className="key-line"
                style={{ borderTop: `2px ${isDashed === true ? 'dashed' : 'solid'} ${color}` }}
              />{' '}
              {name}
            </span>
          ))}
          {!hasMajority && ' · no majority, because no answers are known'}
        </>
      }
      reading={(index) =>
        `k = ${ks[index]}: pass@k ${percent(passAtK[index]?.value)} %, pass^k ${percent(passHatK[index]?.value)} %${majority[index] === undefined ? '' : `, majority ${percent(majority[index])} %`} (${counted(passAtK[index]?.problems ?? 0, 'problem')})`
      }
    />
  );
}
