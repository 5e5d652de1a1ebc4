/** Formulas as plain signs keep their meaning. */
import { expect, it } from 'vitest';
import { plainAnswer, withoutLatex } from '../../shared/domain/latexSigns.ts';

it.each([
  ['\\frac{25}{6}', '25/6'],
  ['\\frac{a+b}{2}', '(a+b)/2'],
  ['2\\frac{1}{2}', '2 1/2'],
  ['\\frac{1}{2}x', '(1/2)x'],
  ['x\\frac{1}{2}', 'x(1/2)'],
  ['x^{\\frac{1}{2}}', 'x^(1/2)'],
  ['\\frac12', '1/2'],
  ['\\dfrac{\\pi}{4}', 'π/4'],
  ['\\frac{\\sqrt{3}}{2}', '(√3)/2'],
  ['\\sqrt{37 - 20\\sqrt{3}}', '√(37 - 20√3)'],
  ['(2\\sqrt{2}, \\frac{5\\pi}{4})', '(2√2, 5π/4)'],
  ['x_{n+1}', 'x_(n+1)'],
  ['90^\\circ', '90°'],
  ['20\\%', '20%'],
  ['432\\ Park', '432 Park'],
  ['\\{1, 2\\}', '{1, 2}'],
  ['\\text{east}', 'east'],
  ['$\\frac{3}{4}$', '3/4'],
  ['\\(\\frac{333}{1997}\\)', '333/1997'],
  ['\\[\\sqrt{2}\\]', '√2'],
  ['\\left( \\frac{1}{2}, 3 \\right)', '( 1/2, 3 )'],
  // As logged: cut off, unknown, or no formula.
  ['\\dfrac{83', '\\dfrac{83'],
  ['\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}', '\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}'],
  ['\\unknown{3}', '\\unknown{3}'],
  ['{"a": 1}', '{"a": 1}'],
  ['C:\\new\\dir', 'C:\\new\\dir'],
  ['42.195', '42.195'],
])('%s is %s', (answer, plain) => {
  expect(plainAnswer(answer)).toBe(plain);
});

it.each([
  ['Prove that $\\sqrt{2+\\sqrt{3}} \\leq |v+w|$.', 'Prove that √(2+√3) ≤ |v+w|.'],
  ['Let $x_{n+1} = 2x_n + \\sqrt{3x_n^2 - 2}$', 'Let x_(n+1) = 2x_n + √(3x_n^2 - 2)'],
  ['Find $\\frac{a-b}{c}$ of \\{1, 2\\} for $\\frac{1', 'Find (a-b)/c of {1, 2} for frac1'],
  ['Let $ a$, $ b$ and $ x^2 $ be real.', 'Let a, b and x^2  be real.'],
  ['It costs $ 5 and $ 7, or $ about 9.', 'It costs $ 5 and $ 7, or $ about 9.'],
  [
    '\\left\\{ \\begin{array}{cl} x, &\\text{if } x>4, \\\\ 3 & \\text{else} \\end{array} \\right. Find',
    '{   x, if  x>4,  3 else    Find',
  ],
])('in a question: %s', (question, plain) => {
  expect(withoutLatex(question)).toBe(plain);
});

it('takes linear time', () => {
  for (const text of ['\\frac{', '\\sqrt{', '^{', '{}', '\\frac{1}{', '$a', '$ a', '$ a=', '\\begin{a}&'])
    expect(withoutLatex(text.repeat(20_000)).length).toBeGreaterThanOrEqual(0);
});
