/** `turnwise libraries`, `compact` and `move`, called as by a script; and a move that is killed. */
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLI, type CommandRun, runHere } from '../support/commandLine.ts';
import { contents, ingestHere, rows, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

const DEMO = 'synthetic-grpo-roc-demo';

let place: Scratch;
let made: string;
let library: string;
let count = 0;
beforeAll(async () => {
  place = scratch();
  made = join(place.directory, 'made.sqlite');
  const hostile = place.file(
    `hostile\u202e.jsonl`,
    JSON.stringify({ input: 'p', output: '<answer>1</answer>', score: 1, step: 1, gts: '1' }),
  );
  await copyDemoLibrary(made);
  await ingestHere(made, [hostile]);
});
beforeEach(() => {
  count += 1;
  library = join(place.directory, `library-${count}.sqlite`);
  copyFileSync(made, library);
});
afterAll(() => place.remove());

const turnwise = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, [...args, '--library', library]);

describe('turnwise libraries', () => {
  it('lists the size of each run; the sizes sum to the file', async () => {
    const { code, out } = await turnwise('libraries', '--json');
    expect(code).toBe(0);
    const { path, sizes, known } = JSON.parse(out) as {
      path: string;
      sizes: { runs: { runKey: string; bytes: number }[]; shared: number; free: number; file: number };
      known: unknown[];
    };
    expect([path, known]).toEqual([library, []]);
    expect(sizes.runs[0]?.runKey).toBe(DEMO);
    const ofRuns = sizes.runs.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(ofRuns + sizes.shared + sizes.free).toBe(sizes.file);
  });

  it('prints a table in which no name can move the cursor', async () => {
    const { code, out } = await turnwise('libraries');
    expect(code).toBe(0);
    expect(out).toMatch(/MiB +1,821 rollouts {2}demo \(synthetic\) {2}\(synthetic-grpo-roc-demo\)/);
    expect(out).toContain(library);
    expect(out).not.toMatch(/[\p{Cf}]/u);
    expect((await turnwise('libraries', 'all')).code).toBe(2);
  });
});

describe('turnwise compact', () => {
  it('releases free pages', async () => {
    await turnwise('remove', DEMO);
    const { code, out } = await turnwise('compact', '--json');
    expect(code).toBe(0);
    const { before, after } = JSON.parse(out) as { before: number; after: number };
    expect(after).toBeLessThanOrEqual(before);
    expect((await turnwise('compact')).out).toMatch(/^[\d.]+ KiB before, [\d.]+ KiB after\n$/);
  });
});

describe('turnwise move', () => {
  const own = () => join(place.directory, `own-${count}.turnwise`);

  it('moves a run, and reports the result', async () => {
    const { code, out } = await turnwise(
      'move',
      '--run',
      DEMO,
      '--to',
      join(place.directory, `own-${count}`),
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ path: own(), rollouts: 1821 });
    expect(rows(own(), 'SELECT run_key FROM run_row')).toEqual([{ run_key: DEMO }]);
    expect(await turnwise('move', '--run', DEMO, '--to', own())).toMatchObject({ code: 1 });
    const [other] = rows(library, 'SELECT run_key FROM run_row ORDER BY run_key LIMIT 1');
    const again = await turnwise('move', '--run', String(other?.['run_key']), '--to', own());
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('already exists')]);
    expect(await turnwise('move', '--run', DEMO)).toMatchObject({ code: 2 });
  });

  it('keeps the run when killed midway, and moves it when what is left was deleted', async () => {
    const before = contents(library);
    const partial = `${own()}.partial`;
    const child = spawn(process.execPath, [CLI, 'move', '--run', DEMO, '--to', own(), '--library', library], {
      stdio: 'ignore',
    });
    const ended = new Promise<NodeJS.Signals | null>((resolve) =>
      child.once('exit', (_code, signal) => resolve(signal)),
    );
    const watcher = watch(place.directory, (_event, name) => {
      if (name === `own-${count}.turnwise.partial-wal`) child.kill('SIGKILL');
    });
    expect(await ended).toBe('SIGKILL');
    watcher.close();
    expect(existsSync(partial)).toBe(true);
    expect(existsSync(own())).toBe(false);
    expect(contents(library)).toEqual(before);
    const refused = await turnwise('move', '--run', DEMO, '--to', own());
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('Delete it, or choose another')]);
    for (const suffix of ['', '-wal', '-shm']) rmSync(partial + suffix, { force: true });
    expect((await turnwise('move', '--run', DEMO, '--to', own())).code).toBe(0);
    expect(existsSync(partial)).toBe(false);
    expect(contents(own()).rollouts).toEqual(before['rollouts']?.filter((row) => row['run_key'] === DEMO));
  });
});
