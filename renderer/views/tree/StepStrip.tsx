/** A column per step: as high as the share that goes this way, filled as far as it is right. */
import { percent } from '../../ui/numbers.ts';
import { columnLabel, columnParts, fateLabel, type StepColumn, scaleOf, stepLabel } from './stepModel.ts';

interface StepStripProps {
  readonly columns: readonly StepColumn[];
  readonly width: number;
  readonly height: number;
}

/** CSS pixels: wider columns say no more. */
const WIDEST = 16;

export function StepStrip({ columns, width, height }: StepStripProps) {
  const each = Math.min(WIDEST, width / Math.max(1, columns.length));
  const scale = scaleOf(columns);
  const top = `${percent(scale, 0)} %`;
  return (
    <span className="step-scaled" style={{ height }}>
      <span className="step-scale" title={`A column of full height is ${top} of its step\u2019s rollouts`}>
        {top}
      </span>
      <svg
        className="step-strip"
        width={Math.ceil(each * columns.length)}
        height={height}
        role="img"
        aria-label={`Over the steps: ${fateLabel(columns)}`}
      >
        {columns.map((column, i) => (
          <Column
            key={column.first}
            column={column}
            whole={column.total * scale}
            box={{ x: i * each, width: each, height }}
            words={columnLabel(column)}
          />
        ))}
      </svg>
    </span>
  );
}

interface ColumnProps {
  readonly column: StepColumn;
  /** Rollouts that would fill it. */
  readonly whole: number;
  readonly box: { readonly x: number; readonly width: number; readonly height: number };
  readonly words: string;
}

function Column({ column, whole, box, words }: ColumnProps) {
  const { right, unknown, wrong } = columnParts(column, whole);
  const gap = box.width >= 4 ? 1 : 0;
  const at = { x: box.x, width: box.width - gap };
  const room = box.height - 1;
  // A share that is there is seen: a pixel at least.
  const high = (part: number) => (part === 0 ? 0 : Math.max(1, part * room));
  const [rightHeight, unknownHeight, wrongHeight] = [high(right), high(unknown), high(wrong)];
  return (
    <g>
      <title>{words}</title>
      <rect className="step-room" {...at} y={0} height={box.height} />
      <rect className="step-floor" {...at} y={room} height={1} />
      <rect className="step-right" {...at} y={room - rightHeight} height={rightHeight} />
      <rect className="step-unknown" {...at} y={room - rightHeight - unknownHeight} height={unknownHeight} />
      <rect
        className="step-wrong"
        x={at.x}
        width={at.width}
        y={room - rightHeight - unknownHeight - wrongHeight}
        height={wrongHeight}
      />
    </g>
  );
}

interface StepBarsProps extends StepStripProps {
  readonly isIn: (column: StepColumn) => boolean;
}

/** All steps: as high as they have rollouts, beside the step that has most. */
export function StepBars({ columns, width, height, isIn }: StepBarsProps) {
  const each = width / Math.max(1, columns.length);
  const whole = Math.max(1, ...columns.map(({ total }) => total));
  return (
    <svg className="step-strip" width={width} height={height} aria-hidden="true">
      {columns.map((column, i) => (
        <g key={column.first} className={isIn(column) ? undefined : 'is-out'}>
          <Column
            column={column}
            whole={whole}
            box={{ x: i * each, width: each, height }}
            words={stepLabel(column)}
          />
        </g>
      ))}
    </svg>
  );
}
