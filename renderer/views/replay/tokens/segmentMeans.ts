/**
 * Ids without text: tokens have no place on the characters, so heat falls back to means. Where the log counts the
 * policy tokens of each turn and they add up, the n-th of them belong to the n-th turn. Else the loss mask
 * alternates between policy and environment as the segments do: where both alternate equally often, the n-th run
 * of policy tokens is the n-th stretch of policy segments. Else nothing can be said.
 */
import type { Segment, Turn } from '../../../../shared/domain/model.ts';
import { isPolicyKind } from '../profileModel.ts';

export interface SegmentMean {
  readonly mean: number;
  readonly tokens: number;
  /** Segments the mean is of: this one and those of the policy that follow it. */
  readonly segments: number;
  /** 1…4, in quarters of the highest mean of the rollout. */
  readonly level: number;
}

export interface SegmentMeans {
  /** How tokens and segments were matched. */
  readonly by: 'turns' | 'runs';
  /** By index of the first segment of each stretch. */
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
  return (
    byTurns(segments, turns, policyOnly(heights, mask)) ??
    matched('runs', policyStretches(segments), policyRuns(heights, mask))
  );
}

function policyOnly(heights: Float32Array, mask: Uint8Array | undefined): Float32Array {
  return mask === undefined ? heights : heights.filter((_, i) => mask[i] === 1);
}

function byTurns(
  segments: readonly Segment[],
  turns: readonly Turn[],
  policy: Float32Array,
): SegmentMeans | undefined {
  const stretches: Stretch[] = [];
  const values: Float32Array[] = [];
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
  return at === policy.length ? matched('turns', stretches, values) : undefined;
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

function policyRuns(heights: Float32Array, mask: Uint8Array | undefined): readonly Float32Array[] {
  if (mask === undefined) return [heights];
  const runs: { from: number; to: number }[] = [];
  mask.forEach((isPolicy, i) => {
    if (isPolicy !== 1) return;
    const last = runs.at(-1);
    if (last?.to === i) last.to = i + 1;
    else runs.push({ from: i, to: i + 1 });
  });
  return runs.map(({ from, to }) => heights.slice(from, to));
}

function matched(
  by: SegmentMeans['by'],
  stretches: readonly Stretch[],
  values: readonly Float32Array[],
): SegmentMeans | undefined {
  if (stretches.length === 0 || stretches.length !== values.length) return undefined;
  const found = stretches.flatMap((stretch, i) => {
    const known = values[i]?.filter((value) => Number.isFinite(value)) ?? new Float32Array();
    if (known.length === 0) return [];
    return [
      { ...stretch, tokens: known.length, mean: known.reduce((sum, one) => sum + one, 0) / known.length },
    ];
  });
  if (found.length === 0) return undefined;
  const highest = Math.max(...found.map(({ mean }) => mean));
  const level = (mean: number) => (highest <= 0 ? 1 : Math.max(1, Math.ceil((mean / highest) * 4)));
  return {
    by,
    lowest: Math.min(...found.map(({ mean }) => mean)),
    highest,
    means: new Map(
      found.map(({ first, segments, tokens, mean }) => [
        first,
        { mean, tokens, segments, level: level(mean) },
      ]),
    ),
  };
}
