/** Functions that search texts of a log with patterns, on runs of one sign: no two parts of a pattern may share a run. */
import { expect, it } from 'vitest';
import { extractAnswer } from '../../shared/domain/answer.ts';
import { assignedNames } from '../../shared/domain/assignedNames.ts';
import { delimitedCell } from '../../shared/domain/delimited.ts';
import { nameOf } from '../../shared/domain/detectors/testFiles.ts';
import { maskedText } from '../../shared/domain/maskedText.ts';
import { proposedMode } from '../../shared/domain/rerun.ts';
import { isSameAnswer } from '../../shared/domain/sameAnswer.ts';

const LONG = 50_000;
const [blanks, digits, slashes] = [' ', '7', '/'].map((sign) => sign.repeat(LONG)) as [
  string,
  string,
  string,
];

it.each<readonly [string, () => unknown]>([
  ['an answer', () => extractAnswer(`####${blanks}x`, [])],
  ['an answer of the policy', () => answerIn(`####${blanks}x`)],
  ['names', () => [`a${blanks}x`, `(a, b${blanks}x`, `import a${blanks}x`].map(assignedNames)],
  ['names on many lines', () => assignedNames('a,\n'.repeat(LONG))],
  ['a string that never ends', () => assignedNames(`"${'\\"'.repeat(LONG)}\\`)],
  ['a long string of code', () => assignedNames(`x = "${'y'.repeat(20_000_000)}"`)],
  ['calls', () => proposedMode([callOf(`a${blanks}x`), callOf(`for a${blanks}x`), callOf('print(a)')])],
  ['a cell', () => delimitedCell(`-${digits}x`)],
  ['answers', () => isSameAnswer(`${digits}x`, '7')],
  ['a path', () => nameOf(`a${slashes}x`)],
  ['colours', () => maskedText('\\x1b]'.repeat(LONG))],
])('%s: takes linear time', (_what, run) => {
  const before = process.cpuUsage();
  run();
  // Quadratic time would be several seconds.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_500);
});

function answerIn(text: string): string | undefined {
  const range = { start: 0, end: text.length };
  return extractAnswer(text, [{ kind: 'text', turn: 1, outer: range, inner: range }]);
}

function callOf(code: string) {
  return { tool: 'python', code, outcome: 'ok', ordinal: 0 } as never;
}

it.each([
  ['#### 72', '72'],
  ['#### $1,080.', '1080'],
  ['#### -$15', '-15'],
  ['#### - 5', '-5'],
])('%s is still read', (text, answer) => {
  expect(answerIn(text)).toBe(answer);
});
