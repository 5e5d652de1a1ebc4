/**
 * The panel at the right: a table that follows the current row. Its tabs are mounted here:
 *
 *   { id: 'watch', label: 'Watch', panel: <Watch {...props} /> }
 */
import type { ReactNode } from 'react';
import { Segmented } from '../../ui/Controls.tsx';
import { Breakpoints } from './debugger/Breakpoints.tsx';
import { useSide } from './debugger/useSide.ts';
import { Watch } from './debugger/Watch.tsx';
import { LABELS_TAB } from './labels/useLabelTarget.ts';
import type { PlayheadProps } from './lanes/laneModel.ts';

interface Tab {
  readonly id: string;
  readonly label: string;
  readonly panel: ReactNode;
}

interface CompareSideProps extends PlayheadProps {
  readonly labels: ReactNode;
}

function tabsOf(props: CompareSideProps): readonly Tab[] {
  return [
    { id: 'watch', label: 'Watch', panel: <Watch {...props} /> },
    { id: 'breakpoints', label: 'Breakpoints', panel: <Breakpoints {...props} /> },
    { id: LABELS_TAB, label: 'Labels', panel: props.labels },
  ];
}

export function CompareSide(props: CompareSideProps) {
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
