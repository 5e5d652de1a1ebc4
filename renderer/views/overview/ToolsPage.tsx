/** The tools page of a run: outcomes and latencies of calls by step, or plain numbers if the log has no steps. */

import type { RunDetail, StepFacts } from '../../../shared/api/contract.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useStepSeries } from '../../data/useLongQuery.ts';
import { Link } from '../../ui/Link.tsx';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { FilterBox } from '../../widgets/filter/FilterBox.tsx';
import { FilterChips } from '../../widgets/filter/FilterChips.tsx';
import { LatencyPanel } from './LatencyPanel.tsx';
import { OverviewCharts } from './OverviewCharts.tsx';
import { TOOL_CHARTS, toolFigures } from './toolCharts.ts';
import './toolFigures.css';

interface ToolsPageProps {
  readonly run: RunDetail;
  /** Ascending. */
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

interface ToolFiguresProps {
  readonly run: RunDetail;
  /** The placeholder step that the library uses for rollouts without a step. */
  readonly steps: readonly number[];
}

/**
 * Tool calls of a run whose log has no steps: the charts' numbers as a table, since there is no axis. A number opens
 * its rollouts.
 */
function ToolFigures({ run, steps }: ToolFiguresProps) {
  const filter = useFilterLink().applied;
  const series = useStepSeries([{ runId: run.runId, filter }]);
  const facts = series.data[0]?.find(({ rollouts }) => rollouts > 0);
  return (
    <>
      <div className="filters">
        <FilterBox runId={run.runId} runKey={run.runKey} what="rollouts" />
        <FilterChips />
      </div>
      <div className="tool-figures">
        {series.error !== null ? (
          <FailedState
            title="The tool calls could not be counted"
            error={series.error}
            onRetry={series.restart}
          />
        ) : series.data[0] === undefined ? (
          <WaitingState title="Counting tool calls…" />
        ) : facts === undefined ? (
          <EmptyState title="No rollout matches the filter" />
        ) : (
          <Figures run={run} facts={facts} filter={filter} />
        )}
        {(facts?.values.toolCalls ?? 0) > 0 && <LatencyPanel run={run} steps={steps} range={undefined} />}
      </div>
    </>
  );
}

interface FiguresProps {
  readonly run: RunDetail;
  readonly facts: StepFacts;
  readonly filter: string;
}

function Figures({ run, facts, filter }: FiguresProps) {
  const groups = toolFigures(facts);
  if (groups.length === 0) {
    const isKnown = facts.values.toolCalls !== undefined;
    return (
      <EmptyState title={isKnown ? 'No tool was called' : 'Tool calls are unknown: no text is logged'} />
    );
  }
  return (
    <table aria-label="Tool calls">
      {groups.map(({ id, title, unit, describe, figures }) => (
        <tbody key={id}>
          <tr>
            <th scope="rowgroup" colSpan={2} title={describe}>
              {title} <span className="muted">{unit}</span>
            </th>
          </tr>
          {figures.map((figure) => (
            <tr key={figure.name}>
              <th scope="row" title={figure.describe}>
                {figure.name}
              </th>
              <td>
                <Link
                  className="is-link"
                  href={`${pathOfRoute({ view: 'run', runKey: run.runKey })}?${new URLSearchParams({
                    tab: 'rollouts',
                    q: bothFilters(filter, figure.filter),
                  })}`}
                  title={figure.opens}
                >
                  {figure.value}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}
