import type { ProblemGroup } from '../../../shared/api/contract.ts';
import { quoted } from '../../../shared/domain/filter/lexer.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { plainAnswer } from '../../../shared/domain/latexSigns.ts';
import { labelOf, useTaxonomy } from '../../data/annotations.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { Link } from '../../ui/Link.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { LabelName } from '../../ui/Marks.tsx';
import { count, counted, decimal, percent, ratio } from '../../ui/numbers.ts';
import { DerivedChips } from '../../widgets/DerivedChips.tsx';
import {
  type AnswerCluster,
  answerShares,
  type HistoryScale,
  inkOf,
  labelCounts,
  lengthOf,
  verdictText,
} from './historyModel.ts';

/** UTF-16 units of an answer in a tooltip. */
const LONGEST_TITLE = 2_000;
const BAR_HEIGHT = 120;
const TRACK_HEIGHT = 28;

interface RunHistoryProps {
  readonly problemId: string;
  readonly groups: readonly ProblemGroup[];
  readonly clusters: readonly AnswerCluster[];
  readonly scale: HistoryScale;
  readonly here: number;
}

/** A column per group: stacked answers, pass rate, length and entropy. Each column opens its group. */
export function RunHistory({ problemId, groups, clusters, scale: ofPage, here }: RunHistoryProps) {
  const taxonomy = useTaxonomy();
  const isEntropyKnown = groups.some(({ meanEntropy }) => meanEntropy !== undefined);
  const scale = isEntropyKnown ? ofPage : { ...ofPage, highest: undefined };
  const [first] = groups;
  const runs = useRequest('run.list', {}).data;
  if (first === undefined) return null;
  return (
    <section className="problem-run" aria-label={`Run ${first.runName}, ${first.kind}`}>
      <h2 data-drawn="">
        {plainLogText(first.runName)} <span className="dim">{first.kind}</span>{' '}
        <DerivedChips run={runs?.find(({ runKey }) => runKey === first.runKey)} />
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
              href={pathOfRoute({ view: 'group', runKey, step: step ?? 0, groupKey })}
              title={plainLogText(titleOf(group, scale, clusters, taxonomy))}
            >
              <span className="visually-hidden">{`Step ${step ?? '–'}: ${rate === undefined ? 'correctness unknown' : `${percent(rate)} % correct`}, ${counted(group.answers.length, 'different answer')}`}</span>
              <span className="problem-rate" data-drawn="" aria-hidden="true">
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
              <span className="problem-step" data-drawn="" aria-hidden="true">
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
        // A value of 0 is known, so it gets a thin line.
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

/** Explains the tracks and their scales. */
export function scaleText(groups: readonly ProblemGroup[], { unit, longest, highest }: HistoryScale): string {
  return [
    'Top: % correct. Columns: answers of the group’s rollouts.',
    `Below: mean length, up to ${count(Math.round(longest))} ${unit}${highest === undefined ? '' : `; under it mean entropy as logged, over policy tokens, up to ${decimal(highest, 3)} nats, blank where unknown`}.`,
    `Bottom: step${groups.some(({ labels }) => labels !== undefined) ? ', and labels as dots' : ''}.`,
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

interface ProblemLabelsProps {
  readonly runKey: string;
  readonly problemId: string;
  readonly groups: readonly ProblemGroup[];
}

/** Each label with its number of rollouts in one run, as a link to them. Renders nothing without labels. */
function ProblemLabels({ runKey, problemId, groups }: ProblemLabelsProps) {
  const taxonomy = useTaxonomy();
  const counts = labelCounts(groups);
  if (counts.length === 0) return null;
  return (
    <ul className="problem-labels" aria-label="Labels">
      {counts.map(({ label, rollouts }) => {
        const known = labelOf(taxonomy, label);
        const q = bothFilters(`problem_id:${quoted(problemId)}`, `label:${label}`);
        return (
          <li key={label}>
            <Link
              href={`${pathOfRoute({ view: 'run', runKey })}?${new URLSearchParams({ tab: 'rollouts', q })}`}
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

/** More dots do not fit below a column. The column's tooltip names all labels. */
const MOST_DOTS = 3;

/** Coloured dots below a group's column, one per label. The tooltip names them. */
function LabelDots({ labels = [] }: Pick<ProblemGroup, 'labels'>) {
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

interface ClusterKeyProps {
  readonly clusters: readonly AnswerCluster[];
  /** Whether the ground truth of the problem is known. */
  readonly hasTruth: boolean;
}

/** The legend: the colour of each answer, and whether it is correct. */
export function ClusterKey({ clusters, hasTruth }: ClusterKeyProps) {
  return (
    <ul className="cluster-key" aria-label="Answers">
      {clusters.map((cluster) => (
        <li key={cluster.text}>
          <svg width="12" height="12" aria-hidden="true">
            <rect className={clusterClass(cluster)} width="12" height="12" />
          </svg>
          <code data-drawn="" title={plainLogText(cluster.text.slice(0, LONGEST_TITLE))}>
            {plainLogText(
              cluster.text.length > 60 ? `${cluster.text.slice(0, 60)}…` : plainAnswer(cluster.text),
            )}
          </code>
          <span data-drawn="" className={`is-${inkOf(cluster.verdict)}`}>
            {verdictText(cluster, hasTruth)}
          </span>
          <span className="dim" data-drawn="">
            {count(cluster.rollouts)}
          </span>
        </li>
      ))}
      <li>
        <svg width="12" height="12" aria-hidden="true">
          <rect className="answer-other" width="12" height="12" />
        </svg>
        <span data-drawn="">other answers</span>
      </li>
      <li>
        <svg width="12" height="12" aria-hidden="true">
          <rect className="answer-none" width="11" height="11" x="0.5" y="0.5" />
        </svg>
        <span data-drawn="">no answer</span>
      </li>
    </ul>
  );
}

/** The colour depends on the verdict, the shade on the cluster. */
function clusterClass({ verdict, shade }: AnswerCluster): string {
  return `answer-${inkOf(verdict)} is-shade-${shade}`;
}

/** @param share index of a cluster; −1: another answer; −2: none */
function shareClass(share: number, clusters: readonly AnswerCluster[]): string {
  if (share === -2) return 'answer-none';
  const cluster = clusters[share];
  return cluster === undefined ? 'answer-other' : clusterClass(cluster);
}
