import type { RocReport, RocSums } from '../../../shared/api/contract.ts';
import type { ReportState } from '../../data/rocChoice.ts';
import { Link } from '../../ui/Link.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { effectsOf } from './effectsModel.ts';
import { ReportProgress } from './ReportProgress.tsx';
import { RULE_LABELS } from './rocLabels.ts';

interface WideEffectsProps {
  readonly state: ReportState;
  readonly hasWhatIf: boolean;
  /** Link to the report with this what-if. Absent if that report is the current page. */
  readonly href?: string;
}

/** The side of a report that is in effect: the logged one, else the recomputed one. */
const standingSide = (report: RocReport) => (report.source === 'logged' ? report.logged : report.recomputed);

/** The effect of a what-if on a step or a run, in one sentence. */
function wideLabel(report: RocReport): string {
  const { flips, whatIf, source } = report;
  if (whatIf?.basis?.rule === 'paper')
    return 'The paper’s rule gives probabilities: the numbers below are expected values.';
  if (source === 'unknown') return 'Nothing to compare with: no decision is known.';
  if (flips === undefined) return '';
  if (flips.rollouts === 0) return `No decision flips in ${counted(report.groups, 'group')}.`;
  const verb = flips.rollouts === 1 ? 'decision flips' : 'decisions flip';
  return `${count(flips.rollouts)} ${verb}, in ${count(flips.groups)} of ${counted(report.groups, 'group')}.`;
}

/** The effect of a what-if on a step or a run. Progress comes last, so that nothing above it moves. */
export function WideEffects({ state, hasWhatIf, href }: WideEffectsProps) {
  const { report, isRunning } = state;
  const beforeLabel =
    report?.source === 'recomputed'
      ? RULE_LABELS[report.recomputed.basis?.rule ?? 'release'].short
      : (report?.source ?? '');
  const stands = report === undefined || report.source === 'unknown' ? undefined : standingSide(report);
  return (
    <>
      <p className="what-if-flips">
        {!hasWhatIf
          ? 'Change a setting below to see its effect here.'
          : report === undefined
            ? ''
            : wideLabel(report)}{' '}
        {href !== undefined && (
          <Link className="is-link" href={href}>
            Open the report
          </Link>
        )}
      </p>
      <EffectTable
        before={stands?.sums}
        after={hasWhatIf ? report?.whatIf?.sums : undefined}
        beforeLabel={beforeLabel}
        isStale={isRunning}
      />
      <ReportProgress state={state} />
    </>
  );
}

interface EffectTableProps {
  readonly before: RocSums | undefined;
  readonly after: RocSums | undefined;
  /** Label of the side in effect: logged, or recomputed under a rule. */
  readonly beforeLabel: string;
  readonly isStale: boolean;
}

/** The effect on the update. Rows keep their positions while a new response is loading. */
export function EffectTable({ before, after, beforeLabel, isStale }: EffectTableProps) {
  return (
    <table className={isStale ? 'effects is-stale' : 'effects'} aria-busy={isStale}>
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">of kept rollouts</span>
          </th>
          <th scope="col">{beforeLabel}</th>
          <th scope="col">what if</th>
        </tr>
      </thead>
      <tbody>
        {effectsOf(before, after).map((effect) => (
          <tr key={effect.label} title={effect.hint}>
            <th scope="row">{effect.label}</th>
            <td>{effect.before}</td>
            <td className={effect.isChanged ? 'is-changed' : undefined}>{effect.after}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
