import {
  ChevronLeft,
  ChevronRight,
  Columns2,
  FileJson,
  Layers,
  ListTree,
  PanelRight,
  Search,
  Waypoints,
} from 'lucide-react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { pathOfRoute } from '../../data/route.ts';
import { flipInCompareSet } from '../../shell/compareSet.ts';
import { keyed, keyOf, keyWord } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { IconButton, Segmented } from '../../ui/Controls.tsx';
import { LogText } from '../../ui/LogText.tsx';
import { KeptMark, RightMark } from '../../ui/Marks.tsx';
import { counted } from '../../ui/numbers.ts';
import { CodeMenu } from '../../widgets/CodeState.tsx';
import { MALFORMED_HINT } from '../../widgets/rollouts/cells.tsx';
import { useAlike } from '../../widgets/useAlike.ts';
import { usePanes } from './usePanes.ts';
import type { Siblings } from './useSiblings.ts';

interface ReplayToolbarProps {
  readonly detail: RolloutDetail;
  readonly siblings: Siblings;
  readonly onFind: () => void;
  /** Hides everything that reveals how the rollout was judged. */
  readonly isBlind: boolean;
  readonly onShowRecord: () => void;
  readonly isContextOpen: boolean;
  readonly onFlipContext: () => void;
  readonly onFlipInspector: () => void;
}

export function ReplayToolbar(props: ReplayToolbarProps) {
  const { detail, siblings, isBlind, onFind, onShowRecord } = props;
  const isRaw = useInterface((state) => state.isRaw);
  const { isOutlineOpen, isInspectorOpen, flipOutline } = usePanes(props.isContextOpen);
  const flip = useInterface((state) => state.flip);
  const { row, run } = detail;
  const { step, groupKey, ordinal } = row;
  const route = { view: 'rollout', runKey: run.runKey, step, groupKey, ordinal } as const;
  const { showAlike } = useAlike(route, row);
  const path = pathOfRoute(route);
  const isCompared = useInterface(({ compareSet }) => compareSet.includes(path));
  return (
    <div className="replay-bar">
      <IconButton
        label="Outline"
        keys={keyOf('outline.flip')}
        isPressed={isOutlineOpen}
        onClick={flipOutline}
      >
        <ListTree size={16} />
      </IconButton>
      <IconButton
        label="Previous rollout"
        keys={keyOf('sibling.previous')}
        disabled={!siblings.hasPrevious}
        onClick={() => siblings.go(-1)}
      >
        <ChevronLeft size={16} />
      </IconButton>
      <h1 className="replay-name" title={siblings.hint}>
        <span className="visually-hidden">Rollout </span>
        <b className="mono">#{row.ordinal}</b>
        <span className="dim"> {siblings.label}</span>
      </h1>
      <IconButton
        label="Next rollout"
        keys={keyOf('sibling.next')}
        disabled={!siblings.hasNext}
        onClick={() => siblings.go(1)}
      >
        <ChevronRight size={16} />
      </IconButton>
      <span className="replay-verdict">
        {!isBlind && <KeptMark isKept={row.kept} />}
        {isBlind && <span className="dim">blind review</span>}
        {!isBlind && row.isCorrect !== undefined && (
          <span className={row.isCorrect ? 'is-right' : 'is-wrong'}>
            <RightMark isCorrect={row.isCorrect} source={row.correctSource} />{' '}
            {row.answer === undefined ? (
              row.isCorrect ? (
                'correct'
              ) : (
                'incorrect'
              )
            ) : (
              <LogText text={row.answer} />
            )}
          </span>
        )}
        <span className="dim replay-counts">
          {[
            row.turns === undefined ? [] : counted(row.turns, 'turn'),
            row.toolCalls === undefined ? [] : counted(row.toolCalls, 'call'),
          ]
            .flat()
            .join(' · ')}
          {(row.toolErrors ?? 0) > 0 && <span className="is-wrong">, {row.toolErrors} failed</span>}
          {(row.malformedCalls ?? 0) > 0 && (
            <span className="is-wrong" title={MALFORMED_HINT}>
              , {row.malformedCalls} malformed
            </span>
          )}
        </span>
      </span>
      <div className="end">
        <Segmented
          label="Text"
          chosen={isRaw ? 'raw' : 'rendered'}
          onChoose={(chosen) => (chosen === 'raw') !== isRaw && flip('isRaw')}
          choices={[
            { id: 'rendered', label: 'Rendered', title: keyed('Markdown and formulas', 'raw.flip') },
            { id: 'raw', label: 'Raw', title: keyed('The exact text with its tags', 'raw.flip') },
          ]}
        />
        {!isBlind && (
          <IconButton
            label={isCompared ? 'Remove from the comparison' : 'Add to the comparison'}
            keys={keyOf('compare.add')}
            isPressed={isCompared}
            onClick={() => flipInCompareSet(path)}
          >
            <Columns2 size={16} />
          </IconButton>
        )}
        <IconButton
          label={`Find similar rollouts of the same problem; ${keyWord('alike.compare')} compares with the most similar of opposite outcome`}
          keys={keyOf('alike.show')}
          onClick={showAlike}
        >
          <Waypoints size={15} />
        </IconButton>
        <CodeMenu />
        <IconButton label="Find in this rollout" keys={keyOf('search.focus')} onClick={onFind}>
          <Search size={15} />
        </IconButton>
        <IconButton
          label="Context of the turn"
          keys={keyOf('context.flip')}
          isPressed={props.isContextOpen}
          onClick={props.onFlipContext}
        >
          <Layers size={15} />
        </IconButton>
        <IconButton label="Raw record" keys={keyOf('record.show')} onClick={onShowRecord} disabled={isBlind}>
          <FileJson size={16} />
        </IconButton>
        <IconButton
          label="Inspector"
          keys={keyOf('inspector.flip')}
          isPressed={isInspectorOpen}
          onClick={props.onFlipInspector}
        >
          <PanelRight size={16} />
        </IconButton>
      </div>
    </div>
  );
}
