/** The head of a failure pack marks verdicts that Turnwise derived. */
import { expect, it } from 'vitest';
import { derivedVerdicts, type PackSummary } from '../../electron/export/pack/summary.ts';

const summaryOf = (derived: number): PackSummary => ({
  ...{ cases: 4, annotations: 4, siblings: 0, readings: 0, labels: [], runs: [] },
  ...{ byClass: { correct: 1, incorrect: 2, unknown: 1 }, byKept: { kept: 0, discarded: 0, unknown: 4 } },
  derived,
});

it.each([
  [0, ''],
  [2, ' (2 derived)'],
  [3, ' (derived)'],
])('%i of three', (derived, text) => {
  expect(derivedVerdicts(summaryOf(derived))).toBe(text);
});
