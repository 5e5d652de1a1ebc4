import { type Frame, linePath, stepScale, type Values, valueScale } from './chartModel.ts';
import './charts.css';

interface SparklineProps {
  readonly label: string;
  readonly steps: readonly number[];
  readonly values: Values;
  readonly color: string;
  readonly fromZero?: boolean;
}

const FRAME: Frame = { width: 100, height: 30, left: 2, right: 4, top: 4, bottom: 3 };

/** A shape over steps, without axes; the numbers are in the columns and on the run page. */
export function Sparkline({ label, steps, values, color, fromZero = true }: SparklineProps) {
  const known = values.filter((value) => typeof value === 'number');
  if (known.length === 0) return null;
  const x = stepScale(steps, FRAME);
  const y = valueScale([values], FRAME, { fromZero });
  const lastIndex = values.findLastIndex((value) => typeof value === 'number');
  const last = values[lastIndex];
  return (
    <svg className="sparkline" width={FRAME.width} height={FRAME.height} role="img" aria-label={label}>
      <title>{label}</title>
      <path d={linePath(steps, values, x, y)} fill="none" stroke={color} strokeWidth={1.4} />
      <circle cx={x(steps[lastIndex] ?? 0)} cy={y(last ?? 0)} r={2} fill={color} />
    </svg>
  );
}
