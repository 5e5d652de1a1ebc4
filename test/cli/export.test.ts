/** `turnwise export`, as a script would call it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DEMO = 'synthetic-grpo-roc-demo';

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  await ingestHere(place.library, [join(ROOT, 'fixtures', 'demo', 'demo.jsonl')]);
});
afterAll(() => place.remove());

function turnwise(...args: readonly string[]): { code: number | null; out: string; err: string } {
  const all = [join(ROOT, 'electron', 'cli', 'main.ts'), ...args];
  const run = spawnSync(process.execPath, all, { encoding: 'utf8', cwd: place.directory });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

it('writes what ingest reads again', () => {
  const out = join(place.directory, 'data');
  const written = turnwise('export', '--out', out, '--run', DEMO, '--library', place.library, '--json');
  expect(written.code).toBe(0);
  expect(JSON.parse(written.out)).toMatchObject({ directory: out, runs: 1, files: 12, rollouts: 1821 });
  expect(readdirSync(join(out, 'rollouts'))).toEqual([`run=${DEMO}`]);
  const again = join(place.directory, 'again.sqlite');
  const read = turnwise('ingest', out, '--library', again);
  expect([read.code, read.out]).toEqual([
    0,
    expect.stringMatching(/^1,821 rollouts in 57 groups from 13 files, 0 issues/),
  ]);
});

it('touches nothing that is there, and says what it does not know', () => {
  const taken = join(place.directory, 'taken');
  mkdirSync(taken);
  writeFileSync(join(taken, 'thesis.txt'), 'mine');
  const refused = turnwise('export', '--out', taken, '--library', place.library);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is not empty')]);
  const unknown = turnwise(
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
  expect(turnwise('export', '--library', place.library).code).toBe(2);
  expect(turnwise('export', '--out', 'y', '--format', 'xlsx', '--library', place.library).code).toBe(2);
});

describe('a failure pack', () => {
  const labelled = (): string => {
    const first = turnwise(
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

  it('is of what is labelled, of a filter, of a label, of numbers, or of everything', () => {
    const id = labelled();
    const said = turnwise('label', id, 'loops', '--note', 'again', '--library', place.library);
    expect(said.code).toBe(0);
    const write = (name: string, ...args: readonly string[]) => {
      const out = join(place.directory, name);
      const run = turnwise('export', '--library', place.library, '--out', out, '--json', ...args);
      return { ...run, out, written: run.code === 0 ? (JSON.parse(run.out) as Record<string, unknown>) : {} };
    };
    expect(write('a.html', '--format', 'html').written).toMatchObject({ cases: 1, annotations: 1 });
    expect(write('b.jsonl', '--format', 'jsonl', '--label', 'Loops').written).toMatchObject({ cases: 1 });
    expect(write('c.csv', '--format', 'csv', '--filter', 'tool_errors:>1').written['cases']).toBeGreaterThan(
      1,
    );
    expect(write('d.md', '--format', 'md', '--ids', `${id},1`).written).toMatchObject({ cases: 2 });
    expect(write('e', '--label', 'loops', '--siblings').written).toMatchObject({
      ...{ format: 'parquet', cases: 1 },
      siblings: expect.any(Number),
    });
    const chat = write('f.chat', '--format', 'chat', '--all', '--run', DEMO);
    expect(chat.written).toMatchObject({ cases: 1821 });
    const redacted = write('g.tsv', '--format', 'tsv', '--redact', 'aga[a-z]+');
    expect(redacted.written['redactions']).toBeGreaterThan(0);
    expect(readFileSync(redacted.out, 'utf8')).toContain('█████');
    expect(write('a.html', '--format', 'html')).toMatchObject({
      code: 1,
      err: expect.stringContaining('a.html is there already'),
    });
    const again = join(place.directory, 'packed.sqlite');
    expect(turnwise('ingest', join(place.directory, 'b.jsonl'), '--library', again).code).toBe(0);
    expect(turnwise('annotations', '--library', again).out).toContain('loops');
  }, 60_000);

  it('tells what is wrong with the call', () => {
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
    expect(fails('--ids', '1,x')).toMatchObject({ code: 2, err: expect.stringContaining('--ids') });
    expect(fails('--all', '--ids', '1')).toMatchObject({ code: 2, err: expect.stringContaining('one of') });
    expect(fails('--label', 'no such')).toMatchObject({ code: 2, err: expect.stringContaining('no label') });
    expect(fails('--filter', 'reward:x')).toMatchObject({ code: 2 });
    expect(fails('--redact', '(')).toMatchObject({ code: 1, err: expect.stringContaining('(') });
    expect(fails('--format', 'pdf')).toMatchObject({ code: 2, err: expect.stringContaining('--format') });
    expect(existsSync(join(place.directory, 'no'))).toBe(false);
  });
});
