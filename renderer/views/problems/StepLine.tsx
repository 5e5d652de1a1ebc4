const LINE = { width: 120, height: 18 };
/** Width of its column. */
export const STEP_LINE_WIDTH = LINE.width + 24;

interface StepLineProps {
  /** One per step. */
  readonly values: ArrayLike<number>;
  readonly steps: readonly number[];
}

/** Rollouts by step, drawn to the highest step. */
export function StepLine({ values, steps }: StepLineProps) {
  const all = Array.from(values);
  const highest = all.reduce((most, value) => Math.max(most, value), 1);
  const x = (at: number): number => 1 + ((LINE.width - 2) * at) / Math.max(1, steps.length - 1);
  const y = (value: number): number => LINE.height - 1 - ((LINE.height - 2) * value) / highest;
  const points = all.map((value, at) => `${x(at)},${y(value)}`).join(' ');
  const label = `Steps ${steps[0]} to ${steps.at(-1)}: ${all.join(', ')}`;
  return (
    <svg {...LINE} role="img" aria-label={label}>
      <title>{label}</title>
      <polyline className="failure-line" points={points} />
    </svg>
  );
}
