import { ChevronDown, ChevronUp, Search, X } from 'lucide-react';
import type { Ref } from 'react';
import { IconButton } from '../../ui/Controls.tsx';
import { count } from '../../ui/numbers.ts';
import { MAX_HITS } from './findModel.ts';

interface FindBarProps {
  readonly query: string;
  readonly hits: number;
  /** From 0. */
  readonly current: number;
  readonly field: Ref<HTMLInputElement>;
  readonly onQuery: (query: string) => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onClose: () => void;
}

export function FindBar({ query, hits, current, field, onQuery, onStep, onClose }: FindBarProps) {
  const total = hits >= MAX_HITS ? `at least ${count(MAX_HITS)}` : count(hits);
  return (
    <search className="find-bar">
      <div className="search-field">
        <Search size={13} />
        <input
          ref={field}
          // The bar appears because one wants to type into it.
          // biome-ignore lint/a11y/noAutofocus: see above
          autoFocus
          placeholder="Find in this rollout"
          aria-label="Find in this rollout"
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
            else if (event.key === 'Escape') onClose();
            else return;
            event.preventDefault();
          }}
        />
        {query !== '' && (
          <span className={hits === 0 ? 'is-wrong' : 'dim'}>
            {hits === 0 ? 'no hit' : `${count(current + 1)} of ${total}`}
          </span>
        )}
      </div>
      <IconButton label="Previous hit" keys="N" disabled={hits === 0} onClick={() => onStep(-1)}>
        <ChevronUp size={15} />
      </IconButton>
      <IconButton label="Next hit" keys="n" disabled={hits === 0} onClick={() => onStep(1)}>
        <ChevronDown size={15} />
      </IconButton>
      <IconButton label="Close" keys="Esc" onClick={onClose}>
        <X size={15} />
      </IconButton>
    </search>
  );
}
