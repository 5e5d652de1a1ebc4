/** A signal on the tokens of one rollout: labels, heights, levels, classes, and the tokens to jump to. */
import type { RolloutDetail, RolloutSignal } from '../../../../shared/api/contract.ts';
import { TOOL_ERROR_OUTCOMES } from '../../../../shared/domain/model.ts';
import {
  classifyTokens,
  REFLECTION,
  TOKEN_CLASSES,
  type TokenClass,
} from '../../../../shared/domain/reflection.ts';
import { policyValues, quantileThreshold } from '../../../../shared/domain/thresholds.ts';
import { isSigned } from '../../../../shared/domain/tokenSignal.ts';
import { HEAT_SIGNALS, type HeatSignal } from '../../../state/tokenView.ts';
import { decimal, signed } from '../../../ui/numbers.ts';
import { sourceLabel } from '../../../ui/signalSource.ts';
import { heatCuts, heatLevels } from './heatModel.ts';
import type { Threshold } from './thresholdModel.ts';

export interface TokenSeries {
  readonly signal: HeatSignal;
  readonly words: SignalLabels;
  readonly values: Float32Array;
  readonly upper?: Float32Array;
  readonly tail?: Float32Array;
  /** The values that heat is based on: the signal's values, or their magnitude if the signal is signed. */
  readonly heights: Float32Array;
  /** Heights of the policy tokens, ascending. */
  readonly known: Float32Array;
  /** All policy tokens have the same value, as advantages often do. Nothing differs, so no heat is shown. */
  readonly isConstant: boolean;
  readonly count: number;
  /** Whether both log-probabilities were logged. */
  readonly hasGap: boolean;
  readonly hasAdvantage: boolean;
  /** Absent if the log has ids without text. */
  readonly ends?: Uint32Array;
  readonly ids?: Int32Array;
  readonly mask?: Uint8Array;
}

export function seriesOf(
  logged: RolloutSignal,
  signal: HeatSignal,
  words: SignalLabels,
): TokenSeries | undefined {
  const { values, mask, ends, ids, upper, tail, count } = logged;
  if (values === undefined) return undefined;
  const heights = words.isSigned ? values.map(Math.abs) : values;
  const known = policyValues(heights, mask);
  return {
    signal,
    words,
    values,
    upper,
    tail,
    heights,
    known,
    isConstant: known.length > 1 && known[0] === known.at(-1),
    count,
    hasGap: logged.available.includes('gap'),
    hasAdvantage: logged.available.includes('advantage'),
    ends,
    ids,
    mask,
  };
}

export interface Heat extends TokenSeries {
  readonly threshold: Threshold;
  /** Smallest height of each level. Empty if nothing is high. */
  readonly cuts: readonly number[];
  /** Per token: 0 is unmarked, 1…4 is the level. */
  readonly levels: Uint8Array;
  /** Per token an index into `TOKEN_CLASSES`. */
  readonly classes: Uint8Array;
  /** Token indices, ascending. */
  readonly high: Uint32Array;
  readonly reflections: Uint32Array;
  /** High tokens in the policy's text after a failed tool response, up to the next response. */
  readonly afterErrors: Uint32Array;
  readonly classCounts: Readonly<Record<TokenClass, number>>;
  readonly response: string;
}

export function heatOf(
  series: TokenSeries,
  threshold: Threshold,
  text: Pick<RolloutDetail, 'response' | 'segments' | 'toolCalls'>,
  window: number,
): Heat {
  const value = series.isConstant ? undefined : threshold.value;
  const cuts = heatCuts(series.known, value);
  const levels = heatLevels(series.heights, series.mask, cuts);
  const classes =
    series.ends === undefined
      ? new Uint8Array(series.count)
      : classifyTokens({
          segments: text.segments.filter((segment) => segment.turn > 0),
          ends: series.ends,
          mask: series.mask,
          values: series.heights,
          threshold: cuts.length === 0 ? undefined : value,
          window,
        });
  const high = indexesWhere(levels, (level) => level > 0);
  const counts = new Uint32Array(TOKEN_CLASSES.length);
  for (const one of classes) counts[one] = (counts[one] ?? 0) + 1;
  return {
    ...series,
    threshold: series.isConstant ? { ...threshold, value: undefined, high: 0 } : threshold,
    cuts,
    levels,
    classes,
    high,
    reflections: indexesWhere(classes, (one) => one === REFLECTION),
    afterErrors: afterErrorsOf(high, series.ends, text),
    classCounts: Object.fromEntries(TOKEN_CLASSES.map((name, i) => [name, counts[i] ?? 0])) as Record<
      TokenClass,
      number
    >,
    response: text.response,
  };
}

/** High tokens in text of the policy after a failed response, up to the next response. */
function afterErrorsOf(
  high: Uint32Array,
  ends: Uint32Array | undefined,
  { segments, toolCalls }: Pick<RolloutDetail, 'segments' | 'toolCalls'>,
): Uint32Array {
  const isResponse = (at: number): boolean => segments[at]?.kind === 'tool-response';
  const after = toolCalls
    .flatMap(({ outcome, responseSegment }) =>
      responseSegment !== undefined && TOOL_ERROR_OUTCOMES.has(outcome) ? [responseSegment] : [],
    )
    .sort((a, b) => a - b)
    .flatMap((response) => {
      let first = response;
      // Responses of calls in one turn follow one another.
      while (isResponse(first)) first++;
      let last = first;
      while (last + 1 < segments.length && !isResponse(last + 1)) last++;
      const [from, to] = [segments[first], segments[last]];
      return from === undefined || to === undefined ? [] : [{ start: from.outer.start, end: to.outer.end }];
    });
  let next = 0;
  return high.filter((token) => {
    const last = (ends?.[token] ?? 0) - 1;
    while ((after[next]?.end ?? Number.POSITIVE_INFINITY) <= last) next++;
    return (after[next]?.start ?? Number.POSITIVE_INFINITY) <= last;
  });
}

/** The tokens at which the keys to high tokens and to reflection tokens stop. */
export const TOKEN_SCOPES = ['everywhere', 'after-error', 'code'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** The scope in the URL (`only=code`). */
export const tokenScope = (text: string | null): TokenScope =>
  TOKEN_SCOPES.find((scope) => scope === text) ?? 'everywhere';

const CODE = TOKEN_CLASSES.indexOf('code');

/** The tokens at which the keys stop, ascending. Reflection tokens are never in code. */
export function tokensIn(
  { high, reflections, afterErrors, classes }: Heat,
  scope: TokenScope,
): Pick<Heat, 'high' | 'reflections'> {
  switch (scope) {
    case 'everywhere':
      return { high, reflections };
    case 'after-error':
      return { high: afterErrors, reflections: afterErrors.filter((token) => classes[token] === REFLECTION) };
    case 'code':
      return { high: high.filter((token) => classes[token] === CODE), reflections: new Uint32Array() };
  }
}

function indexesWhere(flags: Uint8Array, is: (flag: number) => boolean): Uint32Array {
  let size = 0;
  for (const flag of flags) if (is(flag)) size += 1;
  const indexes = new Uint32Array(size);
  let at = 0;
  for (let i = 0; i < flags.length; i += 1) {
    if (is(flags[i] ?? 0)) {
      indexes[at] = i;
      at += 1;
    }
  }
  return indexes;
}

/** The class of a token. `none` includes high tokens whose text belongs to no class. */
export const classOf = (heat: Heat, token: number): TokenClass =>
  TOKEN_CLASSES[heat.classes[token] ?? 0] ?? 'none';

/** The next of ascending `tokens` after `from`, or the last before it. Undefined at the end. */
export function neighbour(tokens: Uint32Array, from: number, direction: 1 | -1): number | undefined {
  return direction === 1 ? tokens.find((token) => token > from) : tokens.findLast((token) => token < from);
}

/** Rank of a value among the policy tokens. 1 is the highest, and equal values share the better rank. */
export function rankOf(known: Float32Array, height: number): number {
  let low = 0;
  let high = known.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((known[middle] ?? 0) <= height) low = middle + 1;
    else high = middle;
  }
  return known.length - low + 1;
}

/** Share of policy tokens that the gap overlay marks. */
export const GAP_SHARE = 0.05;

/** 1: the two policies differ here more than at most tokens. Undefined if they never differ. */
export function gapFlags(gap: Float32Array, mask: Uint8Array | undefined): Uint8Array | undefined {
  const sizes = gap.map(Math.abs);
  const threshold = quantileThreshold(policyValues(sizes, mask), GAP_SHARE);
  if (threshold === undefined || threshold <= 0) return undefined;
  return Uint8Array.from(sizes, (size, i) => (mask?.[i] !== 0 && size >= threshold ? 1 : 0));
}

/** 1: written by the environment. */
export function maskedFlags(mask: Uint8Array): Uint8Array {
  return mask.map((isPolicy) => (isPolicy === 0 ? 1 : 0));
}

interface SignalLabels {
  /** `entropy`, `entropy ≥`: written before a value. */
  readonly name: string;
  /** Everything known about where the signal comes from. */
  readonly source: string;
  /** Written after a value. Empty if there is no unit or the log does not name one. */
  readonly unit: string;
  /** Heat is based on the magnitude of a signed value. */
  readonly isSigned: boolean;
}

export function isHeatSignal(name: string | undefined): name is HeatSignal {
  return HEAT_SIGNALS.some((one) => one === name);
}

/** @returns undefined if the rollout has no signal that can be shown as heat */
export function signalLabels({
  signal,
  source,
  tail,
}: Pick<RolloutSignal, 'signal' | 'source' | 'tail'>): SignalLabels | undefined {
  if (source === undefined || !isHeatSignal(signal)) return undefined;
  // Heat uses the lower bound even if the vocabulary allows an upper one. Only the readout shows the upper bound.
  const isBound = tail !== undefined;
  return {
    name: isBound ? `${signal} ≥` : signal,
    source: sourceLabel({ signal, source: isBound ? { ...source, bound: 'lower' } : source }),
    unit: source.unit ?? '',
    isSigned: isSigned(signal),
  };
}

/** `≥ 0.672 nats`, with a sign if the signal can be negative. Blank if unknown. */
export function valueText(words: SignalLabels, value: number | undefined, digits = 3): string {
  if (value === undefined || Number.isNaN(value)) return '';
  const number = words.isSigned ? signed(value, digits) : decimal(value, digits);
  return words.unit === '' ? number : `${number} ${words.unit}`;
}
