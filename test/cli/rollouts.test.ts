/** `turnwise rollouts`, as a script would call it. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MAIN = join(ROOT, 'electron', 'cli', 'main.ts');

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  await ingestHere(place.library, [join(ROOT, 'fixtures', 'demo', 'demo.jsonl')]);
});
afterAll(() => place.remove());

function rollouts(...args: readonly string[]): { code: number | null; out: string; err: string } {
  const all = [MAIN, 'rollouts', '--library', place.library, ...args];
  const run = spawnSync(process.execPath, all, { encoding: 'utf8', cwd: place.directory });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

const linesOf = (out: string): readonly Record<string, unknown>[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('turnwise rollouts', () => {
  it('lists what a filter leaves, in the order asked for', () => {
    const { code, out } = rollouts(
      '--filter',
      'is_correct:true tool_errors:>1',
      '--run',
      '1',
      '--sort',
      'turns:desc,response_chars',
    );
    expect(code).toBe(0);
    const expected = rows(
      place.library,
      `SELECT rollout_id FROM rollout WHERE is_correct = 1 AND tool_errors > 1 AND run_id = 1
       ORDER BY turns DESC, response_chars, step, group_id, ordinal`,
    ).map((row) => row['rollout_id']);
    const found = linesOf(out).map((row) => row['rollout_id']);
    expect(found.slice(0, expected.length)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(3);
  });

  it('counts, limits and keeps to one run and step', () => {
    const [{ n } = { n: 0 }] = rows(
      place.library,
      "SELECT count(*) AS n FROM rollout WHERE stop_reason = 'length'",
    );
    expect(rollouts('--filter', 'stop_reason:length', '--count').out).toBe(`${n}\n`);
    const { out } = rollouts('--run', '1', '--step', '150', '--limit', '2', '--format', 'csv');
    expect(out.trim().split('\n')).toHaveLength(3);
    expect(out).toMatch(/^rollout_id,step,group_id,/);
  });

  it.each([
    [['--filter', 'reward:high'], 2, /character 8: reward: is a number/],
    [['--sort', 'size'], 2, /--sort knows order/],
    [['--run', 'nobody'], 1, /no run nobody; there are/],
    [['--limit', 'x'], 2, /--limit is a whole number/],
  ] as const)('%j says what is wrong', (args, code, message) => {
    const found = rollouts(...args);
    expect(found.code).toBe(code);
    expect(found.err).toMatch(message);
    expect(found.out).toBe('');
  });
});
