/**
 * The filtered list that a replay was opened from, as part of its URL: `?list=…`, whose value is a query of its own.
 */
const LIST_SCOPES = ['run', 'step', 'group'] as const;

export interface RolloutListLink {
  /** The list contains the rollouts of this run, step or group. */
  readonly of: (typeof LIST_SCOPES)[number];
  /** In the filter language; never empty. */
  readonly filter: string;
  /** As in the URL of the list. */
  readonly sort: string;
}

/** Empty for an unfiltered list: previous and next then step through the group. */
export function listSearch(list: RolloutListLink): string {
  if (list.filter === '') return '';
  const params = new URLSearchParams({ of: list.of, q: list.filter, sort: list.sort });
  return `?${new URLSearchParams({ list: params.toString() })}`;
}

/** @returns undefined if none exists, or it is invalid */
export function readList(text: string | null): RolloutListLink | undefined {
  const params = new URLSearchParams(text ?? '');
  const of = LIST_SCOPES.find((one) => one === params.get('of'));
  const filter = params.get('q') ?? '';
  return of === undefined || filter === '' ? undefined : { of, filter, sort: params.get('sort') ?? '' };
}
