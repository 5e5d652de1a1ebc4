/** `turnwise failures`: clusters as text and as JSON, against SQL. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const ROOT = join(import.meta.dirname, '..', '..');

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  await ingestHere(place.library, [join(ROOT, 'fixtures/verl/malformed-calls'), join(ROOT, 'fixtures/tir')]);
});
afterAll(() => place.remove());

const failures = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, ['failures', ...args, '--library', place.library]);

interface Found {
  readonly run: string;
  readonly known: number;
  readonly wrong: number;
  readonly clusters: readonly { readonly rollout_ids: readonly number[] }[];
  readonly unlike: { readonly rollout_ids: readonly number[] };
}

it('prints one object per run, whose clusters hold every incorrect rollout once', async () => {
  const { code, out } = await failures('--json');
  const found = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Found);
  const expected = rows(
    place.library,
    'SELECT n.run_key AS run, count(r.is_correct) AS known, sum(r.is_correct = 0) AS wrong FROM run n JOIN rollout r USING (run_id) GROUP BY run_id ORDER BY run',
  );
  expect(code).toBe(0);
  expect(
    found
      .map(({ run, known, wrong }) => ({ run, known, wrong: known === 0 ? null : wrong }))
      .sort((a, b) => (a.run < b.run ? -1 : 1)),
  ).toEqual(expected);
  const ids = found.flatMap(({ clusters, unlike }) =>
    [...clusters, unlike].flatMap(({ rollout_ids }) => rollout_ids),
  );
  const wrong = rows(place.library, 'SELECT rollout_id AS id FROM rollout WHERE is_correct = 0 ORDER BY 1');
  expect(wrong.length).toBeGreaterThan(0);
  expect([...ids].sort((a, b) => a - b)).toEqual(wrong.map(({ id }) => id));
});

it('prints clusters in words', async () => {
  const { out } = await failures();
  expect(out).toMatch(/: \d+ incorrect of \d+ rollouts whose correctness is known\n/);
  expect(out).toMatch(/medoid: rollout \d+\n/);
});

it('refuses an unknown run, an invalid step and an invalid filter', async () => {
  expect(await failures('--run', 'none')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no run none'),
  });
  expect(await failures('--from', 'x')).toMatchObject({ code: 2 });
  expect(await failures('--filter', 'reward:(')).toMatchObject({ code: 2 });
});
