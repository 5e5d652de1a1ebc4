/** Grades a final answer against a ground truth. The result names the way that decided. */
import { lastBoxed } from './answer.ts';
import { answerForm, isSameAmount, isSameAnswer } from './sameAnswer.ts';

/** `none`: there is no answer. `stopped`: the regular expression took too long, so nothing is known. */
export const GRADE_WAYS = ['exact', 'numeric', 'boxed', 'set', 'pattern', 'none', 'stopped'] as const;
export type GradeWay = (typeof GRADE_WAYS)[number];

export interface Grade {
  /** Absent: unknown. */
  readonly isCorrect?: boolean;
  readonly way: GradeWay;
}

export interface GradeRule {
  /** A regular expression that a correct answer matches. Absent: by the ground truth. */
  readonly pattern?: string | undefined;
  /** Stops a regular expression that runs away. @returns undefined if it was stopped */
  readonly matches: (pattern: string, text: string) => boolean | undefined;
}

/** @returns undefined if the ground truth is unknown and there is no pattern */
export function grade(
  answer: string | undefined,
  truth: string | undefined,
  { pattern, matches }: GradeRule,
): Grade | undefined {
  if (pattern !== undefined) {
    if (answer === undefined) return { isCorrect: false, way: 'none' };
    const isCorrect = matches(pattern, answer);
    return isCorrect === undefined ? { way: 'stopped' } : { isCorrect, way: 'pattern' };
  }
  if (truth === undefined) return undefined;
  if (answer === undefined) return { isCorrect: false, way: 'none' };
  if (answer.trim() === truth.trim()) return { isCorrect: true, way: 'exact' };
  const [given, wanted] = [answerForm(answer), answerForm(truth)];
  if (wanted.amount !== undefined)
    return { isCorrect: isSameAmount(given.amount, wanted.amount), way: 'numeric' };
  const [some, all] = [elementsOf(answer), elementsOf(truth)];
  if (all !== undefined) return { isCorrect: some !== undefined && isSameSet(some, all), way: 'set' };
  const isBoxed = lastBoxed(answer) !== undefined || lastBoxed(truth) !== undefined;
  return { isCorrect: isSameAnswer(answer, truth), way: isBoxed ? 'boxed' : 'exact' };
}

const BRACES = /^\\?[{]([\s\S]*?)\\?[}]$/;

/** Elements of `\{1, 2\}`, `{1,2}` or `1, 2`. Undefined: not a set. Commas in brackets do not separate. */
function elementsOf(text: string): readonly string[] | undefined {
  const boxed = (lastBoxed(text) ?? text)
    .trim()
    .replaceAll(/^\$|\$$/g, '')
    .trim();
  const body = BRACES.exec(boxed)?.[1];
  const elements: string[] = [];
  let [depth, from] = [0, 0];
  const list = body ?? boxed;
  for (let i = 0; i <= list.length; i++) {
    const c = list[i];
    if (c === '(' || c === '[' || c === '{') depth += 1;
    else if (c === ')' || c === ']' || c === '}') depth -= 1;
    else if (c === undefined || ((c === ',' || c === ';') && depth === 0)) {
      elements.push(list.slice(from, i).trim());
      from = i + 1;
    }
  }
  if (elements.some((element) => element === '')) return undefined;
  return body !== undefined || elements.length > 1 ? elements : undefined;
}

/** Keys of elements: equal amounts are equal, however they are written. */
const keysOf = (elements: readonly string[]): ReadonlySet<string> =>
  new Set(
    elements.map((element) => {
      const { plain, amount } = answerForm(element);
      return amount === undefined ? plain : String(amount);
    }),
  );

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  const [a, b] = [keysOf(some), keysOf(others)];
  return a.size === b.size && [...a].every((key) => b.has(key));
}
