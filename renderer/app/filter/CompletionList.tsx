// biome-ignore-all lint/a11y/useFocusableInteractive: the box keeps the focus and names the option by aria-activedescendant
import { useEffect, useRef } from 'react';
import type { Offered } from './useCompletion.ts';

interface CompletionListProps {
  readonly id: string;
  readonly offered: Offered;
  /** -1: none. */
  readonly chosen: number;
  readonly onTake: (index: number) => void;
}

export function CompletionList({ id, offered, chosen, onTake }: CompletionListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`#${CSS.escape(`${id}-${chosen}`)}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, chosen]);
  return (
    <div className="completions" role="listbox" id={id} ref={list} aria-label="Completions">
      {offered.options.map((option, i) => (
        <div
          key={option.label}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === chosen}
          className={i === chosen ? 'completion is-chosen' : 'completion'}
          onMouseDown={(event) => {
            // The box would lose the focus, and with it the list.
            event.preventDefault();
            onTake(i);
          }}
        >
          <code>{option.label}</code>
          <span>{option.detail}</span>
        </div>
      ))}
      <p className="completion-keys">
        <kbd>↑</kbd> <kbd>↓</kbd> choose · <kbd>Tab</kbd> take · <kbd>Enter</kbd> apply
      </p>
    </div>
  );
}
