/** The training recipe: stages and limits, truncation, and problems that are always solved. */

import type { RunDetail, StepSummary } from '../../../shared/api/contract.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useStepSeries } from '../../data/useLongQuery.ts';
import type { StepsOfRun } from '../../data/warehouse.ts';
import { Link } from '../../ui/Link.tsx';
import { count, percent } from '../../ui/numbers.ts';
import { stageChange } from '../overview/stageModel.ts';
import { atLimit, type RecipeRow, recipeRows } from './recipeModel.ts';
import { SolvedProblems } from './SolvedProblems.tsx';
import './recipe.css';

interface RecipeViewProps extends Pick<StepsOfRun, 'elsewhere' | 'missing'> {
  readonly run: RunDetail;
  /** Ascending. */
  readonly rows: readonly StepSummary[];
}

export function RecipeView({ run, rows, elsewhere, missing }: RecipeViewProps) {
  const stages = recipeRows(run, rows);
  const hasStops = stages.some(({ stopsLogged }) => stopsLogged > 0);
  const estimates = useAtLimit(run, elsewhere, stages);
  return (
    <div className="recipe">
      <section className="recipe-stages" aria-label="Stages">
        <h2>Stages and limits</h2>
        <table>
          <thead>
            <tr>
              <th scope="col">stage</th>
              <th scope="col">steps read</th>
              <th scope="col">response limit</th>
              <th scope="col">turn limit</th>
              <th scope="col">data</th>
              <th scope="col">rollouts read</th>
              <th scope="col" title="Stopped by the length limit, among rollouts whose stop reason is logged">
                truncated
              </th>
              <th scope="col">maximum at one step</th>
              <th scope="col" title="Groups all of whose rollouts are correct, at the last step of the stage">
                groups all correct at its end
              </th>
              <th scope="col">what changes</th>
            </tr>
          </thead>
          <tbody>
            {stages.map((stage, i) => (
              <tr key={`${stage.from} ${stage.name}`}>
                <th scope="row">{stage.name}</th>
                <td>{stage.from === stage.to ? stage.from : `${stage.from}–${stage.to}`}</td>
                <td>{stage.maxResponseTokens !== undefined && `${count(stage.maxResponseTokens)} tokens`}</td>
                <td>{count(stage.maxTurns)}</td>
                <td>{stage.data}</td>
                <td>{count(stage.rollouts)}</td>
                <td>
                  {stage.truncated !== undefined ? (
                    `${percent(stage.truncated)} %`
                  ) : (
                    <AtLimit share={estimates[i]} limit={stage.maxResponseTokens} />
                  )}
                </td>
                <td>
                  {stage.worst !== undefined && (
                    <Link
                      className="is-link"
                      href={`${pathOfRoute({ view: 'step', runKey: run.runKey, step: stage.worst.step })}?tab=rollouts&q=stop%3Alength`}
                      title="The rollouts that were stopped by the length limit"
                    >
                      {percent(stage.worst.share)} % at step {stage.worst.step}
                    </Link>
                  )}
                </td>
                <td>{stage.solvedAtEnd !== undefined && `${percent(stage.solvedAtEnd)} %`}</td>
                <td>{stageChange(stage)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {run.stages.length === 0 && <p className="dim">No stages in this log.</p>}
        {!hasStops && (
          <p className="dim">
            No stop reasons in this log, so truncation is unknown
            {estimates.some((share) => share !== undefined) &&
              '; ≈ is estimated from the tokens the policy wrote'}
            .
          </p>
        )}
      </section>
      <SolvedProblems
        run={run}
        steps={rows.flatMap(({ step }) => (missing.has(step) ? [] : [step]))}
        isPart={missing.size > 0}
      />
    </div>
  );
}

interface AtLimitProps {
  readonly share: number | undefined;
  readonly limit: number | undefined;
}

function AtLimit({ share, limit }: AtLimitProps) {
  if (share === undefined || limit === undefined) return null;
  return (
    <span
      title={`Estimated: rollouts whose policy tokens reach ${count(limit)}, of those whose tokens are known`}
    >
      ≈ {percent(share)} % <span className="dim">at the limit</span>
    </span>
  );
}

/**
 * The share of rollouts whose tokens reach a stage's response limit. Used if the log has no stop reasons.
 *
 * @returns a share for each stage; undefined if tokens or the limit are unknown, or while loading
 */
function useAtLimit(
  { runId, runKey }: RunDetail,
  elsewhere: ReadonlySet<number>,
  stages: readonly RecipeRow[],
): readonly (number | undefined)[] {
  const asked = stages.filter(({ stopsLogged }) => stopsLogged === 0);
  const limits = [...new Set(asked.flatMap(({ maxResponseTokens }) => maxResponseTokens ?? []))];
  const filters = limits.length === 0 ? [] : ['policy_tokens:*', ...limits.map(filterOf)];
  const { data } = useStepSeries(
    filters.map((filter) => ({ runId, filter, elsewhere: { run: runKey, steps: elsewhere } })),
  );
  const of = (filter: string) => data[filters.indexOf(filter)];
  return stages.map((stage) => {
    const { maxResponseTokens: limit, stopsLogged } = stage;
    if (limit === undefined || stopsLogged > 0) return undefined;
    const known = of('policy_tokens:*');
    const reached = of(filterOf(limit));
    return known === undefined || reached === undefined ? undefined : atLimit(stage, reached, known);
  });
}

const filterOf = (limit: number): string => `policy_tokens:>=${limit}`;
