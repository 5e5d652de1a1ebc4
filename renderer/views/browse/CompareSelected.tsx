import { useEffect, useRef, useState } from 'react';
import type { RolloutRow } from '../../../shared/api/contract.ts';
import { comparePath, MOST_LANES } from '../../data/compareLink.ts';
import { navigateTo } from '../../data/usePlace.ts';
import { Button } from '../../ui/Controls.tsx';
import type { Selected } from '../../ui/virtualTableProps.ts';

interface CompareSelectedProps {
  readonly chosen: Selected<RolloutRow>;
  readonly pathOf: (row: RolloutRow) => string;
}

/** Opens two to four selected rollouts side by side; what was gathered to be compared is left alone. */
export function CompareSelected({ chosen, pathOf }: CompareSelectedProps) {
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
