/** `turnwise check`: exit codes, text, JSON and SARIF, over a library and over logs that grow. */
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DETECTOR_IDS, THRESHOLDS } from '../../shared/domain/detectors/detectors.ts';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

const CASES = join(import.meta.dirname, '..', '..', 'fixtures', 'detectors');
const log = (id: string, kind = 'positive'): string => join(CASES, id, `${kind}.jsonl`);

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  await ingestHere(place.library, [log('edited_tests'), log('repetition'), log('one_reward')]);
});
afterAll(() => place.remove());

const check = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, ['check', ...args]);
const here = (...args: readonly string[]): Promise<CommandRun> => check(...args, '--library', place.library);

interface Found {
  readonly run: string;
  readonly thresholds: Record<string, number>;
  readonly detectors: readonly {
    readonly id: string;
    readonly findings: readonly { readonly line?: number; readonly path?: string; readonly start?: number }[];
  }[];
}

it('exits with its own code at the severity of --fail-on', async () => {
  const codes = async (...args: readonly string[]) => (await here(...args)).code;
  expect(await codes()).toBe(4);
  expect(await codes('--fail-on', 'never')).toBe(0);
  expect(await codes('--run', 'repetition-positive')).toBe(0);
  expect(await codes('--run', 'repetition-positive', '--fail-on', 'warning')).toBe(4);
  expect(await codes('--run', 'edited_tests-positive', '--filter', 'text:nothing')).toBe(0);
  expect(await codes('--step', '11', '--run', 'one_reward-positive', '--fail-on', 'warning')).toBe(4);
  expect(await codes('--step', '1', '--run', 'one_reward-positive', '--fail-on', 'warning')).toBe(0);
});

it('prints every detector, with place and words of the first findings, and the thresholds', async () => {
  const { out } = await here('--run', 'edited_tests-positive');
  expect(out).toContain('edited_tests-positive: 1 rollout in 1 step');
  expect(out).toMatch(
    /critical {1}Tests edited: 1 of 1 rollouts\n {4}step 0, rollout 1, turn 2 \(.*:1\): changes test_calc\.py/,
  );
  expect(out).toMatch(/warning {2}Ground truth without work: 0 of 0 rollouts, 1 could not be judged/);
  expect(out).toContain('thresholds: the defaults');
});

it('prints one object per run as JSON, with spans, file and line', async () => {
  const { out } = await here('--json', '--threshold', 'repetition.repeats=9');
  const runs = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Found);
  expect(runs.map(({ run }) => run).sort()).toEqual([
    'edited_tests-positive',
    'one_reward-positive',
    'repetition-positive',
  ]);
  for (const { detectors, thresholds } of runs) {
    expect(detectors.map(({ id }) => id)).toEqual([...DETECTOR_IDS]);
    expect(thresholds['repetition.repeats']).toBe(9);
    expect(Object.keys(thresholds)).toEqual(Object.keys(THRESHOLDS));
  }
  const found = runs
    .find(({ run }) => run === 'repetition-positive')
    ?.detectors.find(({ id }) => id === 'repetition');
  expect(found?.findings).toEqual([expect.objectContaining({ path: log('repetition'), line: 1, start: 9 })]);
});

it('prints one SARIF log of the required shape', async () => {
  const { out, code } = await here('--sarif');
  const sarif = JSON.parse(out) as {
    version: string;
    runs: readonly [
      {
        tool: {
          driver: {
            name: string;
            rules: readonly { id: string; shortDescription: { text: string }; help: { text: string } }[];
          };
        };
        results: readonly {
          ruleId: string;
          ruleIndex: number;
          level: string;
          message: { text: string };
          locations: readonly {
            physicalLocation?: { artifactLocation: { uri: string }; region: { startLine: number } };
            logicalLocations: readonly { fullyQualifiedName: string }[];
          }[];
        }[];
      },
    ];
  };
  expect(code).toBe(4);
  expect([sarif.version, sarif.runs.length]).toEqual(['2.1.0', 1]);
  const [{ tool, results }] = sarif.runs;
  expect(tool.driver.rules.map(({ id }) => id)).toEqual([...DETECTOR_IDS]);
  for (const { shortDescription, help } of tool.driver.rules)
    expect(Math.min(shortDescription.text.length, help.text.length)).toBeGreaterThan(3);
  for (const { ruleId, ruleIndex, level, message, locations } of results) {
    expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    expect(['error', 'warning']).toContain(level);
    expect(message.text).not.toBe('');
    expect(locations[0]?.logicalLocations[0]?.fullyQualifiedName).toMatch(/-positive/);
  }
  const edited = results.find(({ ruleId }) => ruleId === 'edited_tests');
  expect(edited?.level).toBe('error');
  expect(edited?.locations[0]?.physicalLocation).toEqual({
    artifactLocation: { uri: expect.stringMatching(/^file:.*edited_tests\/positive\.jsonl$/) },
    region: { startLine: 1 },
  });
  expect(
    results.find(({ ruleId }) => ruleId === 'one_reward')?.locations[0]?.physicalLocation,
  ).toBeUndefined();
});

it('says in SARIF how many findings it does not list', async () => {
  const record = (i: number) =>
    JSON.stringify({
      ...{ v: 1, type: 'rollout', run: 'r', step: 0, group: `g${i}`, index: 0 },
      text: 'Again and again. '.repeat(60),
    });
  const path = join(place.directory, 'many.jsonl');
  writeFileSync(path, Array.from({ length: 5_001 }, (_, i) => `${record(i)}\n`).join(''));
  const { out } = await check(path, '--sarif');
  const [{ invocations, results }] = JSON.parse(out).runs;
  expect(results).toHaveLength(5_000);
  expect(invocations[0].toolExecutionNotifications).toEqual([
    { level: 'warning', message: { text: 'r: the first 5000 of 5001 findings of repetition are listed' } },
  ]);
});

it('reads logs into a temporary library', async () => {
  expect((await check(log('edited_tests', 'clean'), '--fail-on', 'warning')).code).toBe(0);
  expect((await check(log('edited_tests'))).code).toBe(4);
});

it('reads what was appended to a log since the last call', async () => {
  const growing = join(place.directory, 'growing.jsonl');
  copyFileSync(log('edited_tests', 'clean'), growing);
  const watch = () => check(growing, '--library', 'watch.sqlite', '--json');
  expect((await watch()).code).toBe(0);
  const line = readFileSync(log('edited_tests'), 'utf8').replace(
    'edited_tests-positive',
    'edited_tests-clean',
  );
  appendFileSync(growing, line.replace('"index":0', '"index":1'));
  const { code, out } = await watch();
  expect(code).toBe(4);
  const found = (JSON.parse(out) as Found).detectors.find(({ id }) => id === 'edited_tests');
  expect(found?.findings).toEqual([expect.objectContaining({ path: growing, line: 2 })]);
});

it('says when some records cannot be read, and fails when none can', async () => {
  const clean = readFileSync(log('edited_tests', 'clean'), 'utf8');
  const damaged = place.file('damaged.jsonl', `${clean}{"v":1,"type":"rollout","run":"x"}\n`);
  const some = await check(damaged);
  expect(some).toMatchObject({ code: 3, err: expect.stringContaining('could not be read') });
  expect(await check(place.file('none.txt', 'no log\n'))).toMatchObject({ code: 1 });
  expect(await check(join(place.directory, 'missing'))).toMatchObject({ code: 1 });
});

it('refuses invalid usage', async () => {
  for (const args of [
    ['--fail-on', 'major'],
    ['--threshold', 'repetition.repeats'],
    ['--threshold', 'repetition.repeats=0'],
    ['--threshold', 'repetition.repeats=8=9'],
    ['--threshold', 'repetition.repeats=0x10'],
    ['--threshold', 'no.such=1'],
    ['--step', '-1'],
    ['--json', '--sarif'],
    ['--filter', 'reward:('],
    ['--no-such-option'],
  ])
    expect([args.join(' '), (await here(...args)).code]).toEqual([args.join(' '), 2]);
  expect(await here('--run', 'none')).toMatchObject({ code: 1, err: expect.stringContaining('no run none') });
  expect(await here('--step', '77')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no run has a step'),
  });
});
