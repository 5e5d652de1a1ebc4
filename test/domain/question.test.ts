/** Equal problems normalize to equal questions; different ones do not. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isHashedId, normalisedQuestion, problemName } from '../../shared/domain/question.ts';

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

const HASH = '26473afc4acf';

it.each([
  ['What is 6·7?', 'What is 6·7?'],
  ['<|im_start|>user\nWhat is 6·7?<|im_end|>', 'What is 6·7?'],
  ['user\nWhat is 6·7?', 'What is 6·7?'],
  ['user What is 6·7?', 'What is 6·7?'],
  ['Question: What is 6·7?', 'What is 6·7?'],
  // No roles of a chat.
  ['System of equations: find x.', 'System of equations: find x.'],
  ['Users pay $5 each. How much do 3 pay?', 'Users pay $5 each. How much do 3 pay?'],
  ['A pen costs $5 and a book $6 more.', 'A pen costs $5 and a book $6 more.'],
  ['Find $\\lceil 12/7 \\rceil - \\lfloor x \\rfloor$.', 'Find ⌈ 12/7 ⌉ - ⌊ x ⌋.'],
  ['Let $f = \\begin{array}{cl} 1 & x \\end{array}$.', 'Let f = 1 x .'],
  ['Find $\\frac{a}{b} \\times \\sqrt{2}$ if $x \\le 3$.', 'Find a/b × √2 if x ≤ 3.'],
  ['Let \\(n\\) be in $\\mathbb{N}$ with $\\left| n \\right| \\neq 2$.', 'Let n be in N with | n | ≠ 2.'],
])('%j is called %j', (question, name) => {
  expect(problemName({ problemId: HASH, question })).toBe(name);
});

it('a problem is called by the first words of a long question, and by its id without a question', () => {
  const question =
    'Janet’s ducks lay 16 eggs per day. She eats three for breakfast every morning and bakes muffins.';
  expect(problemName({ problemId: HASH, question })).toBe(
    'Janet’s ducks lay 16 eggs per day. She eats three for breakfast every morning…',
  );
  expect(problemName({ problemId: HASH, question }, 200)).toBe(question);
  expect(problemName({ problemId: HASH, question: '' })).toBe(`no prompt (${HASH})`);
  expect(problemName({ problemId: 'lattice-paths', question })).toBe('lattice-paths');
});

it('hashes and UUIDs are no names', () => {
  const hashed = [HASH, 'd41d8cd98f00b204e9800998ecf8427e', '3f2504e0-4f89-11d3-9a0c-0305e82c3301'];
  expect(hashed.map(isHashedId)).toEqual([true, true, true]);
  expect(['3', '1042', 'task-12', 'deadbeef', 'pairs-of-divisors'].some(isHashedId)).toBe(false);
});

it('names take linear time, and may be of any text', () => {
  for (const question of [
    '$'.repeat(300_000),
    '\\frac{'.repeat(50_000),
    '<|'.repeat(100_000),
    '\\'.repeat(300_000),
  ])
    expect(problemName({ problemId: HASH, question }).length).toBeLessThanOrEqual(80);
});
