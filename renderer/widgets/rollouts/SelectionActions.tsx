/** The actions for the selected rollouts of a list. */
import { useEffect, useRef, useState } from 'react';
import { comparePath, MOST_LANES } from '../../data/compareLink.ts';
import { PLAIN_QUEUE, writeQueue } from '../../data/labelsLink.ts';
import { navigateTo } from '../../data/useRoute.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { count } from '../../ui/numbers.ts';
import type { Selected } from '../../ui/virtualTableProps.ts';
import { VerifyButton } from '../rerun/VerifyButton.tsx';

/** More would be a filter, and would not fit into a link. */
const MOST_REVIEWED = 300;

interface SelectionActionsProps<Row> {
  readonly chosen: Selected<Row>;
  readonly runKey: string;
  readonly pathOf: (row: Row) => string;
  readonly idOf: (row: Row) => number;
}

/** Reviews the selected rollouts one after another, makes a pack of them, or opens two to four side by side. */
export function SelectionActions<Row>({ chosen, runKey, pathOf, idOf }: SelectionActionsProps<Row>) {
  const [error, setError] = useState<string>();
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const withRows = async (work: (rows: readonly Row[]) => void) => {
    leaving.current?.abort();
    const own = new AbortController();
    leaving.current = own;
    try {
      const rows = await chosen.rows(own.signal);
      if (!own.signal.aborted) work(rows);
    } catch (cause) {
      if (!own.signal.aborted) setError(cause instanceof Error ? cause.message : String(cause));
    }
  };
  const review = (rows: readonly Row[]) => {
    const [first] = rows;
    if (first === undefined) return;
    const queue = writeQueue({ ...PLAIN_QUEUE, runKey, rolloutIds: rows.map(idOf), includesRead: true });
    navigateTo(`${pathOf(first)}?${new URLSearchParams({ queue })}`);
  };
  const pack = (rows: readonly Row[]) =>
    useInterface.getState().showDialog({
      kind: 'exportPack',
      scope: { runKey, filter: '', rolloutIds: rows.map(idOf) },
    });
  const canReview = chosen.count <= MOST_REVIEWED;
  const canCompare = chosen.count >= 2 && chosen.count <= MOST_LANES;
  return (
    <>
      <Button
        disabled={!canReview}
        title={
          canReview
            ? 'Review one after another, with the label keys'
            : `Up to ${count(MOST_REVIEWED)}. For more, use a filter on the Labels page`
        }
        onClick={() => void withRows(review)}
      >
        Review
      </Button>
      <Button title="A failure pack of these rollouts" onClick={() => void withRows(pack)}>
        Pack…
      </Button>
      <Button
        disabled={!canCompare}
        title={canCompare ? 'Turn by turn' : `Two to ${MOST_LANES} rollouts can be compared`}
        onClick={() => void withRows((rows) => navigateTo(comparePath(rows.map(pathOf))))}
      >
        Compare
      </Button>
      {canReview && (
        <VerifyButton
          runKey={runKey}
          selected={chosen.count}
          rolloutIds={async () => (await chosen.rows(new AbortController().signal)).map(idOf)}
        />
      )}
      {error !== undefined && (
        <span role="alert" className="is-wrong">
          ✕ {error}
        </span>
      )}
    </>
  );
}
