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
  }, 60_000);

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
