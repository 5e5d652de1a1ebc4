// biome-ignore-all lint/a11y/useSemanticElements: nested lists cannot position the rows; the tree roles are equivalent
/** The tree itself: scrolls in both directions, renders the visible part, and handles keys. */
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { comparePath, MOST_LANES } from '../../data/compareLink.ts';
import { navigateTo, useUrlQuery } from '../../data/useRoute.ts';
import { useCompareCommand, useCompareMark } from '../../shell/compareSet.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyWord } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { useAutoFocus } from '../../ui/useAutoFocus.ts';
import { BranchCard, LeafRow } from './BranchCard.tsx';
import { stepColumns } from './stepModel.ts';
import {
  branchLanes,
  itemFrom,
  itemsInSight,
  layoutTree,
  type Motion,
  readMarks,
  rolloutPath,
  type Tree,
  type TreeItem,
  writeMarks,
} from './treeModel.ts';

interface ForkTreeProps {
  readonly tree: Tree;
  readonly runKey: string;
  readonly showsStep: boolean;
  /** Whether the tree belongs to a previous request. */
  readonly isStale: boolean;
  readonly label: string;
}

const ROW = 27;
const CARD = 208;
/** px. If the window is wide enough, a card shows more of its text. */
const WIDEST_CARD = 320;
/** px for the step columns in a card. */
const STRIP = 84;
/** px for the label of their scale, and the gaps around it. */
const SCALE = 46;
/** Extra px of a card without anything beside it. */
const WIDER = 200;
const BETWEEN = 24;
const INDENT = 26;
/** If a branch has more rollouts than this, its children are below it instead of beside it. */
const STACKED_ABOVE = 12;
const LEAF = 560;
const LEAST_LEAF = 300;
const OVERSCAN = 12;
const PADDING = 12;

export function ForkTree({ tree, runKey, showsStep, isStale, label }: ForkTreeProps) {
  const [query, setQuery] = useUrlQuery();
  const setNotice = useInterface((state) => state.setNotice);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [sight, setSight] = useState({ top: 0, height: 900, width: 1200 });
  const scroller = useRef<HTMLDivElement>(null);
  const hasSteps = tree.steps.length > 1;
  const layout = useMemo(
    // A path of actions may be long and its texts are short, so it goes down rather than to the right.
    () => layoutTree(tree, folded, 'withoutActions' in tree ? 0 : STACKED_ABOVE),
    [tree, folded],
  );
  const { items } = layout;
  const least = hasSteps ? CARD + SCALE + STRIP : CARD;
  const card = useMemo(() => {
    // The card width that leaves enough room for the deepest rollouts.
    const fits = items.map(({ columns: cards, indents }) =>
      cards === 0
        ? Number.POSITIVE_INFINITY
        : (sight.width - 2 * PADDING - indents * INDENT - LEAST_LEAF) / cards - BETWEEN,
    );
    const room = fits.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    return Math.floor(Math.max(least, Math.min(room, least - CARD + WIDEST_CARD)));
  }, [items, sight.width, least]);
  const leftOf = ({ columns: cards, indents }: TreeItem) =>
    PADDING + cards * (card + BETWEEN) + indents * INDENT;
  const widthOf = (one: TreeItem) => {
    if (one.kind !== 'rollout') return one.isStacked ? card + WIDER : card;
    // Extend to the right edge of the viewport if there is enough room.
    const room = sight.width - leftOf(one) - PADDING;
    return room >= LEAST_LEAF ? room : LEAF;
  };
  const columns = useMemo(
    () => ({
      step: showsStep,
      kept: tree.rollouts.some(({ kept }) => kept !== undefined),
      answer: tree.rollouts.some(({ answer }) => answer !== undefined),
    }),
    [tree, showsStep],
  );
  const asked = query.get('at');
  const at = Math.max(
    0,
    items.findIndex(({ key }) => key === asked),
  );
  const marks = readMarks(query.get('mark'), tree.rollouts.length);
  const item = items[at];

  useAutoFocus(scroller);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setSight({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  /** Scrolls as little as possible to make the item visible. */
  const show = (index: number) => {
    const [element, wanted] = [scroller.current, items[index]];
    if (element === null || wanted === undefined) return;
    const top = PADDING + wanted.firstRow * ROW;
    const bottom = top + 2 * ROW;
    if (top < element.scrollTop) element.scrollTop = top - PADDING;
    else if (bottom > element.scrollTop + element.clientHeight)
      element.scrollTop = bottom - element.clientHeight + PADDING;
    const left = leftOf(wanted);
    const right = left + widthOf(wanted);
    if (left < element.scrollLeft) element.scrollLeft = left - PADDING;
    else if (right > element.scrollLeft + element.clientWidth)
      element.scrollLeft = Math.min(left - PADDING, right - element.clientWidth + PADDING);
  };
  const choose = (index: number) => {
    setQuery({ at: items[index]?.key });
    show(index);
  };
  const move = (motion: Motion) => choose(itemFrom(layout, at, motion));
  const fold = (key: string) => {
    const next = new Set(folded);
    if (!next.delete(key)) next.add(key);
    setFolded(next);
  };
  const pathOf = (rollout: number) => {
    const found = tree.rollouts[rollout];
    return found === undefined ? undefined : rolloutPath(runKey, found);
  };
  const compare = (rollouts: readonly number[]) =>
    navigateTo(comparePath(rollouts.flatMap((rollout) => pathOf(rollout) ?? [])));
  const compareBranches = (node: number) => compare(branchLanes(tree, node));
  const mark = (rollout: number) => {
    if (marks.includes(rollout)) setQuery({ mark: writeMarks(marks.filter((one) => one !== rollout)) });
    else if (marks.length < MOST_LANES) setQuery({ mark: writeMarks([...marks, rollout]) });
    else
      setNotice(
        `Four rollouts are marked already: ${keyWord('compare.open')} compares them, ${keyWord('row.select')} on one of them takes it out`,
      );
  };
  const open = () => {
    if (item === undefined) return;
    if (item.kind === 'branch') return fold(item.key);
    const path = pathOf(item.rollout);
    if (path !== undefined) navigateTo(path);
  };
  const goRight = () => {
    if (item?.kind === 'branch' && item.isFolded) fold(item.key);
    else move('right');
  };
  const canCompareHere = item?.kind === 'branch' && (tree.nodes[item.node]?.children.length ?? 0) > 1;

  const compareMark = useCompareMark();
  useCompareCommand(() => (item?.kind === 'rollout' ? pathOf(item.rollout) : undefined));
  useCommands({
    'row.next': () => move('down'),
    'row.previous': () => move('up'),
    'row.first': () => choose(0),
    'row.last': () => choose(items.length - 1),
    'row.open': open,
    'row.select': () => item?.kind === 'rollout' && mark(item.rollout),
    'branch.left': () => move('left'),
    'branch.right': goRight,
    'branch.fold': item?.kind === 'branch' ? () => fold(item.key) : undefined,
    // Otherwise x opens the compare set, as on other pages.
    'compare.open':
      marks.length > 0 ? () => compare(marks) : canCompareHere ? () => compareBranches(item.node) : undefined,
  });

  const first = Math.floor((sight.top - PADDING) / ROW) - OVERSCAN;
  const end = Math.ceil((sight.top + sight.height) / ROW) + OVERSCAN;
  const width = items.reduce((most, one) => Math.max(most, leftOf(one) + widthOf(one)), 0) + PADDING;
  return (
    <div
      ref={scroller}
      className={isStale ? 'fork-tree is-stale' : 'fork-tree'}
      aria-busy={isStale}
      role="tree"
      aria-label={label}
      aria-activedescendant={item === undefined ? undefined : `tree-${item.key}`}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, clientWidth } }) =>
        setSight({ top: scrollTop, height: clientHeight, width: clientWidth })
      }
    >
      <div className="fork-space" style={{ width, height: layout.rows * ROW + 2 * PADDING }}>
        {itemsInSight(layout, first, end).map((index) => {
          const one = items[index];
          if (one === undefined) return null;
          const box = {
            left: leftOf(one),
            top: PADDING + one.firstRow * ROW,
            height: (one.endRow - one.firstRow) * ROW,
          };
          const node = one.node === undefined ? undefined : tree.nodes[one.node];
          if (one.kind === 'branch') {
            if (node === undefined) return null;
            return (
              <BranchCard
                key={one.key}
                box={{ ...box, width: widthOf(one) }}
                item={one}
                node={node}
                steps={hasSteps ? stepColumns(tree.steps, node.profile ?? [], STRIP / 2) : undefined}
                stripWidth={STRIP}
                isCurrent={index === at}
                onChoose={() => choose(index)}
                onFold={() => fold(one.key)}
                onCompare={() => compareBranches(one.node)}
              />
            );
          }
          const rollout = tree.rollouts[one.rollout];
          if (rollout === undefined) return null;
          return (
            <LeafRow
              key={one.key}
              box={{ ...box, width: widthOf(one) }}
              item={one}
              rollout={rollout}
              node={node}
              href={rolloutPath(runKey, rollout)}
              isCurrent={index === at}
              mark={marks.indexOf(one.rollout) + 1}
              compareMark={compareMark(rolloutPath(runKey, rollout))}
              columns={columns}
              onChoose={() => setQuery({ at: one.key })}
            />
          );
        })}
      </div>
    </div>
  );
}
