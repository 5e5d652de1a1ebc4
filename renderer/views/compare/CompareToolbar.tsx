import { Download, GitFork, PanelRight } from 'lucide-react';
import {
  type CompareLink,
  EQUAL_WAYS,
  LAYOUTS,
  MOST_LANES,
  SHOWN_KINDS,
  type ShownKind,
} from '../../data/compareLink.ts';
import { keyed, keyOf } from '../../shell/keys/keysInForce.ts';
import { IconButton, Segmented } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import { useSide } from './debugger/useSide.ts';
import { type Compared, letterOf } from './lanes/laneModel.ts';
import type { Items } from './rowModel.ts';
import type { LinkActions } from './useCompareLink.ts';

interface CompareToolbarProps {
  readonly link: CompareLink;
  readonly actions: LinkActions;
  readonly compared: Compared | undefined;
  readonly items: Items;
  readonly shared: string;
  readonly onFork: () => void;
  /** Undefined unless there are two rollouts. */
  readonly onExport: (() => void) | undefined;
  readonly onDifference: (direction: 1 | -1) => void;
}

const LAYOUT_LABELS = { split: 'columns', unified: 'unified' } as const;
const LAYOUT_HINTS = {
  split: 'one column per lane',
  unified: 'the baseline and the chosen lane in one text',
} as const;
const EQUAL_HINTS = {
  fold: 'fold equal rows to one line with their length',
  hide: 'hide equal rows',
  show: 'show equal rows like all others',
} as const;

/** Empty for a single lane. */
function differingText(lanes: number, differing: number): string {
  if (lanes < 2) return 'one lane';
  return differing === 0 ? 'all equal' : `${differing} differ`;
}

export function CompareToolbar(props: CompareToolbarProps) {
  const { link, actions, compared, items, shared } = props;
  const side = useSide();
  const rows = compared?.comparison.rows.length;
  const forks = compared?.comparison.lanes.filter((lane) => lane?.fork !== undefined).length ?? 0;
  const flipKind = (kind: ShownKind) =>
    actions.change({
      show: link.show.includes(kind) ? link.show.filter((one) => one !== kind) : [...link.show, kind],
    });
  const differing = rows === undefined ? undefined : rows - items.equalRows;
  return (
    <header className="cmp-toolbar">
      <h1>Compare</h1>
      <span className="cmp-shared muted" title={plainLogText(shared)}>
        {plainLogText(shared)}
      </span>
      {link.leftOut.length > 0 && (
        <span
          className="chip is-warning"
          role="status"
          title={`Not shown. One is added when a lane is removed:\n${link.leftOut.join('\n')}`}
        >
          {counted(link.leftOut.length, 'lane')} left out: {MOST_LANES} at most
        </span>
      )}
      <div className="end">
        {differing !== undefined && (
          <span className="muted cmp-count" role="status">
            {counted(rows ?? 0, 'row')}, {differingText(compared?.lanes.length ?? 0, differing)}
            {items.hiddenRows > 0 && `, ${items.hiddenRows} hidden`}
          </span>
        )}
        <button
          type="button"
          className="button is-small"
          disabled={differing === undefined || differing === 0}
          title={keyed('Previous difference', 'difference.previous')}
          onClick={() => props.onDifference(-1)}
        >
          ↑
        </button>
        <button
          type="button"
          className="button is-small"
          disabled={differing === undefined || differing === 0}
          title={keyed('Next difference', 'difference.next')}
          onClick={() => props.onDifference(1)}
        >
          ↓ difference
        </button>
        <button
          type="button"
          className="button is-small"
          disabled={forks === 0}
          title={keyed('Go to the fork. Again: the fork of the next lane', 'fork.show')}
          onClick={props.onFork}
        >
          <GitFork size={13} aria-hidden="true" /> fork
        </button>
        <Segmented
          label="Layout"
          chosen={link.layout}
          onChoose={(layout) => actions.change({ layout })}
          choices={LAYOUTS.map((id) => ({
            id,
            label:
              id === 'unified' && link.layout === 'unified' && link.on !== link.base
                ? `${letterOf(link.base)} → ${letterOf(link.on)}`
                : LAYOUT_LABELS[id],
            title: keyed(LAYOUT_HINTS[id], 'layout.flip'),
          }))}
        />
        <span className="cmp-option">
          <span className="dim">equal</span>
          <Segmented
            label="Equal rows"
            chosen={link.equal}
            onChoose={(equal) => actions.change({ equal })}
            choices={EQUAL_WAYS.map((id) => ({ id, label: id, title: keyed(EQUAL_HINTS[id], 'equal.next') }))}
          />
        </span>
        <fieldset className="segmented cmp-kinds" aria-label="Show only">
          {SHOWN_KINDS.map((kind) => (
            <button
              type="button"
              key={kind}
              aria-pressed={link.show.includes(kind)}
              title={
                link.show.includes(kind)
                  ? `stop showing only ${kind}`
                  : `show only ${kind} and other chosen kinds`
              }
              onClick={() => flipKind(kind)}
            >
              {kind}
            </button>
          ))}
        </fieldset>
        {props.onExport !== undefined && (
          <IconButton label="Export this pair…" keys={keyOf('pack.export')} onClick={props.onExport}>
            <Download size={16} strokeWidth={1.7} />
          </IconButton>
        )}
        <IconButton
          label={side.isOpen ? 'Hide the side panel' : 'Show the side panel'}
          keys={keyOf('side.flip')}
          isPressed={side.isOpen}
          onClick={side.flip}
        >
          <PanelRight size={16} strokeWidth={1.7} />
        </IconButton>
      </div>
    </header>
  );
}
