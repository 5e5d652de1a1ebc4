/** The strip below the rows: where in the comparison all lanes stand. Play, scrub and speed are the debugger's. */
import { count } from '../../ui/numbers.ts';
import type { PlayheadProps } from './CompareSide.tsx';
import { DebugTransport } from './debugger/DebugTransport.tsx';

export function CompareTransport(props: PlayheadProps) {
  const { lanes, rows, row } = props;
  const turns = rows[row]?.turns ?? [];
  return (
    <section className="cmp-transport" aria-label="Position">
      <span className="muted">
        {rows.length === 0 ? 'nothing to step through' : `row ${count(row + 1)} of ${count(rows.length)}`}
      </span>
      {(rows.length === 0 ? [] : lanes).map((lane, i) => (
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
