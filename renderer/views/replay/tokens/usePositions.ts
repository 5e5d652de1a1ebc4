import type { RolloutDetail, TokenOccurrences } from '../../../../shared/api/contract.ts';
import {
  MOST_POSITIONS,
  type PositionsLink,
  positionSearch,
  readPositions,
} from '../../../data/positionsLink.ts';
import { pathOfRoute, type RolloutRoute, tokensRouteAt } from '../../../data/route.ts';
import { type LongState, useLongQuery } from '../../../data/useLongQuery.ts';
import { goTo } from '../../../data/useRoute.ts';
import { useInterface } from '../../../state/interface.ts';
import { queryLeftAt } from '../../../state/routeMemory.ts';

export interface Positions {
  readonly list: PositionsLink & { readonly index: number };
  /** All such positions; the list has the first `shown`. Undefined: loading. */
  readonly total: number | undefined;
  readonly shown: number;
  readonly state: LongState<TokenOccurrences>;
  /** The page with the list. */
  readonly href: string;
  readonly step: (by: 1 | -1) => void;
  readonly close: () => void;
}

interface PositionsInput {
  readonly route: RolloutRoute;
  readonly detail: RolloutDetail;
  readonly query: URLSearchParams;
  readonly setQuery: (changes: Readonly<Record<string, string | undefined>>) => void;
  /** Shows a token of the open rollout. */
  readonly onToken: (token: number) => void;
}

/** @returns undefined if the replay was not opened from a list of positions */
export function usePositions({
  route,
  detail,
  query,
  setQuery,
  onToken,
}: PositionsInput): Positions | undefined {
  const list = readPositions(query);
  const { step, groupId, rolloutId } = detail.row;
  const scopes = { run: {}, step: { step }, group: { groupId }, rollout: { rolloutId } };
  const state = useLongQuery(
    'token.occurrences',
    list === undefined
      ? undefined
      : {
          ...{ runId: detail.run.runId, ...scopes[list.level] },
          ...{ signal: list.signal, source: list.source, wanted: list.wanted, order: list.order },
          limit: MOST_POSITIONS,
        },
  );
  if (list === undefined) return undefined;
  const places = (state.isFormer ? undefined : state.data)?.places ?? [];
  const path = pathOfRoute(tokensRouteAt(route, list.level));
  return {
    list,
    total: state.isFormer ? undefined : state.data?.total,
    shown: places.length,
    state,
    href: path + queryLeftAt(path),
    step: (by) => {
      const index = list.index + by;
      const place = places[index];
      if (place === undefined)
        useInterface.getState().setNotice(`No ${by === 1 ? 'next' : 'previous'} position in the list`);
      else {
        const { groupKey, ordinal } = place;
        const target = { ...route, step: place.step, groupKey, ordinal };
        // While the rollout of the URL loads, `detail` is still the one before.
        if (place.rolloutId !== rolloutId || pathOfRoute(target) !== pathOfRoute(route))
          return goTo(target, positionSearch(list, index, place.token));
        setQuery({ position: String(index) });
        onToken(place.token);
      }
    },
    close: () => setQuery({ positions: undefined, position: undefined }),
  };
}
