import { scaleLinear } from 'd3-scale';
import type { ProblemGroup, ProblemHistory } from '../../../../shared/api/contract.ts';
import { labelOf, useTaxonomy } from '../../../data/annotations.ts';
import { type Place, pathOfPlace } from '../../../data/place.ts';
import { useRequest } from '../../../data/useRequest.ts';
import { Link } from '../../../ui/Link.tsx';
import { count, counted, decimal, percent, ratio } from '../../../ui/numbers.ts';
import { SourceText } from '../../../ui/SourceText.tsx';
import { FailedState, WaitingState } from '../../../ui/States.tsx';
import { type AnswerCluster, answerClusters, answerShares } from './historyModel.ts';
import { LabelDots, ProblemLabels } from './ProblemLabels.tsx';
import './problems.css';

type ProblemPlace = Extract<Place, { view: 'problem' }>;

/** One problem over steps and runs: how often it was solved, with which answers, at which length. */
export default function ProblemView({ place }: { readonly place: ProblemPlace }) {
  const { runKey, step, groupKey } = place;
  const resolved = useRequest('place.resolve', { runKey, step, groupKey });
  const groupId = resolved.data?.groupId;
  const history = useRequest('problem.history', groupId === undefined ? undefined : { groupId });
  const error = resolved.error ?? history.error;
  if (error !== null)
    return (
      <FailedState
        title="This problem could not be opened"
        error={error}
        onRetry={() => void resolved.refetch()}
      />
    );
  if (history.data === undefined) return <WaitingState title="Opening the problem…" />;
  return <Problem history={history.data} groupId={groupId ?? 0} />;
}

function Problem({ history, groupId }: { readonly history: ProblemHistory; readonly groupId: number }) {
  const { problemId, groundTruth, source, prompt, groups, leftOut } = history;
  const clusters = answerClusters(groups);
  const runs = [...new Set(groups.map(({ runKey }) => runKey))];
  return (
    <div className="page problem-page">
      <header className="page-head is-one-line">
        <h1>{problemId}</h1>
        <div className="end">
          <span className="page-facts">
            {groundTruth !== undefined && `ground truth ${groundTruth} · `}
            {source !== undefined && `${source} · `}
            {counted(groups.length + leftOut, 'group')} in {counted(runs.length, 'run')}
            {leftOut > 0 && `; the first ${count(groups.length)} are shown`}
          </span>
        </div>
      </header>
      <div className="problem-body">
        <details className="problem-prompt" open={prompt.length < 1200}>
          <summary>Prompt</summary>
          <div className="problem-prompt-text">
            <SourceText text={prompt} />
          </div>
        </details>
        {runs.map((runKey) => (
          <RunHistory
            key={runKey}
            problemId={problemId}
            groups={groups.filter((group) => group.runKey === runKey)}
            clusters={clusters}
            here={groupId}
          />
        ))}
        <ClusterKey clusters={clusters} />
      </div>
    </div>
  );
}

const BAR_HEIGHT = 120;

interface RunHistoryProps {
  readonly problemId: string;
  readonly groups: readonly ProblemGroup[];
  readonly clusters: readonly AnswerCluster[];
  readonly here: number;
}

/** A column per group: its answers stacked, its pass rate, its length and entropy; each leads to the group. */
function RunHistory({ problemId, groups, clusters, here }: RunHistoryProps) {
  const taxonomy = useTaxonomy();
  const [first] = groups;
  if (first === undefined) return null;
  const longest = Math.max(1, ...groups.map(lengthOf));
  const length = scaleLinear([0, longest], [0, 28]);
  const unit = groups.every(({ meanTokens }) => meanTokens !== undefined) ? 'tokens' : 'chars';
  return (
    <section className="problem-run" aria-label={`Run ${first.runName}`}>
      <h2>
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
              title={titleOf(group, clusters, taxonomy)}
              aria-label={`Step ${step ?? '–'}: ${rate === undefined ? 'success unknown' : `${percent(rate)} % right`}, ${counted(group.answers.length, 'different answer')}`}
            >
              <span className="problem-rate">{rate === undefined ? '–' : percent(rate)}</span>
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
              <svg width="30" height="28" aria-hidden="true">
                <rect
                  className="problem-length"
                  x={8}
                  width={14}
                  y={28 - length(lengthOf(group))}
                  height={length(lengthOf(group))}
                />
              </svg>
              <span className="problem-step">{step ?? '–'}</span>
              <LabelDots labels={group.labels} />
            </Link>
          );
        })}
      </div>
      <p className="dim problem-scale">
        Top: % right. Columns: answers of the group’s rollouts. Below: mean length, up to{' '}
        {count(Math.round(longest))} {unit}. Bottom: step
        {groups.some(({ labels }) => labels !== undefined) && ', and the labels of readers as dots'}.
      </p>
    </section>
  );
}

function lengthOf({ meanTokens, meanChars }: ProblemGroup): number {
  return meanTokens ?? meanChars;
}

function titleOf(
  group: ProblemGroup,
  clusters: readonly AnswerCluster[],
  taxonomy: ReturnType<typeof useTaxonomy>,
): string {
  const answers = group.answers
    .slice(0, clusters.length + 2)
    .map(({ text, rollouts }) => `${text.slice(0, 60)}: ${rollouts}`);
  const more = group.answers.length - answers.length;
  return [
    `step ${group.step ?? '–'}, ${counted(group.rollouts, 'rollout')}`,
    ...answers,
    ...(more > 0 ? [`and ${counted(more, 'other answer')}`] : []),
    `mean ${count(Math.round(lengthOf(group)))} ${group.meanTokens === undefined ? 'chars' : 'tokens'}`,
    ...(group.labels ?? []).map(
      ({ label, rollouts }) => `label ${labelOf(taxonomy, label).name}: ${rollouts}`,
    ),
    ...(group.meanEntropy === undefined ? [] : [`mean entropy ${decimal(group.meanEntropy, 3)} nats`]),
  ].join('\n');
}

function shareClass(cluster: number, clusters: readonly AnswerCluster[]): string {
  if (cluster === -2) return 'answer-none';
  if (cluster === -1) return 'answer-other';
  return clusters[cluster]?.isTruth === true ? 'answer-truth' : `answer-${cluster}`;
}

function ClusterKey({ clusters }: { readonly clusters: readonly AnswerCluster[] }) {
  return (
    <ul className="cluster-key" aria-label="Answers">
      {clusters.map((cluster, i) => (
        <li key={cluster.text}>
          <svg width="12" height="12" aria-hidden="true">
            <rect className={shareClass(i, clusters)} width="12" height="12" />
          </svg>
          <code>{cluster.text.length > 60 ? `${cluster.text.slice(0, 60)}…` : cluster.text}</code>
          {cluster.isTruth && <span className="is-right">✓ ground truth</span>}
          <span className="dim">{count(cluster.rollouts)}</span>
        </li>
      ))}
      <li>
        <svg width="12" height="12" aria-hidden="true">
          <rect className="answer-other" width="12" height="12" />
        </svg>
        other answers
      </li>
      <li>
        <svg width="12" height="12" aria-hidden="true">
          <rect className="answer-none" width="11" height="11" x="0.5" y="0.5" />
        </svg>
        no answer
      </li>
    </ul>
  );
}
