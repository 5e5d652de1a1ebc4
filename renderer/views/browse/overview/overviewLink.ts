/** What the overview shows, as part of the URL: a page of charts can be sent to someone as it stands. */
import { readRange, type StepRange } from '../../../charts/panelModel.ts';

/** Steps that a mean is taken over; 1 is none. */
export const WINDOWS = [1, 3, 5, 9, 21] as const;

/** With the run itself. */
export const MOST_RUNS = 6;

export interface OverviewLink {
  /** Odd; 1: not smoothed. */
  readonly window: number;
  readonly range: StepRange | undefined;
  /** The axis is the range. */
  readonly isZoomed: boolean;
  /** Keys of the runs this one is compared with. */
  readonly runs: readonly string[];
  /** Logged metrics that are shown as charts of their own. */
  readonly metrics: readonly string[];
}

export function overviewLinkOf(query: URLSearchParams): OverviewLink {
  const asked = Number(query.get('smooth') ?? 1);
  const range = readRange(query.get('steps'));
  return {
    window: WINDOWS.find((window) => window === asked) ?? 1,
    range,
    isZoomed: range !== undefined && query.get('zoom') === '1',
    runs: listOf(query.get('runs')).slice(0, MOST_RUNS - 1),
    metrics: listOf(query.get('metrics')),
  };
}

/** Keys and names are free text; a comma between them is ours. */
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

/** A filter and one more condition; either may be empty. */
export function filterAnd(filter: string, condition: string): string {
  if (filter === '' || condition === '') return filter + condition;
  return /(^|\s)or(\s|$)/i.test(filter) ? `(${filter}) ${condition}` : `${filter} ${condition}`;
}
