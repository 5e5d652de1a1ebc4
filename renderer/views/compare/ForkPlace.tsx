import type { RowContext } from './rowContext.ts';
import { type ForkTurns, rowOfFork } from './rowModel.ts';

interface ForkPlaceProps {
  readonly context: RowContext;
  /** Index into `compared.lanes`. */
  readonly index: number;
  readonly fork: ForkTurns;
}

/** Names the turn of a fork and leads to its row, as the key does: the lane's turn if it is there, else the baseline's. */
export function ForkPlace({ context: { compared, onGoTo }, index, fork }: ForkPlaceProps) {
  const { comparison, base, lanes } = compared;
  const row = rowOfFork(compared, index, fork);
  const turns = comparison.rows[row]?.turns;
  const isOfLane = fork.lane?.turn !== undefined && turns?.[index] === fork.lane.turn;
  const turn = (isOfLane ? fork.lane : fork.baseline)?.turn;
  return (
    <button
      type="button"
      className="is-link"
      onClick={(event) => {
        // A click on the row around it selects that row.
        event.stopPropagation();
        onGoTo(row);
      }}
    >
      {turn === undefined ? 'at the end' : `in turn ${turn} of ${lanes[isOfLane ? index : base]?.letter}`}
    </button>
  );
}
