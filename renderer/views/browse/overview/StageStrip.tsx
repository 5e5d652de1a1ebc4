/** The stages of a run under its charts' toolbar: pointing at one puts the crosshair where it begins, a click brushes it. */
import type { StepRange } from '../../../charts/panelModel.ts';
import { type StageSpan, stageChange } from './stageModel.ts';

interface StageStripProps {
  readonly spans: readonly StageSpan[];
  readonly range: StepRange | undefined;
  readonly onStep: (step: number | undefined) => void;
  readonly onRange: (range: StepRange | undefined) => void;
}

export function StageStrip({ spans, range, onStep, onRange }: StageStripProps) {
  if (spans.length === 0) return null;
  return (
    <fieldset className="stage-strip" aria-label="Stages">
      {spans.map((span) => {
        const isChosen = range?.from === span.from && range.to === span.to;
        const change = stageChange(span);
        return (
          <button
            type="button"
            key={`${span.from} ${span.name}`}
            className="stage-chip"
            aria-pressed={isChosen}
            title={`${span.name}, steps ${span.from} to ${span.to}${change === '' ? '' : `: ${change}`}`}
            onPointerEnter={() => onStep(span.from)}
            onPointerLeave={() => onStep(undefined)}
            onFocus={() => onStep(span.from)}
            onBlur={() => onStep(undefined)}
            onClick={() => onRange(isChosen ? undefined : { from: span.from, to: span.to })}
          >
            {span.name} <span>{span.from === span.to ? span.from : `${span.from}–${span.to}`}</span>
          </button>
        );
      })}
    </fieldset>
  );
}
