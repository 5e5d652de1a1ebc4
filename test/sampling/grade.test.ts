import { expect, test } from 'vitest';
import { withTimeLimit } from '../../electron/threads/timeLimit.ts';
import { type Grade, grade } from '../../shared/domain/grade.ts';

const matches = (pattern: string, text: string): boolean | undefined =>
  withTimeLimit(() => ({ holds: new RegExp(pattern, 'u').test(text) }), 200)?.holds;

test.each<[answer: string | undefined, truth: string, expected: Grade]>([
  ['blue', ' blue\n', { isCorrect: true, way: 'exact' }],
  ['Blue', 'blue', { isCorrect: false, way: 'exact' }],
  ['x + 1', 'x+1', { isCorrect: true, way: 'exact' }],
  ['0.50', '\\frac{1}{2}', { isCorrect: true, way: 'numeric' }],
  ['1,234', '1234.0', { isCorrect: true, way: 'numeric' }],
  ['The answer is \\boxed{42}.', '42', { isCorrect: true, way: 'numeric' }],
  ['blue', '42', { isCorrect: false, way: 'numeric' }],
  ['$\\boxed{x^2}$', 'x^2', { isCorrect: true, way: 'boxed' }],
  ['\\boxed{x^3}', 'x^2', { isCorrect: false, way: 'boxed' }],
  ['\\{2, 1\\}', '1, 2', { isCorrect: true, way: 'set' }],
  ['1, 2, 3', '\\{1, 2\\}', { isCorrect: false, way: 'set' }],
  ['(1, 2), (3, 4)', '\\{(3,4), (1,2)\\}', { isCorrect: true, way: 'set' }],
  ['one', '1, 2', { isCorrect: false, way: 'set' }],
  [undefined, '42', { isCorrect: false, way: 'none' }],
])('grades %j against %j', (answer, truth, expected) => {
  expect(grade(answer, truth, { matches })).toEqual(expected);
});

test('says nothing without a ground truth', () => {
  expect(grade('42', undefined, { matches })).toBeUndefined();
});

test('grades by a regular expression, and stops one that runs away', () => {
  expect(grade('about 42', '7', { pattern: '\\b4[0-9]\\b', matches })).toEqual({
    isCorrect: true,
    way: 'pattern',
  });
  expect(grade('about 7', '7', { pattern: '\\b4[0-9]\\b', matches })).toEqual({
    isCorrect: false,
    way: 'pattern',
  });
  expect(grade(`${'a'.repeat(40)}!`, '7', { pattern: '^(a+)+$', matches })).toEqual({ way: 'stopped' });
});
