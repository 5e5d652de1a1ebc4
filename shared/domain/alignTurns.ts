/**
 * Which turns of two rollouts stand side by side: those that are alike in shape (kinds of segments, tools
 * called) and in what they contain. Code says more about a turn than prose, prose more than tool output.
 */

import type { AlignableRollout } from './align.ts';
import { forkedShare, readSegment, type SegmentProfile } from './alignSegments.ts';
import type { Checkpoint } from './editScript.ts';
import { EMPTY_SKETCH, likenessOf, type Sketch, unionOf } from './likeness.ts';
import type { TurnNumber } from './model.ts';
import { type Item, type OrderedPairs, pairInOrder } from './orderedPairs.ts';
import type { Vocabulary } from './textUnits.ts';

/** Share of the shape in a turn's likeness; the rest is contents. */
const SHAPE_SHARE = 0.3;
/** Likeness from which two turns stand side by side: less than a common shape alone gives. */
const LEAST_LIKENESS = 0.2;
/** Stands in the shape of a last turn that calls nothing: the rollout came to its end by itself. */
const END = 'end';
/** Share of the shorter beginning that two turns have in common when the rollouts parted inside them. */
const FORKED_SHARE = 0.25;
/**
 * Taken off where a turn from the beginning would stand beside one from the end: it decides between turns that
 * are alike in little more than shape, and hardly between any others.
 */
const DISTANCE_COST = 0.15;

const PARTS = ['code', 'output', 'prose'] as const;
type Part = (typeof PARTS)[number];
const PART_WEIGHT: Readonly<Record<Part, number>> = { code: 3, output: 1, prose: 2 };

/** A turn as alignment sees it. Turns without segments do not exist here. */
export interface TurnProfile extends Item {
  readonly turn: TurnNumber;
  readonly segments: readonly SegmentProfile[];
  /** Where in its rollout: 0 the first turn, 1 the last; absent for the only one, which is both. */
  readonly place?: number;
  /** Kinds and tools of the segments, sorted. */
  readonly shape: readonly string[];
  /** `malformed`: at least one call whose tool is not known. */
  readonly calls: 'none' | 'named' | 'malformed';
  readonly sketches: Readonly<Record<Part, Sketch>>;
}

/** Turns 1 … of a rollout in the order they begin; segments of turn 0 are ranges of the prompt and left out. */
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
 * The turn that two rollouts were in when they parted is one turn, whatever became of it: after equal turns,
 * two that begin with the same words stand side by side. All others are paired by what they are worth.
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

/** At most 1; above 0 where two turns may stand side by side. */
export function turnWorth(a: TurnProfile, b: TurnProfile): number {
  if (a.identity === b.identity) return 1;
  const shape = shapeLikeness(a.shape, b.shape);
  if (shape === 0 && !mayBeOneTool(a, b)) return 0; // no segment of one could be paired with one of the other
  const alike = SHAPE_SHARE * shape + (1 - SHAPE_SHARE) * contentLikeness(a, b);
  return alike - LEAST_LIKENESS - DISTANCE_COST * distance(a, b);
}

/** A malformed call may have been meant for any tool. */
const mayBeOneTool = ({ calls: a }: TurnProfile, { calls: b }: TurnProfile): boolean =>
  (a === 'malformed' && b !== 'none') || (b === 'malformed' && a !== 'none');

const distance = ({ place: a }: TurnProfile, { place: b }: TurnProfile): number =>
  a === undefined || b === undefined ? 0 : Math.abs(a - b);

interface CallLink {
  readonly tool?: string;
  /** Of a response: the segment of its call. */
  readonly call?: number;
}

/** What is known of a segment as a call or as the response to one. */
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

/** Dice coefficient of two sorted lists, repetitions counted. */
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

/** Mean over the parts that either turn has; one that only one of them has counts as unlike. */
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
