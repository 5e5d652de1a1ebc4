/**
 * The URL of a comparison: its rollouts and their order, the baseline, and the position.
 *
 *   /compare?lane=/run/r/step/0/group/g/rollout/1&lane=…&base=1&on=0&at=0.12&layout=unified&equal=hide&show=code,output
 *
 * `lane` is the path of a rollout, as `route.ts` writes it. `at` is a turn of a lane, `<lane>.<turn>`. Rows have no
 * stable number, since another baseline, order or set of lanes gives other rows. Defaults are omitted. Parameters of
 * other modules are kept: the panel's tab (`side`) and the breakpoints.
 */
import { parseRoute, pathOfRoute, type RolloutRoute } from './route.ts';

export const MOST_LANES = 4;

export const LAYOUTS = ['split', 'unified'] as const;
export type Layout = (typeof LAYOUTS)[number];
/** How to show turns and segments that are equal in all lanes. */
export const EQUAL_WAYS = ['fold', 'hide', 'show'] as const;
export type EqualWay = (typeof EQUAL_WAYS)[number];
export const SHOWN_KINDS = ['reasoning', 'code', 'output', 'answer'] as const;
export type ShownKind = (typeof SHOWN_KINDS)[number];

/** Identifies a row of the comparison by one of its turns. */
export interface LaneTurn {
  /** Index into the link's lanes. */
  readonly lane: number;
  readonly turn: number;
}

export interface CompareLink {
  /** Paths of rollouts, at most four. The same one may occur twice. */
  readonly lanes: readonly string[];
  /** Further lanes in the URL. They are not shown, but the first of them is once a lane is removed. */
  readonly leftOut: readonly string[];
  /** Index into `lanes`: the baseline. */
  readonly base: number;
  /** Index into `lanes`: the chosen lane, which keys act on and which the unified layout compares with the baseline. */
  readonly on: number;
  /** The current row. Undefined: not chosen yet. */
  readonly at: LaneTurn | undefined;
  readonly layout: Layout;
  readonly equal: EqualWay;
  /** Empty: all kinds. */
  readonly show: readonly ShownKind[];
}

const NATURAL = /^\d{1,9}$/;

function natural(text: string | null): number | undefined {
  return text !== null && NATURAL.test(text) ? Number(text) : undefined;
}

const LANE_TURN = /^(\d)\.(\d{1,9})$/;

function laneTurn(text: string | null, lanes: number): LaneTurn | undefined {
  const [, lane, turn] = LANE_TURN.exec(text ?? '') ?? [];
  const at = { lane: Number(lane), turn: Number(turn) };
  return at.lane < lanes ? at : undefined;
}

const oneOf = <T extends string>(all: readonly T[], text: string | null, otherwise: T): T =>
  all.find((one) => one === text) ?? otherwise;

/** The route for a rollout's path. Undefined for any other path. */
export function rolloutRouteOf(path: string): RolloutRoute | undefined {
  const route = parseRoute(path);
  return route.view === 'rollout' ? route : undefined;
}

export function readCompare(query: URLSearchParams): CompareLink {
  const named = query.getAll('lane');
  const lanes = named.slice(0, MOST_LANES);
  const last = Math.max(0, lanes.length - 1);
  const base = Math.min(natural(query.get('base')) ?? 0, last);
  const shown = (query.get('show') ?? '').split(',');
  return {
    lanes,
    leftOut: named.slice(MOST_LANES),
    base,
    on: Math.min(natural(query.get('on')) ?? otherLane(base), last),
    at: laneTurn(query.get('at'), lanes.length),
    layout: oneOf(LAYOUTS, query.get('layout'), 'split'),
    equal: oneOf(EQUAL_WAYS, query.get('equal'), 'fold'),
    show: SHOWN_KINDS.filter((kind) => shown.includes(kind)),
  };
}

/** The first lane that is not the baseline. */
const otherLane = (base: number): number => (base === 0 ? 1 : 0);

const NAMES = ['lane', 'base', 'on', 'at', 'layout', 'equal', 'show'] as const;

/** @param others the current query; its other parameters are kept */
export function compareSearch(link: Partial<CompareLink>, others?: URLSearchParams): string {
  const query = new URLSearchParams(others);
  for (const name of NAMES) query.delete(name);
  const { lanes = [], leftOut = [], base = 0, on, at, layout = 'split', equal = 'fold', show = [] } = link;
  for (const lane of [...lanes.slice(0, MOST_LANES), ...leftOut]) query.append('lane', lane);
  if (base !== 0) query.set('base', String(base));
  if (on !== undefined && on !== Math.min(otherLane(base), Math.max(0, lanes.length - 1)))
    query.set('on', String(on));
  if (at !== undefined) query.set('at', `${at.lane}.${at.turn}`);
  if (layout !== 'split') query.set('layout', layout);
  if (equal !== 'fold') query.set('equal', equal);
  if (show.length > 0) query.set('show', show.join(','));
  // Slashes and commas are valid in a query, and easier to read unescaped.
  const search = query.toString().replaceAll('%2F', '/').replaceAll('%2C', ',');
  return search === '' ? '' : `?${search}`;
}

export function comparePath(lanes: readonly string[], base = 0): string {
  return pathOfRoute({ view: 'compare' }) + compareSearch({ lanes, base });
}

type Order = Pick<CompareLink, 'lanes' | 'base' | 'on' | 'at'>;

/**
 * The next lane, in display order and wrapping around. The unified layout skips the baseline, since the chosen lane is
 * compared with it.
 */
export function nextLane(
  { lanes, base, on, layout }: Pick<CompareLink, 'lanes' | 'base' | 'on' | 'layout'>,
  by: 1 | -1,
): number {
  const count = Math.max(1, lanes.length);
  const next = (on + by + count) % count;
  return layout === 'unified' && next === base ? (next + by + count) % count : next;
}

/** Moves a lane. Baseline, chosen lane and current turn stay with their rollouts. */
export function withLaneMoved({ lanes, base, on, at }: Order, from: number, to: number): Order {
  const order = lanes.map((_, i) => i);
  const [moved] = order.splice(from, 1);
  if (moved === undefined || to < 0 || to >= lanes.length) return { lanes, base, on, at };
  order.splice(to, 0, moved);
  return {
    lanes: order.map((i) => lanes[i] ?? ''),
    base: order.indexOf(base),
    on: order.indexOf(on),
    at: at && { ...at, lane: order.indexOf(at.lane) },
  };
}

/** @param other the current row by a turn of another lane; used if `at` names the removed lane */
export function withoutLane({ lanes, base, on, at }: Order, lane: number, other?: LaneTurn): Order {
  const rest = lanes.filter((_, i) => i !== lane);
  const last = Math.max(0, rest.length - 1);
  const after = (index: number) => (index > lane ? index - 1 : Math.min(index, last));
  const newBase = base === lane ? 0 : after(base);
  // If no other lane is known to have a turn in that row, the same turn number is the best guess.
  const guess = at && { lane: newBase, turn: at.turn };
  const kept = at?.lane === lane ? other : at;
  return {
    lanes: rest,
    base: newBase,
    on: on === lane ? Math.min(otherLane(newBase), last) : after(on),
    at: rest.length === 0 ? undefined : kept === undefined ? guess : { ...kept, lane: after(kept.lane) },
  };
}

/** The former baseline becomes the chosen lane, so that applying it twice restores the order. */
export function withBaseline({ lanes, base, on, at }: Order, lane: number): Order {
  return { lanes, base: lane, on: lane === on ? base : on, at };
}
