/** Selects the steps of the tree: by dragging over the columns, or with two lists by keyboard. */
import { type PointerEvent, useState } from 'react';
import type { StepCount } from '../../../shared/api/contract.ts';
import { StepBars } from './StepStrip.tsx';
import { isWithin, type StepRange, stepColumns } from './stepModel.ts';

interface StepBrushProps {
  /** At least two, ascending. */
  readonly steps: readonly StepCount[];
  /** Undefined: all. */
  readonly range: StepRange | undefined;
  readonly onRange: (range: StepRange) => void;
}

const HEIGHT = 30;
const WIDEST = 420;
const WIDEST_COLUMN = 40;
const NARROWEST_COLUMN = 3;

export function StepBrush({ steps, range, onRange }: StepBrushProps) {
  const [drawn, setDrawn] = useState<{ readonly from: number; readonly to: number }>();
  const columns = stepColumns(steps, steps, Math.floor(WIDEST / NARROWEST_COLUMN));
  const width = Math.min(WIDEST, columns.length * WIDEST_COLUMN);
  const all = { first: steps[0]?.step ?? 0, last: steps.at(-1)?.step ?? 0 };
  const chosen = range ?? all;

  const columnAt = (event: PointerEvent<HTMLElement>): number => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / width) * columns.length);
    return Math.max(0, Math.min(columns.length - 1, at));
  };
  const drawnRange = (): StepRange | undefined => {
    if (drawn === undefined) return undefined;
    const [one, other] = [columns[Math.min(drawn.from, drawn.to)], columns[Math.max(drawn.from, drawn.to)]];
    return one === undefined || other === undefined ? undefined : { first: one.first, last: other.last };
  };
  const shown = drawnRange() ?? chosen;
  const list = (label: string, value: number, change: (step: number) => void) => (
    <select
      className="step-choice"
      aria-label={label}
      value={value}
      onChange={(event) => change(Number(event.target.value))}
    >
      {steps.map(({ step }) => (
        <option key={step} value={step}>
          {step}
        </option>
      ))}
    </select>
  );
  const within = steps.filter(({ step }) => isWithin(step, shown));
  const onFirst = (first: number) => onRange({ first, last: Math.max(first, lastOf(within)) });
  const onLast = (last: number) => onRange({ first: Math.min(firstOf(within), last), last });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a frame of its own
    <div className="step-brush" role="group" aria-label="Steps of the tree">
      <span className="step-choices">
        steps {list('From step', firstOf(within), onFirst)} to {list('To step', lastOf(within), onLast)}
      </span>
      <span
        className="step-bars"
        title="Drag over the steps to see the tree of those steps only"
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const at = columnAt(event);
          setDrawn({ from: at, to: at });
        }}
        onPointerMove={(event) => drawn !== undefined && setDrawn({ ...drawn, to: columnAt(event) })}
        onPointerCancel={() => setDrawn(undefined)}
        onPointerUp={() => {
          const wanted = drawnRange();
          setDrawn(undefined);
          if (wanted !== undefined) onRange(wanted);
        }}
      >
        <StepBars
          columns={columns}
          width={width}
          height={HEIGHT}
          isIn={({ first, last }) => last >= shown.first && first <= shown.last}
        />
        <span className="step-axis" style={{ width }}>
          <span>{all.first}</span>
          <span>{all.last}</span>
        </span>
      </span>
      {range !== undefined && (
        <button type="button" className="is-link" onClick={() => onRange(all)}>
          All {steps.length} steps
        </button>
      )}
    </div>
  );
}

const firstOf = (steps: readonly StepCount[]): number => steps[0]?.step ?? 0;
const lastOf = (steps: readonly StepCount[]): number => steps.at(-1)?.step ?? 0;
