/** The actions for the selected rollouts of a list, or for all of the list if none is selected. */
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
  /** The rollouts of the list as filtered. */
  readonly allIds: ArrayLike<number>;
  readonly runKey: string;
  readonly pathOf: (row: Row) => string;
  readonly idOf: (row: Row) => number;
}

/** Reviews the selected rollouts, makes a pack of them, or compares two to four. Verifies the calls of them or of all. */
export function SelectionActions<Row>({ chosen, allIds, runKey, pathOf, idOf }: SelectionActionsProps<Row>) {
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
  const isSelection = chosen.count > 0;
  const canReview = chosen.count <= MOST_REVIEWED;
  const canCompare = chosen.count >= 2 && chosen.count <= MOST_LANES;
  return (
    <>
      {isSelection && (
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
        </>
      )}
      <VerifyButton
        runKey={runKey}
        rollouts={isSelection ? chosen.count : allIds.length}
        isSelection={isSelection}
        rolloutIds={async () =>
          isSelection ? (await chosen.rows(new AbortController().signal)).map(idOf) : Array.from(allIds)
        }
      />
      {error !== undefined && (
        <span role="alert" className="is-wrong">
          ✕ {error}
        </span>
      )}
    </>
  );
}
