import { ChevronLeft, ChevronRight, FileJson, ListTree, PanelRight, Search, Waypoints } from 'lucide-react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { CodeMenu } from '../../app/CodeState.tsx';
import { useAlike } from '../../app/useAlike.ts';
import { useInterface } from '../../state/interface.ts';
import { IconButton, Segmented } from '../../ui/Controls.tsx';
import { KeptMark, RightMark } from '../../ui/Marks.tsx';
import { counted } from '../../ui/numbers.ts';
import { usePanes } from './usePanes.ts';
import type { Siblings } from './useSiblings.ts';

interface ReplayToolbarProps {
  readonly detail: RolloutDetail;
  readonly siblings: Siblings;
  readonly onFind: () => void;
  /** Nothing that says how it was judged. */
  readonly isBlind: boolean;
  readonly onShowRecord: () => void;
}

export function ReplayToolbar({ detail, siblings, isBlind, onFind, onShowRecord }: ReplayToolbarProps) {
  const isRaw = useInterface((state) => state.isRaw);
  const { isOutlineOpen, isInspectorOpen, flipOutline } = usePanes();
  const flip = useInterface((state) => state.flip);
  const { row, run } = detail;
  const { step, groupKey, ordinal } = row;
  const { showAlike } = useAlike({ view: 'rollout', runKey: run.runKey, step, groupKey, ordinal }, row);
  return (
    <div className="replay-bar">
      <IconButton label="Outline" keys="o" isPressed={isOutlineOpen} onClick={flipOutline}>
        <ListTree size={16} />
      </IconButton>
      <IconButton
        label="Previous sibling"
        keys="h"
        disabled={!siblings.hasPrevious}
        onClick={() => siblings.go(-1)}
      >
        <ChevronLeft size={16} />
      </IconButton>
      <span className="replay-name">
        <b className="mono">#{row.ordinal}</b>
        <span className="dim"> {siblings.label}</span>
      </span>
      <IconButton label="Next sibling" keys="l" disabled={!siblings.hasNext} onClick={() => siblings.go(1)}>
        <ChevronRight size={16} />
      </IconButton>
      <span className="replay-verdict">
        {!isBlind && <KeptMark isKept={row.kept} />}
        {isBlind && <span className="dim">read blind</span>}
        {!isBlind && row.isCorrect !== undefined && (
          <span className={row.isCorrect ? 'is-right' : 'is-wrong'}>
            <RightMark isCorrect={row.isCorrect} /> {row.answer ?? (row.isCorrect ? 'right' : 'wrong')}
          </span>
        )}
        <span className="dim replay-counts">
          {counted(row.turns, 'turn')} · {counted(row.toolCalls, 'call')}
          {row.toolErrors > 0 && <span className="is-wrong">, {row.toolErrors} failed</span>}
        </span>
      </span>
      <div className="end">
        <Segmented
          label="Text"
          chosen={isRaw ? 'raw' : 'rendered'}
          onChoose={(chosen) => (chosen === 'raw') !== isRaw && flip('isRaw')}
          choices={[
            { id: 'rendered', label: 'Rendered', title: 'Markdown and formulas (M)' },
            { id: 'raw', label: 'Raw', title: 'The exact text with its tags (M)' },
          ]}
        />
        <IconButton
          label="Find alike: rollouts of the same problem, A compares with the nearest that went the other way"
          keys="a"
          onClick={showAlike}
        >
          <Waypoints size={15} />
        </IconButton>
        <CodeMenu />
        <IconButton label="Find in this rollout" keys="/" onClick={onFind}>
          <Search size={15} />
        </IconButton>
        <IconButton label="Raw record" keys="b" onClick={onShowRecord} disabled={isBlind}>
          <FileJson size={16} />
        </IconButton>
        <IconButton
          label="Inspector"
          keys="i"
          isPressed={isInspectorOpen}
          onClick={() => flip('isInspectorOpen')}
        >
          <PanelRight size={16} />
        </IconButton>
      </div>
    </div>
  );
}
