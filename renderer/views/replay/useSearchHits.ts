/** Hits in this rollout of the search that led to it. `?find=` is the query, `?at=` is the current hit. */
import { useEffect, useMemo, useRef } from 'react';
import type { RolloutDetail, RolloutHits } from '../../../shared/api/contract.ts';
import { readCallPayload } from '../../../shared/domain/toolCallPayload.ts';
import { type HitAddress, hitAddress, readHitAddress } from '../../data/searchLink.ts';
import type { SegmentView, TurnView } from '../../data/segmentViews.ts';
import { useRequest } from '../../data/useRequest.ts';
import { navigateTo, presentPath } from '../../data/useRoute.ts';
import { codePlaces, type PlacedStretch } from '../../editor/codePlaces.ts';
import { leaveTrail, queryLeftAt } from '../../state/routeMemory.ts';
import type { Hit } from './text/findModel.ts';

export interface LinkedFind {
  readonly query: string;
  readonly hits: readonly PlacedHit[];
  readonly index: number;
  /** Shown instead of the number of hits. */
  readonly note: string | undefined;
  readonly show: (index: number) => void;
  /** Goes back to the search results, if the user came from there. */
  readonly leave: () => void;
  /** Ends the linked search because the user searches for something else. */
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
  // Scrolls once per rollout and query, when its hits have arrived.
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
      if (new URLSearchParams(left).get('q')?.trim() !== asked) return drop();
      // Otherwise Escape on the search page would come back here.
      leaveTrail(presentPath());
      navigateTo(`/search${left}`);
    },
    drop,
  };
}

interface PlacedHit extends Hit {
  readonly address: HitAddress;
}

type Found = RolloutHits['hits'][number];

/** @returns in the same order, without hits in segments that do not exist */
export function placedHits(turns: readonly TurnView[], found: readonly Found[]): readonly PlacedHit[] {
  const views = new Map(turns.flatMap((turn) => turn.segments.map((view) => [view.index, view] as const)));
  const stretches = new Map<number, readonly PlacedStretch[] | undefined>();
  return found.flatMap((hit) => {
    const view = views.get(hit.segment);
    if (view === undefined) return [];
    if (!stretches.has(hit.segment)) stretches.set(hit.segment, codeStretches(view));
    const { start, end } = rangeOf(view, hit, stretches.get(hit.segment));
    const { source, index: segment } = view;
    return [{ source, segment, turn: view.segment.turn, start, end, address: { segment, start: hit.start } }];
  });
}

/** Undefined: the segment's raw text is searched. */
function codeStretches(view: SegmentView): readonly PlacedStretch[] | undefined {
  if (view.segment.kind !== 'tool-call') return undefined;
  const { code } = readCallPayload(view.inner);
  return code === undefined ? undefined : codePlaces(code, view.inner, view.segment.inner.start);
}

function rangeOf(
  view: SegmentView,
  { start, end }: Pick<Found, 'start' | 'end'>,
  stretches: readonly PlacedStretch[] | undefined,
): { readonly start: number; readonly end: number } {
  const { inner } = view.segment;
  if (stretches === undefined) return { start: inner.start + start, end: inner.start + end };
  // Between two stretches there is an escape. A hit there begins after it, or ends before it.
  const first = stretches.find((stretch) => stretch.end > start);
  const last = stretches.findLast((stretch) => stretch.start < end);
  if (first === undefined || last === undefined) return inner;
  return {
    start: first.source + Math.max(0, start - first.start),
    end: last.source + Math.min(end, last.end) - last.start,
  };
}
