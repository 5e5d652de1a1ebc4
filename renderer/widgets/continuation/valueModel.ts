/** The form of a value by turn as parameters. */
import type { ParamsOf } from '../../../shared/api/contract.ts';
import { endOfTurn } from '../../../shared/domain/valueByTurn.ts';
import { type ContinuationForm, EMPTY_FORM, paramsOfForm } from './continuationModel.ts';

export interface ValueForm extends ContinuationForm {
  /** Sampled tokens in all. */
  readonly budget: string;
}

export const EMPTY_VALUE_FORM: ValueForm = { ...EMPTY_FORM, n: '32', budget: '200000' };
const MOST_TOKENS = 100_000_000;

interface ValueRequest {
  readonly value: ParamsOf<'sampling.value'>;
  /** For the preview: the first request. */
  readonly first: ParamsOf<'sampling.preview'>;
}

/** @returns the parameters, or what is wrong with a field, as a sentence */
export function valueParamsOfForm(rolloutId: number, form: ValueForm): ValueRequest | string {
  const first = paramsOfForm(rolloutId, endOfTurn(0), form);
  if (typeof first === 'string') return first.replace('Continuations must', 'Most per turn must');
  const budget = Number(form.budget.trim());
  if (!Number.isInteger(budget) || budget < 1 || budget > MOST_TOKENS)
    return `Token budget must be a whole number from 1 to ${MOST_TOKENS.toLocaleString('en')}.`;
  if (budget < Number(form.maxTokens)) return 'Token budget must be at least max tokens.';
  const { settings, pattern } = first;
  return { first, value: { rolloutId, budget, settings, ...(pattern === undefined ? {} : { pattern }) } };
}
