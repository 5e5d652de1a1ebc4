import type { EvaluationPoint } from '../../../shared/api/contract.ts';
import { pathOfRoute } from '../../data/route.ts';
import type { ReferenceLine } from '../../state/chartSettings.ts';
import { Link } from '../../ui/Link.tsx';
import { count, percent } from '../../ui/numbers.ts';
import {
  atK,
  INTERVAL,
  intervalText,
  MAJORITY_AT_K,
  PASS_AT_1,
  PASS_AT_K,
  PASS_HAT_K,
  partOfProblems,
  sizesOf,
} from './evaluationModel.ts';

interface EvaluationTableProps {
  readonly label: string;
  readonly runKey: string;
  readonly points: readonly EvaluationPoint[];
  readonly hasSteps: boolean;
  /** Reference lines to compare pass@1 with. */
  readonly references: readonly ReferenceLine[];
}

/** The numbers of a benchmark, with a row for each step. */
export function EvaluationTable(props: EvaluationTableProps) {
  const { label, runKey, points, hasSteps, references } = props;
  const passes = sizesOf(points, 'passAtK');
  const majorities = sizesOf(points, 'majorityAtK');
  const hasTokens = points.some(({ meanTokens }) => meanTokens !== undefined);
  // A comparison with a reference needs the column, too.
  const isPassKnown = references.length > 0 || points.some(({ passAt1 }) => passAt1 !== undefined);
  const isEstimated = points.some(({ majorityAtK }) => majorityAtK.some(({ isExact }) => !isExact));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be focusable to be scrolled by keys
    <section className="evaluation-table" tabIndex={0} aria-label={label}>
      <table>
        {points.some((point) => intervalText(point) !== '') && <caption>{INTERVAL}</caption>}
        <thead>
          <tr>
            <th scope="col">{hasSteps ? 'step' : <span className="visually-hidden">run</span>}</th>
            <th scope="col" title="Problems with a rollout whose correctness is known">
              problems
            </th>
            {isPassKnown && (
              <>
                <th scope="col" title={PASS_AT_1}>
                  pass@1 <small>%</small>
                </th>
                <th scope="col" title={PASS_AT_1}>
                  95 % interval
                </th>
              </>
            )}
            {passes.map((k) => (
              <th scope="col" key={`p${k}`} title={PASS_AT_K}>
                pass@{k}
              </th>
            ))}
            {passes.map((k) => (
              <th scope="col" key={`a${k}`} title={PASS_HAT_K}>
                pass^{k}
              </th>
            ))}
            {majorities.map((k) => (
              <th scope="col" key={`m${k}`} title={MAJORITY_AT_K}>
                maj@{k}
              </th>
            ))}
            <th scope="col" title="Over the rollouts whose policy tokens are known">
              {hasTokens ? 'response tokens' : 'response characters'}
            </th>
          </tr>
        </thead>
        <tbody>
          {points.map((point) => (
            <tr key={point.step}>
              <th scope="row">
                {hasSteps ? (
                  <Link className="is-link" href={pathOfRoute({ view: 'step', runKey, step: point.step })}>
                    {point.step}
                  </Link>
                ) : (
                  'this run'
                )}
              </th>
              <td>{point.problems > 0 && count(point.problems)}</td>
              {isPassKnown && (
                <>
                  <td>
                    <b>{percent(point.passAt1?.mean)}</b>
                  </td>
                  <td>{intervalText(point)}</td>
                </>
              )}
              {passes.map((k) => (
                <td key={`p${k}`}>
                  {percent(atK(point, 'passAtK', k))} <small>{partOfProblems(point, 'passAtK', k)}</small>
                </td>
              ))}
              {passes.map((k) => (
                <td key={`a${k}`}>
                  {percent(atK(point, 'passHatK', k))} <small>{partOfProblems(point, 'passHatK', k)}</small>
                </td>
              ))}
              {majorities.map((k) => (
                <td key={`m${k}`}>
                  {percent(atK(point, 'majorityAtK', k))}{' '}
                  <small>{partOfProblems(point, 'majorityAtK', k)}</small>
                </td>
              ))}
              <td>{count(hasTokens ? point.meanTokens : point.meanChars)}</td>
            </tr>
          ))}
          {references.map((line) => (
            <tr key={line.id} className="dim" title={line.source}>
              <th scope="row">{line.name}</th>
              <td />
              <td>{percent(line.value)}</td>
              <td colSpan={2 + 2 * passes.length + majorities.length}>{line.source}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {majorities.length > 0 && <p className="dim">majority@k: samples without an answer cast no vote.</p>}
      {isEstimated && (
        <p className="dim">
          majority@k for some k is estimated: the mean over 4,000 subsets drawn with a fixed seed. With k = n
          it is exact.
        </p>
      )}
    </section>
  );
}
