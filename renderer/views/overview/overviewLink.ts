/** The state of the overview as part of the URL, so that a page of charts can be shared. */
import { readRange, type StepRange } from '../../charts/panelModel.ts';
import { SPLITS, type SplitName } from './splits.ts';

/** Steps to average over. 1 means no smoothing. */
export const WINDOWS = [1, 3, 5, 9, 21] as const;

/** Including the page's own run. */
export const MOST_RUNS = 6;

export interface OverviewLink {
  /** Always odd. 1 means no smoothing. */
  readonly window: (typeof WINDOWS)[number];
  readonly range: StepRange | undefined;
  /** Whether the axis is limited to the range. */
  readonly isZoomed: boolean;
  /** Whether steps are placed by their times, if those are known. */
  readonly isTime: boolean;
  /** The runs this one is compared with. */
  readonly runs: readonly RunRef[];
  /** Logged metrics that get their own chart. */
  readonly metrics: readonly string[];
  /** Draws a line for each class of rollouts. Only if no other run is compared. */
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
  /** Absent: the run is in the current library. */
  readonly library?: string;
}

/** The run's name in URLs and as a key. An `@` in the run key is encoded. */
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

/** Names are free text, so commas in them are encoded. */
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
    // Malformed, since the user edited the URL: ignore it.
    return [];
  }
}
