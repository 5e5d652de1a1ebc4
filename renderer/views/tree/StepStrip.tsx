/** A column per step. Its height is the share of rollouts on this branch, and its fill the share of correct ones. */
import { percent } from '../../ui/numbers.ts';
import { columnLabel, columnParts, fateLabel, type StepColumn, scaleOf, stepLabel } from './stepModel.ts';

interface StepStripProps {
  readonly columns: readonly StepColumn[];
  readonly width: number;
  readonly height: number;
}

/** px. Wider columns would not show more. */
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
  /** Number of rollouts at full height. */
  readonly whole: number;
  readonly box: { readonly x: number; readonly width: number; readonly height: number };
  readonly words: string;
}

function Column({ column, whole, box, words }: ColumnProps) {
  const { right, unknown, wrong } = columnParts(column, whole);
  const gap = box.width >= 4 ? 1 : 0;
  const at = { x: box.x, width: box.width - gap };
  const room = box.height - 1;
  // At least one pixel, so that a small share is visible.
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

/** All steps. Heights are relative to the step with the most rollouts. */
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
