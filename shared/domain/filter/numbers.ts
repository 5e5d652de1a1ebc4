/** Number bounds in their text form: `0`, `>2`, `>=8k`, `40..60`, `40..`, `..60`. */
import type { Bound } from './node.ts';

export interface Bounds {
  readonly from?: Bound;
  readonly to?: Bound;
}

const NUMBER = '-?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?[kKmM]?';
const COMPARISON = new RegExp(`^(>=|<=|>|<|=|≥|≤)?(${NUMBER})$`);
const RANGE = new RegExp(`^(${NUMBER})?\\.\\.(${NUMBER})?$`);

/** @returns undefined if it is not a number; a message if the bounds are contradictory */
export function readBounds(text: string): Bounds | { readonly message: string } | undefined {
  const range = RANGE.exec(rangeSpaced(text));
  if (range !== null) {
    const [, low, high] = range;
    if (low === undefined && high === undefined) return undefined;
    const from = low === undefined ? {} : { from: { value: numberIn(low), isExclusive: false } };
    const to = high === undefined ? {} : { to: { value: numberIn(high), isExclusive: false } };
    if (low !== undefined && high !== undefined && numberIn(low) > numberIn(high))
      return { message: `the range from ${low} to ${high} is empty; put the lower bound first` };
    return { ...from, ...to };
  }
  const match = COMPARISON.exec(text);
  if (match === null) return undefined;
  const [, sign = '=', number = ''] = match;
  const value = numberIn(number);
  switch (sign) {
    case '>':
      return { from: { value, isExclusive: true } };
    case '>=':
    case '≥':
      return { from: { value, isExclusive: false } };
    case '<':
      return { to: { value, isExclusive: true } };
    case '<=':
    case '≤':
      return { to: { value, isExclusive: false } };
    default:
      return { from: { value, isExclusive: false }, to: { value, isExclusive: false } };
  }
}

/** Rejects `1...5`: a pattern would parse it as `1.` to `.5`, but people mistype it. */
function rangeSpaced(text: string): string {
  return text.includes('...') ? '' : text;
}

const FACTORS: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, m: 1e6, M: 1e6 };

function numberIn(text: string): number {
  const factor = FACTORS[text.at(-1) ?? ''];
  return factor === undefined ? Number(text) : Number(text.slice(0, -1)) * factor;
}

/** The inverse of `readBounds`. */
export function boundsText({ from, to }: Bounds): string {
  if (from !== undefined && to !== undefined) {
    if (from.value === to.value && !from.isExclusive && !to.isExclusive) return numberText(from.value);
    return `${numberText(from.value)}..${numberText(to.value)}`;
  }
  if (from !== undefined) return `${from.isExclusive ? '>' : '>='}${numberText(from.value)}`;
  if (to !== undefined) return `${to.isExclusive ? '<' : '<='}${numberText(to.value)}`;
  throw new Error('a range needs at least one bound');
}

function numberText(value: number): string {
  return Object.is(value, -0) ? '0' : String(value);
}
