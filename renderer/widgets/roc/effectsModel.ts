/** The effect of a what-if on the update, before → after. An unknown value is blank. */
import type { RocSums } from '../../../shared/api/contract.ts';
import { amount, count, decimal } from '../../ui/numbers.ts';

export interface Effect {
  readonly label: string;
  readonly hint: string;
  readonly before: string;
  readonly after: string;
  readonly isChanged: boolean;
}

function classText(sums: RocSums | undefined): string {
  const counts = sums?.keptByClass;
  return counts === undefined ? '' : `${amount(counts.nonZeros)} : ${amount(counts.zeros)}`;
}

export function effectsOf(before: RocSums | undefined, after: RocSums | undefined): readonly Effect[] {
  const rows: (readonly [string, string, (sums: RocSums | undefined) => string])[] = [
    ['kept', 'Rollouts that enter the update', (sums) => amount(sums?.kept)],
    ['correct : incorrect', 'Kept rollouts of reward > 0 and of reward ≤ 0', classText],
    [
      'penalty, correct',
      'Mean penalty of the kept correct rollouts, each side by the penalty it is ranked by',
      (sums) => decimal(sums?.meanPenalty, 3),
    ],
    lengthRow(before, after),
    [
      '|advantage|',
      'Mean absolute advantage of kept rollouts; sample standard deviation over the kept ones',
      (sums) => decimal(sums?.meanAbsAdvantage, 3),
    ],
  ];
  return rows.map(([label, hint, text]) => {
    const [from, to] = [text(before), text(after)];
    return { label, hint, before: from, after: to, isChanged: from !== to };
  });
}

/** Uses tokens only if both sides have them, since tokens and characters cannot be compared. */
function lengthRow(
  before: RocSums | undefined,
  after: RocSums | undefined,
): readonly [string, string, (sums: RocSums | undefined) => string] {
  const hasTokens = [before, after].every(
    (sums) => sums === undefined || sums.meanPolicyTokens !== undefined,
  );
  return hasTokens
    ? ['tokens', 'Mean policy tokens of kept rollouts', (sums) => count(sums?.meanPolicyTokens)]
    : [
        'characters',
        'Mean response length of kept rollouts; their tokens are not logged',
        (sums) => count(sums?.meanResponseChars),
      ];
}

export function flipsText(flips: number, kept: number, discarded: number): string {
  if (flips === 0) return 'No decision flips.';
  const verb = flips === 1 ? 'decision flips' : 'decisions flip';
  return `${count(flips)} ${verb}: ${count(kept)} more kept, ${count(discarded)} more discarded.`;
}
