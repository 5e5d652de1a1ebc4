/** What the overview shows, as part of the URL: a page of charts can be sent to someone as it stands. */
import { readRange, type StepRange } from '../../charts/panelModel.ts';
import { SPLITS, type SplitName } from './splits.ts';

/** Steps that a mean is taken over; 1 is none. */
export const WINDOWS = [1, 3, 5, 9, 21] as const;

/** With the run itself. */
export const MOST_RUNS = 6;

export interface OverviewLink {
  /** Odd; 1: not smoothed. */
  readonly window: (typeof WINDOWS)[number];
  readonly range: StepRange | undefined;
  /** The axis is the range. */
  readonly isZoomed: boolean;
  /** Steps stand at their times, where they are known. */
  readonly isTime: boolean;
  /** The runs this one is compared with. */
  readonly runs: readonly RunRef[];
  /** Logged metrics that are shown as charts of their own. */
  readonly metrics: readonly string[];
  /** A line for each class of rollouts; only where no other run is shown. */
  readonly split: SplitName | undefined;
  /** Filter that the charts are split by. */
  readonly splitFilter: string;
}

export function overviewLinkOf(query: URLSearchParams): OverviewLink {
  const asked = Number(query.get('smooth') ?? 1);
  const range = readRange(query.get('steps'));
  return {
    window: WINDOWS.find((window) => window === asked) ?? 1,
    range,
    isZoomed: range !== undefined && query.get('zoom') === '1',
    isTime: query.get('axis') === 'time',
    runs: runRefsOf(query.get('runs')).slice(0, MOST_RUNS - 1),
    metrics: listOf(query.get('metrics')),
    split: SPLITS.find((split) => split === query.get('split')),
    splitFilter: query.get('by') ?? '',
  };
}

/** A run of this library, or of another one that is open. */
export interface RunRef {
  readonly runKey: string;
  /** Absent: of the library that is looked at. */
  readonly library?: string;
}

/** One name for it, in links and as a key; the `@` of a key itself is encoded. */
export function refText({ runKey, library }: RunRef): string {
  const key = encodeURIComponent(runKey);
  return library === undefined ? key : `${key}@${encodeURIComponent(library)}`;
}

export function refsText(refs: readonly RunRef[]): string | undefined {
  return refs.length === 0 ? undefined : refs.map(refText).join(',');
}

function runRefsOf(text: string | null): readonly RunRef[] {
  return [...new Set((text ?? '').split(','))].flatMap((part): readonly RunRef[] => {
    const [rawKey = '', rawLibrary = ''] = part.split('@', 2);
    const [runKey] = decoded(rawKey);
    const [library] = decoded(rawLibrary);
    if (runKey === undefined) return [];
    return [library === undefined ? { runKey } : { runKey, library }];
  });
}

/** Names are free text; a comma between them is ours. */
export function listText(items: readonly string[]): string | undefined {
  return items.length === 0 ? undefined : items.map(encodeURIComponent).join(',');
}

function listOf(text: string | null): readonly string[] {
  if (text === null || text === '') return [];
  return [...new Set(text.split(',').flatMap(decoded))];
}

function decoded(part: string): readonly string[] {
  try {
    return part === '' ? [] : [decodeURIComponent(part)];
  } catch {
    // Typed by hand: it names nothing.
    return [];
  }
}
