/**
 * Pairs the turns of two rollouts as a reader would: by place and common beginning, and by what they do. Content
 * counts most (code more than prose, prose more than output), then equal calls, then kinds of segments and tools.
 */

import type { AlignableRollout } from './align.ts';
import { beginAlike, readSegment, type SegmentProfile } from './alignSegments.ts';
import type { Checkpoint } from './editScript.ts';
import { EMPTY_SKETCH, likenessOf, type Sketch, unionOf } from './likeness.ts';
import type { TurnNumber } from './model.ts';
import { type Item, type OrderedPairs, pairInOrder } from './orderedPairs.ts';
import type { Vocabulary } from './textUnits.ts';

/** Worth of two equal turns. */
const EQUAL = 1;
/**
 * Worth of two unequal turns of one number and role that begin alike: sampling diverged inside them. More than one
 * pair of equal turns that it prevents, less than two.
 */
const SAME_BEGINNING = 1.4;
/** Least worth of any two turns, so that a turn is alone only where the other rollout has none left. */
const LEAST = 0.02;
/**
 * Weights of what two unequal turns have in common; their sum counts up to `EQUAL`. Chosen by the alignments made by
 * reading (fixtures/alignment): of 4,000 random sets of weights, those around this one agree best, 97.6 % of turns.
 */
const WEIGHTS = { shape: 0.1, content: 0.5, sameCalls: 0.3, sameHead: 0.1, sameEnd: 0.15 };
/** Penalty for pairing turns at different places. */
const DISTANCE_COST = 0.1;
/** Shape entry of a last turn without calls: the rollout ended by itself. */
const END = 'end';

const PARTS = ['code', 'output', 'prose'] as const;
type Part = (typeof PARTS)[number];
const PART_WEIGHT: Readonly<Record<Part, number>> = { code: 3, output: 1, prose: 2 };

/** A turn as alignment uses it. Turns without segments are left out. */
export interface TurnProfile extends Item {
  readonly turn: TurnNumber;
  readonly segments: readonly SegmentProfile[];
  /** Turns before it and after it in its rollout. */
  readonly before: number;
  readonly after: number;
  /** Identities of the kinds and tools of the segments, sorted. */
  readonly shape: readonly number[];
  /** The calls' tools and texts. Equal exactly for equal calls; absent without calls. */
  readonly calls?: number;
  /** The first text; absent without one. */
  readonly first?: SegmentProfile;
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
    const profile = readSegment(rollout.response, segment, index, {
      tool: links?.tool,
      isMalformed: links?.isMalformed === true,
      call,
      vocabulary,
    });
    profiles.set(index, profile);
    const others = byTurn.get(segment.turn);
    if (others === undefined) byTurn.set(segment.turn, [profile]);
    else others.push(profile);
  });
  return [...byTurn].map(([turn, segments], before) =>
    turnOf(turn, segments, { before, after: byTurn.size - 1 - before }, vocabulary),
  );
}

export const pairTurns = (
  a: readonly TurnProfile[],
  b: readonly TurnProfile[],
  checkpoint: Checkpoint,
): OrderedPairs => pairInOrder(a, b, { worth: turnWorth, checkpoint });

/** Above 0 for any two turns, because a turn is alone only if its counterpart is really absent. */
export function turnWorth(a: TurnProfile, b: TurnProfile): number {
  // The distance decides between several equal turns.
  if (a.identity === b.identity) return EQUAL - LEAST * distance(a, b);
  const isAlike = a.first !== undefined && b.first !== undefined && beginAlike(a.first, b.first);
  if (isAlike && a.turn === b.turn && isSameRole(a, b)) return SAME_BEGINNING;
  const alike =
    WEIGHTS.shape * shapeLikeness(a.shape, b.shape) +
    WEIGHTS.content * contentLikeness(a, b) +
    WEIGHTS.sameCalls * Number(a.calls !== undefined && a.calls === b.calls) +
    WEIGHTS.sameHead * Number(isAlike) +
    WEIGHTS.sameEnd * Number(isBothEnds(a, b));
  return Math.max(LEAST, Math.min(EQUAL, alike) - DISTANCE_COST * distance(a, b));
}

/** In the first turn, one rollout may call a tool at once and the other only announce it. */
const isSameRole = (a: TurnProfile, b: TurnProfile): boolean =>
  a.turn === 1 || (a.calls === undefined) === (b.calls === undefined);

const isBothEnds = (a: TurnProfile, b: TurnProfile): boolean =>
  (a.before === 0 && b.before === 0) || (a.after === 0 && b.after === 0);

/** Share of the longer rollout by which two turns are apart, counted from the nearer end of the rollouts. */
function distance(a: TurnProfile, b: TurnProfile): number {
  const apart = Math.min(Math.abs(a.before - b.before), Math.abs(a.after - b.after));
  return apart / Math.max(a.before + a.after + 1, b.before + b.after + 1);
}

interface CallLink {
  readonly tool?: string;
  /** The call's segment, for a response. */
  readonly call?: number;
  readonly isMalformed?: boolean;
}

/** Each segment's role as a call or as the response to one. */
function callsBySegment({ toolCalls }: AlignableRollout): ReadonlyMap<number, CallLink> {
  const links = new Map<number, CallLink>();
  for (const { name, outcome, callSegment, responseSegment } of toolCalls) {
    const tool = name === undefined ? {} : { tool: name };
    links.set(callSegment, { ...tool, isMalformed: outcome === 'malformed' });
    if (responseSegment !== undefined) links.set(responseSegment, { ...tool, call: callSegment });
  }
  return links;
}

function turnOf(
  turn: TurnNumber,
  segments: readonly SegmentProfile[],
  place: Pick<TurnProfile, 'before' | 'after'>,
  vocabulary: Vocabulary,
): TurnProfile {
  const of = (part: Part): Sketch => {
    const sketches = segments.filter(({ kind }) => partOf(kind) === part).map(({ marks }) => marks);
    return sketches.length === 0 ? EMPTY_SKETCH : unionOf(sketches);
  };
  const first = segments.find(({ head }) => head !== undefined);
  const sketches = { code: of('code'), output: of('output'), prose: of('prose') };
  return {
    turn,
    segments,
    ...place,
    identity: vocabulary.idOf(`\u0000turn ${segments.map(({ identity }) => identity).join(' ')}`),
    marks: unionOf([sketches.code, sketches.prose, sketches.output]),
    shape: shapeOf(segments, place.after === 0, vocabulary),
    ...callsOf(segments, vocabulary),
    ...(first === undefined ? {} : { first }),
    sketches,
  };
}

function callsOf(segments: readonly SegmentProfile[], vocabulary: Vocabulary): Pick<TurnProfile, 'calls'> {
  const calls = segments.filter(({ kind }) => kind === 'tool-call');
  if (calls.length === 0) return {};
  return { calls: vocabulary.idOf(`\u0000calls ${calls.map(({ identity }) => identity).join(' ')}`) };
}

function shapeOf(
  segments: readonly SegmentProfile[],
  isLast: boolean,
  vocabulary: Vocabulary,
): readonly number[] {
  const shape = segments.map(({ kind, tool }) => (tool === undefined ? kind : `${kind} ${tool}`));
  const isEnd = isLast && segments.every(({ kind }) => kind !== 'tool-call');
  // Numbers are compared faster than names, and a turn is compared with hundreds of others.
  return (isEnd ? [...shape, END] : shape)
    .map((entry) => vocabulary.idOf(`\u0000shape ${entry}`))
    .sort((x, y) => x - y);
}

function partOf(kind: SegmentProfile['kind']): Part {
  if (kind === 'tool-call') return 'code';
  return kind === 'tool-response' ? 'output' : 'prose';
}

/** Dice coefficient of two sorted lists, counting repetitions. */
function shapeLikeness(a: readonly number[], b: readonly number[]): number {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const x = a[i] ?? 0;
    const y = b[j] ?? 0;
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
