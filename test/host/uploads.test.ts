/** Files that a page sends: where they are stored, and what is refused. */
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LibraryManager } from '../../electron/host/host.ts';
import { createLibraryManager } from '../../electron/host/libraryManager.ts';
import { safeName, storeUpload } from '../../electron/host/uploads.ts';
import { type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
let uploads: string;
let before: string | undefined;

beforeEach(() => {
  before = process.env['TURNWISE_HOME'];
  place = scratch();
  process.env['TURNWISE_HOME'] = join(place.directory, 'home');
  uploads = join(place.directory, 'uploads');
});
afterEach(() => {
  if (before === undefined) delete process.env['TURNWISE_HOME'];
  else process.env['TURNWISE_HOME'] = before;
  place.remove();
});

async function* sent(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
async function* aborted(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half of');
  throw new Error('aborted');
}
const store = (name: string, content = sent('a log'), folder?: string) =>
  storeUpload(place.library, { name, content, folder });

describe('an uploaded file', () => {
  test('is stored beside the library, for its user only', async () => {
    const { path, folder } = await store('train.jsonl', sent('one ', 'two'));
    expect({ path, folder }).toEqual({ path: join(uploads, 'train', 'train.jsonl'), folder: 'train' });
    expect(readFileSync(path, 'utf8')).toBe('one two');
    const modes = [uploads, dirname(path), path].map((each) => statSync(each).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  test('never replaces another: uploads have folders, and one folder numbers equal names', async () => {
    await store('a.jsonl', sent('first'));
    const second = await store('a.jsonl', sent('second'));
    expect(second.path).toBe(join(uploads, 'a (2)', 'a.jsonl'));
    const beside = await store('a.jsonl', sent('third'), second.folder);
    expect(beside.path).toBe(join(uploads, 'a (2)', 'a (2).jsonl'));
    expect(readFileSync(join(uploads, 'a', 'a.jsonl'), 'utf8')).toBe('first');
    expect(readFileSync(second.path, 'utf8')).toBe('second');
  });

  test('does not name its folder, and so its run, by the number of a step', async () => {
    for (const name of ['60.jsonl', 'global_step_60.jsonl'])
      expect((await store(name)).folder).toMatch(/^uploaded \d{4}-\d\d-\d\d(?: \(2\))?$/);
  });

  test('has a folder whose name every system takes', async () => {
    for (const [name, folder] of [
      ['a .jsonl', 'a'],
      ['CON .jsonl', 'CON-'],
    ] as const)
      expect((await store(name)).folder).toBe(folder);
  });

  test('is removed when the page stops, or when it is too large', async () => {
    await expect(store('half.jsonl', aborted())).rejects.toThrow('half.jsonl was not saved: aborted');
    const large = { name: 'large.jsonl', content: sent('12345', '67890') };
    await expect(storeUpload(place.library, large, 9)).rejects.toMatchObject({
      code: 'refused',
      message: 'large.jsonl is larger than 9 bytes. Open it by its path.',
    });
    expect(readdirSync(uploads)).toEqual([]);
    await expect(
      storeUpload(place.library, { ...large, content: sent('123456789') }, 9),
    ).resolves.toBeDefined();
  });

  test('of a folder that is no upload is refused', async () => {
    const { folder } = await store('a.jsonl');
    await expect(store('b.jsonl', sent('b'), folder)).resolves.toBeDefined();
    mkdirSync(join(place.directory, 'elsewhere'));
    symlinkSync(join(place.directory, 'elsewhere'), join(uploads, 'link'));
    for (const name of ['..', '../elsewhere', 'a/../../elsewhere', '', '.', 'missing', 'link'])
      await expect(store('b.jsonl', sent('b'), name), name).rejects.toMatchObject({ code: 'refused' });
    expect(readdirSync(join(place.directory, 'elsewhere'))).toEqual([]);
  });

  test('does not follow a link in place of the folder', async () => {
    mkdirSync(join(place.directory, 'elsewhere'));
    symlinkSync(join(place.directory, 'elsewhere'), uploads);
    await expect(store('a.jsonl')).rejects.toThrow('is not a directory of yours');
    expect(readdirSync(join(place.directory, 'elsewhere'))).toEqual([]);
  });
});

test.each([
  ['train.jsonl', 'train.jsonl'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\logs\\a.jsonl', 'a.jsonl'],
  ['.bashrc', 'bashrc'],
  ['..', 'log'],
  ['', 'log'],
  ['a\u0000b\u001b[31m\n.jsonl', 'a-b-[31m-.jsonl'],
  ['invoice\u202Elnosj.exe', 'invoice-lnosj.exe'],
  ['what? "this".jsonl', 'what- -this-.jsonl'],
  ['nul.txt', 'nul-.txt'],
  ['步骤 1.jsonl', '步骤 1.jsonl'],
  [`${'x'.repeat(300)}.jsonl`, `${'x'.repeat(194)}.jsonl`],
])('the name %j becomes %j', (name, safe) => {
  expect(safeName(name)).toBe(safe);
});

describe('the library manager', () => {
  let manager: LibraryManager;
  const open = async () => {
    manager = await createLibraryManager({ libraryPath: place.library, shell: 'browser', version: '0.0.0' });
  };
  afterEach(() => manager.close());
  const log = `${JSON.stringify({ input: 'What is 1?', output: 'One.', score: 1, step: 1 })}\n`;

  test('lets an uploaded file be read, and no file beside it', async () => {
    await open();
    const stored = await manager.upload({ name: '1.jsonl', content: sent(log) });
    if (!stored.ok) throw new Error(stored.failure.message);
    const { path } = stored.value;
    expect(await manager.dispatch('ingest.start', { paths: [path] })).toMatchObject({ ok: true });
    await expect
      .poll(() => manager.dispatch('ingest.jobs', {}))
      .toMatchObject({ value: [{ state: 'done', rollouts: 1 }] });
    expect(await manager.dispatch('ingest.start', { paths: [uploads] })).toMatchObject({
      failure: { code: 'not_granted' },
    });
    expect(await manager.dispatch('path.list', { prefix: '' })).toMatchObject({ value: { entries: [] } });
  });

  test('refuses an upload for a library that is not open', async () => {
    await open();
    const failed = await manager.upload({ name: 'a.jsonl', content: sent('a') }, 'elsewhere');
    expect(failed).toMatchObject({ ok: false, failure: { code: 'not_found' } });
  });
});
