/** Ranks rollouts by similarity to one of them: first by common prefix, then by code, then by words. */
import type { AlignableRollout, AlignOptions } from './align.ts';
import { checkpointOf } from './align.ts';
import { readTurns, type TurnProfile } from './alignTurns.ts';
import { commonPrefix } from './divergence.ts';
import { likenessOf, type Sketch, unionOf } from './likeness.ts';
import { Vocabulary } from './textUnits.ts';

/**
 * Prefix lengths within this share of the target count as equal: one more common word is no reason to rank
 * higher.
 */
const PREFIX_STEP = 0.05;
/** Code likeness within this step counts as equal, because a sketch is no more precise. */
const LIKENESS_STEP = 0.05;

export interface Candidate extends AlignableRollout {
  readonly id: number;
}

export interface Alike {
  readonly id: number;
  readonly sharedPrefixChars: number;
  /** Present if both have tokens. */
  readonly sharedPrefixTokens?: number;
  /** Leading turns that are equal, segment by segment. */
  readonly sharedTurns: number;
  /** Likeness of all tool calls together, 0 … 1. Absent if neither has any. */
  readonly codeLikeness?: number;
  /** Likeness of the policy's text outside tool calls, 0 … 1. */
  readonly textLikeness: number;
}

/**
 * @returns the others, most similar first
 * @throws AlignmentCancelled
 */
export function alike(
  target: AlignableRollout,
  others: readonly Candidate[],
  options: AlignOptions = {},
): readonly Alike[] {
  const checkpoint = checkpointOf(options);
  const vocabulary = new Vocabulary();
  const read = (rollout: AlignableRollout): Portrait => {
    const turns = readTurns(rollout, vocabulary, checkpoint);
    const all = (part: 'code' | 'prose'): Sketch => unionOf(turns.map(({ sketches }) => sketches[part]));
    return { turns, code: all('code'), prose: all('prose') };
  };
  const own = read(target);
  const step = Math.max(1, target.response.length * PREFIX_STEP);
  const found = others.map((other, i) => {
    options.onShare?.(i / others.length);
    return { other, alike: comparison(target, own, other, read(other)) };
  });
  const rank = ({ sharedPrefixChars, codeLikeness = 0, textLikeness }: Alike): readonly number[] => [
    Math.floor(sharedPrefixChars / step),
    Math.round(codeLikeness / LIKENESS_STEP),
    textLikeness,
    sharedPrefixChars,
  ];
  return found
    .map((each) => ({ ...each, rank: rank(each.alike) }))
    .sort((one, two) => compareDown(one.rank, two.rank) || one.other.id - two.other.id)
    .map((each) => each.alike);
}

interface Portrait {
  readonly turns: readonly TurnProfile[];
  readonly code: Sketch;
  readonly prose: Sketch;
}

function comparison(target: AlignableRollout, own: Portrait, other: Candidate, its: Portrait): Alike {
  const prefix = commonPrefix(target, other);
  let sharedTurns = 0;
  while (
    sharedTurns < own.turns.length &&
    own.turns[sharedTurns]?.identity === its.turns[sharedTurns]?.identity
  )
    sharedTurns++;
  const hasCode = own.code.length > 0 || its.code.length > 0;
  return {
    id: other.id,
    sharedPrefixChars: prefix.chars,
    ...(prefix.tokens === undefined ? {} : { sharedPrefixTokens: prefix.tokens }),
    sharedTurns,
    ...(hasCode ? { codeLikeness: likenessOf(own.code, its.code) } : {}),
    textLikeness: likenessOf(own.prose, its.prose),
  };
}

function compareDown(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (b[i] ?? 0) - (a[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
