import { useMemo } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { eventsIn, eventTotalsIn, type LoggedEvent } from '../../../shared/format/inspectEvents.ts';
import { useTokenView } from '../../state/tokenView.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { count } from '../../ui/numbers.ts';
import { EventList } from './EventList.tsx';
import { Inspector } from './Inspector.tsx';
import { LabelPanel } from './labels/LabelPanel.tsx';
import type { Labelling } from './labels/useLabelling.ts';
import type { Hit } from './text/findModel.ts';
import type { Heat } from './text/tokenHeat.ts';
import type { SegmentMeans } from './tokens/segmentMeans.ts';
import { TokenList } from './tokens/TokenList.tsx';
import type { TokenCursor } from './tokens/useTokenCursor.ts';

const NO_EVENTS: readonly LoggedEvent[] = [];

interface InspectorPaneProps {
  readonly detail: RolloutDetail;
  readonly heat: Heat | undefined;
  readonly cursor: TokenCursor;
  readonly means: SegmentMeans | undefined;
  readonly labelling: Labelling;
  readonly isBlind: boolean;
  readonly onShow: (hit: Hit) => void;
  readonly onShowRecord: () => void;
}

/** Facts of the rollout, or the list of its high tokens. Tokens without text are listed by id. */
export function InspectorPane(props: InspectorPaneProps) {
  const { detail, heat, cursor, means, labelling, isBlind, onShow, onShowRecord } = props;
  const tab = useTokenView((state) => state.inspectorTab);
  const setTab = useTokenView((state) => state.setInspectorTab);
  const hasTokens = heat !== undefined && !heat.isConstant;
  // An event may have the name of a judgement.
  const events = useMemo(() => (isBlind ? NO_EVENTS : eventsIn(detail.extra)), [detail, isBlind]);
  const total = eventTotalsIn(detail.extra)?.events;
  const isMissing = (tab === 'tokens' && !hasTokens) || (tab === 'events' && events.length === 0);
  const shown = isMissing ? 'rollout' : tab;
  return (
    <div className="inspector-pane">
      <div className="inspector-tabs">
        <Segmented
          label="Inspector"
          chosen={shown}
          onChoose={setTab}
          choices={[
            { id: 'rollout', label: 'Rollout' },
            {
              id: 'labels',
              label:
                labelling.annotations.length === 0
                  ? 'Labels'
                  : `Labels ${count(labelling.annotations.length + labelling.unlisted)}`,
              title: 'Labels, notes and flags',
            },
            ...(events.length === 0
              ? []
              : [
                  {
                    id: 'events' as const,
                    label: `Events ${count(total ?? events.length)}`,
                    title: 'Calls, tools and spans on a time axis, as logged',
                  },
                ]),
            ...(hasTokens
              ? [
                  {
                    id: 'tokens' as const,
                    label: `High ${count(heat.high.length)}`,
                    title: 'Forks and the other high tokens',
                  },
                ]
              : []),
          ]}
        />
      </div>
      {shown === 'labels' ? (
        <LabelPanel detail={detail} labelling={labelling} isBlind={isBlind} onShow={onShow} />
      ) : shown === 'events' ? (
        <EventList key={detail.row.rolloutId} events={events} total={total} />
      ) : shown === 'tokens' && heat !== undefined ? (
        <TokenList heat={heat} cursor={cursor} means={means} />
      ) : (
        <Inspector
          detail={detail}
          heat={heat}
          isBlind={isBlind}
          onShow={onShow}
          onShowRecord={onShowRecord}
        />
      )}
    </div>
  );
}
