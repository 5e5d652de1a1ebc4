/** `turnwise export`, called as by a script. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

const DEMO = 'synthetic-grpo-roc-demo';

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  await copyDemoLibrary(place.library);
});
afterAll(() => place.remove());

const turnwise = (...args: readonly string[]): Promise<CommandRun> => runHere(place.directory, args);

it('writes files that ingest reads again', async () => {
  const out = join(place.directory, 'data');
  const written = await turnwise('export', '--out', out, '--run', DEMO, '--library', place.library, '--json');
  expect(written.code).toBe(0);
  expect(JSON.parse(written.out)).toMatchObject({ directory: out, runs: 1, files: 12, rollouts: 1821 });
  expect(readdirSync(join(out, 'rollouts'))).toEqual([`run=${DEMO}`]);
  const again = join(place.directory, 'again.sqlite');
  const read = await turnwise('ingest', out, '--library', again);
  expect([read.code, read.out]).toEqual([
    0,
    expect.stringMatching(/^1,821 rollouts in 57 groups from 13 files, 0 issues/),
  ]);
});

it('overwrites nothing, and names unknown runs', async () => {
  const taken = join(place.directory, 'taken');
  mkdirSync(taken);
  writeFileSync(join(taken, 'thesis.txt'), 'mine');
  const refused = await turnwise('export', '--out', taken, '--library', place.library);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is not empty')]);
  const unknown = await turnwise(
    'export',
    '--out',
    join(place.directory, 'x'),
    '--run',
    'nobody',
    '--library',
    place.library,
  );
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('there is no run nobody')]);
  expect(existsSync(join(place.directory, 'x'))).toBe(false);
  expect((await turnwise('export', '--library', place.library)).code).toBe(2);
  expect((await turnwise('export', '--out', 'y', '--format', 'xlsx', '--library', place.library)).code).toBe(
    2,
  );
});

describe('a failure pack', () => {
  const labelled = async (): Promise<string> => {
    const first = await turnwise(
      'rollouts',
      '--library',
      place.library,
      '--filter',
      'tool_errors:>1',
      '--limit',
      '1',
    );
    return String((JSON.parse(first.out.split('\n')[0] ?? '') as { rollout_id: number }).rollout_id);
  };

  it('packs labelled rollouts, a filter, a label, ids, or everything', async () => {
    const id = await labelled();
    const said = await turnwise('label', id, 'loops', '--note', 'again', '--library', place.library);
    expect(said.code).toBe(0);
    const write = async (name: string, ...args: readonly string[]) => {
      const out = join(place.directory, name);
      const run = await turnwise('export', '--library', place.library, '--out', out, '--json', ...args);
      return { ...run, out, written: run.code === 0 ? (JSON.parse(run.out) as Record<string, unknown>) : {} };
    };
    expect((await write('a.html', '--format', 'html')).written).toMatchObject({ cases: 1, annotations: 1 });
    expect((await write('b.jsonl', '--format', 'jsonl', '--label', 'Loops')).written).toMatchObject({
      cases: 1,
    });
    expect(
      (await write('c.csv', '--format', 'csv', '--filter', 'tool_errors:>1')).written['cases'],
    ).toBeGreaterThan(1);
    expect((await write('d.md', '--format', 'md', '--ids', `${id},1`)).written).toMatchObject({ cases: 2 });
    expect((await write('e', '--label', 'loops', '--siblings')).written).toMatchObject({
      ...{ format: 'parquet', cases: 1 },
      siblings: expect.any(Number),
    });
    const chat = await write('f.chat', '--format', 'chat', '--all', '--run', `${DEMO}-eval~eval`);
    expect(chat.written).toMatchObject({ cases: 160 });
    const redacted = await write('g.tsv', '--format', 'tsv', '--redact', 'aga[a-z]+');
    expect(redacted.written['redactions']).toBeGreaterThan(0);
    expect(readFileSync(redacted.out, 'utf8')).toContain('█████');
    expect(await write('a.html', '--format', 'html')).toMatchObject({
      code: 1,
      err: expect.stringContaining('a.html already exists'),
    });
    const again = join(place.directory, 'packed.sqlite');
    expect((await turnwise('ingest', join(place.directory, 'b.jsonl'), '--library', again)).code).toBe(0);
    expect((await turnwise('annotations', '--library', again)).out).toContain('loops');
  });

  it('packs pairs: changed problems, those with a label, or two rollouts', async () => {
    const write = (name: string, ...args: readonly string[]) =>
      turnwise('export', '--library', place.library, '--out', join(place.directory, name), ...args);
    const changed = ['--became', 'correct', '--run', DEMO];
    const all = await write('pairs.jsonl', '--format', 'jsonl', ...changed, '--from', '0', '--to', '500');
    expect(all).toMatchObject({ code: 0, err: '' });
    expect(all.out).toMatch(/^4 pairs, \d+ annotations? at .*pairs\.jsonl/);
    const records = readFileSync(join(place.directory, 'pairs.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"type":"pair"'))
      .map((line) => JSON.parse(line) as { from: { step: number }; to: { step: number }; became: string });
    expect(records.map(({ from, to, became }) => [from.step, to.step, became])).toEqual(
      Array(4).fill([0, 500, 'correct']),
    );
    // The annotations of a pack of pairs can be imported without its rollouts.
    const out = join(place.directory, 'pairs.jsonl');
    const merged = await turnwise('annotate', '--import', out, '--library', place.library, '--json');
    expect(JSON.parse(merged.out)).toMatchObject({ issues: [] });
    // First and last step are the default.
    expect((await write('same.html', '--format', 'html', ...changed)).out).toMatch(/^4 pairs/);
    const two = await write('two.html', '--format', 'html', '--pair', '1,2', '--json');
    expect(JSON.parse(two.out)).toMatchObject({ pairs: 1, cases: 2 });
    const fails = (...args: readonly string[]) => write('never.html', '--format', 'html', ...args);
    expect(await fails(...changed, '--label', 'verifier-false-negative')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no rollout of a pair has such a label'),
    });
    expect(await fails('--became', 'better')).toMatchObject({
      code: 2,
      err: expect.stringContaining('incorrect, correct'),
    });
    expect(await fails('--from', '0')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--from needs --became'),
    });
    expect(await fails(...changed, '--to', '7')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no step 7'),
    });
    expect(await fails(...changed, '--all')).toMatchObject({ code: 2 });
    expect(await fails('--pair', '1,2,3')).toMatchObject({ code: 2, err: expect.stringContaining('two') });
    expect(await write('pairs.csv', '--format', 'csv', '--pair', '1,2')).toMatchObject({
      code: 1,
      err: expect.stringContaining('html or jsonl'),
    });
    expect(existsSync(join(place.directory, 'never.html'))).toBe(false);
  });

  it('explains invalid arguments', async () => {
    const fails = (...args: readonly string[]) =>
      turnwise(
        'export',
        '--library',
        place.library,
        '--out',
        join(place.directory, 'no'),
        '--format',
        'md',
        ...args,
      );
    expect(await fails('--ids', '1,x')).toMatchObject({ code: 2, err: expect.stringContaining('--ids') });
    expect(await fails('--all', '--ids', '1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('one of'),
    });
    expect(await fails('--label', 'no such')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no label'),
    });
    expect(await fails('--filter', 'reward:x')).toMatchObject({ code: 2 });
    expect(await fails('--redact', '(')).toMatchObject({ code: 1, err: expect.stringContaining('(') });
    expect(await fails('--format', 'pdf')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--format'),
    });
    expect(existsSync(join(place.directory, 'no'))).toBe(false);
  });
});
