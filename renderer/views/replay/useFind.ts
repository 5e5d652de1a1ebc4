import { useMemo, useRef, useState } from 'react';
import type { TurnView } from '../../data/segmentViews.ts';
import { findHits, type Hit } from './text/findModel.ts';
import type { LinkedFind } from './useSearchHits.ts';

const NO_HITS: readonly Hit[] = [];

/**
 * The search inside one rollout. `onHit` receives the hit to show.
 *
 * @param linked the search over all rollouts that led here; typing another query ends it
 */
export function useFind(turns: readonly TurnView[], onHit: (hit: Hit) => void, linked?: LinkedFind) {
  const [isTyped, setTyped] = useState(false);
  const [query, setQuery] = useState('');
  const [current, setCurrent] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const isOpen = isTyped || linked !== undefined;
  const typed = useMemo(() => (isTyped ? findHits(turns, query) : NO_HITS), [isTyped, turns, query]);
  const hits: readonly Hit[] = linked?.hits ?? typed;
  const index = linked?.index ?? Math.min(current, Math.max(0, hits.length - 1));

  const show = (list: readonly Hit[], at: number) => {
    setCurrent(at);
    const hit = list[at];
    if (hit !== undefined) onHit(hit);
  };
  return {
    isOpen,
    query: linked?.query ?? query,
    hits,
    index,
    currentHit: hits[index],
    /** Shown instead of the number of hits. */
    note: linked?.note,
    isLinked: linked !== undefined,
    field,
    open: () => {
      setTyped(linked === undefined);
      field.current?.select();
      field.current?.focus();
    },
    close: () => {
      setTyped(false);
      linked?.leave();
    },
    search: (text: string) => {
      linked?.drop();
      setTyped(true);
      setQuery(text);
      show(findHits(turns, text), 0);
    },
    step: (by: 1 | -1) => {
      if (hits.length === 0) return;
      const next = (index + by + hits.length) % hits.length;
      if (linked === undefined) show(hits, next);
      else linked.show(next);
    },
  };
}
