/** The answers of a problem over time, as clusters: the same few in every column, the rest together. */
import type { ProblemGroup } from '../../../../shared/api/contract.ts';

export interface AnswerCluster {
  readonly text: string;
  readonly isTruth: boolean;
  readonly rollouts: number;
}

export const MOST_CLUSTERS = 6;

/** The answers given most often over all groups; the ground truth first where it was ever given. */
export function answerClusters(groups: readonly ProblemGroup[]): readonly AnswerCluster[] {
  const counts = new Map<string, { rollouts: number; isTruth: boolean }>();
  for (const { answers } of groups)
    for (const { text, rollouts, isTruth } of answers) {
      const known = counts.get(text) ?? { rollouts: 0, isTruth: isTruth === true };
      known.rollouts += rollouts;
      counts.set(text, known);
    }
  const all = [...counts].map(([text, { rollouts, isTruth }]) => ({ text, rollouts, isTruth }));
  all.sort(
    (a, b) => Number(b.isTruth) - Number(a.isTruth) || b.rollouts - a.rollouts || (a.text < b.text ? -1 : 1),
  );
  return all.slice(0, MOST_CLUSTERS);
}

export interface AnswerShare {
  /** Index of the cluster; −1: another answer; −2: none. */
  readonly cluster: number;
  readonly from: number;
  readonly to: number;
  readonly rollouts: number;
}

/** Shares of a group's rollouts by cluster, stacked from 0 to 1. */
export function answerShares(
  group: ProblemGroup,
  clusters: readonly AnswerCluster[],
): readonly AnswerShare[] {
  const byCluster = clusters.map(
    ({ text }) => group.answers.find((answer) => answer.text === text)?.rollouts ?? 0,
  );
  const answered = group.answers.reduce((sum, { rollouts }) => sum + rollouts, 0);
  const others = answered - byCluster.reduce((sum, rollouts) => sum + rollouts, 0);
  const parts = [
    ...byCluster.map((rollouts, cluster) => ({ cluster, rollouts })),
    { cluster: -1, rollouts: others },
    { cluster: -2, rollouts: group.rollouts - answered },
  ];
  let from = 0;
  return parts
    .filter(({ rollouts }) => rollouts > 0)
    .map(({ cluster, rollouts }) => {
      const to = from + rollouts / group.rollouts;
      const share = { cluster, from, to, rollouts };
      from = to;
      return share;
    });
}

/** Labels of readers over groups, with the rollouts that have them, the most frequent first. */
export function labelCounts(
  groups: readonly Pick<ProblemGroup, 'labels'>[],
): readonly { readonly label: string; readonly rollouts: number }[] {
  const counts = new Map<string, number>();
  for (const { labels = [] } of groups)
    for (const { label, rollouts } of labels) counts.set(label, (counts.get(label) ?? 0) + rollouts);
  return [...counts]
    .map(([label, rollouts]) => ({ label, rollouts }))
    .sort((a, b) => b.rollouts - a.rollouts || (a.label < b.label ? -1 : 1));
}
