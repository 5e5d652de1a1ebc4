import type { RowContext } from './rowContext.ts';
import { type ForkTurns, rowOfFork, rowOfTurn } from './rowModel.ts';

interface ForkPlaceProps {
  readonly context: RowContext;
  /** Index into `compared.lanes`. */
  readonly index: number;
  readonly fork: ForkTurns;
}

/** Names the turn of a fork and leads to its row, as the key does: the lane's turn if it is there, else the baseline's. */
export function ForkPlace({ context, index, fork }: ForkPlaceProps) {
  const { comparison, base } = context.compared;
  const row = rowOfFork(context.compared, index, fork);
  const turns = comparison.rows[row]?.turns;
  const isOfLane = fork.lane?.turn !== undefined && turns?.[index] === fork.lane.turn;
  const turn = (isOfLane ? fork.lane : fork.baseline)?.turn;
  return <RowLink {...{ context, row, turn }} index={isOfLane ? index : base} />;
}

interface TurnPlaceProps {
  readonly context: RowContext;
  /** Index into `compared.lanes`. */
  readonly index: number;
  readonly turn: number;
}

/** Names a turn of a lane and leads to its row. */
export function TurnPlace({ context, index, turn }: TurnPlaceProps) {
  return <RowLink {...{ context, index, turn }} row={rowOfTurn(context.compared, index, turn) ?? 0} />;
}

interface RowLinkProps extends Omit<TurnPlaceProps, 'turn'> {
  readonly row: number;
  /** Absent: both sides have ended. */
  readonly turn: number | undefined;
}

function RowLink({ context: { compared, onGoTo }, row, index, turn }: RowLinkProps) {
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
      {turn === undefined ? 'at the end' : `in turn ${turn} of ${compared.lanes[index]?.letter}`}
    </button>
  );
}
