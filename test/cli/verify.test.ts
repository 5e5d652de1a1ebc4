/** `turnwise verify` over rollouts of the demo, ten of whose calls are given another output. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../shared/domain/seededRandom.ts';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

const DEMO = join(import.meta.dirname, '..', '..', 'fixtures', 'demo', 'demo.jsonl');
const ROLLOUTS = 30;
const ALTERED = 10;

interface Verified {
  readonly group: string;
  readonly ordinal: number;
  readonly call: number;
  readonly class: string;
  readonly reason?: string;
}

let place: Scratch;
let firstOutput = '';
/** `group ordinal call` of every altered call. */
const truth: string[] = [];

/** A printed number of several digits. */
const PRINTED = /stdout: (\d{2,})\n/g;

beforeAll(async () => {
  place = scratch();
  const lines = readFileSync(DEMO, 'utf8').trimEnd().split('\n');
  const rollouts = lines
    .filter((line) => line.includes('"type":"rollout"') || line.includes('"type": "rollout"'))
    .map((line) => JSON.parse(line) as Record<string, unknown> & { text?: string })
    .filter(
      ({ text = '', step, split }) =>
        Number(step) <= 100 &&
        split === 'train' &&
        /stdout: \d{2,}\n/.test(text) &&
        !text.includes('worker_timeout'),
    );
  const random = seededRandom(7);
  const chosen = rollouts
    .map((rollout) => ({ rollout, at: random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, ROLLOUTS)
    .map(({ rollout }) => rollout);
  const log = chosen.map((rollout, i) => {
    if (i >= ALTERED) return rollout;
    const { text = '' } = rollout;
    const printed = [...text.matchAll(PRINTED)];
    const one = printed[Math.floor(random() * printed.length)];
    const at = one?.index ?? 0;
    const call = (text.slice(0, at).match(/<tool_call>/g) ?? []).length - 1;
    truth.push(`${String(rollout['group'])} ${String(rollout['index'])} ${call}`);
    const other = String(Number(one?.[1]) + 1);
    return { ...rollout, text: text.slice(0, at) + text.slice(at).replace(/\d+/, other) };
  });
  const path = place.file(
    'altered.jsonl',
    [
      { v: 1, run: 'altered', type: 'run', name: 'altered' },
      ...log.map((one) => ({ ...one, run: 'altered' })),
    ]
      .map((one) => `${JSON.stringify(one)}\n`)
      .join(''),
  );
  await ingestHere(place.library, [path]);
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

it('finds exactly the calls whose output was altered', async () => {
  const { code, out, err } = await verify('--json');
  expect(err).toBe('');
  expect(code).toBe(4);
  firstOutput = out;
  const calls = objects(out);
  const different = calls.filter((call) => call.class === 'different');
  expect(different.map(({ group, ordinal, call }) => `${group} ${ordinal} ${call}`).sort()).toEqual(
    truth.toSorted(),
  );
  expect(new Set(different.map(({ reason }) => reason))).toEqual(new Set(['the output differs']));
  expect(calls.filter((call) => call.class === 'noise')).toEqual([]);
  expect(calls.length).toBeGreaterThan(ROLLOUTS);
});

it('stores what it found: a second call runs nothing, and the filter finds the rollouts', async () => {
  const { out } = await verify('--json');
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
  expect(found.out.trim()).toBe(String(ALTERED));
  const others = await runHere(place.directory, [
    'rollouts',
    '--filter',
    'rerun:any not rerun:different',
    '--count',
    '--library',
    place.library,
  ]);
  expect(others.out.trim()).toBe(String(ROLLOUTS - ALTERED));
  const sql =
    "SELECT count(*) AS n FROM rerun JOIN tool_call USING (rollout_id, ordinal) WHERE class = 'different' AND code IS NOT NULL";
  const query = await runHere(place.directory, ['query', sql, '--library', place.library]);
  expect(query.out.trim()).toBe(`{"n":${ALTERED}}`);
});

it('prints a report for people', async () => {
  const { out } = await verify('--filter', 'rerun:different');
  expect(out).toMatch(/^altered: \d+ calls\n {2}same as logged +\d+\n/);
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
