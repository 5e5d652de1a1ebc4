/** `turnwise export`, as a script would call it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
