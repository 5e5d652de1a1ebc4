import { ChevronDown, ChevronUp, Search, X } from 'lucide-react';
import { type Ref, useRef } from 'react';
import { keyOf } from '../../shell/keys/keysInForce.ts';
import { IconButton } from '../../ui/Controls.tsx';
import { count } from '../../ui/numbers.ts';
import { useFocusReturn } from '../../ui/useAutoFocus.ts';
import { MAX_HITS } from './text/findModel.ts';

interface FindBarProps {
  readonly query: string;
  readonly hits: number;
  /** Index of the current hit, from 0. */
  readonly current: number;
  /** Shown instead of the number of hits. */
  readonly note: string | undefined;
  /** The query comes from the search over all rollouts. Closing the bar returns there. */
  readonly isLinked: boolean;
  readonly field: Ref<HTMLInputElement>;
  readonly onQuery: (query: string) => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onClose: () => void;
}

export function FindBar(props: FindBarProps) {
  const bar = useRef<HTMLElement>(null);
  useFocusReturn(bar);
  const { query, hits, current, note, isLinked, field, onQuery, onStep, onClose } = props;
  const name = isLinked ? 'Search in this rollout' : 'Find in this rollout';
  const total = hits >= MAX_HITS ? `at least ${count(MAX_HITS)}` : count(hits);
  return (
    <search ref={bar} className="find-bar">
      <div className="search-field">
        <Search size={13} />
        <input
          ref={field}
          // The user opened the bar in order to type.
          // biome-ignore lint/a11y/noAutofocus: see above
          autoFocus={!isLinked}
          placeholder={name}
          aria-label={name}
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
          <span className={hits === 0 && note === undefined ? 'is-wrong' : 'dim'}>
            {note ?? (hits === 0 ? 'no hits' : `${count(current + 1)} of ${total}`)}
          </span>
        )}
      </div>
      <IconButton
        label="Previous hit"
        keys={keyOf('hit.previous')}
        disabled={hits === 0}
        onClick={() => onStep(-1)}
      >
        <ChevronUp size={15} />
      </IconButton>
      <IconButton label="Next hit" keys={keyOf('hit.next')} disabled={hits === 0} onClick={() => onStep(1)}>
        <ChevronDown size={15} />
      </IconButton>
      <IconButton
        label={isLinked ? 'Back to the search hits' : 'Close'}
        keys={keyOf('place.up')}
        onClick={onClose}
      >
        <X size={15} />
      </IconButton>
    </search>
  );
}
