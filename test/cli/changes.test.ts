/** `turnwise changes`: problems that changed between two steps, as text and as JSON, against SQL. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

/** Score of each problem's rollouts at the two steps. Problem 4 is undecided at first, 5 only before, 6 only after. */
const SCORES = [
  [[1, 1, 0], [0, 0, 0], [1], [0, 0], [1, 0], [1]],
  [[0], [1, 1], [1], [0], [1], undefined, [0]],
] as const;

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  for (const [step, scores] of SCORES.entries()) {
    const lines = scores.flatMap((ofProblem, problem) =>
      (ofProblem ?? []).map((score) =>
        JSON.stringify({
          input: `user\nProblem ${problem}?\nassistant\n`,
          output: `It is ${score}.`,
          ...{ gts: '7', score, step },
        }),
      ),
    );
    writeFileSync(join(place.directory, `${step}.jsonl`), `${lines.join('\n')}\n`);
  }
  await ingestHere(place.library, [place.directory]);
});
afterAll(() => place.remove());

const changes = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, ['changes', ...args, '--library', place.library]);

it('compares the first and the last step', async () => {
  const { code, out } = await changes('--json');
  expect(code).toBe(0);
  const json = JSON.parse(out);
  expect(json).toMatchObject({
    from: { step: 0 },
    to: { step: 1 },
    compared: 4,
    stayed_correct: 1,
    stayed_incorrect: 1,
    undecided: 1,
    unknown: 0,
    only_from: 1,
    only_to: 1,
    p_value: 1,
    became_incorrect: [
      { question: 'Problem 0?', from: { correct: 2, known: 3 }, to: { correct: 0, known: 1 } },
    ],
    became_correct: [
      { question: 'Problem 1?', from: { correct: 0, known: 3 }, to: { correct: 2, known: 2 } },
    ],
  });
  const [pair] = json.became_incorrect;
  expect(
    rows(
      place.library,
      `SELECT step, is_correct AS correct FROM rollout WHERE rollout_id IN (${pair.from.rollout_id}, ${pair.to.rollout_id}) ORDER BY step`,
    ),
  ).toEqual([
    { step: 0, correct: 1 },
    { step: 1, correct: 0 },
  ]);
});

it('prints the changed problems in words', async () => {
  const { out } = await changes('--from', '1', '--to', '0');
  expect(out).toContain(
    'step 0: 4 problems compared, 1 became incorrect, 1 became correct, exact McNemar p = 1.00\n',
  );
  expect(out).toContain('not compared: 1 undecided, 0 of unknown correctness, 1 only before, 1 only after\n');
  expect(out).toMatch(
    /\nbecame incorrect\n {2}.* 2 of 2 \(rollout \d+\) → 0 of 3 \(rollout \d+\) {2}Problem 1\?\n/,
  );
});

it('refuses an unknown run and an unknown step', async () => {
  expect(await changes('--run', 'none')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no run none; known runs: '),
  });
  expect(await changes('--to', '7')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no step 7 for --to; the steps are 0, 1'),
  });
  expect(await changes('--step', '7')).toMatchObject({ code: 2 });
});
