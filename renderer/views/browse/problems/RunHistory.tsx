import type { ProblemGroup } from '../../../../shared/api/contract.ts';
import { labelOf, useTaxonomy } from '../../../data/annotations.ts';
import { pathOfPlace } from '../../../data/place.ts';
import { Link } from '../../../ui/Link.tsx';
import { count, counted, decimal, percent, ratio } from '../../../ui/numbers.ts';
import { shareClass } from './ClusterKey.tsx';
import { type AnswerCluster, answerShares, type HistoryScale, lengthOf } from './historyModel.ts';
import { LabelDots, ProblemLabels } from './ProblemLabels.tsx';

const BAR_HEIGHT = 120;
const TRACK_HEIGHT = 28;

interface RunHistoryProps {
  readonly problemId: string;
  readonly groups: readonly ProblemGroup[];
  readonly clusters: readonly AnswerCluster[];
  readonly scale: HistoryScale;
  readonly here: number;
}

/** A column per group: its answers stacked, its pass rate, its length and entropy; each leads to the group. */
export function RunHistory({ problemId, groups, clusters, scale: ofPage, here }: RunHistoryProps) {
  const taxonomy = useTaxonomy();
  const isEntropyKnown = groups.some(({ meanEntropy }) => meanEntropy !== undefined);
  const scale = isEntropyKnown ? ofPage : { ...ofPage, highest: undefined };
  const [first] = groups;
  if (first === undefined) return null;
  return (
    <section className="problem-run" aria-label={`Run ${first.runName}`}>
      <h2 data-drawn="">
        {first.runName} <span className="dim">{first.kind}</span>
      </h2>
      <ProblemLabels runKey={first.runKey} problemId={problemId} groups={groups} />
      <div className="problem-columns">
        {groups.map((group) => {
          const { runKey, step, groupKey } = group;
          const rate = ratio(group.correct, group.correctKnown);
          return (
            <Link
              key={group.groupId}
              className={group.groupId === here ? 'problem-column is-here' : 'problem-column'}
              href={pathOfPlace({ view: 'group', runKey, step: step ?? 0, groupKey })}
              title={titleOf(group, scale, clusters, taxonomy)}
              aria-label={`Step ${step ?? '–'}: ${rate === undefined ? 'success unknown' : `${percent(rate)} % right`}, ${counted(group.answers.length, 'different answer')}`}
            >
              <span className="problem-rate" data-drawn="">
                {rate === undefined ? '–' : percent(rate)}
              </span>
              <svg width="30" height={BAR_HEIGHT} aria-hidden="true">
                {answerShares(group, clusters).map(({ cluster, from, to }) => (
                  <rect
                    key={cluster}
                    className={shareClass(cluster, clusters)}
                    x={0}
                    width={30}
                    y={BAR_HEIGHT * (1 - to)}
                    height={Math.max(0.5, BAR_HEIGHT * (to - from) - 0.5)}
                  />
                ))}
              </svg>
              <Track name="length" value={lengthOf(group, scale.unit)} most={scale.longest} />
              {scale.highest !== undefined && (
                <Track name="entropy" value={group.meanEntropy} most={scale.highest} />
              )}
              <span className="problem-step" data-drawn="">
                {step ?? '–'}
              </span>
              <LabelDots labels={group.labels} />
            </Link>
          );
        })}
      </div>
      <p className="dim problem-scale">{scaleText(groups, scale)}</p>
    </section>
  );
}

interface TrackProps {
  readonly name: 'length' | 'entropy';
  /** Undefined: unknown, and left blank. */
  readonly value: number | undefined;
  readonly most: number;
}

/** One bar of a track below the answers. */
function Track({ name, value, most }: TrackProps) {
  const height = value === undefined || most <= 0 ? 0 : (value / most) * TRACK_HEIGHT;
  return (
    <svg width="30" height={TRACK_HEIGHT} aria-hidden="true" data-track={name}>
      {value !== undefined && (
        // A value of 0 is a line at the foot: it is known.
        <rect
          className={`problem-${name}`}
          x={8}
          width={14}
          y={TRACK_HEIGHT - Math.max(0.75, height)}
          height={Math.max(0.75, height)}
        />
      )}
    </svg>
  );
}

/** What the tracks are, and up to where they go. */
export function scaleText(groups: readonly ProblemGroup[], { unit, longest, highest }: HistoryScale): string {
  return [
    'Top: % right. Columns: answers of the group’s rollouts.',
    `Below: mean length, up to ${count(Math.round(longest))} ${unit}${highest === undefined ? '' : `; under it mean entropy as logged, over policy tokens, up to ${decimal(highest, 3)} nats, blank where unknown`}.`,
    `Bottom: step${groups.some(({ labels }) => labels !== undefined) ? ', and the labels of readers as dots' : ''}.`,
  ].join(' ');
}

function titleOf(
  group: ProblemGroup,
  { unit }: HistoryScale,
  clusters: readonly AnswerCluster[],
  taxonomy: ReturnType<typeof useTaxonomy>,
): string {
  const answers = group.answers
    .slice(0, clusters.length + 2)
    .map(({ text, rollouts }) => `${text.slice(0, 60)}: ${rollouts}`);
  const more = group.answers.length - answers.length;
  const length = lengthOf(group, unit);
  return [
    `step ${group.step ?? '–'}, ${counted(group.rollouts, 'rollout')}`,
    ...answers,
    ...(more > 0 ? [`and ${counted(more, 'other answer')}`] : []),
    ...(length === undefined ? [] : [`mean ${count(Math.round(length))} ${unit}`]),
    ...(group.meanEntropy === undefined
      ? []
      : [`mean entropy ${decimal(group.meanEntropy, 3)} nats, as logged`]),
    ...(group.labels ?? []).map(
      ({ label, rollouts }) => `label ${labelOf(taxonomy, label).name}: ${rollouts}`,
    ),
  ].join('\n');
}
