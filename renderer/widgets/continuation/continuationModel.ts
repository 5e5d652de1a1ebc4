/** The forms of continuations and of the value by turn as parameters, and the words of their results. */
import type { ContinuationRow, ParamsOf } from '../../../shared/api/contract.ts';
import type { ContinuationPosition } from '../../../shared/domain/continuation.ts';
import type { GradeWay } from '../../../shared/domain/grade.ts';
import type { OriginOf } from '../../../shared/domain/origin.ts';
import { endOfTurn } from '../../../shared/domain/valueByTurn.ts';
import { count } from '../../ui/numbers.ts';

/** Texts of the fields. */
export interface ContinuationForm {
  readonly edit: string;
  readonly n: string;
  readonly temperature: string;
  readonly topP: string;
  readonly maxTokens: string;
  /** One per line. */
  readonly stop: string;
  readonly seed: string;
  /** Empty: graded against the ground truth. */
  readonly pattern: string;
}

export const EMPTY_FORM: ContinuationForm = {
  edit: '',
  n: '4',
  temperature: '1',
  topP: '1',
  maxTokens: '4096',
  stop: '',
  seed: '1',
  pattern: '',
};

const FIELDS = [
  { name: 'n', label: 'Continuations', least: 1, most: 256, isWhole: true },
  { name: 'temperature', label: 'Temperature', least: 0, most: 2, isWhole: false },
  { name: 'topP', label: 'Top-p', least: 0.001, most: 1, isWhole: false },
  { name: 'maxTokens', label: 'Max tokens', least: 1, most: 200_000, isWhole: true },
  { name: 'seed', label: 'Seed', least: 0, most: 2_000_000_000, isWhole: true },
] as const;
export const NUMBER_FIELDS = FIELDS;

const MOST_STOPS = 4;

/** @returns the parameters, or what is wrong with a field, as a sentence */
export function paramsOfForm(
  rolloutId: number,
  position: ContinuationPosition,
  form: ContinuationForm,
): ParamsOf<'sampling.preview'> | string {
  const numbers = new Map<string, number>();
  for (const { name, label, least, most, isWhole } of FIELDS) {
    const text = form[name].trim();
    const value = Number(text);
    if (text === '' || !Number.isFinite(value) || value < least || value > most)
      return `${label} must be from ${least.toLocaleString('en')} to ${most.toLocaleString('en')}.`;
    if (isWhole && !Number.isInteger(value)) return `${label} must be a whole number.`;
    numbers.set(name, value);
  }
  const stop = form.stop.split('\n').filter((line) => line !== '');
  if (stop.length > MOST_STOPS) return `At most ${MOST_STOPS} texts can end a turn.`;
  if (form.pattern !== '' && !isPattern(form.pattern)) return 'The regular expression is invalid.';
  return {
    rolloutId,
    position,
    edit: form.edit,
    settings: {
      n: numbers.get('n'),
      temperature: numbers.get('temperature'),
      topP: numbers.get('topP'),
      maxTokens: numbers.get('maxTokens'),
      seed: numbers.get('seed'),
      stop,
    },
    ...(form.pattern === '' ? {} : { pattern: form.pattern }),
  };
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}

const WAYS: Readonly<Record<GradeWay, string>> = {
  exact: 'same text as the ground truth',
  numeric: 'compared as numbers',
  boxed: 'compared inside \\boxed{}',
  set: 'compared as sets',
  pattern: 'by the regular expression',
  none: 'no answer',
  stopped: 'the regular expression took too long',
};

export const gradeText = ({ isCorrect, gradedBy }: ContinuationRow): string =>
  gradedBy === undefined
    ? 'not graded'
    : `${isCorrect === undefined ? 'not graded' : isCorrect ? '✓ correct' : '✕ incorrect'}, ${WAYS[gradedBy]}`;

export function positionText(position: ContinuationPosition): string {
  switch (position.kind) {
    case 'turn':
      return `the ${position.at} of turn ${count(position.turn)}`;
    case 'token':
      return `token ${count(position.token)}`;
    case 'character':
      return `character ${count(position.at)}`;
  }
}

export const originText = ({ runKey, step, groupKey, ordinal }: OriginOf): string =>
  `rollout #${ordinal} of group ${groupKey}, step ${step}, run ${runKey}`;

/**
 * Lines in parts, because a request of a page has a longest length.
 * @param longest UTF-16 units of a part; a longer line is a part by itself
 */
export function partsOfLines(
  text: string,
  longest: number,
): readonly { readonly firstLine: number; readonly lines: string }[] {
  const parts: { readonly firstLine: number; readonly lines: string }[] = [];
  let [start, firstLine] = [0, 1];
  while (start < text.length) {
    const most = text.lastIndexOf('\n', start + longest - 1);
    const last = most < start ? text.indexOf('\n', start) : most;
    const end = start + longest >= text.length || last < 0 ? text.length : last + 1;
    const lines = text.slice(start, end);
    parts.push({ firstLine, lines });
    firstLine += lines.split('\n').length - 1;
    start = end;
  }
  return parts;
}

export function summaryOf(rows: readonly ContinuationRow[]): string {
  const known = rows.filter(({ isCorrect }) => isCorrect !== undefined);
  const correct = known.filter(({ isCorrect }) => isCorrect === true).length;
  const failed = rows.filter(({ failure }) => failure !== undefined).length;
  return [
    known.length === 0 ? `${rows.length - failed} sampled` : `${correct} of ${known.length} correct`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ].join(', ');
}

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

let lastKey = 0;

/** Names a request for continuations in `sampling.progress`. */
export function newProgressKey(): string {
  lastKey += 1;
  return `continuations-${lastKey}-${Math.random().toString(36).slice(2)}`;
}
