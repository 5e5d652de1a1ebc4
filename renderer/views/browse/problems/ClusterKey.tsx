import { count } from '../../../ui/numbers.ts';
import { type AnswerCluster, inkOf, verdictText } from './historyModel.ts';

interface ClusterKeyProps {
  readonly clusters: readonly AnswerCluster[];
  /** The ground truth of the problem is known. */
  readonly hasTruth: boolean;
}

/** Which answer has which colour, and whether it is right. */
export function ClusterKey({ clusters, hasTruth }: ClusterKeyProps) {
  return (
    <ul className="cluster-key" aria-label="Answers">
      {clusters.map((cluster) => (
        <li key={cluster.text}>
          <svg width="12" height="12" aria-hidden="true">
            <rect className={clusterClass(cluster)} width="12" height="12" />
          </svg>
          <code data-drawn="">
            {cluster.text.length > 60 ? `${cluster.text.slice(0, 60)}…` : cluster.text}
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

/** The colour is the verdict's, the shade the cluster's. */
function clusterClass({ verdict, shade }: AnswerCluster): string {
  return `answer-${inkOf(verdict)} is-shade-${shade}`;
}

/** @param share index of a cluster; −1: another answer; −2: none */
export function shareClass(share: number, clusters: readonly AnswerCluster[]): string {
  if (share === -2) return 'answer-none';
  const cluster = clusters[share];
  return cluster === undefined ? 'answer-other' : clusterClass(cluster);
}
