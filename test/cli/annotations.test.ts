/** `turnwise label`, `annotations`, `annotate` and `taxonomy`, called as by a script. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { rows, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PACK = join(ROOT, 'fixtures/turnwise-pack/said-of-one/pack.jsonl');

let place: Scratch;
let other: Scratch;
let rolloutId = '';
beforeAll(async () => {
  place = scratch();
  other = scratch();
  for (const each of [place, other]) await copyDemoLibrary(each.library);
  rolloutId = String(
    rows(place.library, 'SELECT rollout_id FROM rollout WHERE reward = 0 LIMIT 1')[0]?.['rollout_id'],
  );
});
afterAll(() => {
  place.remove();
  other.remove();
});

const turnwise = (library: string, ...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, [...args, '--library', library], { USER: 'ann' });

describe('turnwise label', () => {
  it('puts a label by id or name on a rollout, with its author', async () => {
    const made = await turnwise(
      place.library,
      'label',
      rolloutId,
      'Gave up',
      '--note',
      'esc \u001b[31m',
      '--severity',
      'major',
    );
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain('gave-up major');
    expect(made.out).not.toContain('\u001b');
    const json = await turnwise(place.library, 'label', rolloutId, 'loops', '--author', 'bob', '--json');
    expect(JSON.parse(json.out)).toMatchObject({
      pack: 1,
      type: 'annotation',
      annotation: { label: 'loops', author: 'bob' },
    });
    expect(rows(place.library, 'SELECT author, label, severity FROM annotation ORDER BY author')).toEqual([
      { author: 'ann', label: 'gave-up', severity: 'major' },
      { author: 'bob', label: 'loops', severity: null },
    ]);
  });

  it.each([
    [['label', '1'], 2, 'give ROLLOUT_ID and LABEL'],
    [['label', 'x', 'loops'], 2, 'whole number'],
    [['label', '1', 'no-such'], 2, 'there is no label no-such'],
    [['label', '999999', 'loops'], 1, 'no rollout 999999'],
    [['label', '1', 'loops', '--severity', 'bad'], 2, '--severity must be one of'],
    [['annotations', '--state', 'gone'], 2, '--state is one of'],
    [['annotations', '--run', 'nobody'], 1, 'no run nobody'],
    [['annotate'], 2, 'give --import'],
    [['annotate', '--import', '/nobody/has/this'], 1, 'there is no file'],
    [['taxonomy', '--export', 'a', '--import', 'b'], 2, 'at most one'],
    [['taxonomy', '--import', '/nobody/has/this'], 1, 'ENOENT'],
  ])('refuses %j', async (args, code, words) => {
    const run = await turnwise(place.library, ...args);
    expect([run.code, run.out]).toEqual([code, '']);
    expect(run.err).toContain(words);
  });
});

describe('turnwise annotations and annotate', () => {
  it('lists annotations in a form that imports to the same, byte for byte', async () => {
    const listed = await turnwise(place.library, 'annotations', '--json');
    expect(listed.code).toBe(0);
    const file = place.file('said.jsonl', listed.out);
    const first = await turnwise(other.library, 'annotate', '--import', file);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toContain('2 added, 0 unchanged, 0 in conflict');
    expect((await turnwise(other.library, 'annotate', '--import', file)).out).toContain(
      '0 added, 2 unchanged',
    );
    expect((await turnwise(other.library, 'annotations', '--json')).out).toBe(listed.out);
  });

  it('keeps to a label, an author, a state and a filter', async () => {
    const count = async (...args: readonly string[]) =>
      Number((await turnwise(place.library, 'annotations', '--count', ...args)).out);
    expect(await count()).toBe(2);
    expect(await count('--label', 'Loops', '--label', 'gave-up')).toBe(2);
    expect(await count('--author', 'bob')).toBe(1);
    expect(await count('--state', 'unattached')).toBe(0);
    expect(await count('--run', '1', '--filter', 'reward:1')).toBe(0);
  });

  it('reports lines that cannot be read, with their numbers', async () => {
    const run = await turnwise(other.library, 'annotate', '--import', PACK, '--json');
    expect(run.code).toBe(3);
    expect(JSON.parse(run.out)).toMatchObject({ added: 3, unattached: 3, readings: 1 });
    expect(run.err).toContain(`${PACK}:8: a pack of version 2`);
    expect((await turnwise(other.library, 'annotations', '--state', 'unattached')).out).toContain(
      'unattached',
    );
  });
});

it.skipIf(process.platform === 'win32')('a pipe is not waited for', async () => {
  const pipe = join(place.directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const args of [
    ['taxonomy', '--import', pipe],
    ['annotate', '--import', pipe],
    ['sample', 'read', pipe],
    ['ingest', '--mapping', pipe, place.file('a.jsonl', '{}\n')],
  ]) {
    const { code, err } = await turnwise(place.library, ...args);
    expect([args, code]).toEqual([args, 1]);
    expect(err).toMatch(/pipe cannot be read: .*(?:not a regular file|neither a file nor a directory)/);
  }
});

describe('turnwise taxonomy', () => {
  it('exports the labels, and imports the edited file as the new taxonomy', async () => {
    const file = join(place.directory, 'labels.json');
    expect((await turnwise(place.library, 'taxonomy', '--export', file)).code).toBe(0);
    const text = readFileSync(file, 'utf8').replace('"Gave up"', '"Stopped trying"');
    place.file('labels.json', text);
    const run = await turnwise(place.library, 'taxonomy', '--import', file);
    expect(run.code).toBe(0);
    expect(run.out).toContain('Stopped trying');
    expect((await turnwise(place.library, 'taxonomy', '--json')).out).toBe(text);
    const twice = place.file('twice.json', text.replace('"id": "loops"', '"id": "gave-up"'));
    expect(await turnwise(place.library, 'taxonomy', '--import', twice)).toMatchObject({ code: 1, out: '' });
  });

  it('does not replace what has the name of the export', async () => {
    const kept = place.file('kept.txt', 'kept');
    const links = ['kept.txt', 'missing.txt'].map((target) => {
      const link = join(place.directory, `${target}.json`);
      symlinkSync(join(place.directory, target), link);
      return link;
    });
    for (const taken of [kept, place.library, ...links, '/dev/null']) {
      const { code, err } = await turnwise(place.library, 'taxonomy', '--export', taken);
      expect([taken, code]).toEqual([taken, 1]);
      expect(err).toContain('already exists');
    }
    expect(readFileSync(kept, 'utf8')).toBe('kept');
    expect(existsSync(join(place.directory, 'missing.txt'))).toBe(false);
    expect((await turnwise(place.library, 'taxonomy')).code).toBe(0);
  });
});
