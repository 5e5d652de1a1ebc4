/**
 * Scores of a rollout by scorer, as the log has them: a number, a grade such as C or I, or a boolean. A dictionary is
 * one score per key, named `scorer.key`. Parts of a reward, such as those of a rubric, are scores, too.
 */

import { quoted, unquoted } from './filter/lexer.ts';
import { wordTest } from './filter/wordTest.ts';
import { tryParseJson } from './parseJson.ts';

export type ScoreValue = number | string | boolean;
export type Scores = Readonly<Record<string, ScoreValue>>;

/** Each score may be a column. More scores, and longer names and words, are in the extra fields only. */
const MOST_SCORES = 100;
const LONGEST_SCORE = 200;

/** @returns undefined if no entry has a value that a score can have */
export function scoresOf(entries: readonly (readonly [name: string, value: unknown])[]): Scores | undefined {
  const scores = entries.filter(
    (entry): entry is readonly [string, ScoreValue] =>
      isScoreValue(entry[1]) && Math.max(entry[0].length, String(entry[1]).length) <= LONGEST_SCORE,
  );
  return scores.length === 0 ? undefined : Object.fromEntries(scores.slice(0, MOST_SCORES));
}

/**
 * `CORRECT`, `INCORRECT`, `PARTIAL`, `NOANSWER` of `inspect_ai.scorer`, with the numbers of its
 * `value_to_float`.
 */
export const GRADES: Readonly<Record<string, number>> = { C: 1, I: 0, P: 0.5, N: 0 };

/**
 * The grade that a reward was translated from.
 * @returns undefined if the reward was logged: no grade is worth as much, or a number among the scores is
 */
export function gradeOfReward(scores: Scores, reward: number | undefined): string | undefined {
  const values = Object.values(scores);
  if (reward === undefined || values.includes(reward)) return undefined;
  return values.find(
    (value): value is string =>
      typeof value === 'string' && Object.hasOwn(GRADES, value) && GRADES[value] === reward,
  );
}

/** @returns no scores if the stored text is not JSON of scores, since a library may be damaged */
export function parseScores(json: string | undefined): Scores {
  if (json === undefined) return {};
  const stored = tryParseJson(json);
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored).filter((entry): entry is [string, ScoreValue] => isScoreValue(entry[1])),
  );
}

function isScoreValue(value: unknown): value is ScoreValue {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** Sorts grades among numbers; false is 0 and true is 1. Other words come last, in UTF-16 order. */
export function compareScores(a: ScoreValue, b: ScoreValue): number {
  const [left, right] = [scoreRank(a), scoreRank(b)];
  if (left !== undefined && right !== undefined) return left - right;
  if (left !== undefined || right !== undefined) return left === undefined ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @returns undefined for a word that is not a grade */
export function scoreRank(value: ScoreValue): number | undefined {
  if (typeof value !== 'string') return Number(value);
  return Object.hasOwn(GRADES, value) ? GRADES[value] : undefined;
}

const SIGNS = ['>=', '<=', '>', '<', '='] as const;
type Sign = (typeof SIGNS)[number];

/**
 * A condition of the filter language: `match=C`, `style>=0.5`, or `match`, which holds for any value. A name with a sign
 * is in quotes, as in `"acc>=0.5"=1`.
 */
export type ScoreCondition = { readonly name: string } & (
  | { readonly sign?: never; readonly value?: never }
  | { readonly sign: '='; readonly value: string }
  | { readonly sign: Exclude<Sign, '='>; readonly value: number }
);

/** @returns undefined if the name is missing, or if a value must be a number and is not */
export function parseScoreCondition(text: string): ScoreCondition | undefined {
  const [written = ''] = /^"(?:[^"\\]|\\.)*"|^[^<>=]*/.exec(text) ?? [];
  const name = written.startsWith('"') ? unquoted(written.slice(1, -1)) : written;
  if (name === '') return undefined;
  const rest = text.slice(written.length);
  if (rest === '') return { name };
  const sign = SIGNS.find((each) => rest.startsWith(each));
  if (sign === undefined) return undefined;
  const value = rest.slice(sign.length);
  if (sign === '=') return { name, sign, value };
  const number = Number(value);
  return value !== '' && Number.isFinite(number) ? { name, sign, value: number } : undefined;
}

/** The text of a condition that a score has this value, or any value. */
export function scoreConditionText(name: string, value?: ScoreValue): string {
  const written = /[<>="]/.test(name) ? quoted(name) : name;
  return value === undefined ? written : `${written}=${value}`;
}

/** Tests the stored JSON of a rollout's scores. Names are compared exactly, words without case. */
export function scoreTest(node: {
  readonly text: string;
  readonly isPattern: boolean;
}): (json: string) => boolean {
  const condition = parseScoreCondition(node.text);
  if (condition === undefined) return () => false;
  const holds = valueTest(condition, node.isPattern);
  return (json) => {
    const scores = parseScores(json);
    const value = Object.hasOwn(scores, condition.name) ? scores[condition.name] : undefined;
    return value !== undefined && holds(value);
  };
}

/** The number that a condition compares with. NaN if the text is empty or not a number. */
export function numberOfWord(word: string): number {
  return word.trim() === '' ? Number.NaN : Number(word);
}

function valueTest(condition: ScoreCondition, isPattern: boolean): (value: ScoreValue) => boolean {
  const { sign } = condition;
  if (sign === undefined) return () => true;
  if (sign === '=') {
    const { value: wanted } = condition;
    const isWord = wordTest({ text: wanted, isPattern });
    const number = numberOfWord(wanted);
    return (value) => (typeof value === 'number' ? value === number : isWord(String(value)));
  }
  const bound = condition.value;
  return (value) => {
    if (typeof value !== 'number') return false;
    switch (sign) {
      case '>':
        return value > bound;
      case '>=':
        return value >= bound;
      case '<':
        return value < bound;
      default:
        return value <= bound;
    }
  };
}
