import { KeyOf } from '../../../app/Keys.tsx';
import { Button } from '../../../ui/Controls.tsx';
import { count, counted, percent } from '../../../ui/numbers.ts';
import { type MapCell, type MapRow, problemName, rateOf } from './mapModel.ts';

export interface MapStep {
  /** Index into the steps of the map. */
  readonly at: number | undefined;
  readonly step: number | undefined;
}

function blankOf({ unmatched }: MapRow, at: number | undefined): string {
  return at !== undefined && unmatched.includes(at) ? 'tried, no rollout matches the filter' : 'not tried';
}

/** The cell under the cursor in words. */
export function readingOf(row: MapRow | undefined, cell: MapCell | undefined, { at, step }: MapStep): string {
  if (row === undefined) return '';
  if (cell === undefined) return `${problemName(row)}, step ${step}: ${blankOf(row, at)}`;
  const rate = rateOf(cell);
  const share = rate === undefined ? 'success unknown' : `${cell.correct} of ${cell.known} right`;
  return `${problemName(row)}, step ${step}: ${share}, ${counted(cell.answers, 'different answer')}`;
}

interface MapReadingProps {
  readonly row: MapRow | undefined;
  readonly cell: MapCell | undefined;
  readonly at: MapStep;
  readonly onOpen: () => void;
  readonly onHistory: () => void;
}

/** What the cell under the cursor is, and where it leads. Keeps its size, so that nothing jumps. */
export function MapReading({ row, cell, at, onOpen, onHistory }: MapReadingProps) {
  if (row === undefined)
    return (
      <aside className="map-reading">
        <p className="dim">
          Point at a cell, or walk with the arrow keys. Enter opens the group;{' '}
          <KeyOf command="problem.open" />, or a click on the name, the problem’s history.
        </p>
      </aside>
    );
  const rate = cell === undefined ? undefined : rateOf(cell);
  return (
    <aside className="map-reading" aria-label="Cell">
      <div className="map-reading-name">
        <strong title={row.question === '' ? undefined : row.question}>{problemName(row)}</strong>
        {problemName(row) !== row.problemId && <span className="dim"> {row.problemId}</span>}
        {row.source !== undefined && <span className="dim"> {row.source}</span>}
        {row.groundTruth !== undefined && <span className="dim"> · ground truth {row.groundTruth}</span>}
      </div>
      <div>
        Step {at.step}:{' '}
        {cell === undefined ? (
          blankOf(row, at.at)
        ) : (
          <>
            {rate === undefined
              ? 'success unknown'
              : `${cell.correct} of ${cell.known} right (${percent(rate)} %)`}
            {' · '}
            {counted(cell.answers, 'different answer')}
            {cell.groups > 1 && ` · ${counted(cell.groups, 'group')}`}
          </>
        )}
      </div>
      <div className="dim">
        Over {counted(row.cells.length, 'step')}: {count(row.correct)} of {count(row.known)} right
        {row.fall > 0 && ` · ${percent(row.fall)} points below its best`}
      </div>
      <div className="map-reading-buttons">
        <Button onClick={onHistory} title="o">
          History
        </Button>
        <Button onClick={onOpen} disabled={cell === undefined} title="Enter">
          Open group
        </Button>
      </div>
    </aside>
  );
}
