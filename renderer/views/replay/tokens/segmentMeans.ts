/**
 * Means for ids without text. Such tokens have no offsets in the text, so heat falls back to means per segment. If the
 * log counts the policy tokens of each turn and the counts add up, they assign the tokens to turns. Otherwise the loss
 * mask alternates between policy and environment as the segments do: if both alternate equally often, the n-th run of
 * policy tokens belongs to the n-th run of policy segments. Otherwise there are no means.
 */

import { useMemo } from 'react';
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import type { Segment, Turn } from '../../../../shared/domain/model.ts';
import { isPolicyKind } from '../text/profileModel.ts';
import type { Heat } from '../text/tokenHeat.ts';

export interface SegmentMean {
  readonly mean: number;
  readonly tokens: number;
  /** Segments that the mean covers: this one and the policy's segments that follow it. */
  readonly segments: number;
  /** 1…4, in quarters of the rollout's highest mean. 0 if all means are equal. */
  readonly level: number;
}

export interface SegmentMeans {
  /** How tokens and segments were matched. */
  readonly by: 'turns' | 'runs';
  /** Per token: the first segment of its run. −1: none, such as text written by the environment. */
  readonly segmentOf: Int32Array;
  /** The same as a label: `turn 3, reasoning`. Undefined if unknown. */
  readonly placeOf: (token: number) => string | undefined;
  /** By index of the first segment of each run. */
  readonly means: ReadonlyMap<number, SegmentMean>;
  readonly lowest: number;
  readonly highest: number;
}

interface Stretch {
  readonly first: number;
  segments: number;
}

interface MeansInput {
  readonly segments: readonly Segment[];
  readonly turns: readonly Turn[];
}

export function segmentMeans(
  { segments, turns }: MeansInput,
  heights: Float32Array,
  mask: Uint8Array | undefined,
): SegmentMeans | undefined {
  const found =
    byTurns(segments, turns, heights, policyTokens(heights.length, mask)) ??
    matched('runs', heights, policyStretches(segments), policyRuns(heights.length, mask));
  if (found === undefined) return undefined;
  const placeOf = (token: number) => {
    const segment = segments[found.segmentOf[token] ?? -1];
    return segment === undefined ? undefined : `turn ${segment.turn}, ${segment.kind.replace('-', ' ')}`;
  };
  return { ...found, placeOf };
}

/** Token indices of a run, ascending. */
type Tokens = readonly number[];

function policyTokens(count: number, mask: Uint8Array | undefined): Tokens {
  return Array.from({ length: count }, (_, i) => i).filter((i) => mask === undefined || mask[i] === 1);
}

function byTurns(
  segments: readonly Segment[],
  turns: readonly Turn[],
  heights: Float32Array,
  policy: Tokens,
): Omit<SegmentMeans, 'placeOf'> | undefined {
  const stretches: Stretch[] = [];
  const values: Tokens[] = [];
  let at = 0;
  for (const { turn, policyTokens } of [...turns].sort((a, b) => a.turn - b.turn)) {
    if (policyTokens === undefined) return undefined;
    const own = segments.flatMap((segment, index) =>
      segment.turn === turn && turn > 0 && isPolicyKind(segment.kind) ? [index] : [],
    );
    const [first] = own;
    if (first === undefined && policyTokens > 0) return undefined;
    if (first !== undefined) {
      stretches.push({ first, segments: own.length });
      values.push(policy.slice(at, at + policyTokens));
    }
    at += policyTokens;
  }
  return at === policy.length ? matched('turns', heights, stretches, values) : undefined;
}

function policyStretches(segments: readonly Segment[]): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let isOpen = false;
  segments.forEach((segment, index) => {
    const isPolicy = segment.turn > 0 && isPolicyKind(segment.kind);
    const last = stretches.at(-1);
    if (isPolicy && isOpen && last !== undefined) last.segments += 1;
    else if (isPolicy) stretches.push({ first: index, segments: 1 });
    isOpen = isPolicy;
  });
  return stretches;
}

function policyRuns(count: number, mask: Uint8Array | undefined): readonly Tokens[] {
  if (mask === undefined) return [policyTokens(count, mask)];
  const runs: { from: number; to: number }[] = [];
  mask.forEach((isPolicy, i) => {
    if (isPolicy !== 1) return;
    const last = runs.at(-1);
    if (last?.to === i) last.to = i + 1;
    else runs.push({ from: i, to: i + 1 });
  });
  return runs.map(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
}

function matched(
  by: SegmentMeans['by'],
  heights: Float32Array,
  stretches: readonly Stretch[],
  tokens: readonly Tokens[],
): Omit<SegmentMeans, 'placeOf'> | undefined {
  if (stretches.length === 0 || stretches.length !== tokens.length) return undefined;
  const segmentOf = new Int32Array(heights.length).fill(-1);
  stretches.forEach(({ first }, i) => {
    for (const token of tokens[i] ?? []) segmentOf[token] = first;
  });
  const found = stretches.flatMap((stretch, i) => {
    const known = (tokens[i] ?? []).map((token) => heights[token] ?? Number.NaN).filter(Number.isFinite);
    if (known.length === 0) return [];
    return [
      { ...stretch, tokens: known.length, mean: known.reduce((sum, one) => sum + one, 0) / known.length },
    ];
  });
  if (found.length === 0) return undefined;
  const highest = Math.max(...found.map(({ mean }) => mean));
  const lowest = Math.min(...found.map(({ mean }) => mean));
  // A single value is neither high nor low.
  const level = (mean: number) =>
    lowest === highest ? 0 : highest <= 0 ? 1 : Math.max(1, Math.ceil((mean / highest) * 4));
  return {
    by,
    segmentOf,
    lowest,
    highest,
    means: new Map(
      found.map(({ first, segments, tokens, mean }) => [
        first,
        { mean, tokens, segments, level: level(mean) },
      ]),
    ),
  };
}

/** Means for tokens without offsets in the text: one per run of policy segments. */
export function useSegmentMeans(detail: RolloutDetail, heat: Heat | undefined): SegmentMeans | undefined {
  const heights = heat?.ends === undefined && heat?.isConstant === false ? heat.heights : undefined;
  const mask = heat?.mask;
  return useMemo(
    () => (heights === undefined ? undefined : segmentMeans(detail, heights, mask)),
    [heights, mask, detail],
  );
}
