/**
 * The panel at the right: a table that steps along with the current row. What it shows is mounted here, as tabs:
 *
 *   { id: 'watch', label: 'Watch', panel: <Watch {...props} /> }
 */
import type { ReactNode } from 'react';
import type { ComparedRow, Comparison } from '../../../shared/api/contract.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { Breakpoints } from './debugger/Breakpoints.tsx';
import { Watch } from './debugger/Watch.tsx';
import type { Lane } from './laneModel.ts';
import { useSide } from './useSide.ts';

/** What the panel and the transport know of the comparison. */
export interface PlayheadProps {
  /** Those that are there, in the order of the lists in `rows`. */
  readonly lanes: readonly Lane[];
  /** Index into `lanes`. */
  readonly base: number;
  readonly rows: readonly ComparedRow[];
  /** Absent while there is none: fewer than two lanes are there, or it is on its way. */
  readonly comparison: Comparison | undefined;
  /** Rows in which a lane parts from the baseline. */
  readonly forks: ReadonlyMap<number, readonly number[]>;
  /** Index into `rows`: the turns all lanes stand at. */
  readonly row: number;
  readonly onSelectRow: (row: number) => void;
}

interface Tab {
  readonly id: string;
  readonly label: string;
  readonly panel: ReactNode;
}

function tabsOf(props: PlayheadProps): readonly Tab[] {
  return [
    { id: 'watch', label: 'Watch', panel: <Watch {...props} /> },
    { id: 'breakpoints', label: 'Breakpoints', panel: <Breakpoints {...props} /> },
  ];
}

export function CompareSide(props: PlayheadProps) {
  const tabs = tabsOf(props);
  const side = useSide();
  const tab = tabs.find(({ id }) => id === side.tab) ?? tabs[0];
  return (
    <aside className="cmp-side" aria-label="Panel">
      {tabs.length > 1 && (
        <Segmented label="Panel" chosen={tab?.id ?? ''} onChoose={side.choose} choices={tabs} />
      )}
      {tab?.panel ?? <p className="muted">Nothing to watch yet.</p>}
    </aside>
  );
}
