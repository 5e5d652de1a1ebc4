/** The hits of a search in the rollout one came to from it: `?find=` is the query, `?at=` the hit that is shown. */

import { useEffect, useMemo, useRef } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { hitAddress, readHitAddress } from '../../data/searchLink.ts';
import type { TurnView } from '../../data/segmentViews.ts';
import { navigateTo } from '../../data/usePlace.ts';
import { useRequest } from '../../data/useRequest.ts';
import { queryLeftAt } from '../../state/placeMemory.ts';
import type { Hit } from './findModel.ts';
import { type PlacedHit, placedHits } from './searchHitModel.ts';

export interface LinkedFind {
  readonly query: string;
  readonly hits: readonly PlacedHit[];
  readonly index: number;
  /** In place of the number of hits. */
  readonly note: string | undefined;
  readonly show: (index: number) => void;
  /** Back to the results where one came from them. */
  readonly leave: () => void;
  /** Something else is looked for in this rollout. */
  readonly drop: () => void;
}

interface SearchHitsInput {
  readonly detail: RolloutDetail;
  readonly turns: readonly TurnView[];
  readonly query: URLSearchParams;
  readonly setQuery: (changes: Readonly<Record<string, string | undefined>>) => void;
  readonly onHit: (hit: Hit) => void;
}

const NO_HITS: readonly PlacedHit[] = [];

export function useSearchHits({
  detail,
  turns,
  query,
  setQuery,
  onHit,
}: SearchHitsInput): LinkedFind | undefined {
  const asked = query.get('find') ?? '';
  const { rolloutId } = detail.row;
  const answer = useRequest('search.hits', asked === '' ? undefined : { query: asked, rolloutId });
  const hits = useMemo(
    () => (answer.data === undefined ? NO_HITS : placedHits(turns, answer.data.hits)),
    [answer.data, turns],
  );
  const at = readHitAddress(query.get('at'));
  const found = hits.findIndex(
    ({ address }) => address.segment === at?.segment && address.start === at.start,
  );
  const index = Math.max(0, found);

  const show = (next: number) => {
    const hit = hits[next];
    if (hit === undefined) return;
    setQuery({ at: hitAddress(hit.address) });
    onHit(hit);
  };
  // Once for each rollout and query, when its hits are there.
  const shown = useRef('');
  const showing = useRef(show);
  showing.current = show;
  const key = `${rolloutId} ${asked}`;
  const isThere = hits.length > 0;
  useEffect(() => {
    if (!isThere || shown.current === key) return;
    shown.current = key;
    showing.current(index);
  }, [isThere, key, index]);

  if (asked === '') return undefined;
  const drop = () => setQuery({ find: undefined, at: undefined });
  return {
    query: asked,
    hits,
    index,
    note: answer.error !== null ? answer.error.message : answer.data === undefined ? 'searching…' : undefined,
    show,
    leave: () => {
      const left = queryLeftAt('/search');
      if (new URLSearchParams(left).get('q')?.trim() === asked) navigateTo(`/search${left}`);
      else drop();
    },
    drop,
  };
}
