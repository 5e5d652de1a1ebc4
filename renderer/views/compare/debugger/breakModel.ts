/**
 * Breakpoints of a comparison: how the URL stores them, and the turns and rows in which they match.
 *
 *   ?break=first error&break=!value:95 & turn:3      `!`: switched off
 */
import type {
  AnnotationRow,
  ComparedRow,
  RolloutDetail,
  RolloutSignal,
} from '../../../../shared/api/contract.ts';
import {
  type Breakpoint,
  type Hit,
  hitsOf,
  type Mark,
  type StoppedRollout,
} from '../../../../shared/domain/breakpoints.ts';
import {
  type BreakpointFault,
  breakpointIn,
  breakpointText,
} from '../../../../shared/domain/breakpointText.ts';
import { HIDDEN_CHARACTERS } from '../../../../shared/domain/hiddenCharacters.ts';
import { keyWord } from '../../../shell/keys/keysInForce.ts';
import { counted } from '../../../ui/numbers.ts';

/** Upper limit, since a URL may hold any number of them. */
const MOST_BREAKS = 20;

export interface Break {
  readonly text: string;
  readonly isOn: boolean;
  /** Absent if the text in the URL cannot be parsed. */
  readonly conditions?: Breakpoint;
  readonly fault?: BreakpointFault;
}

export function breakOf(text: string, isOn = true): Break {
  const read = breakpointIn(text);
  return 'message' in read
    ? { text, isOn, fault: read }
    : { text: breakpointText(read), isOn, conditions: read };
}

/** Drops duplicates, since a breakpoint is identified by its text. */
export function readBreaks(query: URLSearchParams): readonly Break[] {
  const breaks: Break[] = [];
  for (const value of query.getAll('break')) {
    const found = value.startsWith('!') ? breakOf(value.slice(1), false) : breakOf(value);
    if (!breaks.some(({ text }) => text === found.text)) breaks.push(found);
  }
  return breaks.slice(0, MOST_BREAKS);
}

/** @param others the current query; its other parameters are kept */
export function breakSearch(breaks: readonly Break[], others: URLSearchParams): string {
  const query = new URLSearchParams(others);
  query.delete('break');
  for (const { text, isOn } of breaks) query.append('break', isOn ? text : `!${text}`);
  const search = query.toString().replaceAll('%2F', '/').replaceAll('%2C', ',');
  return search === '' ? '' : `?${search}`;
}

export const needsValues = (breaks: readonly Break[]): boolean =>
  breaks.some(({ isOn, conditions }) => isOn && conditions?.some(({ kind }) => kind === 'value') === true);

export const needsLabels = (breaks: readonly Break[]): boolean =>
  breaks.some(({ isOn, conditions }) => isOn && conditions?.some(({ kind }) => kind === 'label') === true);

/**
 * Refuses a label that is neither in the taxonomy nor in use, because it would never match.
 *
 * @param known ids of labels
 */
export function labelFault(text: string, known: readonly string[]): BreakpointFault | undefined {
  const { conditions } = breakOf(text);
  const unknown = conditions?.find((one) => one.kind === 'label' && !known.includes(one.label));
  if (unknown?.kind !== 'label') return undefined;
  const start = text.indexOf(`label:${unknown.label}`);
  const message = `expected a label (${known.join(', ')}), found ${unknown.label}`;
  return { message, start, end: start + 'label:'.length + unknown.label.length };
}

export interface StoppedLane {
  readonly detail: RolloutDetail;
  readonly signal: RolloutSignal | undefined;
  readonly fork: StoppedRollout['fork'];
  /** Undefined: not asked for, or not there yet. */
  readonly annotations?: readonly AnnotationRow[] | undefined;
}

export const isSameLane = (a: StoppedLane, b: StoppedLane | undefined): boolean =>
  a.detail === b?.detail &&
  a.signal === b.signal &&
  a.annotations === b.annotations &&
  a.fork?.turn === b.fork?.turn &&
  a.fork?.offset === b.fork?.offset;

/**
 * The worker evaluates texts and patterns (`breakpointWorkerClient.ts`): a pattern from a URL may never finish, a search of
 * millions of characters takes seconds, and arguments are parsed.
 */
export const needsWorker = ({ isOn, conditions }: Break): boolean =>
  isOn && conditions?.some(({ kind }) => kind === 'regex' || kind === 'text') === true;

const labelMarks = (annotations: readonly AnnotationRow[]): readonly Mark[] =>
  annotations.flatMap(({ label, target, place }): Mark[] => {
    if (label === undefined) return [];
    const isPlaced = target.kind !== 'rollout' && target.anchor.text === 'response';
    return [{ name: label, ...(isPlaced && place?.start !== undefined ? { offset: place.start } : {}) }];
  });

const flagMarks = ({ flags }: RolloutDetail): readonly Mark[] =>
  flags.flatMap(({ flag: name, evidence }): Mark[] =>
    evidence.length === 0 ? [{ name }] : evidence.map(({ start }) => ({ name, offset: start })),
  );

export function stoppedRollout(lane: StoppedLane): StoppedRollout {
  const { detail, signal, fork, annotations } = lane;
  const { response, segments, toolCalls, turns } = detail;
  return {
    response,
    segments,
    toolCalls,
    turns: turns.length,
    flags: flagMarks(detail),
    ...(annotations === undefined ? {} : { labels: labelMarks(annotations) }),
    ...(signal?.ends === undefined || signal.values === undefined
      ? {}
      : {
          tokens: {
            ends: signal.ends,
            values: signal.values,
            ...(signal.mask === undefined ? {} : { mask: signal.mask }),
          },
        }),
    ...(fork === undefined ? {} : { fork }),
  };
}

/** Hits of the breakpoints that are on and need no worker. `breakpoint` is an index into all breakpoints. */
export function laneHits(breaks: readonly Break[], lane: StoppedLane): readonly Hit[] {
  // A breakpoint that is off or invalid never matches, but keeps its index.
  const conditions = breaks.map((one) =>
    one.isOn && one.conditions !== undefined && !needsWorker(one) ? one.conditions : [],
  );
  return hitsOf(conditions, stoppedRollout(lane));
}

/** A hit, and the row of the comparison that contains its turn. */
export interface Stop {
  readonly row: number;
  readonly lane: number;
  readonly hit: Hit;
}

export function stopsOf(rows: readonly ComparedRow[], hits: readonly (readonly Hit[])[]): readonly Stop[] {
  const stops = hits.flatMap((own, lane) => {
    if (own.length === 0) return [];
    const rowOf = new Map(rows.map(({ turns }, row) => [turns[lane], row] as const));
    return own.flatMap((hit): Stop[] => {
      const row = rowOf.get(hit.turn);
      return row === undefined ? [] : [{ row, lane, hit }];
    });
  });
  return stops.sort((a, b) => a.row - b.row || a.lane - b.lane || a.hit.breakpoint - b.hit.breakpoint);
}

/** The next row with a stop, or undefined if none exists in this direction. */
export function nextStopRow(stops: readonly Stop[], from: number, direction: 1 | -1): number | undefined {
  return direction === 1
    ? stops.find(({ row }) => row > from)?.row
    : stops.findLast(({ row }) => row < from)?.row;
}

/** Progress of the breakpoints that the worker evaluates, keyed by their text. */
export interface PatternProgress {
  readonly running: ReadonlySet<string>;
  readonly leftOut: ReadonlyMap<string, string>;
}

/** Breakpoints named in a notice. */
const MOST_NAMED = 3;
const LONGEST_NAME = 60;

/** Why there is no next stop: nothing matches, the only match is the current row, or some hits are not known yet. */
export function noStopReason(
  {
    breaks,
    stops,
    running,
    leftOut,
  }: PatternProgress & { readonly breaks: readonly Break[]; readonly stops: readonly Stop[] },
  row: number,
  direction: 1 | -1,
): string {
  if (breaks.length === 0) return `No breakpoints: ${keyWord('stop.add')} adds one`;
  const side = direction === 1 ? 'below' : 'above';
  const here = new Map<number, number>();
  for (const stop of stops)
    if (stop.row === row) here.set(stop.hit.breakpoint, (here.get(stop.hit.breakpoint) ?? 0) + 1);
  const unread = breaks.filter(({ isOn, fault }) => isOn && fault !== undefined).length;
  const said: string[] = [];
  if (here.size > 0) {
    const named = [...here].slice(0, MOST_NAMED).map(([index, hits]) => {
      const text = breaks[index]?.text ?? '';
      const name = text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text;
      return `${name}, ${counted(hits, 'hit')}`;
    });
    const more = here.size > MOST_NAMED ? `; and ${here.size - MOST_NAMED} more` : '';
    said.push(`None ${side}. Here: ${named.join('; ')}${more}`);
  }
  if (unread > 0) said.push(`${counted(unread, 'breakpoint')} invalid: see Breakpoints`);
  if (leftOut.size > 0) said.push(`${counted(leftOut.size, 'breakpoint')} skipped: see Breakpoints`);
  if (running.size > 0) said.push(`${counted(running.size, 'breakpoint')} still searching`);
  return said.length === 0 ? `No breakpoint hit ${side}` : said.join(' · ');
}

/** The next row in which any lane calls a tool. */
export function nextCallRow(
  rows: readonly ComparedRow[],
  lanes: readonly RolloutDetail[],
  from: number,
  direction: 1 | -1,
): number | undefined {
  const turns = lanes.map(({ toolCalls }) => new Set(toolCalls.map(({ turn }) => turn)));
  for (let row = from + direction; row >= 0 && row < rows.length; row += direction) {
    if (rows[row]?.turns.some((turn, lane) => turn !== null && turns[lane]?.has(turn) === true)) return row;
  }
  return undefined;
}

/** The turn of a lane at a row: its turn in that row, else its last one before it. Undefined before its first turn. */
export function turnAt(rows: readonly ComparedRow[], lane: number, row: number): number | undefined {
  for (let i = Math.min(row, rows.length - 1); i >= 0; i -= 1) {
    const turn = rows[i]?.turns[lane];
    if (turn !== null && turn !== undefined) return turn;
  }
  return undefined;
}

/** Key in the store of the errors that the watch shows whole. */
export const watchErrorKey = (path: string, turn: number): string => `${path} errors ${turn}`;

/** Characters to read in a row: those of its longest lane. */
export function charsOfRow(row: ComparedRow | undefined, lanes: readonly RolloutDetail[]): number {
  return Math.max(
    0,
    ...lanes.map(({ segments }, lane) =>
      (row?.blocks ?? []).reduce((sum, block) => {
        const inner = segments[block.segments[lane] ?? -1]?.inner;
        return sum + (inner === undefined ? 0 : inner.end - inner.start);
      }, 0),
    ),
  );
}

/** A suggested condition. `hole` is the placeholder to select and overwrite. */
export interface ReadyMade {
  readonly text: string;
  readonly label: string;
  readonly hole?: string;
}

export const READY_MADE: readonly ReadyMade[] = [
  { text: 'first error', label: 'first tool error' },
  { text: 'error', label: 'any tool error' },
  { text: 'outcome:timeout', label: 'outcome…', hole: 'timeout' },
  { text: 'tool:python', label: 'tool…', hole: 'python' },
  { text: 'args:"x"', label: 'arguments…', hole: 'x' },
  { text: 'label:loops', label: 'label…', hole: 'loops' },
  { text: 'flag:repetition', label: 'flag…', hole: 'repetition' },
  { text: 'value:95', label: 'value above a percentile…', hole: '95' },
  { text: 'answer', label: 'answer changes' },
  { text: 'text:"wait"', label: 'text…', hole: 'wait' },
  { text: 'regex:"\\d+"', label: 'regex…', hole: '\\d+' },
  { text: 'turn:3', label: 'turn…', hole: '3' },
  { text: 'fork', label: 'first divergence' },
];

/** Most tools that are offered. */
const MOST_TOOLS = 100;

/** Names of the lanes' tools that a condition can name, in order of first use. */
export function toolNames(lanes: readonly RolloutDetail[]): readonly string[] {
  const names = lanes.flatMap(({ toolCalls }) => toolCalls.flatMap(({ name }) => name ?? []));
  const isPlain = (name: string) => /^[^\s&"]{1,100}$/.test(name) && name.search(HIDDEN_CHARACTERS) < 0;
  return [...new Set(names)].filter(isPlain).slice(0, MOST_TOOLS);
}

/** Adds a suggested condition to the text in the field. */
export function withCondition(
  written: string,
  { text, hole }: ReadyMade,
): { readonly text: string; readonly start: number; readonly end: number } {
  const before = written.trim() === '' ? '' : `${written.trim().replace(/\s*&$/, '')} & `;
  const start = before.length + (hole === undefined ? text.length : text.indexOf(hole));
  return { text: before + text, start, end: start + (hole?.length ?? 0) };
}
