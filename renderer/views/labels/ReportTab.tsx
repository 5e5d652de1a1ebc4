/** Labels by step, class, decision, tool outcome and run. Each number opens the rollouts it counts. */
import { useMemo } from 'react';
import type { LabelReport } from '../../../shared/api/contract.ts';
import { outcomeName } from '../../../shared/domain/words.ts';
import { labelOf, useTaxonomy } from '../../data/annotations.ts';
import { labelsPath } from '../../data/labelsLink.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { saveText } from '../../ui/exportText.ts';
import { Link } from '../../ui/Link.tsx';
import { LabelName } from '../../ui/Marks.tsx';
import { count, counted, percent } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import type { LabelsScope } from './labelsScope.ts';
import { filterOf, highestCount, type Part, partsOf, reportCsv, stepBars, stepsOf } from './reportModel.ts';

const CHART = { width: 180, height: 26 };

export function ReportTab({ scope }: { readonly scope: LabelsScope }) {
  const taxonomy = useTaxonomy();
  const answer = useRequest('annotation.report', scope.isKnown ? scope.params : undefined, {
    keepPrevious: true,
  });
  const report = answer.data;
  const steps = useMemo(() => (report === undefined ? [] : stepsOf(report)), [report]);
  const { setNotice } = useInterface.getState();
  if (answer.error !== null)
    return (
      <FailedState
        title="The report could not be made"
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    );
  if (report === undefined) return <WaitingState title="Counting labels…" />;
  if (report.annotations === 0 && report.unattached === 0)
    return (
      <EmptyState
        title={scope.filter === '' ? 'Nothing has been labelled yet' : 'Nothing labelled matches the filter'}
      >
        <p>Labels are counted here by step, correctness, decision, tool outcome and run.</p>
      </EmptyState>
    );
  const highest = highestCount(report);
  const hasRuns = new Set(report.labels.flatMap(({ byRun }) => byRun.map(({ runId }) => runId))).size > 1;
  const save = () => {
    saveText(
      'labels.csv',
      reportCsv(report, (id) => labelOf(taxonomy, id).name),
      'text/csv',
    );
    setNotice('labels.csv downloaded');
  };
  return (
    <div className="labels-scroll">
      <p className="labels-lead">
        <b>{counted(report.annotations, 'annotation')}</b> on {counted(report.rollouts, 'rollout')}, of{' '}
        {count(report.of)}
        {report.of > 0 && <span className="muted"> ({percent(report.rollouts / report.of)} %)</span>}.
        {report.unattached > 0 && (
          <>
            {' '}
            <Link className="is-link" href={`${labelsPath({ tab: 'annotations' })}&state=unattached`}>
              {count(report.unattached)} more
            </Link>{' '}
            are about rollouts that are not in this library.
          </>
        )}{' '}
        <Button onClick={save}>Save as CSV</Button>
      </p>
      <table className="labels-table">
        <thead>
          <tr>
            <th>label</th>
            <th className="num">rollouts</th>
            <th className="num">annotations</th>
            <th>
              by step{' '}
              {steps.length > 0 && (
                <span className="dim">
                  {steps[0]}–{steps.at(-1)}, up to {count(highest)}
                </span>
              )}
            </th>
            <th>correct · incorrect</th>
            <th>kept · discarded</th>
            <th title="A rollout with two kinds of outcome counts in both">tool outcomes</th>
            {hasRuns && <th>runs</th>}
          </tr>
        </thead>
        <tbody>
          {report.labels.map((label) => (
            <ReportRow
              key={label.label ?? ''}
              label={label}
              steps={steps}
              highest={highest}
              scope={scope}
              hasRuns={hasRuns}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ReportRowProps {
  readonly label: LabelReport;
  readonly steps: readonly number[];
  readonly highest: number;
  readonly scope: LabelsScope;
  readonly hasRuns: boolean;
}

const CLASS_LABELS = { correct: 'correct', wrong: 'incorrect', unknown: 'unknown' };
const KEPT_LABELS = { kept: 'kept', discarded: 'discarded', unknown: 'unknown' };

function ReportRow({ label, steps, highest, scope, hasRuns }: ReportRowProps) {
  const taxonomy = useTaxonomy();
  const { label: id } = label;
  const bars = stepBars(label, { steps, highest, ...CHART });
  const own = id === undefined ? undefined : labelOf(taxonomy, id);
  const listPath = labelsPath({
    tab: 'annotations',
    runKey: scope.run?.runKey,
    filter: filterOf(id, undefined, scope.filter),
  });
  return (
    <tr>
      <td>
        {own === undefined ? <span className="muted">notes without a label</span> : <LabelName label={own} />}
      </td>
      <td className="num">
        <Link className="is-link" href={listPath}>
          {count(label.rollouts)}
        </Link>
      </td>
      <td className="num">{count(label.annotations)}</td>
      <td>
        <svg
          width={CHART.width}
          height={CHART.height}
          role="img"
          aria-label={`${own?.name ?? 'notes'} by step`}
        >
          <line
            x1={0}
            x2={CHART.width}
            y1={CHART.height - 0.5}
            y2={CHART.height - 0.5}
            className="report-axis"
          />
          {bars.map((bar) => (
            <rect
              key={bar.step}
              x={bar.x}
              y={bar.y}
              width={bar.width}
              height={bar.height}
              className="report-bar"
              data-colour={own?.colour ?? 'grey'}
            >
              <title>{`step ${bar.step}: ${counted(bar.rollouts, 'rollout')}`}</title>
            </rect>
          ))}
        </svg>
      </td>
      <td>
        <PartsBar parts={partsOf(label.byClass, CLASS_LABELS)} scale="class" />
      </td>
      <td>
        <PartsBar parts={partsOf(label.byKept, KEPT_LABELS)} scale="kept" />
      </td>
      <td className="report-outcomes">
        {label.byOutcome.map(({ outcome, rollouts }) => (
          <span key={outcome}>
            {outcome === 'none' ? 'no calls' : outcomeName(outcome)} <b>{count(rollouts)}</b>
          </span>
        ))}
      </td>
      {hasRuns && (
        <td className="report-outcomes">
          {label.byRun.map(({ runId, runKey, rollouts }) => (
            <span key={runId}>
              {runKey} <b>{count(rollouts)}</b>
            </span>
          ))}
        </td>
      )}
    </tr>
  );
}

/** A stacked bar of shares with their numbers. `scale` defines colours and patterns. */
function PartsBar({ parts, scale }: { readonly parts: readonly Part[]; readonly scale: 'class' | 'kept' }) {
  if (parts.length === 0) return null;
  return (
    <span className="parts">
      <span className="parts-bar" aria-hidden>
        {parts.map((part) => (
          <i key={part.id} className={`is-${scale}-${part.id}`} style={{ flexGrow: part.rollouts }} />
        ))}
      </span>
      <span className="parts-words">
        {parts.map((part) => (
          <span
            key={part.id}
            title={`${part.words}: ${counted(part.rollouts, 'rollout')}, ${counted(part.annotations, 'annotation')}`}
          >
            {part.words} <b>{count(part.rollouts)}</b>
          </span>
        ))}
      </span>
    </span>
  );
}
