/** Equal problems normalize to equal questions; different ones do not. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { normalisedQuestion } from '../../shared/domain/question.ts';

const QUESTION = 'What is 6·7, if é is a letter?';

it.each([
  ['as it is', QUESTION],
  ['wrapped and indented', `  What is 6·7,\n   if é is\ta letter?\n`],
  ['decomposed', QUESTION.normalize('NFD')],
  ['asked to think', `${QUESTION} Please think step by step.`],
  [
    'asked to reason and box',
    `${QUESTION}\nLet's reason step by step, and put your final answer within \\boxed{}.`,
  ],
  ['asked to box', `${QUESTION} Put your final answer within \\boxed{}.`],
  [
    'behind a template',
    `You must put your answer inside <answer> </answer> tags, i.e., <answer> answer here </answer>. This is the problem: ${QUESTION}`,
  ],
])('%s', (_how, asked) => {
  expect(normalisedQuestion(asked)).toBe(normalisedQuestion(QUESTION));
});

it.each(['What is 6·8, if é is a letter?', 'Think step by step: what is 6·7?', ''])(
  '%j is a different question',
  (asked) => {
    expect(normalisedQuestion(asked)).not.toBe(normalisedQuestion(QUESTION));
  },
);

it('has no redundant white space', () => {
  const part = fc.constantFrom(
    ' ',
    '\n',
    'think step by step.',
    'Please ',
    'x',
    'put your final answer within \\boxed{}',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(part, fc.string())), (parts) => {
      const once = normalisedQuestion(parts.join(''));
      expect(once).toBe(once.trim());
      expect(once).not.toMatch(/\s\s/);
    }),
    { seed: 1, numRuns: 500 },
  );
});

it('takes linear time', () => {
  // Patterns that retry at every space of a run would need minutes for these.
  for (const asked of [
    ' '.repeat(300_000),
    `${'\n '.repeat(100_000)}x`,
    'please '.repeat(50_000),
    'think '.repeat(50_000),
  ]) {
    expect(normalisedQuestion(asked).length).toBeLessThanOrEqual(asked.length);
  }
});
