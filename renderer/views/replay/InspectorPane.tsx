import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { useTokenView } from '../../state/tokenView.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { count } from '../../ui/numbers.ts';
import { Inspector } from './Inspector.tsx';
import type { SegmentMeans } from './tokens/segmentMeans.ts';
import { TokenList } from './tokens/TokenList.tsx';
import type { TokenCursor } from './tokens/useTokenCursor.ts';
import type { Heat } from './useHeat.ts';

interface InspectorPaneProps {
  readonly detail: RolloutDetail;
  readonly heat: Heat | undefined;
  readonly cursor: TokenCursor;
  readonly means: SegmentMeans | undefined;
  readonly onShowRecord: () => void;
}

/** Facts of the rollout, or the list of its high tokens; where these have no text, their ids. */
export function InspectorPane({ detail, heat, cursor, means, onShowRecord }: InspectorPaneProps) {
  const tab = useTokenView((state) => state.inspectorTab);
  const setTab = useTokenView((state) => state.setInspectorTab);
  const facts = <Inspector detail={detail} heat={heat} onShowRecord={onShowRecord} />;
  if (heat === undefined || heat.isConstant) return facts;
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
      {tab === 'tokens' ? <TokenList heat={heat} cursor={cursor} means={means} /> : facts}
    </div>
  );
}
