/**
 * Classifies high-signal tokens as forking or reflection. The paper shows both patterns without defining them
 * (§5.4; shared/domain/DOMAIN.md#forking-and-reflection-tokens). This is our definition, which the screen
 * states:
 *
 *   forking     high tokens in reasoning that is not a reflection
 *   reflection  high tokens in the reasoning (or prose) directly after a tool response, within its
 *               first `window` policy tokens
 *   code        high tokens inside a tool call
 *   answer      high tokens inside an answer
 *
 * High tokens are policy tokens that reach a threshold (`thresholds.ts`).
 */
import type { SegmentKind, TextRange } from './model.ts';

export const TOKEN_CLASSES = ['none', 'forking', 'reflection', 'code', 'answer'] as const;
export type TokenClass = (typeof TOKEN_CLASSES)[number];

/** Number of policy tokens after a tool response that count as reflection; 0 or less: the whole segment. */
export const DEFAULT_WINDOW = 60;

interface PlacedSegment {
  readonly kind: SegmentKind;
  readonly outer: TextRange;
}

export interface ClassifyInput {
  /** Segments of the response, which tile it in order. */
  readonly segments: readonly PlacedSegment[];
  /** UTF-16 end of each token in the response. */
  readonly ends: Uint32Array;
  /** 1: sampled by the policy. Absent: all are. */
  readonly mask: Uint8Array | undefined;
  readonly values: Float32Array;
  readonly threshold: number | undefined;
  readonly window?: number;
  /** Precomputed places of these tokens. */
  readonly places?: TokenSegments;
}

export interface TokenSegments {
  /** Segment index of each token. */
  readonly segment: Int32Array;
  /** Per token: preceding policy tokens in its segment, if the segment follows a tool response; else −1. */
  readonly afterResponse: Int32Array;
}

/**
 * Assigns tokens to segments. A token across a border belongs to the segment of its last character, as in
 * `segmentTokens.ts`.
 */
export function assignTokens({
  segments,
  ends,
  mask,
}: Pick<ClassifyInput, 'segments' | 'ends' | 'mask'>): TokenSegments {
  const segment = new Int32Array(ends.length).fill(-1);
  const afterResponse = new Int32Array(ends.length).fill(-1);
  let at = 0;
  let seen = 0;
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i] ?? 0;
    while (at < segments.length - 1 && end > (segments[at]?.outer.end ?? 0)) {
      at++;
      seen = 0;
    }
    if (segments.length === 0) break;
    segment[i] = isForeign(segments, at) && mask?.[i] === 1 ? at - 1 : at;
    if (mask?.[i] === 0) continue;
    if (isForeign(segments, at)) continue;
    if (reflects(segments, at)) afterResponse[i] = seen;
    seen++;
  }
  return { segment, afterResponse };
}

/** The end-of-turn token belongs to the policy, although its position is in the next author's markup. */
function isForeign(segments: readonly PlacedSegment[], at: number): boolean {
  const kind = segments[at]?.kind;
  return at > 0 && (kind === 'tool-response' || kind === 'user' || kind === 'system');
}

function reflects(segments: readonly PlacedSegment[], at: number): boolean {
  const kind = segments[at]?.kind;
  return (kind === 'reasoning' || kind === 'text') && segments[at - 1]?.kind === 'tool-response';
}

/** @returns per token an index into `TOKEN_CLASSES` */
export function classifyTokens(input: ClassifyInput): Uint8Array {
  const { segments, ends, mask, values, threshold, window = DEFAULT_WINDOW } = input;
  const classes = new Uint8Array(ends.length);
  if (threshold === undefined) return classes;
  const { segment, afterResponse } = input.places ?? assignTokens(input);
  for (let i = 0; i < ends.length; i++) {
    const value = values[i] ?? Number.NaN;
    if (mask?.[i] === 0 || !(value >= threshold)) continue;
    const kind = segments[segment[i] ?? -1]?.kind;
    const distance = afterResponse[i] ?? -1;
    if (kind === 'tool-call') classes[i] = CODE;
    else if (kind === 'answer') classes[i] = ANSWER;
    else if (kind === 'reasoning' || kind === 'text') {
      classes[i] = distance >= 0 && (window <= 0 || distance < window) ? REFLECTION : FORKING;
    }
  }
  return classes;
}

const FORKING = TOKEN_CLASSES.indexOf('forking');
export const REFLECTION = TOKEN_CLASSES.indexOf('reflection');
const CODE = TOKEN_CLASSES.indexOf('code');
const ANSWER = TOKEN_CLASSES.indexOf('answer');
