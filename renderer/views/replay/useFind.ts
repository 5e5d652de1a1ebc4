import { useMemo, useRef, useState } from 'react';
import type { TurnView } from '../../data/segmentViews.ts';
import { findHits, type Hit } from './findModel.ts';

const NO_HITS: readonly Hit[] = [];

/** The search inside one rollout. `onHit` is told which hit to show. */
export function useFind(turns: readonly TurnView[], onHit: (hit: Hit) => void) {
  const [isOpen, setOpen] = useState(false);
  const [query, setQuery] = useState('');
  const [current, setCurrent] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const hits = useMemo(() => (isOpen ? findHits(turns, query) : NO_HITS), [isOpen, turns, query]);
  const index = Math.min(current, Math.max(0, hits.length - 1));

  const show = (list: readonly Hit[], at: number) => {
    setCurrent(at);
    const hit = list[at];
    if (hit !== undefined) onHit(hit);
  };
  return {
    isOpen,
    query,
    hits,
    index,
    currentHit: hits[index],
    field,
    open: () => {
      setOpen(true);
      field.current?.select();
      field.current?.focus();
    },
    close: () => setOpen(false),
    search: (text: string) => {
      setQuery(text);
      show(findHits(turns, text), 0);
    },
    step: (by: 1 | -1) => {
      if (hits.length > 0) show(hits, (index + by + hits.length) % hits.length);
    },
  };
}
