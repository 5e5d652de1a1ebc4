import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { rows, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  await copyDemoLibrary(place.library);
});
afterAll(() => place.remove());

const rollouts = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, ['rollouts', ...args, '--library', place.library]);

const linesOf = (out: string): readonly Record<string, unknown>[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('turnwise rollouts', () => {
  it('lists the matches of a filter in the requested order', async () => {
    const { code, out } = await rollouts(
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

  it('counts, limits, and restricts to one run and step', async () => {
    const [{ n } = { n: 0 }] = rows(
      place.library,
      "SELECT count(*) AS n FROM rollout WHERE stop_reason = 'length'",
    );
    expect((await rollouts('--filter', 'stop_reason:length', '--count')).out).toBe(`${n}\n`);
    const { out } = await rollouts('--run', '1', '--step', '150', '--limit', '2', '--format', 'csv');
    expect(out.trim().split('\n')).toHaveLength(3);
    expect(out).toMatch(/^rollout_id,step,group_id,/);
  });

  it.each([
    [['--filter', 'reward:high'], 2, /character 8: reward: expects a number/],
    [['--sort', 'size'], 2, /--sort must be one of order/],
    [['--run', 'nobody'], 1, /no run nobody; known runs: /],
    [['--limit', 'x'], 2, /--limit must be a whole number/],
  ] as const)('explains what is wrong with %j', async (args, code, message) => {
    const found = await rollouts(...args);
    expect(found.code).toBe(code);
    expect(found.err).toMatch(message);
    expect(found.out).toBe('');
  });
});
