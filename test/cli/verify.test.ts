/** `turnwise verify` over the group of the demo run in whose records ten outputs were exchanged. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { answeredCalls, canHaveResponse, readDemoRollouts } from '../support/demoCalls.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

const GROUP = 'train 400 expected-draws';
const OF_GROUP = ['--filter', 'step:400 group:expected-draws'];

interface Verified {
  readonly group: string;
  readonly ordinal: number;
  readonly call: number;
  readonly class: string;
  readonly reason?: string;
}

let place: Scratch;
let firstOutput = '';
const rollouts = readDemoRollouts().filter((rollout) => rollout.place.startsWith(`${GROUP} `));
/** `group ordinal` of every rollout with a response that its code does not print. */
const truth = rollouts
  .filter(({ text }) => answeredCalls(text).some(({ call, response }) => !canHaveResponse(call, response)))
  .map(({ place }) => place.split(' ').slice(2).join(' '));

beforeAll(async () => {
  place = scratch();
  await copyDemoLibrary(place.library);
});
afterAll(() => place.remove());

const verify = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, ['verify', ...args, '--library', place.library]);
const objects = (out: string): readonly Verified[] =>
  out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Verified]));

it('names options that are wrong, and refuses unknown runs', async () => {
  expect(await verify('--mode', 'both')).toMatchObject({ code: 2 });
  expect(await verify('--timeout', 'soon')).toMatchObject({ code: 2 });
  expect(await verify('--filter', 'nonsense:1')).toMatchObject({ code: 2 });
  expect(await verify('--run', 'no such run')).toMatchObject({ code: 1 });
});

it.skipIf(process.platform === 'win32')('says in words why a folder of wheels cannot be used', async () => {
  const loop = join(place.directory, 'loop');
  symlinkSync(loop, loop);
  const { code, err } = await verify('--packages', loop);
  expect([code, err]).toEqual([1, `turnwise: ${loop}: it is a link that cannot be followed\n`]);
  const long = join(place.directory, 'x'.repeat(300));
  expect((await verify('--packages', long)).err).toBe(`turnwise: ${long}: its name is too long\n`);
  const ingest = await runHere(place.directory, ['ingest', loop, '--library', place.library]);
  expect(ingest.err).toContain(`${loop}: it is a link that cannot be followed`);
});

it('finds exactly the outputs that were exchanged', async () => {
  const { code, out, err } = await verify(...OF_GROUP, '--timeout', '5', '--json');
  expect(err).toBe('');
  expect(code).toBe(4);
  firstOutput = out;
  const calls = objects(out);
  const different = calls.filter((call) => call.class === 'different');
  expect(truth).toHaveLength(10);
  expect(different.map(({ group, ordinal }) => `${group} ${ordinal}`).sort()).toEqual(truth.toSorted());
  expect(new Set(different.map(({ reason }) => reason))).toEqual(new Set(['the output differs']));
  expect(calls.filter((call) => call.class === 'noise')).toEqual([]);
  expect(calls.length).toBeGreaterThan(rollouts.length);
});

it('stores what it found: a second call runs nothing, and the filter finds the rollouts', async () => {
  const { out } = await verify(...OF_GROUP, '--timeout', '5', '--json');
  // A run would have measured other times.
  expect(out.split('\n').sort()).toEqual(firstOutput.split('\n').sort());
  const found = await runHere(place.directory, [
    'rollouts',
    '--filter',
    'rerun:different',
    '--count',
    '--library',
    place.library,
  ]);
  expect(found.out.trim()).toBe('10');
  const others = await runHere(place.directory, [
    'rollouts',
    '--filter',
    'rerun:same not rerun:different',
    '--count',
    '--library',
    place.library,
  ]);
  expect(Number(others.out)).toBeGreaterThan(0);
  expect(Number(others.out)).toBeLessThanOrEqual(rollouts.length - 10);
  const sql =
    "SELECT count(*) AS n FROM rerun JOIN tool_call USING (rollout_id, ordinal) WHERE class = 'different' AND code IS NOT NULL";
  const query = await runHere(place.directory, ['query', sql, '--library', place.library]);
  expect(query.out.trim()).toBe('{"n":10}');
  // The column has one class of a rollout: what differs comes first.
  const classes =
    'SELECT rerun, count(*) AS n FROM rollout WHERE rerun IS NOT NULL GROUP BY rerun ORDER BY rerun';
  const column = await runHere(place.directory, ['query', classes, '--library', place.library]);
  expect(column.out.split('\n')[0]).toBe('{"rerun":"different","n":10}');
  expect(column.out).toContain('{"rerun":"same"');
});

it('prints a report for people', async () => {
  const { out } = await verify('--filter', 'rerun:different');
  expect(out).toMatch(/^demo \(synthetic\): \d+ calls\n {2}same as logged +\d+\n/);
  expect(out).toMatch(
    / {2}different +10\n {4}rollout \d+ \(step \d+ [\w-]+ #\d+\), turn \d+, call \d+: the output differs\n/,
  );
});

it('says when no call is to be verified', async () => {
  const nothing = await verify('--filter', 'tool_calls:>900');
  expect(nothing).toMatchObject({ code: 0, out: '' });
  expect(nothing.err).toBe('turnwise: no Python call to verify in the rollouts that were asked for\n');
});

it('keeps the name of an error on its line', async () => {
  const other = scratch();
  const code = "raise type('Odd\\nsame as logged 9', (Exception,), {})('a')";
  const tool = JSON.stringify({ name: 'python', arguments: { code } });
  const log = [
    { v: 1, run: 'odd', type: 'run', name: 'odd' },
    {
      ...{ v: 1, run: 'odd', type: 'rollout', step: 0, split: 'train', group: 'g', index: 0, reward: 0 },
      problem: { id: 'p', prompt: '<|im_start|>user\nGo.<|im_end|>\n<|im_start|>assistant\n' },
      text: `<tool_call>\n${tool}\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\n1\n</tool_response><|im_end|>\n<|im_start|>assistant\ndone`,
      chat_template: 'chatml-hermes',
    },
  ];
  await ingestHere(other.library, [
    other.file('odd.jsonl', log.map((one) => `${JSON.stringify(one)}\n`).join('')),
  ]);
  const { out } = await runHere(other.directory, ['verify', '--library', other.library]);
  other.remove();
  expect(out).toContain('here Odd');
  expect(out.trimEnd().split('\n')).toHaveLength(3);
});
