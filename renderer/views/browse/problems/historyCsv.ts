/** The history of a problem as CSV. */
import type { ProblemHistory } from '../../../../shared/api/contract.ts';
import { delimitedCell } from '../../../../shared/domain/delimited.ts';

const HEAD = [
  'run',
  'kind',
  'step',
  'group',
  'rollouts',
  'of known correctness',
  'right',
  'mean reward',
  'mean policy tokens',
  'mean characters',
  'mean entropy [nats; logged]',
  'answer',
  'rollouts with it',
  'judged',
  'judged right',
  'is the ground truth',
].join(',');

/** A line per group and answer; a group without answers has one line. Unknown is blank. */
export function historyCsv({ problemId, groundTruth, groups, leftOut }: ProblemHistory): string {
  const lines = groups.flatMap((group) => {
    const { answers, correctKnown } = group;
    const facts = [
      delimitedCell(group.runName),
      group.kind,
      group.step ?? '',
      delimitedCell(group.groupKey),
      group.rollouts,
      correctKnown,
      correctKnown === 0 ? '' : group.correct,
      group.meanReward ?? '',
      group.meanTokens ?? '',
      group.meanChars,
      group.meanEntropy ?? '',
    ];
    if (answers.length === 0) return [[...facts, '', '', '', '', ''].join(',')];
    return answers.map(({ text, rollouts, judged, right, isTruth }) =>
      [
        ...facts,
        delimitedCell(text),
        rollouts,
        judged,
        judged === 0 ? '' : right,
        isTruth === undefined ? '' : isTruth ? 'yes' : 'no',
      ].join(','),
    );
  });
  const truth = groundTruth === undefined ? 'no ground truth' : `ground truth ${groundTruth}`;
  const rest = leftOut === 0 ? '' : `; ${leftOut} groups are left out`;
  const source = `# ${problemId}; ${truth}${rest}; recomputed but for what is marked as logged`;
  return `${source.replaceAll(/\s+/g, ' ')}\n${[HEAD, ...lines].map((line) => `${line}\n`).join('')}`;
}
