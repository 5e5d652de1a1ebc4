import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ParamsOf } from '../../../shared/api/contract.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { fieldsOf, useFilterLink } from '../../data/filterLink.ts';
import type { LongState } from '../../data/useLongQuery.ts';
import { requestKey } from '../../data/useRequest.ts';
import { Button } from '../../ui/Controls.tsx';
import { count, counted, percent } from '../../ui/numbers.ts';
import { EmptyState, WaitingState } from '../../ui/States.tsx';
import { FilterChips } from '../filter/FilterChips.tsx';

interface FilterNoteProps {
  readonly what: 'rollout' | 'group';
  readonly matches: number;
  readonly total: number | undefined;
  readonly order: ListOrder;
  /** Where the matching rollouts lead. */
  readonly children?: ReactNode;
}

/** The number of matches, and the conditions of the filter. */
export function FilterNote({ what, matches, total, order, children }: FilterNoteProps) {
  // The rows still belong to the previous filter.
  const { isFormer, isStopped } = order;
  return (
    <div className="filter-note">
      <p role="status">
        {isFormer
          ? isStopped
            ? 'Stopped: showing the list of the previous filter'
            : `Searching…${howFar(order)}`
          : total === undefined
            ? `${counted(matches, what)} ${matches === 1 ? 'matches' : 'match'}`
            : `${count(matches)} of ${counted(total, what)}`}
        {what === 'group' && !isFormer && ' with a rollout that matches'}
      </p>
      {isFormer && !isStopped && order.progress !== undefined && <Button onClick={order.stop}>Stop</Button>}
      {isStopped && <Button onClick={() => void order.restart()}>Search again</Button>}
      <FilterChips />
      {children}
    </div>
  );
}

type ListOrder = Pick<LongState<unknown>, 'isFormer' | 'isStopped' | 'progress' | 'stop' | 'restart'>;

/** @returns empty if the progress is unknown */
function howFar({ progress }: Pick<ListOrder, 'progress'>): string {
  return progress === undefined ? '' : ` ${percent(progress.share, 0)} %`;
}

interface ListUnderWayProps {
  readonly what: 'rollouts' | 'groups';
  readonly order: ListOrder;
  /** Another machine is asked, which may not answer: the list can be stopped from the beginning. */
  readonly isElsewhere?: boolean;
}

export function ListUnderWay({ what, order, isElsewhere = false }: ListUnderWayProps) {
  if (order.isStopped) {
    return (
      <EmptyState title="Stopped">
        <Button onClick={() => void order.restart()}>Search again</Button>
      </EmptyState>
    );
  }
  if (order.progress === undefined && !isElsewhere) return <WaitingState title={`Sorting ${what}…`} />;
  return (
    <div className="state" role="status">
      <p>
        {order.progress === undefined ? 'Asking the warehouse…' : `Searching the ${what}…${howFar(order)}`}
      </p>
      <Button onClick={order.stop}>Stop</Button>
    </div>
  );
}

interface NoMatchProps {
  readonly title: string;
  /** The scope of the list. */
  readonly within: Pick<ParamsOf<'rollout.order'>, 'runId' | 'runKey' | 'step' | 'groupId'>;
  /** Rollouts of the list without the filter. */
  readonly total?: number | undefined;
}

/** Shown if nothing matches. Names the filter's fields that are unknown for all rollouts, or for some. */
export function NoMatch({ title, within, total }: NoMatchProps) {
  const { node } = useFilterLink();
  const { runId, runKey, step, groupId } = within;
  const client = useClient();
  const fields = fieldsOf(node);
  const known = useQueries({
    queries: fields.map((field) => {
      const params = {
        ...{ runId, runKey },
        ...(step === undefined ? {} : { step }),
        ...(groupId === undefined ? {} : { groupId }),
        filter: `${field}:*`,
      };
      return {
        queryKey: requestKey('rollout.order', params, undefined),
        queryFn: ({ signal }: { signal: AbortSignal }) => client.request('rollout.order', params, { signal }),
      };
    }),
  });
  const rolloutsWith = (i: number) => known[i]?.data?.ids.length;
  const missing = fields.filter((_, i) => rolloutsWith(i) === 0);
  const partial = fields.flatMap((field, i) => {
    const some = rolloutsWith(i) ?? 0;
    return total === undefined || some === 0 || some >= total ? [] : [{ field, some }];
  });
  return (
    <EmptyState title={title}>
      {missing.length > 0 && (
        <p>
          Unknown for all of these rollouts:{' '}
          {missing.map((field, i) => (
            <span key={field}>
              {i > 0 && ', '}
              <code>{field}</code>
            </span>
          ))}
        </p>
      )}
      {partial.map(({ field, some }) => (
        <p key={field}>
          <code>{field}</code> is known for {count(some)} of {counted(total ?? 0, 'rollout')}
          {field === 'rerun' && ': the others have no verified calls'}
        </p>
      ))}
    </EmptyState>
  );
}
