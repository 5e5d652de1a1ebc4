/**
 * Pairs the turns of two rollouts by shape (kinds of segments, tools called) and content. Code counts more
 * than prose, prose more than tool output.
 */

import type { AlignableRollout } from './align.ts';
import { forkedShare, readSegment, type SegmentProfile } from './alignSegments.ts';
import type { Checkpoint } from './editScript.ts';
import { EMPTY_SKETCH, likenessOf, type Sketch, unionOf } from './likeness.ts';
import type { TurnNumber } from './model.ts';
import { type Item, type OrderedPairs, pairInOrder } from './orderedPairs.ts';
import type { Vocabulary } from './textUnits.ts';

/** Weight of shape in the likeness of two turns; the rest is content. */
const SHAPE_SHARE = 0.3;
/** Minimum likeness to pair two turns. A common shape alone exceeds it. */
const LEAST_LIKENESS = 0.2;
/** Shape entry of a last turn without calls: the rollout ended by itself. */
const END = 'end';
/** Share of the shorter beginning that two turns have in common if the rollouts diverged inside them. */
const FORKED_SHARE = 0.25;
/**
 * Penalty for pairing a turn near the beginning with one near the end. It decides only between turns that
 * share little more than shape.
 */
const DISTANCE_COST = 0.15;

const PARTS = ['code', 'output', 'prose'] as const;
type Part = (typeof PARTS)[number];
const PART_WEIGHT: Readonly<Record<Part, number>> = { code: 3, output: 1, prose: 2 };

/** A turn as alignment uses it. Turns without segments are left out. */
export interface TurnProfile extends Item {
  readonly turn: TurnNumber;
  readonly segments: readonly SegmentProfile[];
  /** Position in its rollout: 0 the first turn, 1 the last; absent for a single turn. */
  readonly place?: number;
  /** Kinds and tools of the segments, sorted. */
  readonly shape: readonly string[];
  /** `malformed`: at least one call whose tool is unknown. */
  readonly calls: 'none' | 'named' | 'malformed';
  readonly sketches: Readonly<Record<Part, Sketch>>;
}

/** Turns 1 … of a rollout in order. Skips segments of turn 0, which are ranges of the prompt. */
export function readTurns(
  rollout: AlignableRollout,
  vocabulary: Vocabulary,
  checkpoint: Checkpoint,
): readonly TurnProfile[] {
  const byTurn = new Map<TurnNumber, SegmentProfile[]>();
  const calls = callsBySegment(rollout);
  const profiles = new Map<number, SegmentProfile>();
  rollout.segments.forEach((segment, index) => {
    if (segment.turn < 1) return;
    checkpoint();
    const links = calls.get(index);
    const call = links?.call === undefined ? undefined : profiles.get(links.call);
    const profile = readSegment(rollout.response, segment, index, { tool: links?.tool, call, vocabulary });
    profiles.set(index, profile);
    const others = byTurn.get(segment.turn);
    if (others === undefined) byTurn.set(segment.turn, [profile]);
    else others.push(profile);
  });
  const last = byTurn.size - 1;
  return [...byTurn].map(([turn, segments], i) =>
    turnOf(turn, segments, { place: last === 0 ? undefined : i / last, isLast: i === last }, vocabulary),
  );
}

/**
 * The turn in which two rollouts diverged is one turn. After equal turns, two that begin with the same words
 * are paired. All others are paired by worth.
 */
export function pairTurns(
  a: readonly TurnProfile[],
  b: readonly TurnProfile[],
  checkpoint: Checkpoint,
): OrderedPairs {
  let fork = 0;
  while (fork < a.length && a[fork]?.identity === b[fork]?.identity) fork++;
  const [inA, inB] = [a[fork]?.segments[0], b[fork]?.segments[0]];
  const isOneTurn = inA !== undefined && inB !== undefined && forkedShare(inA, inB) >= FORKED_SHARE;
  if (!isOneTurn) return pairInOrder(a, b, { worth: turnWorth, checkpoint });
  const after = pairInOrder(a.slice(fork + 1), b.slice(fork + 1), { worth: turnWorth, checkpoint });
  return [
    ...Array.from({ length: fork + 1 }, (_, i) => [i, i] as const),
    ...after.map(([x, y]) => [x + fork + 1, y + fork + 1] as const),
  ];
}

/** At most 1. Above 0 if two turns may be paired. */
export function turnWorth(a: TurnProfile, b: TurnProfile): number {
  if (a.identity === b.identity) return 1;
  const shape = shapeLikeness(a.shape, b.shape);
  if (shape === 0 && !mayBeOneTool(a, b)) return 0; // no segment of one turn could be paired with one of the other
  const alike = SHAPE_SHARE * shape + (1 - SHAPE_SHARE) * contentLikeness(a, b);
  return alike - LEAST_LIKENESS - DISTANCE_COST * distance(a, b);
}

/** A malformed call may have meant any tool. */
const mayBeOneTool = ({ calls: a }: TurnProfile, { calls: b }: TurnProfile): boolean =>
  (a === 'malformed' && b !== 'none') || (b === 'malformed' && a !== 'none');

const distance = ({ place: a }: TurnProfile, { place: b }: TurnProfile): number =>
  a === undefined || b === undefined ? 0 : Math.abs(a - b);

interface CallLink {
  readonly tool?: string;
  /** The call's segment, for a response. */
  readonly call?: number;
}

/** Each segment's role as a call or as the response to one. */
function callsBySegment({ toolCalls }: AlignableRollout): ReadonlyMap<number, CallLink> {
  const links = new Map<number, CallLink>();
  for (const { name, callSegment, responseSegment } of toolCalls) {
    const tool = name === undefined ? {} : { tool: name };
    links.set(callSegment, tool);
    if (responseSegment !== undefined) links.set(responseSegment, { ...tool, call: callSegment });
  }
  return links;
}

function turnOf(
  turn: TurnNumber,
  segments: readonly SegmentProfile[],
  { place, isLast }: { readonly place: number | undefined; readonly isLast: boolean },
  vocabulary: Vocabulary,
): TurnProfile {
  const of = (part: Part): Sketch => {
    const sketches = segments.filter(({ kind }) => partOf(kind) === part).map(({ marks }) => marks);
    return sketches.length === 0 ? EMPTY_SKETCH : unionOf(sketches);
  };
  const sketches = { code: of('code'), output: of('output'), prose: of('prose') };
  return {
    turn,
    segments,
    ...(place === undefined ? {} : { place }),
    identity: vocabulary.idOf(`\u0000turn ${segments.map(({ identity }) => identity).join(' ')}`),
    marks: unionOf([sketches.code, sketches.prose, sketches.output]),
    shape: shapeOf(segments, isLast),
    calls: callsOf(segments),
    sketches,
  };
}

function callsOf(segments: readonly SegmentProfile[]): TurnProfile['calls'] {
  const calls = segments.filter(({ kind }) => kind === 'tool-call');
  if (calls.length === 0) return 'none';
  return calls.some(({ tool }) => tool === undefined) ? 'malformed' : 'named';
}

function shapeOf(segments: readonly SegmentProfile[], isLast: boolean): readonly string[] {
  const shape = segments.map(({ kind, tool }) => (tool === undefined ? kind : `${kind} ${tool}`));
  const isEnd = isLast && segments.every(({ kind }) => kind !== 'tool-call');
  return (isEnd ? [...shape, END] : shape).sort();
}

function partOf(kind: SegmentProfile['kind']): Part {
  if (kind === 'tool-call') return 'code';
  return kind === 'tool-response' ? 'output' : 'prose';
}

/** Dice coefficient of two sorted lists, counting repetitions. */
function shapeLikeness(a: readonly string[], b: readonly string[]): number {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [x = '', y = ''] = [a[i], b[j]];
    if (x === y) shared++;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return (2 * shared) / (a.length + b.length);
}

/** Mean over the parts that either turn has. A part that only one has counts as 0. */
function contentLikeness(a: TurnProfile, b: TurnProfile): number {
  let sum = 0;
  let weights = 0;
  for (const part of PARTS) {
    const [inA, inB] = [a.sketches[part], b.sketches[part]];
    if (inA.length === 0 && inB.length === 0) continue;
    weights += PART_WEIGHT[part];
    sum += PART_WEIGHT[part] * likenessOf(inA, inB);
  }
  return weights === 0 ? 0 : sum / weights;
}
