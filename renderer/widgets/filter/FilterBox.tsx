/**
 * The filter box of lists and charts. Input is applied after a pause, or at Enter, if it can be parsed. Until then the
 * list does not change, and the box shows the position of the error.
 */
import { Search, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { nameAt, namesField } from '../../../shared/domain/filter/complete.ts';
import type { FilterFault } from '../../../shared/domain/filter/node.ts';
import { readFilter } from '../../../shared/domain/filter/parse.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { useDebouncedValue } from '../../data/useDebouncedValue.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyOf } from '../../shell/keys/keysInForce.ts';
import { IconButton } from '../../ui/Controls.tsx';
import { leaveField } from '../../ui/useAutoFocus.ts';
import { CompletionList, type Offered, useCompletion } from './CompletionList.tsx';
import { FilterMenu } from './FilterMenu.tsx';
import './filter.css';

/** Debounce delay, long enough to finish a word. */
const REST_MS = 400;

interface FilterBoxProps {
  /** Run whose values are offered as completions, and which copied filters include. */
  readonly runId: number | undefined;
  readonly runKey: string | undefined;
  /** The filtered items: `rollouts`, `groups`, `charts`. */
  readonly what: string;
  readonly verb?: 'Filter' | 'Search';
  /** Further conditions of the list, such as a step or switches. Copied filters include them. */
  readonly within?: string;
}

export function FilterBox({ runId, runKey, what, verb = 'Filter', within = '' }: FilterBoxProps) {
  const link = useFilterLink();
  const [, setQuery] = useUrlQuery();
  const [text, setText] = useState(link.text);
  const [caret, setCaret] = useState<number>();
  // Stored by label, since the options can change when the run's values arrive.
  const [chosenLabel, setChosenLabel] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const listId = useId();
  const settled = useDebouncedValue(text, REST_MS);
  const offered = useCompletion(text, caret, runId);
  const chosen = offered?.options.findIndex(({ label }) => label === chosenLabel) ?? -1;
  useCommands({ 'search.focus': () => field.current?.focus() });

  // The filter was changed by a link, a chip or browser navigation.
  const written = useRef(link.text);
  useEffect(() => {
    if (link.text === written.current) return;
    written.current = link.text;
    setText(link.text);
  }, [link.text]);

  const apply = (next: string) => {
    if (!readFilter(next).ok || next === written.current) return;
    written.current = next;
    setQuery({ q: next.trim() === '' ? undefined : next });
  };
  const applied = useRef(apply);
  applied.current = apply;
  // A word that may become a field name is not searched for until it is finished.
  const isNaming = namesField(text, caret ?? text.length);
  useEffect(() => {
    if (!isNaming) applied.current(settled);
  }, [settled, isNaming]);

  const type = (next: string, at: number | null) => {
    setText(next);
    setCaret(at ?? next.length);
    setChosenLabel(undefined);
  };
  const take = (list: Offered, index: number) => {
    const option = list.options[index];
    if (option === undefined) return;
    const next = text.slice(0, list.start) + option.insert + text.slice(list.end);
    const at = list.start + option.insert.length;
    type(next, at);
    requestAnimationFrame(() => field.current?.setSelectionRange(at, at));
  };
  /** Tab completes an unfinished word. Otherwise it moves the focus, as usual. */
  const takes = ({ key, shiftKey }: KeyboardEvent, { start, end, options }: Offered): boolean => {
    if (shiftKey || (key !== 'Tab' && key !== 'Enter')) return false;
    if (chosen >= 0) return true;
    const begun = text.slice(start, end);
    return key === 'Tab' && begun !== '' && begun !== options[0]?.insert;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { key } = event;
    if (offered !== undefined && (key === 'ArrowDown' || key === 'ArrowUp')) {
      event.preventDefault();
      const { options } = offered;
      const next = key === 'ArrowDown' ? Math.min(options.length - 1, chosen + 1) : chosen - 1;
      setChosenLabel(options[next]?.label);
    } else if (offered !== undefined && takes(event, offered)) {
      event.preventDefault();
      take(offered, Math.max(0, chosen));
    } else if (key === 'Enter') {
      event.preventDefault();
      apply(text);
      if (readFilter(text).ok) leaveField(event.currentTarget);
    } else if (key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      if (caret !== undefined && offered !== undefined && chosen >= 0) setChosenLabel(undefined);
      else if (text !== link.text) setText(link.text);
      else leaveField(event.currentTarget);
    }
  };
  const read = readFilter(text);
  // Do not report an error at a word that is still being typed.
  const waits = isNaming && text !== link.text ? nameAt(text, caret ?? text.length) : undefined;
  const fault = read.ok || (caret !== undefined && text !== settled) ? undefined : read.fault;
  return (
    <div className="filter-box">
      <div className={fault === undefined ? 'search-field' : 'search-field is-faulty'}>
        <Search size={13} />
        <input
          ref={field}
          role="combobox"
          spellCheck={false}
          autoComplete="off"
          placeholder={`${verb} ${what}: words, "a phrase", field:value   ${keyOf('search.focus') ?? ''}`}
          aria-label={`${verb} ${what}`}
          aria-expanded={offered !== undefined}
          aria-controls={listId}
          aria-activedescendant={chosen >= 0 ? `${listId}-${chosen}` : undefined}
          aria-invalid={fault !== undefined}
          value={text}
          onChange={(event) => type(event.target.value, event.target.selectionStart)}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? undefined)}
          onBlur={() => {
            setCaret(undefined);
            setChosenLabel(undefined);
            if (!isNaming) apply(text);
          }}
          onKeyDown={onKeyDown}
        />
        {text !== '' && (
          <IconButton
            label={verb === 'Filter' ? 'Clear the filter' : 'Clear the search'}
            onClick={() => {
              setText('');
              apply('');
              field.current?.focus();
            }}
          >
            <X size={13} />
          </IconButton>
        )}
        <FilterMenu
          runId={runId}
          runKey={runKey}
          filter={link.applied}
          within={within}
          onChoose={(next) => {
            setText(next);
            apply(next);
          }}
        />
      </div>
      <div className="filter-below">
        {fault !== undefined && <FilterFaultLine text={text} fault={fault} />}
        {waits !== undefined && (
          <p className="filter-waits" role="status">
            <kbd>Tab</kbd> completes a field name; <kbd>Enter</kbd> searches the texts for{' '}
            <code>{waits}</code>
          </p>
        )}
        {caret !== undefined && offered !== undefined && (
          <CompletionList
            id={listId}
            offered={offered}
            chosen={chosen}
            hasKeys={waits === undefined}
            onTake={(index) => take(offered, index)}
          />
        )}
      </div>
    </div>
  );
}

/** Characters of the marked part, so that the message stays visible. */
const LONGEST = 80;

/** The part that cannot be parsed, with its context and the error message. */
function FilterFaultLine({ text, fault }: { readonly text: string; readonly fault: FilterFault }) {
  const start = wholeAt(text, Math.max(0, fault.start - 24));
  const end = wholeAt(text, Math.min(text.length, fault.end + 24));
  const wrong = text.slice(fault.start, wholeAt(text, Math.min(fault.end, fault.start + LONGEST)));
  const isCut = fault.end > fault.start + LONGEST;
  return (
    <p className="filter-fault" role="alert">
      <code>
        {start > 0 && '…'}
        {text.slice(start, fault.start)}
        <mark>{wrong === '' ? '⌄' : wrong}</mark>
        {!isCut && text.slice(fault.end, end)}
        {(isCut || end < text.length) && '…'}
      </code>{' '}
      {fault.message}. The list is unchanged.
    </p>
  );
}

/** Moves an offset inside a surrogate pair to the start of the pair. */
function wholeAt(text: string, offset: number): number {
  const isInsidePair = (text.codePointAt(offset - 1) ?? 0) > 0xffff;
  return isInsidePair ? offset - 1 : offset;
}
