/** The rows of the list: folds, and aligned turns in columns or in one unified text. */
import { GitFork } from 'lucide-react';
import { memo, useMemo } from 'react';
import { useInterface } from '../../state/interface.ts';
import { UnequalMark } from '../../ui/Marks.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { MostCost, mostCosts } from './blockCost.ts';
import { blocksBeside, KIND_LABELS } from './blockModel.ts';
import { Cell } from './Cell.tsx';
import { ForkBand } from './ForkBand.tsx';
import type { RowContext } from './rowContext.ts';
import { forkBands, type Item, type ShownBlock } from './rowModel.ts';
import { UnifiedBlock } from './UnifiedBlock.tsx';

/** Parts of one turn that are rendered before the user asks for more: a text may hold thousands of tool calls. */
const MOST_BLOCKS = 200;

type TurnsItem = Extract<Item, { kind: 'turns' }>;
type FoldItem = Extract<Item, { kind: 'fold' }>;

export const Row = memo(function Row({
  item,
  context,
}: {
  readonly item: Item;
  readonly context: RowContext;
}) {
  return item.kind === 'fold' ? (
    <FoldRow item={item} context={context} />
  ) : (
    <TurnsRow item={item} context={context} />
  );
});

function foldText({ rows, chars }: Pick<FoldItem, 'rows' | 'chars'>): string {
  return `${counted(rows, 'equal turn')} · ${count(chars)} chars`;
}

function FoldRow({ item, context }: { readonly item: FoldItem; readonly context: RowContext }) {
  const flip = useInterface((state) => state.flipStretch);
  return (
    <div className="cmp-fold-row">
      <span className="cmp-gutter">=</span>
      <button
        type="button"
        className="cmp-fold"
        aria-expanded={item.isOpen}
        onClick={() => {
          context.onSelect(item.row);
          flip(item.key);
        }}
      >
        {item.isOpen ? '▾ ' : '▸ '}
        {foldText(item)}
        {item.isOpen && ' · fold again'}
      </button>
    </div>
  );
}

function turnText(turn: number | null | undefined): string {
  return turn === null || turn === undefined ? '' : `turn ${turn}`;
}

function TurnsRow({ item, context }: { readonly item: TurnsItem; readonly context: RowContext }) {
  const { compared, columns, isUnified, on } = context;
  const flip = useInterface((state) => state.flipStretch);
  const wholeKey = `${item.key} all`;
  const isWhole = useInterface((state) => state.flippedStretches.has(wholeKey));
  const forks = context.forks.get(item.row) ?? [];
  const turns = compared.comparison.rows[item.row]?.turns ?? [];
  const blocks = useMemo(
    () => (isUnified ? item.blocks : blocksBeside(item.blocks, compared.base)),
    [item, isUnified, compared],
  );
  const shown = useMemo(() => (isWhole ? blocks : blocks.slice(0, MOST_BLOCKS)), [blocks, isWhole]);
  const most = useMemo(() => mostCosts(compared, shown), [compared, shown]);
  const sides = isUnified ? [compared.base, on] : [];
  const laneTurnText = (lane: number): string => {
    const turn = turns[lane];
    const isRedacted = turn !== null && turn !== undefined && compared.lanes[lane]?.redacted.has(turn);
    return isRedacted ? `${turnText(turn)} · reasoning redacted` : turnText(turn);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys; a click selects the row
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    <div className="cmp-turns" onClick={() => context.onSelect(item.row)}>
      <div className="cmp-grid cmp-row-head">
        <span className="cmp-gutter" title={item.isEqual ? 'equal in all lanes' : undefined}>
          {forks.length > 0 ? (
            <GitFork size={13} aria-label="fork of a lane" />
          ) : item.isEqual ? (
            '='
          ) : (
            <UnequalMark meaning="The lanes differ in this turn" />
          )}
        </span>
        {isUnified ? (
          <span>
            {sides
              .map((lane) => `${compared.lanes[lane]?.letter ?? ''} ${laneTurnText(lane) || '—'}`)
              .join('  ·  ')}
          </span>
        ) : (
          columns.map((lane, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity, the same rollout may be in two
            <span key={column}>{lane === undefined ? '' : laneTurnText(lane)}</span>
          ))
        )}
      </div>
      {forkBands(
        compared,
        forks.filter((lane) => !isUnified || lane === on),
      ).map((lanes) => (
        <ForkBand key={lanes.join(' ')} context={context} lanes={lanes} />
      ))}
      {shown.map((block, i) => (
        <MostCost key={block.key} value={most[i] ?? 0}>
          {block.isFolded ? (
            <FoldedBlock block={block} />
          ) : isUnified ? (
            <UnifiedBlock context={context} row={item.row} shown={block} />
          ) : (
            <BlockCells context={context} row={item.row} shown={block} />
          )}
        </MostCost>
      ))}
      {shown.length < blocks.length && (
        <div className="cmp-fold-row">
          <span className="cmp-gutter" />
          <button type="button" className="cmp-fold" aria-expanded={false} onClick={() => flip(wholeKey)}>
            ▸ {counted(blocks.length - shown.length, 'more part')} of this turn
          </button>
        </div>
      )}
    </div>
  );
}

function FoldedBlock({ block }: { readonly block: ShownBlock }) {
  const flip = useInterface((state) => state.flipStretch);
  return (
    <div className="cmp-fold-row">
      <span className="cmp-gutter">=</span>
      <button
        type="button"
        className="cmp-fold is-small"
        aria-expanded={false}
        onClick={() => flip(block.key)}
      >
        ▸ equal {KIND_LABELS[block.kind]} · {count(block.chars)} chars
      </button>
    </div>
  );
}

interface BlockProps {
  readonly context: RowContext;
  readonly row: number;
  readonly shown: ShownBlock;
}

function BlockCells({ context, row, shown }: BlockProps) {
  const { block, key, index } = shown;
  const { compared, columns, on } = context;
  return (
    <div className="cmp-grid cmp-block">
      <span className="cmp-gutter" />
      {columns.map((lane, column) => {
        // The lane's head says that its rollout is missing. Hatching is only for a segment without a counterpart.
        // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity
        if (lane === undefined) return <span key={column} />;
        // The diff editor compares the chosen lane with the baseline, so its button is in the chosen lane.
        const isDiffed = lane === on && (block.edits[lane] ?? null) !== null && lane !== compared.base;
        return (
          <Cell
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            key={column}
            context={context}
            block={block}
            lane={lane}
            stretch={key}
            onDiff={isDiffed ? () => context.onDiff(row, index) : undefined}
          />
        );
      })}
    </div>
  );
}
