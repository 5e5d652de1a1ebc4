/** `turnwise schedule`: logged times by step and by rollout, and what is reported if they are missing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const LOG = join(ROOT, 'fixtures/turnwise/schedule/input.jsonl');

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  await ingestHere(place.library, [LOG, join(ROOT, 'fixtures/verl/malformed-calls')]);
});
afterAll(() => place.remove());

const schedule = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, ['schedule', ...args, '--library', place.library]);

it('prints a row per step, with the wall time of its lines', async () => {
  const found = await schedule('--run', 'synthetic-schedule', '--json');
  const steps = found.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number>);
  expect(steps.map(({ step, placed }) => [step, placed])).toEqual([
    [1, 24],
    [2, 24],
  ]);
  const timings = readFileSync(LOG, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"step":2'))
    .map((line) => (JSON.parse(line) as { timing: { start: number; end: number } }).timing);
  const wall = Math.max(...timings.map(({ end }) => end)) - Math.min(...timings.map(({ start }) => start));
  expect(steps[1]?.['wall_s']).toBeCloseTo(wall, 3);
  // Starts of calls are logged at step 1 only.
  expect(steps.map(({ peak_calls }) => peak_calls !== null)).toEqual([true, false]);
});

it('prints a row per rollout of a step, equal to the view', async () => {
  const { out } = await schedule(
    '--run',
    'synthetic-schedule',
    '--step',
    '1',
    '--filter',
    'worker:w2',
    '--csv',
  );
  const [head = '', ...lines] = out.trim().split('\n');
  const names = head.split(',');
  const ids = lines.map((line) => Number(line.split(',')[names.indexOf('rollout_id')]));
  const wanted = rows(place.library, `SELECT rollout_id FROM rollout WHERE worker = 'w2' AND step = 1`);
  expect([...ids].sort((a, b) => a - b)).toEqual(wanted.map((row) => Number(row['rollout_id'])));
  expect(new Set(lines.map((line) => line.split(',')[names.indexOf('worker')]))).toEqual(new Set(['w2']));
});

it('reports a missing step', async () => {
  const untimed = await schedule('--run', 'malformed-calls');
  expect([untimed.code, untimed.out]).toEqual([1, '']);
  expect(untimed.err).toContain('no rollout of malformed-calls has a start and an end in its log');
  expect((await schedule('--run', 'nobody')).err).toMatch(/no run nobody; known runs: .*synthetic-schedule/);
  expect(
    (await schedule('--run', 'synthetic-schedule', '--step', '1', '--filter', 'worker:nobody')).err,
  ).toContain('at step 1 matches and has a start and an end');
  expect((await schedule('--run', 'synthetic-schedule', '--step', '9')).code).toBe(1);
  expect((await schedule()).code).toBe(2);
  expect((await schedule('--run', 'synthetic-schedule', '--json', '--csv')).code).toBe(2);
});
