/** `npm start` with programs in place of Electron's binary. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeOtherLibrary, OTHER_ID } from '../contract/twoLibraries.ts';
import { HOSTILE_RUN, writeHostileLog } from '../support/shells/hostileLog.ts';
import type { TemporaryHome } from '../support/shells/shell.ts';
import { openSocketTransport } from '../support/shells/socketTransport.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START = fileURLToPath(new URL('../../electron/start/start.mjs', import.meta.url));

let home: TemporaryHome;
let log: string;
let child: ChildProcess;
let stderr = '';

beforeEach(() => {
  home = createTemporaryHome();
  log = writeHostileLog(home.directory);
  stderr = '';
});
afterEach(async () => {
  if (child.exitCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  home.remove();
});

/** Starts with this code as Electron, run by Node. */
function startWith(code: string, ...args: string[]): void {
  const dist = join(home.directory, 'electron-zip');
  mkdirSync(dist);
  writeFileSync(join(dist, 'electron'), `#!${process.execPath}\n${code}\n`);
  chmodSync(join(dist, 'electron'), 0o755);
  child = spawn(process.execPath, [START, '--no-open', '--library', home.libraryPath, ...args, log], {
    env: {
      ...process.env,
      ...home.env,
      DISPLAY: ':99',
      ELECTRON_OVERRIDE_DIST_PATH: dist,
      ELECTRON_RUN_AS_NODE: '1',
      NODE_OPTIONS: '--no-warnings',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
}

test.each([
  ["process.kill(process.pid, 'SIGTRAP')", 'Electron ended by SIGTRAP before its window was open; serving'],
  ['process.exit(127)', 'Electron ended with code 127 before its window was open; serving'],
])('serves a browser when Electron dies at once: %s', async (code, line) => {
  startWith(code);
  const [url] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  expect(url.toString()).toMatch(/^http:\/\/(127\.0\.0\.1|localhost):\d+\//);
  // The two streams arrive in any order.
  await expect.poll(() => stderr).toContain(`turnwise: ${line}`);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('serves nothing when Electron fails after it was up, and passes on what the user gave', async () => {
  const note = join(home.directory, 'note');
  startWith(
    `require('node:fs').writeFileSync(${JSON.stringify(note)}, JSON.stringify([process.argv.slice(3), process.env]));
     process.send('up', () => process.exit(3));`,
    '--no-sandbox',
  );
  expect(await once(child, 'exit')).toEqual([3, null]);
  const [args, env] = JSON.parse(readFileSync(note, 'utf8')) as [string[], Record<string, string>];
  expect(args).toEqual(['--no-sandbox', `--library=${home.libraryPath}`, '--', log]);
  expect(env).not.toHaveProperty('ELECTRON_RUN_AS_NODE');
  expect(env).not.toHaveProperty('NODE_OPTIONS');
  expect(stderr).toBe('');
});

test('the browser opens on a library that is given as a path', async () => {
  const library = await makeOtherLibrary(home.directory);
  child = spawn(process.execPath, [START, '--browser', '--no-open', '--library', home.libraryPath, library], {
    env: { ...process.env, ...home.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const url = new URL(printed.toString());
  expect(url.pathname).toBe(`/in/${OTHER_ID}`);
  expect(await (await fetch(url)).text()).toContain('<script type="module"');
});

test('the packed command serves and reads logs without a checkout', async () => {
  const packed = execFileSync(
    'npm',
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', home.directory],
    { cwd: ROOT, encoding: 'utf8' },
  );
  execFileSync('tar', ['-xzf', packed.trim()], { cwd: home.directory });
  const packageDirectory = join(home.directory, 'package');
  mkdirSync(join(packageDirectory, 'node_modules'));
  const addon = join('node_modules', 'better-sqlite3');
  symlinkSync(join(ROOT, addon), join(packageDirectory, addon));
  child = spawn(
    process.execPath,
    [
      join(packageDirectory, 'electron', 'start', 'turnwise.mjs'),
      ...['serve', '--no-open', '--library', home.libraryPath, log],
    ],
    { cwd: home.directory, env: { ...process.env, ...home.env }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [printed] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const url = new URL(printed.toString());
  expect(await (await fetch(url)).text()).toContain('<script type="module"');
  const token = url.hash.slice('#token='.length);
  const transport = await openSocketTransport({ port: Number(url.port), token });
  const runs = async () => transport.send('run.list', {});
  await expect.poll(runs).toMatchObject({ ok: true, value: [{ runKey: HOSTILE_RUN }] });
  await transport.close();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('serves nothing when it is stopped before Electron is up', async () => {
  startWith("process.stdout.write('started'); setTimeout(() => undefined, 60_000);");
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(stderr).toBe('');
});
