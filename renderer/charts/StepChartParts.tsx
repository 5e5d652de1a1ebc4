/** What a step chart is made of beside its axes. */
import type { ReactNode } from 'react';
import type { Band, Values } from './chartModel.ts';

export interface Series {
  readonly name: string;
  readonly values: Values;
  readonly color: string;
  readonly isDashed?: boolean;
  /** Opens what is behind one number; absent: its points lead where the step does. */
  readonly onOpenPoint?: (index: number) => void;
  /** What a point is and where it leads, for its tooltip. */
  readonly pointTitle?: (index: number) => string;
}

interface StepReadoutProps {
  readonly steps: readonly number[];
  readonly series?: readonly Series[];
  readonly bands?: readonly Band[];
  readonly format: (value: number) => string;
  readonly at: number;
}

/** The values at the hovered step, else at the last one. */
export function StepReadout(props: StepReadoutProps): ReactNode {
  const { series = [], bands = [], at, steps, format } = props;
  const step = steps[at];
  if (step === undefined) return null;
  const parts = [
    ...series.map((one) => ({ name: one.name, color: one.color, value: one.values[at] })),
    ...bands.map((band) => ({ name: band.name, color: band.color, value: band.shares[at] })),
  ].filter((part) => typeof part.value === 'number');
  return (
    <span>
      {/* Several values need the room; the other charts of the page name the step. */}
      {parts.length > 1 ? '' : `step ${step}`}
      {parts.map((part) => (
        <span key={part.name}>
          {(parts.length === 1 || part !== parts[0]) && ' · '}
          {parts.length > 1 && (
            <span style={{ color: part.color === 'var(--rule2)' ? undefined : part.color }}>
              {part.name}{' '}
            </span>
          )}
          <b>{format(part.value ?? 0)}</b>
        </span>
      ))}
    </span>
  );
}
