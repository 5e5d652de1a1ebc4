/**
 * Whether an answer and a ground truth are written the same. Ignores white space, `$…$`, `\boxed{…}`,
 * thousands commas, trailing zeros, and `\frac` of two numbers, also in a mixed number. No algebra: `2(x+1)` and
 * `2x+2` differ, so the result is marked `derived` wherever it is shown.
 */
import { lastBoxed } from './answer.ts';
import { rememberLast } from './rememberLast.ts';

export function isSameAnswer(answer: string, truth: string): boolean {
  if (answer === truth) return true;
  const a = answerForm(answer);
  const b = formOfTruth(truth);
  return a.plain === b.plain || isSameAmount(a.amount, b.amount);
}

/** A ground truth may be long, and all rollouts of a group are compared with the same one. */
const formOfTruth = rememberLast(answerForm);

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

interface AnswerForm {
  readonly plain: string;
  readonly amount: number | undefined;
}

/** Answers with equal `plain`, or the same amount, are the same. Compares one answer with many without parsing it again. */
export function answerForm(text: string): AnswerForm {
  const plain = normalised(text);
  return { plain, amount: amountOf(plain) };
}

const THOUSANDS = /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

const FRACTION = /\\[dtc]?frac(?:\{([^{}]*)\}\{([^{}]*)\}|(\d)(\d))/g;
/** `1 1/2`, in which the fraction is added. Blanks are matched one at a time, because runs of them take quadratic time. */
const MIXED = /^\s{0,9}([-+]?\d{1,15})\s{1,9}(\d{1,15})\/(\d{1,15})\s{0,9}$/;
/** Blanks looked at before and behind a fraction. */
const NEARBY = 9;

/** `a/b`, which is set apart from what it is multiplied with: `\frac{1}{2}3` is not one over 23. */
function fraction(match: string, ...parts: readonly unknown[]): string {
  const [a, b, c, d, at, whole] = parts as [string?, string?, string?, string?, number?, string?];
  const [over, under] = [a ?? c ?? '', b ?? d ?? ''];
  const [offset, text] = [at ?? 0, whole ?? ''];
  const before =
    text
      .slice(Math.max(0, offset - NEARBY), offset)
      .trimEnd()
      .at(-1) ?? '';
  const behind = text.slice(offset + match.length, offset + match.length + NEARBY);
  if (/\d/.test(before) && /^\d+$/.test(over) && /^\d+$/.test(under)) return ` ${over}/${under}`;
  const isFactor = /[\p{L}\d)}]/u.test(before) && /^\d/.test(over);
  return isFactor || /^(?:[\p{L}\d(]|\\(?:pi|sqrt|[dtc]?frac))/u.test(behind)
    ? `(${over}/${under})`
    : `${over}/${under}`;
}

function normalised(text: string): string {
  const plain = (lastBoxed(text) ?? text)
    .replace(/\\(?:text|mathrm|mbox)\{([^{}]*)\}/g, '$1')
    .replace(FRACTION, fraction)
    .replace(/\\(?:left|right|!|,|;|:|quad|qquad)(?![a-z])/g, '')
    .replace(/\^\{?\\circ\}?|\\?%|\\?\$/g, '')
    .replace(MIXED, '$1+$2/$3')
    .replace(/\s+/g, '')
    .replace(/\.$/, '');
  return THOUSANDS.test(plain) ? plain.replaceAll(',', '') : plain;
}

/** A number, a fraction of two, or a mixed number. Undefined for whole numbers beyond a double's digits, which are compared as written. */
function amountOf(text: string): number | undefined {
  const [, sign, whole, part = ''] = /^([-+]?)(\d{1,15})\+(\d+\/\d+)$/.exec(text) ?? [];
  if (whole !== undefined) {
    const rest = amountOf(part);
    return rest === undefined ? undefined : (sign === '-' ? -1 : 1) * (Number(whole) + rest);
  }
  const [over, under, ...rest] = text.split('/');
  if (rest.length > 0 || over === undefined) return undefined;
  const value = numberIn(over);
  if (under === undefined || value === undefined) return value;
  const divisor = numberIn(under);
  return divisor === undefined || divisor === 0 ? undefined : finite(value / divisor);
}

function numberIn(text: string): number | undefined {
  if (/^[-+]?\d{16,}(?:\.\d*)?$/.test(text)) return undefined;
  if (!/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(text)) return undefined;
  const value = finite(Number(text));
  // Digits that a double has no room for are compared as written.
  return value === 0 && /^[-+]?[\d.]*[1-9]/.test(text) ? undefined : value;
}

/** Within a billionth of infinity, all numbers are the same. */
const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);
