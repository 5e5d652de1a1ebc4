/**
 * The comparison itself. The URL holds lanes, baseline, chosen lane and position. This component moves between rows
 * and lanes, and passes plain values to its children.
 *
 *   CompareToolbar
 *   MeasuredList: CompareHead (sticky) · Row … │ CompareSide
 *   CompareTransport
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ComparedRow } from '../../../shared/api/contract.ts';
import { type CompareLink, EQUAL_WAYS, nextLane } from '../../data/compareLink.ts';
import { goTo } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { useInterface } from '../../state/interface.ts';
import { useRerunCommands } from '../../widgets/rerun/Reruns.tsx';
import { useWayBack } from '../../widgets/useWayBack.ts';
import { ChangeBar } from './ChangeBar.tsx';
import { CompareFoot, CompareTransport } from './CompareFoot.tsx';
import { CompareHead } from './CompareHead.tsx';
import { CompareSide } from './CompareSide.tsx';
import { CompareToolbar } from './CompareToolbar.tsx';
import { DiffDialog } from './DiffDialog.tsx';
import { useSide } from './debugger/useSide.ts';
import { LabelBar, LaneLabelPanel } from './labels/LabelBar.tsx';
import { useLabelTarget } from './labels/useLabelTarget.ts';
import { type Lane, type LaneSlot, laneName, sharedName } from './lanes/laneModel.ts';
import type { ComparedState } from './lanes/useLanes.ts';
import { type ListHandle, MeasuredList } from './MeasuredList.tsx';
import { estimateOf } from './measuredRows.ts';
import { Row } from './Rows.tsx';
import type { RowContext } from './rowContext.ts';
import {
  actionForkOf,
  diffBlock,
  errorKeys,
  type ForkTurns,
  foldKeys,
  forksByRow,
  type Item,
  itemOfRow,
  itemsOf,
  nextDifference,
  nextFork,
  policyForkOf,
  rowOfFork,
  rowsOfFork,
} from './rowModel.ts';
import { rowOfPlace, useReadRow } from './rowPlace.ts';
import { linkActions, rowSelector } from './useCompareLink.ts';

interface CompareProps {
  readonly link: CompareLink;
  readonly slots: readonly LaneSlot[];
  readonly state: ComparedState;
}

const NOTHING_TO_DIFF = 'Nothing to compare in this row';
/** Wide enough to wrap the reason to a line or two. The lanes that were found get the rest. */
const MISSING_WIDTH = 'minmax(200px, 0.45fr)';
const NO_ITEMS = { items: [], equalRows: 0, hiddenRows: 0 } as const;
const NO_ROWS: readonly ComparedRow[] = [];
const NO_FORKS: ReadonlyMap<number, readonly number[]> = new Map();

/** Opens the export of two rollouts: the baseline, and the other one. Undefined unless there are two. */
function pairExport(lanes: readonly Lane[], base: number): (() => void) | undefined {
  const [from, to] = [lanes[base], lanes[base === 0 ? 1 : 0]];
  if (lanes.length !== 2 || from === undefined || to === undefined || from.path === to.path) return undefined;
  return () =>
    useInterface.getState().showDialog({
      kind: 'exportPack',
      scope: {
        ...{ filter: '', runKey: from.route.runKey },
        pairs: {
          name: [from, to].map((lane) => `${lane.letter}: ${laneName(lane, lanes).full}`).join('; '),
          of: { rolloutIds: [from.detail.row.rolloutId, to.detail.row.rolloutId] },
        },
      },
    });
}

export function Compare({ link, slots, state }: CompareProps) {
  const { compared, lanes } = state;
  const list = useRef<ListHandle>(null);
  const [diff, setDiff] = useState<{ readonly row: number; readonly block: number }>();
  const flipped = useInterface((store) => store.flippedStretches);
  const side = useSide();
  const { flipStretch, setNotice } = useInterface.getState();
  const { layout } = link;
  // `link` is parsed on every render. This keeps `items` and `rows` memoized while the value is the same.
  const shown = link.show.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const show = useMemo(() => link.show, [shown]);
  // A single rollout equals itself in every row, so equal rows must not be folded.
  const equal = slots.length === 1 ? 'show' : link.equal;

  const items = useMemo(
    () => (compared === undefined ? NO_ITEMS : itemsOf(compared, { equal, show, flipped })),
    [compared, equal, show, flipped],
  );
  const estimate = useMemo(() => estimateOf(compared, layout), [compared, layout]);
  const forks = useMemo(() => (compared === undefined ? NO_FORKS : forksByRow(compared)), [compared]);
  const row = compared === undefined ? 0 : rowOfPlace(compared, link.at);
  const current = itemOfRow(items.items, row);
  const actions = linkActions(link, compared, row);
  const selectRow = useMemo(() => rowSelector(compared), [compared]);
  const { onRead, isRead } = useReadRow(items.items, selectRow);
  /** Index into `compared.lanes`. Falls back to the first lane that is not the baseline. */
  const base = compared?.base ?? 0;
  const chosen = lanes.findIndex(({ index }) => index === link.on);
  const on = lanes.length < 2 ? base : chosen >= 0 && chosen !== base ? chosen : base === 0 ? 1 : 0;

  const target = useLabelTarget(lanes, link.on, (lane) => actions.change({ on: lane }));

  const goToRow = useCallback(
    (row: number) => {
      selectRow(row);
      list.current?.show(itemOfRow(items.items, row), true);
    },
    [items, selectRow],
  );
  const openDiff = useCallback((at: number, block: number) => setDiff({ row: at, block }), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: columns change only with the slots' states
  const context = useMemo(
    (): RowContext | undefined =>
      compared === undefined
        ? undefined
        : {
            compared,
            columns: slots.map(({ index }) => {
              const at = compared.lanes.findIndex((lane) => lane.index === index);
              return at < 0 ? undefined : at;
            }),
            on,
            isUnified: layout === 'unified',
            isElided: equal !== 'show',
            forks,
            onSelect: selectRow,
            onGoTo: goToRow,
            onDiff: openDiff,
          },
    [compared, on, layout, equal, forks, selectRow, goToRow, openDiff, slots.length],
  );

  // Scrolls to a row that was selected by the URL, a key or the transport. A row that was clicked is visible already.
  const isOpened = compared?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only when the row or the comparison changes
  useEffect(() => {
    if (link.at !== undefined && current >= 0 && !isRead(row)) list.current?.show(current);
  }, [row, isOpened, layout]);

  const goToItem = (index: number | undefined, isSure = false) => {
    const item = index === undefined ? undefined : items.items[index];
    if (index === undefined || item === undefined) return;
    selectRow(item.row);
    list.current?.show(index, isSure);
  };
  const step = (by: number) => {
    // An opened fold and its first turn belong to the same row, so skip the fold.
    let next = Math.max(0, Math.min(items.items.length - 1, current + by));
    const item = items.items[next];
    if (item?.kind === 'fold' && item.isOpen && item.row === row) next += by;
    goToItem(next);
  };
  const toDifference = (direction: 1 | -1) => {
    const next = nextDifference(items.items, current, direction);
    if (next === undefined) setNotice(direction === 1 ? 'No difference below' : 'No difference above');
    else goToItem(next);
  };
  const toFork = () => {
    const next = nextFork(forks, row);
    if (next === undefined) setNotice('No fork: all lanes are equal');
    else goToRow(next);
  };
  const laneForks = compared?.comparison.lanes[on] ?? undefined;
  const toForkAt = (fork: ForkTurns | undefined, none: string) => {
    if (compared === undefined || fork === undefined) setNotice(none);
    else goToRow(rowOfFork(compared, on, fork));
  };
  // The two actions may be in different rows; pressed again in the first one, the key leads to the second.
  const toActionFork = () => {
    const fork = actionForkOf(laneForks);
    if (compared === undefined || fork === undefined) return setNotice('Both lanes act the same');
    const rows = rowsOfFork(compared, on, fork);
    goToRow(rows.find((one) => one !== row) ?? row);
  };
  const stepLane = (by: 1 | -1) => {
    actions.change({ on: nextLane(link, by) });
  };
  const open = () => {
    const item = items.items[current];
    const lane = lanes.find(({ index }) => index === link.on) ?? lanes[base];
    if (item === undefined || lane === undefined) return;
    if (item.kind === 'fold') return flipStretch(item.key);
    const at = compared?.lanes.indexOf(lane) ?? -1;
    const turn = compared?.comparison.rows[item.row]?.turns[at];
    goTo(lane.route, turn === null || turn === undefined ? '' : `?turn=${turn}`);
  };
  const foldHere = () => {
    const keys = foldKeys(items.items, current, flipped);
    if (keys.length === 0) setNotice('Nothing to fold here');
    for (const key of keys) flipStretch(key);
  };
  const flipErrors = () => {
    const keys = compared === undefined ? [] : errorKeys(compared, items.items[current], flipped);
    if (keys.length === 0) setNotice('No failed call in this row');
    for (const key of keys) flipStretch(key);
  };
  const showDiff = () => {
    const item = items.items[current];
    const block = item?.kind === 'turns' ? diffBlock(item, base, on) : undefined;
    if (block === undefined || item === undefined) setNotice(NOTHING_TO_DIFF);
    else setDiff({ row: item.row, block });
  };

  const turnOfRow = compared?.comparison.rows[row]?.turns[on];
  useRerunCommands(compared?.lanes[on]?.detail.row.rolloutId, turnOfRow ?? Number.POSITIVE_INFINITY);

  const exportPair = pairExport(lanes, base);

  const hasRows = compared !== undefined && items.items.length > 0;
  useCommands({
    'aligned.next': hasRows ? () => step(1) : undefined,
    'aligned.previous': hasRows ? () => step(-1) : undefined,
    'aligned.first': hasRows ? () => goToItem(0) : undefined,
    'aligned.last': hasRows ? () => goToItem(items.items.length - 1) : undefined,
    'row.pageDown': () => list.current?.page(1),
    'row.pageUp': () => list.current?.page(-1),
    'aligned.open': hasRows ? open : undefined,
    'branch.fold': hasRows ? foldHere : undefined,
    'error.flip': hasRows ? flipErrors : undefined,
    'difference.next': hasRows ? () => toDifference(1) : undefined,
    'difference.previous': hasRows ? () => toDifference(-1) : undefined,
    'fork.show': hasRows ? toFork : undefined,
    'fork.policy': hasRows
      ? () => toForkAt(policyForkOf(laneForks), 'The policy’s own text is equal in both lanes')
      : undefined,
    'fork.action': hasRows ? toActionFork : undefined,
    'lane.next': () => stepLane(1),
    'lane.previous': () => stepLane(-1),
    'lane.right': () => actions.move(link.on, link.on + 1),
    'lane.left': () => actions.move(link.on, link.on - 1),
    'lane.baseline': () => actions.makeBase(link.on),
    'lane.remove': () => actions.remove(link.on),
    'layout.flip': () => actions.change({ layout: layout === 'split' ? 'unified' : 'split' }),
    'equal.next': () =>
      actions.change({ equal: EQUAL_WAYS[(EQUAL_WAYS.indexOf(equal) + 1) % EQUAL_WAYS.length] ?? 'fold' }),
    'block.diff': hasRows ? showDiff : undefined,
    'side.flip': side.flip,
    'pack.export': exportPair,
  });
  const [first] = lanes;
  useWayBack(first === undefined ? { view: 'library' } : { ...first.route, view: 'group' }, () => {
    // Escape closes the innermost thing first: the notice that the diff could not open, then the side panel.
    if (useInterface.getState().notice === NOTHING_TO_DIFF) setNotice(undefined);
    else if (side.isOpen) side.flip();
    else return false;
    return true;
  });

  const widths = slots.map((slot) => (slot.state === 'missing' ? MISSING_WIDTH : 'minmax(0, 1fr)')).join(' ');
  const playhead = {
    lanes: compared?.lanes ?? lanes,
    base,
    rows: compared?.comparison.rows ?? NO_ROWS,
    comparison: compared?.comparison,
    forks,
    row,
    onSelectRow: selectRow,
  };
  return (
    <div className="cmp" data-layout={layout} data-lanes={slots.length}>
      <CompareToolbar
        link={link}
        actions={actions}
        compared={compared}
        items={items}
        shared={sharedName(lanes)}
        onFork={toFork}
        onExport={exportPair}
        onDifference={toDifference}
      />
      <ChangeBar />
      <div className="cmp-body">
        <MeasuredList
          label="Aligned turns"
          rows={items.items}
          estimate={estimate}
          render={(item: Item) => (context === undefined ? null : <Row item={item} context={context} />)}
          current={current}
          onRead={onRead}
          handle={list}
          style={{
            '--head-lanes': `26px ${widths}`,
            '--lanes': layout === 'unified' ? '26px minmax(0, 1fr)' : `26px ${widths}`,
          }}
          head={<CompareHead link={link} slots={slots} lanes={lanes} compared={compared} actions={actions} />}
          foot={<CompareFoot state={state} slots={slots} isEmpty={!hasRows} hiddenRows={items.hiddenRows} />}
        />
        {side.isOpen && (
          <CompareSide
            {...playhead}
            labels={
              target !== undefined && (
                <LaneLabelPanel
                  target={target}
                  onShow={(turn) => actions.change({ at: { lane: target.lane, turn } })}
                />
              )
            }
          />
        )}
      </div>
      <CompareTransport {...playhead}>
        {target !== undefined && <LabelBar target={target} />}
      </CompareTransport>
      {diff !== undefined && compared !== undefined && (
        <DiffDialog
          compared={compared}
          on={on}
          row={diff.row}
          block={diff.block}
          onClose={() => setDiff(undefined)}
        />
      )}
    </div>
  );
}
