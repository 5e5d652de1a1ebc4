/** A library that cannot be written is shown, and says so. A newer one is refused in one sentence. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWriter } from '../../electron/storage/open.ts';
import { CLI, runHere } from '../support/commandLine.ts';
import { type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Some systems do not let a user mount a file system of their own. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

let place: Scratch;
let temporary: string;
beforeEach(async () => {
  place = scratch();
  temporary = join(place.directory, 'tmp');
  mkdirSync(temporary);
  mkdirSync(join(place.directory, 'shared'));
  await copyDemoLibrary(join(place.directory, 'shared', 'l.sqlite'));
});
afterEach(() => place.remove());

/** Runs commands with the directory `$D` mounted read-only. */
function readOnly(script: string): { readonly out: string; readonly err: string } {
  const D = join(place.directory, 'shared');
  const functions = `turnwise() { "$NODE" "$CLI" "$@"; }
    mount --bind "$D" "$D" && mount -o remount,ro,bind "$D" || exit 9; `;
  const env = { ...process.env, D, ROOT, CLI, NODE: process.execPath, TMPDIR: temporary };
  const child = spawnSync('unshare', ['-rm', 'sh', '-c', functions + script], { encoding: 'utf8', env });
  expect(child.status).not.toBe(9);
  return { out: child.stdout, err: child.stderr.replaceAll(D, 'D') };
}

describe.skipIf(!canMount)('a read-only library', () => {
  it('is read by every command, and leaves nothing behind', () => {
    const { out, err } = readOnly(`
      turnwise query --library "$D/l.sqlite" "SELECT count(*) AS n FROM rollout"
      turnwise annotations --library "$D/l.sqlite" --count
      turnwise doctor "$D/l.sqlite"`);
    expect(err).toBe('');
    expect(out).toMatch(/^\{"n":1981\}\n0\n.*l\.sqlite is not damaged\n$/);
    expect(readdirSync(join(place.directory, 'shared'))).toEqual(['l.sqlite']);
    expect(readdirSync(temporary).filter((name) => name.startsWith('turnwise'))).toEqual([]);
  });

  it('refuses every change', () => {
    const { err } = readOnly(`
      turnwise label 1 loops --library "$D/l.sqlite"
      turnwise ingest "$ROOT/fixtures/demo/demo.jsonl" --library "$D/l.sqlite"
      turnwise compact --library "$D/l.sqlite"`);
    const why =
      'turnwise: not saved: the library D/l.sqlite is read-only, because its file system is mounted read-only\n';
    expect(err).toBe(why.repeat(3));
  });

  it('tells the pages', () => {
    const script = place.file(
      'info.mjs',
      `const { createHost } = await import(process.env.ROOT + "/electron/host/createHost.ts");
       const host = await createHost({ libraryPath: process.env.D + "/l.sqlite", shell: "browser", version: "1" });
       console.log((await host.dispatch("host.info", {})).value.warnings[0].message);
       console.log((await host.dispatch("host.info", {})).value.readOnly);
       console.log((await host.upload({ name: "a", content: (async function* () {})() })).failure.message);
       console.log((await host.dispatch("ingest.demo", {})).failure.code);
       console.log(host.isGranted(process.env.ROOT + "/fixtures/demo/demo.jsonl"));
       await host.close();`,
    );
    // Nothing is read, but records of these logs can be shown from then on.
    const ingest = 'turnwise ingest "$ROOT/fixtures/demo/demo.jsonl" --library "$D/l.sqlite" 2>/dev/null';
    const { out, err } = readOnly(`${ingest}; "$NODE" ${script}`);
    expect(err).toBe('');
    expect(out).toMatch(
      /^This library is read-only: its file system is mounted read-only\. .* cannot be saved\.\n(the library .* is read-only, .*)\nnot saved: \1\nrefused\ntrue\n$/,
    );
    expect(readdirSync(join(place.directory, 'shared'))).toEqual(['l.sqlite']);
  });
});

it('refuses a newer library in one sentence that names it', async () => {
  const db = openWriter(place.library);
  db.pragma('user_version = 999');
  db.close();
  const expected = `turnwise: the library ${place.library} was written by a newer Turnwise: it has version 999; this Turnwise reads up to version 1. Update Turnwise, or name another library with --library\n`;
  for (const command of [['rollouts'], ['query', 'SELECT 1'], ['ingest', place.directory]])
    expect(await runHere(place.directory, [...command, '--library', place.library])).toMatchObject({
      code: 1,
      err: expected,
    });
});

// Without the built interface, this would build it.
it.skipIf(!existsSync(join(ROOT, 'dist/renderer')))('starts with one sentence, without a stack', () => {
  const db = openWriter(place.library);
  db.pragma('user_version = 999');
  db.close();
  const argv = [join(ROOT, 'electron/start/start.mjs'), '--browser', '--no-open', '--library', place.library];
  const { stderr, status } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  expect(stderr).toMatch(/^turnwise: the library .* was written by a newer Turnwise: .*\n$/);
  expect(status).toBe(1);
});
