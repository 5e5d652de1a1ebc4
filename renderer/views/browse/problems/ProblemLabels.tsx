/** What readers have said of the rollouts of a problem. */
import type { ProblemGroup } from '../../../../shared/api/contract.ts';
import { quoted } from '../../../../shared/domain/filter/lexer.ts';
import { bothFilters } from '../../../../shared/domain/filter/print.ts';
import { labelOf, useTaxonomy } from '../../../data/annotations.ts';
import { pathOfPlace } from '../../../data/place.ts';
import { LabelName } from '../../../ui/LabelName.tsx';
import { Link } from '../../../ui/Link.tsx';
import { count, counted } from '../../../ui/numbers.ts';
import { labelCounts } from './historyModel.ts';

interface ProblemLabelsProps {
  readonly runKey: string;
  readonly problemId: string;
  readonly groups: readonly ProblemGroup[];
}

/** Each label with its rollouts in one run, as a link to them; nothing where there are none. */
export function ProblemLabels({ runKey, problemId, groups }: ProblemLabelsProps) {
  const taxonomy = useTaxonomy();
  const counts = labelCounts(groups);
  if (counts.length === 0) return null;
  return (
    <ul className="problem-labels" aria-label="Labels of readers">
      {counts.map(({ label, rollouts }) => {
        const known = labelOf(taxonomy, label);
        const q = bothFilters(`problem_id:${quoted(problemId)}`, `label:${label}`);
        return (
          <li key={label}>
            <Link
              href={`${pathOfPlace({ view: 'run', runKey })}?${new URLSearchParams({ tab: 'rollouts', q })}`}
              aria-label={`${known.name}: ${counted(rollouts, 'rollout')}`}
              title={`${counted(rollouts, 'rollout')} of this run with the label ${known.name}`}
            >
              <LabelName label={known} /> <span className="dim">{count(rollouts)}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

/** More would not fit under a column; the hint of the column names all. */
const MOST_DOTS = 3;

/** Under the column of a group: that it has labels, by their colours; what they are called is in its hint. */
export function LabelDots({ labels = [] }: Pick<ProblemGroup, 'labels'>) {
  const taxonomy = useTaxonomy();
  if (labels.length === 0) return null;
  return (
    <span className="problem-dots" aria-hidden="true">
      {labels.slice(0, MOST_DOTS).map(({ label }) => (
        <i key={label} className="label-dot" data-colour={labelOf(taxonomy, label).colour} />
      ))}
      {labels.length > MOST_DOTS && '+'}
    </span>
  );
}
