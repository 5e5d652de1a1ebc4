/** The strip below the rows: where in the comparison all lanes stand. Play, scrub and speed are the debugger's. */
import { counted } from '../../ui/numbers.ts';
import type { PlayheadProps } from './CompareSide.tsx';
import { DebugTransport } from './debugger/DebugTransport.tsx';

export function CompareTransport(props: PlayheadProps) {
  const { lanes, rows, row } = props;
  const turns = rows[row]?.turns ?? [];
  return (
    <section className="cmp-transport" aria-label="Position">
      <span className="muted">
        row {row + 1} of {counted(rows.length, 'row').split(' ')[0]}
      </span>
      {lanes.map((lane, i) => (
        <span key={lane.index}>
          <b>{lane.letter}</b>{' '}
          {turns[i] === null || turns[i] === undefined ? (
            <span className="dim">no turn</span>
          ) : (
            `turn ${turns[i]}`
          )}
        </span>
      ))}
      <DebugTransport {...props} />
    </section>
  );
}
