/**
 * Whether an answer and a ground truth are written the same. Ignores white space, `$…$`, `\boxed{…}`,
 * thousands commas, trailing zeros, and `\frac` of two numbers. No algebra: `2(x+1)` and `2x+2` differ, so
 * the result is marked `derived` wherever it is shown.
 */
import { lastBoxed } from './answer.ts';

export function isSameAnswer(answer: string, truth: string): boolean {
  if (answer === truth) return true;
  const a = normalised(answer);
  const b = normalised(truth);
  return a === b || isSameAmount(amountOf(a), amountOf(b));
}

/**
 * Whole numbers are compared exactly, others within a billionth of the larger one.
 *
 * @returns false if one of them is undefined
 */
export function isSameAmount(x: number | undefined, y: number | undefined): boolean {
  if (x === undefined || y === undefined) return false;
  if (Number.isInteger(x) && Number.isInteger(y)) return x === y;
  return Math.abs(x - y) <= 1e-9 * Math.max(Math.abs(x), Math.abs(y));
}

/** Answers with equal `plain`, or the same amount, are the same. Compares one answer with many without parsing it again. */
export function answerForm(text: string): { readonly plain: string; readonly amount: number | undefined } {
  const plain = normalised(text);
  return { plain, amount: amountOf(plain) };
}

const THOUSANDS = /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

function normalised(text: string): string {
  const plain = (lastBoxed(text) ?? text)
    .replace(/\\(?:text|mathrm|mbox)\{([^{}]*)\}/g, '$1')
    .replace(/\\[dtc]?frac\{([^{}]*)\}\{([^{}]*)\}/g, '$1/$2')
    .replace(/\\[dtc]?frac(\d)(\d)/g, '$1/$2')
    .replace(/\\(?:left|right|!|,|;|:|quad|qquad)(?![a-z])/g, '')
    .replace(/\^\{?\\circ\}?|\\?%|\\?\$/g, '')
    .replace(/\s+/g, '')
    .replace(/\.$/, '');
  return THOUSANDS.test(plain) ? plain.replaceAll(',', '') : plain;
}

/** A number, or a fraction of two. Undefined for whole numbers beyond a double's digits, which are compared as written. */
function amountOf(text: string): number | undefined {
  const [over, under, ...rest] = text.split('/');
  if (rest.length > 0 || over === undefined) return undefined;
  const value = numberIn(over);
  if (under === undefined || value === undefined) return value;
  const divisor = numberIn(under);
  return divisor === undefined || divisor === 0 ? undefined : finite(value / divisor);
}

function numberIn(text: string): number | undefined {
  if (/^[-+]?\d{16,}(?:\.\d*)?$/.test(text)) return undefined;
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text) ? finite(Number(text)) : undefined;
}

/** Within a billionth of infinity, all numbers are the same. */
const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);
