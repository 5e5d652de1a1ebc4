/** The threshold from which a token counts as high, and the label that is always shown with it. */
import { countHigh, quantileThreshold } from '../../../../shared/domain/thresholds.ts';
import type { ThresholdKind } from '../../../state/tokenView.ts';
import { count, decimal } from '../../../ui/numbers.ts';

export interface Threshold {
  readonly kind: ThresholdKind;
  /** Undefined while it is unknown, or if no token can be high. */
  readonly value: number | undefined;
  readonly high: number;
  /** Tokens that could be high: policy tokens with a known value. */
  readonly of: number;
}

interface ThresholdInput {
  readonly kind: ThresholdKind;
  readonly share: number;
  readonly fixed: number | undefined;
  /** The 80th percentile of the group, step or run, once it is computed. */
  readonly percentile: number | undefined;
  /** Ascending heights of the policy tokens. */
  readonly known: Float32Array;
}

/** A certain token is never high. If most values are 0, the threshold is the smallest value above it. */
function aboveZero(known: Float32Array, value: number): number | undefined {
  if (value > 0) return value;
  for (const one of known) if (one > 0) return one;
  return undefined;
}

/** The initial value of a fixed threshold: the one that makes the top fifth of this rollout high. */
export function fixedStart(known: Float32Array): number {
  const value = quantileThreshold(known, 0.2) ?? 0;
  return Number((aboveZero(known, value) ?? 0).toFixed(3));
}

export function resolveThreshold({ kind, share, fixed, percentile, known }: ThresholdInput): Threshold {
  const wanted =
    kind === 'rollout'
      ? quantileThreshold(known, share)
      : kind === 'fixed'
        ? (fixed ?? fixedStart(known))
        : percentile;
  const value = wanted === undefined ? undefined : aboveZero(known, wanted);
  return { kind, value, high: value === undefined ? 0 : countHigh(known, value), of: known.length };
}

const SCOPES = {
  group: '80th percentile of the group',
  step: '80th percentile of the step',
  run: '80th percentile of the run',
} as const;

export function thresholdKindLabel(kind: ThresholdKind, share: number): string {
  if (kind === 'fixed') return 'fixed value';
  return kind === 'rollout' ? `top ${shareText(share)} %` : SCOPES[kind];
}

export function shareText(share: number): string {
  return String(Number((share * 100).toFixed(1)));
}

/** `≥ 0.672 nats · 1,204 of 6,020 policy tokens`. Unknown parts are left out. */
export function thresholdLabel(threshold: Threshold, unit: string, hasMask: boolean): string {
  const tokens = `${count(threshold.high)} of ${count(threshold.of)} ${hasMask ? 'policy tokens' : 'tokens, no loss mask'}`;
  if (threshold.value === undefined) return tokens;
  return `≥ ${decimal(threshold.value, 3)}${unit === '' ? '' : ` ${unit}`} · ${tokens}`;
}

/** The slider is logarithmic, because the step from 0.5 % to 2 % matters as much as that from 12 % to 50 %. */
const LEAST_SHARE = 0.005;
const MOST_SHARE = 0.5;
export const SLIDER_STEPS = 200;

/** Rounds to a per mille below 10 %, else to a per cent, so that the displayed share is exactly the one used. */
export function shareOfSlider(position: number): number {
  const share = LEAST_SHARE * (MOST_SHARE / LEAST_SHARE) ** (position / SLIDER_STEPS);
  return share < 0.1 ? Math.round(share * 1000) / 1000 : Math.round(share * 100) / 100;
}

export function sliderOfShare(share: number): number {
  return Math.round((Math.log(share / LEAST_SHARE) / Math.log(MOST_SHARE / LEAST_SHARE)) * SLIDER_STEPS);
}
