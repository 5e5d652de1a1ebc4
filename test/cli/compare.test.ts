/** `turnwise compare` and `turnwise code`, called as by a script. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { rows, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

let place: Scratch;
/** Rollouts 0 and 1 of the first group of the demo's first step, and one without calls. */
let pair: readonly string[];
let withoutCalls: string;
beforeAll(async () => {
  place = scratch();
  await copyDemoLibrary(place.library);
  const idsOf = (condition: string): string[] =>
    rows(
      place.library,
      `SELECT rollout_id FROM rollout_row WHERE ${condition} ORDER BY rollout_id LIMIT 2`,
    ).map((row) => String(row['rollout_id']));
  pair = idsOf('step = 0 AND tool_calls > 1');
  [withoutCalls = ''] = idsOf('tool_calls = 0');
});
afterAll(() => place.remove());

const turnwise = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, [...args, '--library', place.library]);

describe('turnwise compare', () => {
  it('prints a line per turn, and the fork', async () => {
    const { code, out } = await turnwise('compare', ...pair);
    expect(code).toBe(0);
    const [head, first] = out.split('\n');
    expect(head).toMatch(/^\d+ \(baseline\) {2}\d+$/);
    expect(first).toMatch(/^1 [=~+.]+ +1 [=~+.]+$/);
    expect(out).toMatch(
      /\d+ characters in common, then ".*" \(entropy \d\.\d{3} nats\) in the baseline and ".*" \(entropy/,
    );
  });

  it('names the first different action', async () => {
    const { out } = await turnwise('compare', ...pair);
    expect(out).toMatch(/\d+: \d+ actions? the same, (?:and no other|then .+ in the baseline and .+ here)/);
  });

  it('--json has every segment of every lane once', async () => {
    const printed = JSON.parse((await turnwise('compare', ...pair, '--baseline', '2', '--json')).out);
    expect(printed).toMatchObject({ rollout_ids: pair.map(Number), baseline: 1 });
    expect(printed.lanes[1]).toBe(null);
    for (const lane of [0, 1]) {
      const found = printed.rows.flatMap(({ blocks }: { blocks: { segments: (number | null)[] }[] }) =>
        blocks.flatMap(({ segments }) => segments[lane] ?? []),
      );
      const logged = rows(
        place.library,
        `SELECT count(*) AS n FROM segment_row WHERE rollout_id = ${pair[lane]} AND turn > 0`,
      );
      expect(new Set(found).size).toBe(found.length);
      expect(found.length).toBe(Number(logged[0]?.['n']));
    }
  });

  it('refuses invalid arguments', async () => {
    expect((await turnwise('compare', '1')).code).toBe(2);
    expect((await turnwise('compare', '1', '2', '3', '4', '5')).code).toBe(2);
    expect((await turnwise('compare', '1', 'two')).code).toBe(2);
    expect((await turnwise('compare', ...pair, '--baseline', '3')).code).toBe(2);
    const missing = await turnwise('compare', pair[0] ?? '', '999999');
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.err).toContain('no rollout 999999');
  });
});

describe('turnwise code', () => {
  it('prints a script, one call, and a notebook', async () => {
    const [id = ''] = pair;
    const script = (await turnwise('code', id)).out;
    expect(script).toMatch(/^# demo \(synthetic\) · step 0 · .+ · #\d+\n/);
    expect(script.match(/^# %% turn/gm)?.length).toBeGreaterThan(1);
    expect((await turnwise('code', id, '--call', '1')).out).not.toContain('# %%');
    expect((await turnwise('code', id, '--to', '1')).out.match(/^# %% turn/gm)).toHaveLength(1);
    const notebook = JSON.parse((await turnwise('code', id, '--format', 'ipynb')).out);
    expect(notebook.cells.length).toBe(1 + (script.match(/^# %% turn/gm)?.length ?? 0));
  });

  it('writes a file once', async () => {
    const [id = ''] = pair;
    const path = join(place.directory, 'cells.py');
    expect((await turnwise('code', id, '--out', path)).code).toBe(0);
    const written = existsSync(path) ? readFileSync(path, 'utf8') : '';
    expect(written).toBe((await turnwise('code', id)).out);
    const again = await turnwise('code', id, '--out', path);
    expect(again.code).toBe(1);
    expect(again.err).toContain('EEXIST');
  });

  it('shows escapes of a log as text on a terminal, and keeps them in files, pipes and JSON', async () => {
    const code = '\tprint("\u001b]52;c;aGk=\u0007\u009b2J\u202e")';
    const call = JSON.stringify({ name: 'python', arguments: { code } });
    const rollout = {
      ...{ v: 1, run: 'r', type: 'rollout', step: 1, group: 'g', index: 0, reward: 1 },
      problem: { id: 'p', prompt: '<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n' },
      text: `<tool_call>\n${call}\n</tool_call><|im_end|>\n`,
      chat_template: 'chatml-hermes',
    };
    const other = scratch();
    const terminal = process.stdout.isTTY;
    try {
      const log = other.file('a.jsonl', `${JSON.stringify(rollout)}\n`);
      expect((await runHere(other.directory, ['ingest', log, '--library', other.library])).code).toBe(0);
      const run = (...args: readonly string[]) =>
        runHere(other.directory, ['code', '1', '--library', other.library, ...args]);
      const piped = await run();
      expect(piped.out).toContain(code);
      process.stdout.isTTY = true;
      for (const args of [[], ['--call', '1']])
        expect((await run(...args)).out).toContain('\tprint("\\u{1b}]52;c;aGk=\\u{7}\\u{9b}2J\\u{202e}")');
      const notebook = (await run('--format', 'ipynb')).out;
      expect(notebook).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
      const path = join(other.directory, 'a.ipynb');
      await run('--format', 'ipynb', '--out', path);
      expect(JSON.parse(notebook)).toEqual(JSON.parse(readFileSync(path, 'utf8')));
      if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    } finally {
      process.stdout.isTTY = terminal;
      other.remove();
    }
  });

  it('reports missing rollouts', async () => {
    expect(await turnwise('code', withoutCalls)).toMatchObject({ code: 1, out: '' });
    expect((await turnwise('code', pair[0] ?? '', '--call', '99')).err).toContain('no call 99');
    expect((await turnwise('code', pair[0] ?? '', '--format', 'txt')).code).toBe(2);
    expect((await turnwise('code', pair[0] ?? '', '--call', '1', '--to', '2')).code).toBe(2);
    expect((await turnwise('code', 'x')).code).toBe(2);
  });
});
