/**
 * The items of the list: aligned turns, and folds in place of equal stretches.
 *
 *   comparison.rows ──► shown blocks (filter by kind) ──► items: turns | fold
 *
 * The current row is an index into the comparison's rows, and its item is looked up. All functions are pure: the keys
 * of expanded folds are passed in.
 */
import type { ComparedBlock, ComparedLane } from '../../../shared/api/contract.ts';
import { isEnvironment } from '../../../shared/domain/divergence.ts';
import { assertNever, type SegmentKind } from '../../../shared/domain/model.ts';
import type { EqualWay, ShownKind } from '../../data/compareLink.ts';
import { outcomeMark, readableText, replayText, type SegmentView } from '../../data/segmentViews.ts';
import { watchErrorKey } from './debugger/breakModel.ts';
import type { Compared } from './lanes/laneModel.ts';

export interface ShownBlock {
  readonly key: string;
  /** Index into the row's blocks. */
  readonly index: number;
  readonly block: ComparedBlock;
  readonly kind: SegmentKind;
  /** The same in all lanes. */
  readonly isEqual: boolean;
  readonly isFolded: boolean;
  readonly chars: number;
  /** Number of line ends, to estimate its height. */
  readonly lines: number;
}

export type Item =
  | {
      readonly kind: 'turns';
      readonly key: string;
      readonly row: number;
      readonly isEqual: boolean;
      readonly blocks: readonly ShownBlock[];
    }
  | {
      readonly kind: 'fold';
      readonly key: string;
      /** Rows `row` up to `row + rows`, exclusive. */
      readonly row: number;
      readonly rows: number;
      readonly chars: number;
      readonly isOpen: boolean;
    };

export interface ItemOptions {
  readonly equal: EqualWay;
  readonly show: readonly ShownKind[];
  readonly flipped: ReadonlySet<string>;
}

function shownKindOf(kind: SegmentKind): ShownKind {
  switch (kind) {
    case 'reasoning':
    case 'text':
      return 'reasoning';
    case 'tool-call':
      return 'code';
    case 'tool-response':
    case 'user':
    case 'system':
      return 'output';
    case 'answer':
      return 'answer';
    default:
      return assertNever(kind);
  }
}

/** A shorter equal segment is not folded, since its fold would take as much space. */
const SHORT_EQUAL = 120;

/** The segment that represents a block: the baseline's, else the first one. */
function leadOf({ lanes, base }: Compared, block: ComparedBlock): SegmentView | undefined {
  const own = block.segments[base] ?? null;
  if (own !== null) return lanes[base]?.segments[own];
  const lane = block.segments.findIndex((segment) => segment !== null);
  return lanes[lane]?.segments[block.segments[lane] ?? -1];
}

const isEqualBlock = ({ relations }: ComparedBlock): boolean =>
  relations.every((relation) => relation === 'equal');

/** Whether no lane has text here. A template may leave an empty message. */
function isBlank(compared: Compared, block: ComparedBlock): boolean {
  return block.segments.every((segment, lane) => {
    const view = segment === null ? undefined : compared.lanes[lane]?.segments[segment];
    return view === undefined || (view.segment.kind !== 'tool-response' && !/\S/.test(view.inner));
  });
}

interface Size {
  readonly chars: number;
  readonly lines: number;
}

/** Cached, because items are rebuilt whenever something is expanded and texts are long. */
const sizes = new WeakMap<SegmentView, Size>();

function sizeOf(view: SegmentView): Size {
  const known = sizes.get(view);
  if (known !== undefined) return known;
  const text = replayText(view, false);
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  const size = { chars: readableText(view).length, lines };
  sizes.set(view, size);
  return size;
}

export interface Items {
  readonly items: readonly Item[];
  /** Rows of equal turns, and how many of them are in no item. */
  readonly equalRows: number;
  readonly hiddenRows: number;
}

export function itemsOf(compared: Compared, { equal, show, flipped }: ItemOptions): Items {
  const { rows } = compared.comparison;
  const items: Item[] = [];
  let [equalRows, hiddenRows] = [0, 0];

  const shownBlocks = (row: number): readonly ShownBlock[] =>
    (rows[row]?.blocks ?? []).flatMap((block, index): readonly ShownBlock[] => {
      const view = leadOf(compared, block);
      if (view === undefined || isBlank(compared, block)) return [];
      const { kind } = view.segment;
      if (show.length > 0 && !show.includes(shownKindOf(kind))) return [];
      const isEqual = isEqualBlock(block);
      if (isEqual && equal === 'hide') return [];
      const key = `${compared.key} block ${row} ${index}`;
      const { chars, lines } = sizeOf(view);
      const folds = isEqual && equal === 'fold' && chars > SHORT_EQUAL;
      return [{ key, index, block, kind, isEqual, isFolded: folds && !flipped.has(key), chars, lines }];
    });
  const charsOf = (row: number): number =>
    (rows[row]?.blocks ?? []).reduce((sum, block) => sum + (leadOf(compared, block)?.inner.length ?? 0), 0);
  const pushTurns = (row: number, isEqual: boolean): void => {
    // In a row that is expanded or shown whole, equal segments are shown as well.
    const blocks = isEqual
      ? shownBlocks(row).map((block) => (block.isFolded ? { ...block, isFolded: false } : block))
      : shownBlocks(row);
    if (blocks.length > 0)
      items.push({ kind: 'turns', key: `${compared.key} row ${row}`, row, isEqual, blocks });
  };

  for (let row = 0; row < rows.length; ) {
    if (rows[row]?.isEqual !== true) {
      pushTurns(row, false);
      row += 1;
      continue;
    }
    let end = row + 1;
    while (rows[end]?.isEqual === true) end += 1;
    equalRows += end - row;
    if (equal === 'hide') hiddenRows += end - row;
    else if (equal === 'show') for (let i = row; i < end; i += 1) pushTurns(i, true);
    else {
      const key = `${compared.key} rows ${row}`;
      const isOpen = flipped.has(key);
      let chars = 0;
      for (let i = row; i < end; i += 1) chars += charsOf(i);
      items.push({ kind: 'fold', key, row, rows: end - row, chars, isOpen });
      if (isOpen) for (let i = row; i < end; i += 1) pushTurns(i, true);
    }
    row = end;
  }
  return { items, equalRows, hiddenRows };
}

/** The item that contains a row. If the row is hidden: the next item, else the last. */
export function itemOfRow(items: readonly Item[], row: number): number {
  let found = -1;
  for (const [i, item] of items.entries()) {
    if (item.row > row) return found === -1 || !holds(items[found], row) ? i : found;
    found = i;
  }
  return found;
}

function holds(item: Item | undefined, row: number): boolean {
  if (item === undefined) return false;
  return item.kind === 'fold' ? row < item.row + item.rows : item.row === row;
}

/**
 * The folds that one key toggles. For an item of an equal stretch, its stretch; else the equal segments of its turn,
 * which are all opened before any is folded again.
 */
export function foldKeys(
  items: readonly Item[],
  from: number,
  flipped: ReadonlySet<string>,
): readonly string[] {
  const item = items[from];
  if (item === undefined) return [];
  if (item.kind === 'fold') return [item.key];
  if (item.isEqual) {
    const fold = items.findLast((one, i) => i < from && one.kind === 'fold' && holds(one, item.row));
    return fold === undefined ? [] : [fold.key];
  }
  const folded = item.blocks.filter(({ isFolded }) => isFolded);
  const own = folded.length > 0 ? folded : item.blocks.filter(({ key }) => flipped.has(key));
  return own.map(({ key }) => key);
}

/**
 * The failed tool responses of an item, in the rows and in the watch. One key opens all of them, or shortens all if
 * all are open. Empty if no call of the row failed.
 */
export function errorKeys(
  { lanes, comparison }: Compared,
  item: Item | undefined,
  flipped: ReadonlySet<string>,
): readonly string[] {
  if (item?.kind === 'fold') return [item.key];
  const keys = (item?.blocks ?? []).flatMap(({ key, block, isFolded }): readonly string[] => {
    const failed = lanes.flatMap((lane, i) => {
      const call = lane.segments[block.segments[i] ?? -1]?.answeredCall;
      return call !== undefined && outcomeMark(call.outcome).isError ? [i] : [];
    });
    if (failed.length === 0) return [];
    // The unified layout has one text for all lanes.
    const texts = [`${key} same`, `${key} all`, ...failed.map((i) => `${key} ${i} all`)];
    return isFolded || flipped.has(key) ? [key, ...texts] : texts;
  });
  if (item === undefined || keys.length === 0) return [];
  const turns = comparison.rows[item.row]?.turns ?? [];
  const watched = lanes.flatMap(({ path }, i) => {
    const turn = turns[i];
    return turn === undefined || turn === null ? [] : [watchErrorKey(path, turn)];
  });
  const all = [...keys, ...watched];
  const shortened = all.filter((key) => !flipped.has(key));
  return shortened.length > 0 ? shortened : all;
}

/** The next item that differs from an item on, or undefined if none exists. */
export function nextDifference(items: readonly Item[], from: number, direction: 1 | -1): number | undefined {
  for (let i = from + direction; i >= 0 && i < items.length; i += direction) {
    const item = items[i];
    if (item?.kind === 'turns' && !item.isEqual) return i;
  }
  return undefined;
}

export interface ForkTurns {
  readonly baseline?: { readonly turn?: number };
  readonly lane?: { readonly turn?: number };
}

/** The row of a turn of a lane. Undefined if the lane has ended. */
export function rowOfTurn(
  { comparison }: Compared,
  index: number,
  turn: number | undefined,
): number | undefined {
  const row = turn === undefined ? -1 : comparison.rows.findIndex(({ turns }) => turns[index] === turn);
  return row < 0 ? undefined : row;
}

/** The rows of a fork's turns in both lanes, in order. One if both turns are in it, or if one side has ended. */
export function rowsOfFork(
  compared: Compared,
  index: number,
  { baseline, lane }: ForkTurns,
): readonly number[] {
  const rows = [rowOfTurn(compared, compared.base, baseline?.turn), rowOfTurn(compared, index, lane?.turn)];
  return [...new Set(rows.filter((row) => row !== undefined))].sort((a, b) => a - b);
}

/** The first row of a fork. The first row of all if both sides have ended. */
export function rowOfFork(compared: Compared, index: number, fork: ForkTurns): number {
  return rowsOfFork(compared, index, fork)[0] ?? 0;
}

/** The first difference in the policy's own text: the fork itself, unless a tool or user wrote there. */
export function policyForkOf(lane: ComparedLane | undefined): ForkTurns | undefined {
  const fork = lane?.fork;
  const isOfOthers = isEnvironment(fork?.baseline.kind) || isEnvironment(fork?.lane.kind);
  return isOfOthers ? lane?.policyFork : fork;
}

/** The first different action. Undefined if both sides do the same. */
export function actionForkOf(lane: ComparedLane | undefined): ForkTurns | undefined {
  const fork = lane?.actionFork;
  return fork?.baseline === undefined && fork?.lane === undefined ? undefined : fork;
}

/** By row: the lanes that fork from the baseline there. */
export function forksByRow(compared: Compared): ReadonlyMap<number, readonly number[]> {
  const byRow = new Map<number, number[]>();
  compared.lanes.forEach((_, lane) => {
    const fork = compared.comparison.lanes[lane]?.fork;
    if (fork === undefined) return;
    const row = rowOfFork(compared, lane, fork);
    const lanes = byRow.get(row);
    if (lanes === undefined) byRow.set(row, [lane]);
    else lanes.push(lane);
  });
  return byRow;
}

/** The next row with a fork. Wraps around at the end. */
export function nextFork(forks: ReadonlyMap<number, readonly number[]>, row: number): number | undefined {
  const rows = [...forks.keys()].sort((a, b) => a - b);
  return rows.find((one) => one > row) ?? rows[0];
}

/** The block that the diff editor opens: the first similar code or output, then any similar block, then any in both. */
export function diffBlock(
  { blocks }: Extract<Item, { kind: 'turns' }>,
  base: number,
  on: number,
): number | undefined {
  const isSimilar = ({ block }: ShownBlock) => (block.edits[on] ?? null) !== null;
  const isTool = ({ kind }: ShownBlock) => kind === 'tool-call' || kind === 'tool-response';
  const isBoth = ({ block }: ShownBlock) =>
    (block.segments[base] ?? null) !== null && (block.segments[on] ?? null) !== null;
  const found =
    blocks.find((block) => isSimilar(block) && isTool(block)) ??
    blocks.find(isSimilar) ??
    blocks.find((block) => isBoth(block) && !block.isEqual);
  return found?.index;
}

/** Groups the lanes that fork from the baseline at the same point. */
export function forkBands(
  { comparison }: Pick<Compared, 'comparison'>,
  lanes: readonly number[],
): readonly (readonly number[])[] {
  const byPlace = new Map<number, number[]>();
  for (const lane of lanes) {
    const offset = comparison.lanes[lane]?.fork?.baseline.offset ?? -1;
    const together = byPlace.get(offset);
    if (together === undefined) byPlace.set(offset, [lane]);
    else together.push(lane);
  }
  return [...byPlace.values()];
}
