/** The readout of the point under the pointer, above a drawing. */
import type { DrawingSize } from '../../charts/exportChart.ts';
import { counted } from '../../ui/numbers.ts';
import { type ChartData, shownNumber } from './chartChoice.ts';

export interface DrawnChart {
  readonly data: ChartData;
  readonly xName: string;
  /** One for each series. */
  readonly names: readonly string[];
  /** Absent: as large as its container. */
  readonly size?: DrawingSize;
}

export function ChartReading({
  data: { points },
  xName,
  names,
  hovered,
}: DrawnChart & { readonly hovered: number | undefined }) {
  const point = hovered === undefined ? undefined : points[hovered];
  return (
    <p className="sql-reading" aria-live="polite">
      {point === undefined
        ? `${names.join(', ')} by ${xName}: ${counted(points.length, 'point')}`
        : `${xName} ${point.label}: ${names
            .flatMap((name, i) => (point.ys[i] === undefined ? [] : [`${name} ${shownNumber(point.ys[i])}`]))
            .join(' · ')}`}
    </p>
  );
}
