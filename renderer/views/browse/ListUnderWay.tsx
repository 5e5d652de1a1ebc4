/** A list whose first answer is under way: a filter for which texts are read may take minutes over a million rollouts. */
import type { AnalysisState } from '../../data/useAnalysis.ts';
import { Button } from '../../ui/Controls.tsx';
import { percent } from '../../ui/numbers.ts';
import { EmptyState, WaitingState } from '../../ui/States.tsx';

export type ListOrder = Pick<
  AnalysisState<unknown>,
  'isFormer' | 'isStopped' | 'progress' | 'stop' | 'compute'
>;

/** @returns empty while nobody knows */
export function howFar({ progress }: Pick<ListOrder, 'progress'>): string {
  return progress === undefined ? '' : ` ${percent(progress.share, 0)} %`;
}

interface ListUnderWayProps {
  readonly what: 'rollouts' | 'groups';
  readonly order: ListOrder;
}

export function ListUnderWay({ what, order }: ListUnderWayProps) {
  if (order.isStopped) {
    return (
      <EmptyState title="Stopped">
        <Button onClick={() => void order.compute()}>Look again</Button>
      </EmptyState>
    );
  }
  if (order.progress === undefined) return <WaitingState title={`Sorting ${what}…`} />;
  return (
    <div className="state" role="status">
      <p>
        Looking through the {what}…{howFar(order)}
      </p>
      <Button onClick={order.stop}>Stop</Button>
    </div>
  );
}
