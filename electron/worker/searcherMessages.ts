/** What the host and the thread that searches texts say to each other. */
import type { ParsedParams } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';

/** Places in `beat`, numbers of eight bytes: not 0 once the answer is not wanted; the rollout a regular expression is in, or 0; since when. */
export const BEAT = { stop: 0, rolloutId: 1, since: 2, length: 3 } as const;

export type SearcherRequest = {
  readonly id: number;
  readonly beat: SharedArrayBuffer;
  readonly skipped: readonly number[];
} & (
  | { readonly kind: 'page'; readonly params: ParsedParams<'search.page'> }
  | { readonly kind: 'hits'; readonly params: ParsedParams<'search.hits'> }
);

export type SearcherMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly result: Result<unknown> };
