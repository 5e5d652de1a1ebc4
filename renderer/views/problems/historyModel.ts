/** The answers to a problem over time, as clusters and as CSV. The largest clusters are named, the rest is combined. */
import type { ProblemGroup, ProblemHistory } from '../../../shared/api/contract.ts';
import { type Cell, csvFile } from '../../../shared/domain/delimited.ts';

/**
 * Whether an answer is correct: by the ground truth if it is known, else by the verdicts on the rollouts that gave it.
 */
export type Verdict = 'right' | 'wrong' | 'both' | 'unjudged';

export interface AnswerCluster {
  readonly text: string;
  readonly isTruth: boolean;
  readonly verdict: Verdict;
  /** Index among the clusters of the same verdict, which differ in shade. */
  readonly shade: number;
  readonly rollouts: number;
}

const MOST_CLUSTERS = 6;

type Given = ProblemGroup['answers'][number];

/**
 * The most frequent answers over all groups, plus the ground truth if it was ever given. Correct answers come first,
 * so that they are at the bottom of every column.
 */
export function answerClusters(groups: readonly ProblemGroup[]): readonly AnswerCluster[] {
  const sums = new Map<string, Given>();
  for (const { answers } of groups)
    for (const given of answers) {
      const known = sums.get(given.text);
      sums.set(
        given.text,
        known === undefined
          ? given
          : {
              ...known,
              rollouts: known.rollouts + given.rollouts,
              judged: known.judged + given.judged,
              right: known.right + given.right,
            },
      );
    }
  const isTruth = (given: Given): boolean => given.isTruth === true;
  const chosen = [...sums.values()]
    .sort(
      (a, b) =>
        Number(isTruth(b)) - Number(isTruth(a)) || b.rollouts - a.rollouts || (a.text < b.text ? -1 : 1),
    )
    .slice(0, MOST_CLUSTERS)
    .map((given) => ({ given, verdict: verdictOf(given) }))
    .sort((a, b) => Number(b.verdict === 'right') - Number(a.verdict === 'right'));
  return chosen.map(({ given, verdict }, i) => ({
    text: given.text,
    isTruth: isTruth(given),
    verdict,
    shade: chosen.slice(0, i).filter((before) => inkOf(before.verdict) === inkOf(verdict)).length,
    rollouts: given.rollouts,
  }));
}

function verdictOf({ isTruth, judged, right }: Given): Verdict {
  if (isTruth !== undefined) return isTruth ? 'right' : 'wrong';
  if (judged === 0) return 'unjudged';
  return right === judged ? 'right' : right === 0 ? 'wrong' : 'both';
}

export type AnswerInk = 'right' | 'wrong' | 'open';

/** Answers that were judged both ways, or not at all, get a neutral colour. */
export function inkOf(verdict: Verdict): AnswerInk {
  return verdict === 'right' || verdict === 'wrong' ? verdict : 'open';
}

/** Text beside an answer in the legend. */
export function verdictText({ isTruth, verdict }: AnswerCluster, hasTruth: boolean): string {
  if (hasTruth) return isTruth ? '✓ ground truth' : '';
  return VERDICTS[verdict];
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  right: '✓ judged correct',
  wrong: '✗ judged incorrect',
  both: 'judged both ways',
  unjudged: 'not judged',
};

export type LengthUnit = 'tokens' | 'characters';

/**
 * The same unit for all groups: tokens only if every group has them, since bars of different units cannot be compared.
 */
function lengthUnit(groups: readonly ProblemGroup[]): LengthUnit {
  return groups.every(({ meanTokens }) => meanTokens !== undefined) ? 'tokens' : 'characters';
}

/** Mean over the group's rollouts of known length. Undefined: unknown. */
export function lengthOf({ meanTokens, meanChars }: ProblemGroup, unit: LengthUnit): number | undefined {
  return unit === 'tokens' ? meanTokens : meanChars;
}

/** The shared scale of all bars on the page. */
export interface HistoryScale {
  readonly unit: LengthUnit;
  /** In `unit`. */
  readonly longest: number;
  /** Nats. Undefined: no group has a known entropy, so that track is left out. */
  readonly highest: number | undefined;
}

export function historyScale(groups: readonly ProblemGroup[]): HistoryScale {
  const unit = lengthUnit(groups);
  const entropies = groups.flatMap(({ meanEntropy }) => meanEntropy ?? []);
  return {
    unit,
    longest: Math.max(1, ...groups.map((group) => lengthOf(group, unit) ?? 0)),
    highest: entropies.length === 0 ? undefined : Math.max(...entropies),
  };
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

const HEAD = [
  'run',
  'kind',
  'step',
  'group',
  'rollouts',
  'of known correctness',
  'correct',
  'mean reward',
  'mean policy tokens',
  'mean characters',
  'mean entropy [nats; logged]',
  'answer',
  'rollouts with it',
  'judged',
  'judged correct',
  'is the ground truth',
];

const NO_ANSWER: readonly Cell[] = [undefined, undefined, undefined, undefined, undefined];

/** A line per group and answer. A group without answers has one line. Unknown values are blank. */
export function historyCsv({ problemId, groundTruth, groups, leftOut }: ProblemHistory): string {
  const lines = groups.flatMap((group): readonly (readonly Cell[])[] => {
    const { answers, correctKnown } = group;
    const facts = [
      group.runName,
      group.kind,
      group.step,
      group.groupKey,
      group.rollouts,
      correctKnown,
      correctKnown === 0 ? undefined : group.correct,
      group.meanReward,
      group.meanTokens,
      group.meanChars,
      group.meanEntropy,
    ];
    if (answers.length === 0) return [[...facts, ...NO_ANSWER]];
    return answers.map(({ text, rollouts, judged, right, isTruth }): Cell[] => [
      ...facts,
      text,
      rollouts,
      judged,
      judged === 0 ? undefined : right,
      isTruth === undefined ? undefined : isTruth ? 'yes' : 'no',
    ]);
  });
  const truth = groundTruth === undefined ? 'no ground truth' : `ground truth ${groundTruth}`;
  const rest = leftOut === 0 ? '' : `; ${leftOut} groups are left out`;
  const source = `${problemId}; ${truth}${rest}; from rollouts but for what is marked as logged`;
  return csvFile(source, HEAD, lines);
}
