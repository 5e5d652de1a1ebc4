/** What can stand at the caret: of the language, and of the values of the run. */

import type { FrequentValue } from '../../../shared/api/contract.ts';
import {
  type Completion,
  type CompletionOption,
  completionAt,
  valueText,
} from '../../../shared/domain/filter/complete.ts';
import { useRequest } from '../../data/useRequest.ts';
import { counted } from '../../ui/numbers.ts';

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
    { keepPrevious: true },
  ).data?.values;
  if (completion === undefined) return undefined;
  const found = asks === undefined ? [] : (values ?? []).map(optionOf);
  const options = merged(found, completion.options);
  return options.length === 0 ? undefined : { ...rangeOf(completion), options: options.slice(0, MOST) };
}

function optionOf({ text, name, rollouts }: FrequentValue): CompletionOption {
  const often = counted(rollouts, 'rollout');
  return { insert: valueText(text), label: text, detail: name === undefined ? often : `${name} · ${often}` };
}

/** Values that the run has say how often; those it has not stay on offer. */
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
