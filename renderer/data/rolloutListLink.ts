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
  /** Why the list has its rollouts, if it is a ready-made one. The replay names it. */
  readonly name?: string | undefined;
}

/** Empty for an unfiltered list: previous and next then step through the group. */
export function listSearch(list: RolloutListLink): string {
  if (list.filter === '') return '';
  const params = new URLSearchParams({ of: list.of, q: list.filter, sort: list.sort });
  if (list.name !== undefined) params.set('name', list.name);
  return `?${new URLSearchParams({ list: params.toString() })}`;
}

/** @returns undefined if none exists, or it is invalid */
export function readList(text: string | null): RolloutListLink | undefined {
  const params = new URLSearchParams(text ?? '');
  const of = LIST_SCOPES.find((one) => one === params.get('of'));
  const filter = params.get('q') ?? '';
  if (of === undefined || filter === '') return undefined;
  const name = params.get('name');
  return { of, filter, sort: params.get('sort') ?? '', ...(name === null ? {} : { name }) };
}
