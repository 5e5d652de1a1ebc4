/**
 * The list of token positions that a replay was opened from, as part of its URL: `?positions=…`, and the index of the
 * open position: `?position=3`.
 */
import type { ParamsOf } from '../../shared/api/contract.ts';
import { TOKEN_METHODS } from '../../shared/api/tokenMethods.ts';
import type { WantedTokens } from '../../shared/domain/highestTokens.ts';
import { SCOPE_LEVELS, type ScopeLevel } from './route.ts';

type Occurrences = ParamsOf<'token.occurrences'>;

export interface PositionsLink extends Pick<Occurrences, 'signal' | 'source' | 'wanted' | 'order'> {
  /** The list has the positions in this run, step, group or rollout. */
  readonly level: ScopeLevel;
}

/** Positions that a list shows. */
export const MOST_POSITIONS = 100;

/** @param index of the position in the list, from 0 */
export function positionSearch(list: PositionsLink, index: number, token: number): string {
  const positions = JSON.stringify(list);
  return `?${new URLSearchParams({ token: String(token), positions, position: String(index) })}`;
}

/** @returns undefined if none is named, or it is invalid */
export function readPositions(
  query: URLSearchParams,
): (PositionsLink & { readonly index: number }) | undefined {
  const index = query.get('position') ?? '';
  const fields = fieldsIn(query.get('positions'));
  const level = SCOPE_LEVELS.find((one) => one === fields['level']);
  const parsed = TOKEN_METHODS['token.occurrences'].params.safeParse({ ...fields, runId: 1 });
  if (!/^\d{1,9}$/.test(index) || level === undefined || !parsed.success) return undefined;
  const { signal, source, wanted, order } = parsed.data;
  return { level, signal, ...(source === undefined ? {} : { source }), wanted, order, index: Number(index) };
}

export function positionsName(wanted: WantedTokens): string {
  return 'token' in wanted
    ? `Positions of ${JSON.stringify(wanted.token)}`
    : `Reflection tokens after ${wanted.reflection === 'error' ? 'an error' : 'a success'}`;
}

function fieldsIn(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(text ?? '');
    return typeof fields === 'object' && fields !== null ? { ...fields } : {};
  } catch {
    // The user edited the URL: there is no list.
    return {};
  }
}
