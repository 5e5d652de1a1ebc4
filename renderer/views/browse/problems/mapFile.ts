/** The map of problems as files: its cells as CSV, its picture as PNG. */
import { delimitedCell } from '../../../../shared/domain/delimited.ts';
import { pngOfPainting } from '../../../charts/exportChart.ts';
import type { ChartCaption } from '../../../charts/figureCaption.ts';
import { counted } from '../../../ui/numbers.ts';
import { longestName, type MapRow, mapShape } from './mapModel.ts';
import { paintMap } from './paintMap.ts';

/**
 * A line per cell, rows in the order given; unknown is blank.
 *
 * @param of which run, under which filter
 * @param steps undefined: the log knows none
 * @param keyOf the key of a group, by its id
 */
export function mapCsv(
  of: string,
  rows: readonly MapRow[],
  steps: readonly number[] | undefined,
  keyOf: (groupId: number) => string | undefined,
): string {
  const lines = rows.flatMap((row) =>
    row.cells.map((cell) =>
      [
        delimitedCell(row.problemId),
        delimitedCell(row.question),
        steps?.[cell.step] ?? '',
        cell.rollouts,
        cell.known,
        cell.known === 0 ? '' : cell.correct,
        cell.answers,
        cell.groups,
        delimitedCell(keyOf(cell.groupId) ?? ''),
      ].join(','),
    ),
  );
  const head =
    'problem,question (its beginning),step,rollouts,of known correctness,right,different answers,groups,first group';
  return `${`# ${of}; recomputed`.replaceAll(/\s+/g, ' ')}\n${[head, ...lines].map((line) => `${line}\n`).join('')}`;
}

const WIDTH = 1200;
const HEAD_HEIGHT = 22;
/** A canvas is not higher than 32,767 px, and a picture of more rows is read by nobody. */
const MOST_ROWS = 400;

/** The first rows in the order given, at a width of its own; how many are left out is said. */
export function mapPng(of: string, rows: readonly MapRow[], steps: readonly number[]): Promise<Blob> {
  const drawn = rows.slice(0, MOST_ROWS);
  const shape = mapShape(WIDTH, steps.length, longestName(drawn));
  const size = {
    width: shape.gutter + shape.columnWidth * steps.length,
    height: HEAD_HEIGHT + shape.rowHeight * drawn.length,
  };
  const left = rows.length - drawn.length;
  const caption: ChartCaption = {
    title: 'Pass rate of problems by step',
    subtitle: `recomputed · ${of} · ${left === 0 ? counted(rows.length, 'problem') : `the first ${drawn.length} of ${counted(rows.length, 'problem')}`} · blank: not tried, outlined: success unknown`,
    legend: [
      { name: 'right, by height', color: 'var(--right)', isArea: true },
      { name: 'wrong', color: 'var(--map-wrong)', isArea: true },
    ],
  };
  const picture = { rows: drawn, steps, shape, size, headHeight: HEAD_HEIGHT, cursor: undefined };
  return pngOfPainting(
    size,
    (canvas, scale) => paintMap(canvas, { ...picture, scroll: { left: 0, top: 0 } }, scale),
    caption,
  );
}
