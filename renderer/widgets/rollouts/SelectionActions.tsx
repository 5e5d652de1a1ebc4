import { useEffect, useRef, useState } from 'react';
import type { RolloutRow } from '../../../shared/api/contract.ts';
import { comparePath, MOST_LANES } from '../../data/compareLink.ts';
import { PLAIN_QUEUE, writeQueue } from '../../data/labelsLink.ts';
import { navigateTo } from '../../data/useRoute.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { count } from '../../ui/numbers.ts';
import type { Selected } from '../../ui/virtualTableProps.ts';

/** More would be a filter, and would not fit into a link. */
const MOST_READ = 300;

interface LabelSelectedProps {
  readonly chosen: Selected<RolloutRow>;
  readonly runKey: string;
  readonly pathOf: (row: RolloutRow) => string;
}

/** Reads the selected rollouts one after the other, or makes a pack of them. */
export function LabelSelected({ chosen, runKey, pathOf }: LabelSelectedProps) {
  const [error, setError] = useState<string>();
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const withRows = async (work: (rows: readonly RolloutRow[]) => void) => {
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
  const read = (rows: readonly RolloutRow[]) => {
    const [first] = rows;
    if (first === undefined) return;
    const rolloutIds = rows.map(({ rolloutId }) => rolloutId);
    const queue = writeQueue({ ...PLAIN_QUEUE, runKey, rolloutIds, includesRead: true });
    navigateTo(`${pathOf(first)}?${new URLSearchParams({ queue })}`);
  };
  const pack = (rows: readonly RolloutRow[]) =>
    useInterface.getState().showDialog({
      kind: 'exportPack',
      scope: { runKey, filter: '', rolloutIds: rows.map(({ rolloutId }) => rolloutId) },
    });
  const isFew = chosen.count <= MOST_READ;
  return (
    <>
      <Button
        disabled={!isFew}
        title={
          isFew
            ? 'Review one after another, with the label keys'
            : `Up to ${count(MOST_READ)}. For more, use a filter on the Labels page`
        }
        onClick={() => void withRows(read)}
      >
        Read
      </Button>
      <Button title="A failure pack of these rollouts" onClick={() => void withRows(pack)}>
        Pack…
      </Button>
      {error !== undefined && (
        <span role="alert" className="is-wrong">
          ✕ {error}
        </span>
      )}
    </>
  );
}

interface CompareSelectedProps<Row> {
  readonly chosen: Selected<Row>;
  readonly pathOf: (row: Row) => string;
}

/** Opens two to four selected rollouts side by side; what was gathered to be compared is left alone. */
export function CompareSelected<Row>({ chosen, pathOf }: CompareSelectedProps<Row>) {
  const [error, setError] = useState<string>();
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const isFew = chosen.count >= 2 && chosen.count <= MOST_LANES;
  const compare = async () => {
    leaving.current?.abort();
    const own = new AbortController();
    leaving.current = own;
    try {
      const rows = await chosen.rows(own.signal);
      if (!own.signal.aborted) navigateTo(comparePath(rows.map(pathOf)));
    } catch (cause) {
      if (!own.signal.aborted) setError(cause instanceof Error ? cause.message : String(cause));
    }
  };
  return (
    <>
      <Button
        disabled={!isFew}
        title={isFew ? 'Turn by turn' : `Two to ${MOST_LANES} rollouts can be compared`}
        onClick={() => void compare()}
      >
        Compare
      </Button>
      {error !== undefined && (
        <span role="alert" className="is-wrong">
          Not compared: {error}
        </span>
      )}
    </>
  );
}
