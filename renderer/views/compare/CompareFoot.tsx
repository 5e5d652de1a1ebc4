import type { ReactNode } from 'react';
import { KeyOf } from '../../shell/keys/Keys.tsx';
import { count } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { DebugTransport } from './debugger/DebugTransport.tsx';
import type { LaneSlot, PlayheadProps } from './lanes/laneModel.ts';
import type { ComparedState } from './lanes/useLanes.ts';

interface CompareFootProps {
  readonly state: ComparedState;
  readonly slots: readonly LaneSlot[];
  readonly isEmpty: boolean;
  /** Equal rows that are hidden. */
  readonly hiddenRows: number;
}

/** The end of the list: its status when there are no rows, and the number of hidden rows. */
export function CompareFoot({ state, slots, isEmpty, hiddenRows }: CompareFootProps): ReactNode {
  const { compared, error, lanes } = state;
  if (error !== null && compared === undefined)
    return <FailedState title="These rollouts could not be aligned" error={error} onRetry={state.retry} />;
  if (compared === undefined && slots.some(({ state: own }) => own === 'waiting'))
    return <WaitingState title="Opening the rollouts…" />;
  if (compared === undefined && lanes.length < 2)
    return (
      <EmptyState
        title={
          lanes.length === 1 ? 'One rollout is not a comparison yet' : 'None of these rollouts was found'
        }
      >
        <p>
          <KeyOf command="compare.add" /> on another one, in any list or in its replay, then{' '}
          <KeyOf command="compare.open" />.
        </p>
      </EmptyState>
    );
  if (compared === undefined) return <WaitingState title="Aligning the turns…" />;
  if (isEmpty && lanes.every(({ detail }) => detail.response.trim() === ''))
    return (
      <EmptyState title={emptyTitle(lanes.length)}>
        <p>The policy wrote nothing: there is no turn to show.</p>
      </EmptyState>
    );
  if (isEmpty)
    return (
      <EmptyState
        title={
          hiddenRows > 0
            ? 'All turns are equal, and equal rows are hidden'
            : 'No turn has content of this kind'
        }
      >
        <p>Choose above what is shown.</p>
      </EmptyState>
    );
  return <p className="cmp-end dim">end of the rollouts</p>;
}

function emptyTitle(lanes: number): string {
  if (lanes === 1) return 'This response is empty';
  return lanes === 2 ? 'Both responses are empty' : `All ${lanes} responses are empty`;
}

interface CompareTransportProps extends PlayheadProps {
  readonly children: ReactNode;
}

export function CompareTransport({ children, ...props }: CompareTransportProps) {
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
      {children}
    </section>
  );
}
