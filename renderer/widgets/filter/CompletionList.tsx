// biome-ignore-all lint/a11y/useFocusableInteractive: the input keeps the focus and names the option by aria-activedescendant
import { useEffect, useRef } from 'react';
import type { FrequentValue } from '../../../shared/api/contract.ts';
import {
  type Completion,
  type CompletionOption,
  completionAt,
  valueText,
} from '../../../shared/domain/filter/complete.ts';
import { isMasked } from '../../../shared/domain/maskedText.ts';
import { meaningOf } from '../../../shared/domain/words.ts';
import { useRequest } from '../../data/useRequest.ts';
import { counted } from '../../ui/numbers.ts';

interface CompletionListProps {
  readonly id: string;
  readonly offered: Offered;
  /** -1: none. */
  readonly chosen: number;
  /** False beside another hint that names the keys. */
  readonly hasKeys: boolean;
  readonly onTake: (index: number) => void;
}

export function CompletionList({ id, offered, chosen, hasKeys, onTake }: CompletionListProps) {
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
            // A mousedown would take the focus from the box, which closes the list.
            event.preventDefault();
            onTake(i);
          }}
        >
          <code>{option.label}</code>
          <span>{option.detail}</span>
        </div>
      ))}
      {hasKeys && (
        <p className="completion-keys">
          <kbd>↑</kbd> <kbd>↓</kbd> choose · <kbd>Tab</kbd> take · <kbd>Enter</kbd> apply
        </p>
      )}
    </div>
  );
}

const MOST = 50;

export interface Offered {
  readonly start: number;
  readonly end: number;
  readonly options: readonly CompletionOption[];
}

export function useCompletion(
  text: string,
  caret: number | undefined,
  runId: number | undefined,
): Offered | undefined {
  const completion = caret === undefined ? undefined : completionAt(text, caret);
  const asks = completion?.asks;
  const values = useRequest(
    'filter.values',
    asks === undefined || runId === undefined
      ? undefined
      : { runId, field: asks.field, prefix: asks.prefix, limit: MOST },
    {
      // Show the values of the shorter prefix while those of a longer one are loading.
      keepPrevious: (previous) =>
        asks !== undefined &&
        previous !== undefined &&
        previous.runId === runId &&
        previous.field === asks.field &&
        asks.prefix.startsWith(previous.prefix ?? ''),
    },
  ).data?.values;
  if (completion === undefined) return undefined;
  const wanted = asks?.prefix.toLowerCase() ?? '';
  // The response may be for a shorter prefix. Put values that start with the whole word first, as its own response
  // would.
  const found = (values ?? [])
    // A masked value would match nothing.
    .filter(({ text }) => !isMasked(text))
    .map((value) => ({ value, at: placeOf(wanted, value) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => Number(a.at > 0) - Number(b.at > 0))
    .map(({ value }) => optionOf({ name: meaningOf(asks?.field ?? '', value.text), ...value }));
  const options = merged(found, completion.options);
  return options.length === 0 ? undefined : { ...rangeOf(completion), options: options.slice(0, MOST) };
}

/** Offset of the word in the value or in its name, whichever is smaller. -1: in neither. */
function placeOf(wanted: string, { text, name = text }: FrequentValue): number {
  const places = [text, name].map((each) => each.toLowerCase().indexOf(wanted)).filter((at) => at >= 0);
  return places.length === 0 ? -1 : Math.min(...places);
}

function optionOf({ text, name, rollouts }: FrequentValue): CompletionOption {
  const often = counted(rollouts, 'rollout');
  return { insert: valueText(text), label: text, detail: name === undefined ? often : `${name} · ${often}` };
}

/** Values from the run come first, since they have counts. Known values that the run lacks are kept. */
function merged(
  found: readonly CompletionOption[],
  known: readonly CompletionOption[],
): readonly CompletionOption[] {
  const labels = new Set(found.map(({ label }) => label));
  return [...found, ...known.filter(({ label }) => !labels.has(label))];
}

function rangeOf({ start, end }: Completion): { readonly start: number; readonly end: number } {
  return { start, end };
}
