import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { useTokenView } from '../../state/tokenView.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { count } from '../../ui/numbers.ts';
import { Inspector } from './Inspector.tsx';
import { TokenList } from './tokens/TokenList.tsx';
import type { TokenCursor } from './tokens/useTokenCursor.ts';
import type { Heat } from './useHeat.ts';

interface InspectorPaneProps {
  readonly detail: RolloutDetail;
  readonly heat: Heat | undefined;
  readonly cursor: TokenCursor;
  readonly onShowRecord: () => void;
}

/** Facts of the rollout, or the list of its high tokens where it has tokens on its text. */
export function InspectorPane({ detail, heat, cursor, onShowRecord }: InspectorPaneProps) {
  const tab = useTokenView((state) => state.inspectorTab);
  const setTab = useTokenView((state) => state.setInspectorTab);
  const facts = <Inspector detail={detail} heat={heat} onShowRecord={onShowRecord} />;
  if (heat?.ends === undefined) return facts;
  return (
    <div className="inspector-pane">
      <div className="inspector-tabs">
        <Segmented
          label="Inspector"
          chosen={tab}
          onChoose={setTab}
          choices={[
            { id: 'rollout', label: 'Rollout' },
            {
              id: 'tokens',
              label: `High tokens ${count(heat.high.length)}`,
              title: 'Forks and the other high tokens',
            },
          ]}
        />
      </div>
      {tab === 'tokens' ? <TokenList heat={heat} cursor={cursor} /> : facts}
    </div>
  );
}
