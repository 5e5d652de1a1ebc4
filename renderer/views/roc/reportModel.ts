/** A report as numbers with labels. The key of a number requests the groups behind it. */
import type { Bucket, GroupTally, RocReport, RocSide, RocStep, Tally } from '../../../shared/api/contract.ts';
import { reasonText } from '../../../shared/domain/words.ts';
import { count, counted, ratio } from '../../ui/numbers.ts';
import { penaltySourceLabel, penaltyText, RULE_LABELS } from '../../widgets/roc/rocLabels.ts';
import { likenessNames } from './likenessModel.ts';

/** A set of decisions, with a name that states their source. */
export interface NamedSide {
  readonly id: 'logged' | 'recomputed' | 'whatIf';
  readonly name: string;
  readonly side: RocSide;
}

export interface ShownSide extends NamedSide {
  /** Names the source of the penalties in its buckets. */
  readonly penalties: string;
}

/**
 * The decisions in effect first, then the what-if. Leaves out the recomputation if neither decisions nor settings are
 * known.
 */
export function sidesOf(report: RocReport, wanted: string | null): readonly ShownSide[] {
  const { logged, recomputed, whatIf } = report;
  const rule = (side: RocSide) => RULE_LABELS[side.basis?.rule ?? 'release'].short;
  const penalties = (side: RocSide) => penaltySourceLabel(side.basis?.penalty ?? report.penalty);
  const first: ShownSide =
    logged !== undefined && report.source === 'logged' && wanted !== 'recomputed'
      ? { id: 'logged', name: 'logged', penalties: penaltySourceLabel('logged'), side: logged }
      : {
          id: 'recomputed',
          name: `recomputed: ${rule(recomputed)}`,
          penalties: penalties(recomputed),
          side: recomputed,
        };
  if (whatIf === undefined) return report.source === 'unknown' ? [] : [first];
  const second: ShownSide = {
    id: 'whatIf',
    name: `what if: ${rule(whatIf)}`,
    penalties: penalties(whatIf),
    side: whatIf,
  };
  return report.source === 'unknown' ? [second] : [first, second];
}

/** `34 rollouts in 5 groups`. */
export const tallyText = ({ rollouts, groups }: Pick<Tally, 'rollouts' | 'groups'>): string =>
  `${counted(rollouts, 'rollout')} in ${counted(groups, 'group')}`;

export const keepRate = (tally: Tally): number | undefined => ratio(tally.kept, tally.decided);

/**
 * `0.25 to <0.50`. A bucket of one value is shown as that value, and a `>` marks a bucket that begins just above a
 * value. Only the last bucket includes its end.
 */
export function bucketText({ from, to }: Bucket, isLast: boolean): string {
  const [first, end] = [penaltyText(from), penaltyText(to)];
  if (first === end) return first;
  const isAbove = from > Number(first);
  return `${isAbove ? '>' : ''}${first} to ${isLast ? '' : '<'}${end}`;
}

/** The class whose keep rate is shown. RoC ranks positives; only the first-week rule ranked negatives as well. */
export type BucketClass = 'positives' | 'negatives';

/** Leaves out buckets that are empty on all sides, since their rows would be blank. */
export function filledBuckets(sides: readonly (readonly Bucket[])[], which: BucketClass): readonly number[] {
  const length = Math.max(0, ...sides.map((buckets) => buckets.length));
  return Array.from({ length }, (_, i) => i).filter((i) =>
    sides.some((buckets) => {
      const bucket = buckets[i];
      return bucket !== undefined && bucket[which].rollouts > 0;
    }),
  );
}

// ── numbers that do not depend on a side ───────────────────────────────────────────────────────

export interface NamedNumber {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly value: number;
  readonly unit: 'group' | 'rollout';
  /** Share of all groups or of the decided rollouts. */
  readonly share?: number;
}

function groupsNumber(report: RocReport, tally: GroupTally, label: string, hint: string): NamedNumber {
  const share = tally.groups === 0 ? undefined : ratio(tally.groups, report.groups);
  const base = { key: tally.key, label, hint, value: tally.groups, unit: 'group' as const };
  return share === undefined ? base : { ...base, share };
}

function rolloutsNumber(tally: Tally, label: string, hint: string): NamedNumber {
  return { key: tally.key, label, hint, value: tally.rollouts, unit: 'rollout' };
}

/** The health of the groups: only mixed groups teach a group-normalised advantage. */
export function healthNumbers(report: RocReport): readonly NamedNumber[] {
  return [
    groupsNumber(
      report,
      report.mixed,
      'mixed',
      'Groups with correct and incorrect rollouts: the only ones with an advantage',
    ),
    groupsNumber(
      report,
      report.allRight,
      'all correct',
      'Every reward above 0; rejected where reject_equal_reward is on',
    ),
    groupsNumber(
      report,
      report.allWrong,
      'all incorrect',
      'No reward above 0; rejected where reject_equal_reward is on',
    ),
    groupsNumber(
      report,
      report.rewardUnknown,
      'reward unknown',
      'A reward is not logged: nothing can be recomputed',
    ),
  ].filter((one) => one.value > 0 || one.label !== 'reward unknown');
}

/** The notable numbers of one set of decisions. */
export function findingsOf(report: RocReport, { side }: NamedSide): readonly NamedNumber[] {
  return [
    groupsNumber(
      report,
      side.tiesAtCut,
      'ties at the cut',
      'Equal penalties at the cut: rollout order decided',
    ),
    groupsNumber(
      report,
      side.cleanDropped,
      'dropped an error-free correct rollout, kept one with errors',
      'A correct rollout without penalty was discarded while one with failed tool calls was kept',
    ),
    groupsNumber(
      report,
      side.truncated,
      'trimmed to a multiple of world size',
      'Rollouts dropped to make the batch a multiple of the world size',
    ),
  ];
}

/** Empty without decisions: penalties count only for them. */
export function disagreementsOf(report: RocReport): readonly NamedNumber[] {
  if (report.source === 'unknown') return [];
  const parts = { pErr: 'p_err', pFormat: 'p_format' } as const;
  return [
    ...(report.logged === undefined
      ? []
      : [
          rolloutsNumber(
            report.differences,
            'logged ≠ recomputed',
            'Rollouts whose logged and recomputed decisions differ',
          ),
        ]),
    ...report.penaltyDifferences.map((one) =>
      rolloutsNumber(
        one,
        `${parts[one.part]} differs: text rules vs tool outcomes`,
        'Rollouts whose penalty by the release’s text rules differs from that of the tool outcomes',
      ),
    ),
  ];
}

/** The likely causes of decisions that differ from the log, in sentences, each with what it explains. */
export function causeSentences({ differences, differenceCauses }: RocReport): readonly string[] {
  return differenceCauses.map(({ sentence, rollouts, groups }) => {
    const isAll = rollouts === differences.rollouts;
    const what = isAll && differenceCauses.length === 1 ? 'all of them' : `${count(rollouts)} of them`;
    return `${sentence.replace(/\.$/, '')} (${what}, in ${counted(groups, 'group')}).`;
  });
}

const OUTCOMES: Readonly<Record<string, string>> = {
  resampled: 'resampled to the quotas',
  kept_all: 'kept whole',
  equal_reward: 'rejected, equal rewards',
  too_small: 'too small, discarded',
  assertion: 'assertion: the run would stop',
  off: 'down-sampling off',
  undecidable: 'undecidable',
};

/** The most frequent reasons: a log may have one per rollout. Kept before discarded ones, each by number of rollouts. */
export function orderedReasons(side: RocSide): RocSide['reasons'] {
  const rank = ({ reason }: { readonly reason: string }) => (reason.startsWith('kept') ? 0 : 1);
  return side.reasons
    .toSorted((a, b) => b.rollouts - a.rollouts)
    .slice(0, MOST_REASONS)
    .sort((a, b) => rank(a) - rank(b) || b.rollouts - a.rollouts);
}

const MOST_REASONS = 50;

export const outcomeText = (outcome: string): string => OUTCOMES[outcome] ?? outcome;

/**
 * `discarded, penalty too high`. The prefix of a reason's code is its decision. Reasons by penalty have the same label
 * for both classes, so those of the incorrect rollouts name it.
 */
export function sideReason(reason: string): string {
  const verb = reason.startsWith('kept') ? 'kept, ' : reason.startsWith('discarded') ? 'discarded, ' : '';
  const isNegative = /_negative_(topk|tie|penalty)$/.test(reason);
  return `${verb}${reasonText(reason)}${isNegative ? ' (incorrect)' : ''}`;
}

/** Labels for all keys of a report, so that a URL with only a key gets a title. */
export function numberNames(report: RocReport): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const one of [...healthNumbers(report), ...disagreementsOf(report)]) names.set(one.key, one.label);
  if (report.flips !== undefined) names.set(report.flips.key, 'decisions that flip');
  const { logged, recomputed, whatIf } = report;
  const sides: NamedSide[] = [
    ...(logged === undefined ? [] : [{ id: 'logged', name: 'logged', side: logged } as const]),
    { id: 'recomputed', name: 'recomputed', side: recomputed },
    ...(whatIf === undefined ? [] : [{ id: 'whatIf', name: 'what if', side: whatIf } as const]),
  ];
  for (const named of sides) {
    const { side, name } = named;
    const add = (tally: { readonly key: string }, words: string) =>
      names.set(tally.key, `${words} · ${name}`);
    add(side.positives, 'correct rollouts');
    add(side.negatives, 'incorrect rollouts');
    for (const [label, buckets] of bucketKinds(side)) {
      buckets.forEach((bucket, i) => {
        const words = `${label} ${bucketText(bucket, i === buckets.length - 1)}`;
        add(bucket.positives, `correct rollouts of ${words}`);
        add(bucket.negatives, `incorrect rollouts of ${words}`);
      });
    }
    for (const one of side.outcomes) add(one, outcomeText(one.outcome));
    for (const one of side.reasons) add(one, sideReason(one.reason));
    for (const one of findingsOf(report, named)) add(one, one.label);
    for (const [like, what] of [
      [side.keptPositives, 'kept correct rollouts'],
      [side.discardedPositives, 'discarded correct rollouts'],
    ] as const) {
      for (const [key, words] of likenessNames(like, what, report.lengthBins)) add({ key }, words);
    }
    for (const one of side.steps) {
      add(one.positives, `correct rollouts of step ${one.step}`);
      add(one.negatives, `incorrect rollouts of step ${one.step}`);
      add(one.erroneousBefore, `correct with a failed call, step ${one.step}, pool`);
      add(one.erroneousAfter, `correct with a failed call and kept, step ${one.step}`);
    }
  }
  return names;
}

function bucketKinds(side: RocSide): readonly (readonly [string, readonly Bucket[]])[] {
  return [
    ['penalty', side.byPenalty],
    ['p_err', side.byErr],
    ['p_format', side.byFormat],
  ];
}

// ── by step ─────────────────────────────────────────────────────────────────────────────────────

export const errorsBefore = (step: RocStep) => ratio(step.errorsBefore, step.callsBefore);
export const errorsAfter = (step: RocStep) => ratio(step.errorsAfter, step.callsAfter);
