/** The fork point of two rollouts, and the policy's uncertainty there. */
import type { ActionFork, ActionSide, Fork, ForkSide, IdFork, IdSide } from '../../shared/api/contract.ts';
import { type Action, actionFork } from '../../shared/domain/actions.ts';
import type { AlignableRollout, Divergence, ForkPosition } from '../../shared/domain/align.ts';
import { isEnvironment, policyDivergence } from '../../shared/domain/divergence.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { getAlternatives, getSignal } from '../storage/queries/tokens.ts';

interface Sides {
  readonly rolloutIds: readonly number[];
  readonly lanes: readonly (AlignableRollout & { readonly answer?: string })[];
  readonly baseline: number;
  readonly lane: number;
}

export function forkOf(db: ReadableLibrary, divergence: Divergence, sides: Sides): Fork | undefined {
  const { rolloutIds, lanes, baseline, lane } = sides;
  const [a, b] = [lanes[baseline], lanes[lane]];
  if (a === undefined || b === undefined) return undefined;
  const [inA, inB] = [textAt(a, divergence.a), textAt(b, divergence.b)];
  const isTokens = divergence.a.token !== undefined && divergence.b.token !== undefined;
  return {
    baseline: {
      ...sideOf(db, rolloutIds[baseline], divergence.a, inA, isTokens ? inB : undefined),
      ...kindAt(a, divergence.a),
    },
    lane: {
      ...sideOf(db, rolloutIds[lane], divergence.b, inB, isTokens ? inA : undefined),
      ...kindAt(b, divergence.b),
    },
  };
}

/** The fork point of the policy itself, if a tool or user differs first. */
export function policyForkOf(db: ReadableLibrary, fork: Fork | undefined, sides: Sides): Fork | undefined {
  const { lanes, baseline, lane } = sides;
  const [a, b] = [lanes[baseline], lanes[lane]];
  if (fork === undefined || a === undefined || b === undefined) return undefined;
  if (!isEnvironment(fork.baseline.kind) && !isEnvironment(fork.lane.kind)) return undefined;
  const divergence = policyDivergence(a, b);
  return divergence === undefined ? undefined : forkOf(db, divergence, sides);
}

/** UTF-16 units of an action's text. */
const ACTION_CHARS = 300;

/** Undefined if neither side acts. */
export function actionForkOf({ lanes, baseline, lane }: Sides): ActionFork | undefined {
  const [inA, inB] = [lanes[baseline], lanes[lane]];
  if (inA === undefined || inB === undefined) return undefined;
  const { shared, a, b } = actionFork(inA, inB);
  if (shared === 0 && a === undefined && b === undefined) return undefined;
  return {
    shared,
    ...(a === undefined ? {} : { baseline: actionSideOf(a) }),
    ...(b === undefined ? {} : { lane: actionSideOf(b) }),
  };
}

export const actionSideOf = ({ kind, turn, segment, tool, text, outcome }: Action): ActionSide => ({
  ...{ kind, turn, segment, text: text.slice(0, ACTION_CHARS).toWellFormed() },
  ...(tool === undefined ? {} : { tool }),
  ...(outcome === 'malformed' ? { isMalformed: true } : {}),
});

/**
 * The first difference of token ids. Ids without text have no position in the characters, so a fork in the
 * text cannot be mapped to tokens. Undefined if a side has no ids, if the tokens of both sides are
 * aligned, or if all ids are equal.
 */
export function idForkOf(
  db: ReadableLibrary,
  { rolloutIds, lanes, baseline, lane }: Sides,
): IdFork | undefined {
  const [a, b] = [rolloutIds[baseline], rolloutIds[lane]];
  if (a === undefined || b === undefined) return undefined;
  if (lanes[baseline]?.tokenEnds !== undefined && lanes[lane]?.tokenEnds !== undefined) return undefined;
  const [inA, inB] = [getSignal(db, a)?.ids, getSignal(db, b)?.ids];
  if (inA === undefined || inB === undefined) return undefined;
  const token = firstDifference(inA, inB);
  if (token === undefined) return undefined;
  const sideOf = (rolloutId: number, ids: Int32Array): IdSide =>
    token < ids.length ? { id: ids[token] ?? 0, ...valueOnly(measureAt(db, rolloutId, token)) } : {};
  return { token, baseline: sideOf(a, inA), lane: sideOf(b, inB) };
}

/** Index of the first difference, which may be the end of the shorter array. Undefined when they are equal. */
export function firstDifference(a: Int32Array, b: Int32Array): number | undefined {
  const most = Math.max(a.length, b.length);
  for (let i = 0; i < most; i++) if (i >= a.length || i >= b.length || a[i] !== b[i]) return i;
  return undefined;
}

function valueOnly({ tail: _, ...rest }: Partial<ForkSide>): IdSide {
  return rest;
}

/** A word with the white space before it: long enough to recognize. */
const WORD = /\s*(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?/uy;
const LONGEST_WORD = 80;

/** The token or word at a position; undefined after the end of the response. */
function textAt({ response, tokenEnds }: AlignableRollout, place: ForkPosition): string | undefined {
  if (place.offset >= response.length) return undefined;
  if (place.token !== undefined && tokenEnds !== undefined) {
    const start = place.token === 0 ? 0 : (tokenEnds[place.token - 1] ?? 0);
    return response.slice(start, tokenEnds[place.token]);
  }
  WORD.lastIndex = place.offset;
  return (WORD.exec(response)?.[0] ?? '').slice(0, LONGEST_WORD);
}

/** Undefined after the end. */
function kindAt(
  { segments, response }: AlignableRollout,
  { segment, offset }: ForkPosition,
): Pick<ForkSide, 'kind'> {
  const kind = segment === undefined || offset >= response.length ? undefined : segments[segment]?.kind;
  return kind === undefined ? {} : { kind };
}

function sideOf(
  db: ReadableLibrary,
  rolloutId: number | undefined,
  place: ForkPosition,
  text: string | undefined,
  otherText: string | undefined,
): ForkSide {
  const known = text === undefined ? {} : { text };
  const { token } = place;
  if (rolloutId === undefined || token === undefined) return { ...place, ...known };
  return {
    ...place,
    ...known,
    ...measureAt(db, rolloutId, token),
    ...listedAt(db, rolloutId, token, otherText),
  };
}

function measureAt(db: ReadableLibrary, rolloutId: number, token: number): Partial<ForkSide> {
  const found = getSignal(db, rolloutId);
  const value = found?.values?.[token];
  if (found?.values === undefined || value === undefined || Number.isNaN(value)) return {};
  const upper = known(found.upper?.[token]);
  const tail = known(found.tail?.[token]);
  const percentile = percentileOf(found.values, found.mask, value);
  return {
    ...(found.signal === undefined ? {} : { signal: found.signal }),
    ...(found.source === undefined ? {} : { source: found.source }),
    value,
    ...(upper === undefined ? {} : { upper }),
    ...(tail === undefined ? {} : { tail }),
    ...(percentile === undefined ? {} : { percentile }),
  };
}

const known = (value: number | undefined): number | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : value;

/** Percentile among policy tokens; undefined without a mask, which marks these tokens. */
function percentileOf(values: Float32Array, mask: Uint8Array | undefined, value: number): number | undefined {
  if (mask === undefined) return undefined;
  let tokens = 0;
  let below = 0;
  for (const [i, other] of values.entries()) {
    if (mask[i] !== 1 || Number.isNaN(other)) continue;
    tokens++;
    if (other <= value) below++;
  }
  return tokens === 0 ? undefined : below / tokens;
}

function listedAt(
  db: ReadableLibrary,
  rolloutId: number,
  token: number,
  otherText: string | undefined,
): Partial<ForkSide> {
  const alternatives = getAlternatives(db, rolloutId, token, 1)?.alternatives[0];
  if (alternatives === undefined || alternatives === null || alternatives.length === 0) return {};
  // '' is a token that ends inside a character; alternatives cannot be looked up by it.
  if (otherText === undefined || otherText === '') return { alternatives };
  const rank = alternatives.findIndex(([listed]) => listed === otherText);
  const logprob = alternatives[rank]?.[1];
  const other = logprob === undefined ? { isListed: false } : { isListed: true, rank: rank + 1, logprob };
  return { alternatives, other };
}
