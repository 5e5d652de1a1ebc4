import type { PointerEvent, SyntheticEvent } from 'react';
import { THRESHOLD_KINDS, type ThresholdKind, useTokenView } from '../../../state/tokenView.ts';
import { count } from '../../../ui/numbers.ts';
import {
  fixedStart,
  SLIDER_STEPS,
  shareOfSlider,
  shareText,
  sliderOfShare,
  thresholdKindLabel,
  thresholdLabel,
} from '../text/thresholdModel.ts';
import type { Heat } from '../text/tokenHeat.ts';
import { hasPercentile, type Percentile } from './usePercentile.ts';

interface ThresholdControlProps {
  readonly heat: Heat;
  readonly percentile: Percentile;
}

const KIND_LABELS: Readonly<Record<ThresholdKind, string>> = {
  rollout: 'top share',
  fixed: 'fixed value',
  group: 'group’s 80th percentile',
  step: 'step’s 80th percentile',
  run: 'run’s 80th percentile',
};

/** The threshold's kind and its slider, and the number of high tokens that results. */
export function ThresholdControl({ heat, percentile }: ThresholdControlProps) {
  const setKind = useTokenView((state) => state.setThresholdKind);
  const { threshold, words, mask } = heat;
  const { kind } = threshold;
  const kinds = THRESHOLD_KINDS.filter(
    (one) => one === 'rollout' || one === 'fixed' || hasPercentile(heat.signal),
  );
  return (
    <div className="token-threshold">
      <select
        aria-label="Threshold"
        {...pointerFocus}
        title="When a token counts as high: in the top share of this rollout, above a fixed value, or above the 80th percentile of its group, step or run."
        value={kind}
        onChange={(event) => {
          const chosen = kinds.find((one) => one === event.target.value);
          if (chosen !== undefined) setKind(chosen);
          releaseFocus(event.target);
        }}
      >
        {kinds.map((one) => (
          <option key={one} value={one}>
            {KIND_LABELS[one]}
          </option>
        ))}
      </select>
      {kind === 'rollout' && <ShareSlider />}
      {kind === 'fixed' && <FixedField heat={heat} />}
      {kind !== 'rollout' && kind !== 'fixed' && <PercentileState percentile={percentile} />}
      <span className="token-count" role="status">
        {kind === 'rollout' && <ShareLabel />}
        {thresholdLabel(threshold, words.unit, mask !== undefined)}
      </span>
    </div>
  );
}

function ShareLabel() {
  const share = useTokenView((state) => state.share);
  return <>{thresholdKindLabel('rollout', share)} · </>;
}

function ShareSlider() {
  const share = useTokenView((state) => state.share);
  const setShare = useTokenView((state) => state.setShare);
  return (
    <input
      type="range"
      aria-label="Share of policy tokens that is high"
      aria-valuetext={`top ${shareText(share)} %`}
      min={0}
      max={SLIDER_STEPS}
      value={sliderOfShare(share)}
      {...pointerFocus}
      onPointerUp={(event) => releaseFocus(event.currentTarget)}
      onChange={(event) => setShare(shareOfSlider(Number(event.target.value)))}
    />
  );
}

function FixedField({ heat }: { readonly heat: Heat }) {
  const stored = useTokenView((state) => state.fixed[heat.signal]);
  const setFixed = useTokenView((state) => state.setFixed);
  const value = stored ?? fixedStart(heat.known);
  const most = Number((heat.known.at(-1) ?? 1).toFixed(3));
  return (
    <>
      <input
        type="range"
        aria-label={`Smallest high ${heat.words.name}`}
        min={0}
        max={most}
        step={most / SLIDER_STEPS}
        value={Math.min(value, most)}
        {...pointerFocus}
        onPointerUp={(event) => releaseFocus(event.currentTarget)}
        onChange={(event) => setFixed(heat.signal, Number(Number(event.target.value).toFixed(3)))}
      />
      <input
        type="number"
        className="token-number"
        aria-label="Fixed threshold"
        min={0}
        step={0.01}
        value={value}
        onChange={(event) => {
          const typed = Number(event.target.value);
          if (event.target.value !== '' && Number.isFinite(typed) && typed >= 0) setFixed(heat.signal, typed);
        }}
      />
    </>
  );
}

function PercentileState({ percentile }: { readonly percentile: Percentile }) {
  const { isRunning, isStopped, error, progress, value, tokens, rollouts } = percentile;
  if (isRunning) {
    return (
      <span className="token-progress">
        <progress aria-label="Steps read" value={progress?.stepsDone} max={progress?.steps ?? 1} />
        {progress !== undefined && `${count(progress.stepsDone)} of ${count(progress.steps)} steps`}
        <button type="button" onClick={percentile.stop}>
          Cancel
        </button>
      </span>
    );
  }
  if (isStopped || error !== null) {
    return (
      <span className="token-progress">
        {error === null ? 'stopped' : <span className="is-wrong">{error.message}</span>}
        <button type="button" onClick={percentile.restart}>
          {error === null ? 'Compute' : 'Try again'}
        </button>
      </span>
    );
  }
  if (value === undefined) return <span className="dim">no other rollout has this signal</span>;
  return (
    <span
      className="dim"
      title="Exact to 0.02, because values are counted in bins. Only rollouts with the same signal and source count."
    >
      of {count(tokens)} tokens in {count(rollouts)} rollouts
    </span>
  );
}

const byPointer = new WeakSet<EventTarget>();

/**
 * Blurs a control after it was used with the pointer, so that keys such as `n` and `r` work again: they are disabled
 * while a field has the focus. A control reached with Tab keeps the focus.
 */
export const pointerFocus = {
  onPointerDown: (event: PointerEvent<HTMLElement>) => {
    byPointer.add(event.currentTarget);
  },
  onKeyDown: (event: SyntheticEvent<HTMLElement>) => {
    byPointer.delete(event.currentTarget);
  },
};

export function releaseFocus(element: HTMLElement): void {
  if (byPointer.delete(element)) element.blur();
}
