import { FilterChips } from '../../app/filter/FilterChips.tsx';
import { Button } from '../../ui/Controls.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { howFar, type ListOrder } from './ListUnderWay.tsx';

interface FilterNoteProps {
  readonly what: 'rollout' | 'group';
  readonly matches: number;
  readonly total: number | undefined;
  readonly order: ListOrder;
}

/** How much of the list is left, and by which conditions. */
export function FilterNote({ what, matches, total, order }: FilterNoteProps) {
  // What is listed is still the answer to the filter before.
  const { isFormer, isStopped } = order;
  return (
    <div className="filter-note">
      <p role="status">
        {isFormer
          ? isStopped
            ? 'Stopped: the list is that of the filter before'
            : `Looking…${howFar(order)}`
          : total === undefined
            ? `${counted(matches, what)} ${matches === 1 ? 'matches' : 'match'}`
            : `${count(matches)} of ${counted(total, what)}`}
        {what === 'group' && !isFormer && ' with a rollout that matches'}
      </p>
      {isFormer && !isStopped && order.progress !== undefined && <Button onClick={order.stop}>Stop</Button>}
      {isStopped && <Button onClick={() => void order.compute()}>Look again</Button>}
      <FilterChips />
    </div>
  );
}
