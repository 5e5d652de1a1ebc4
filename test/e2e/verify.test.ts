/** `npm run verify:desktop`, on the double and with programs in place of Electron's binary. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TemporaryHome } from '../support/shells/shell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { CHECKS } from '../verify/checks.ts';

const VERIFY = fileURLToPath(new URL('../verify/main.ts', import.meta.url));

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
});
afterEach(() => home.remove());

function verify(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const report = join(home.directory, 'report.md');
  const { status, stderr } = spawnSync(process.execPath, [VERIFY, '--report', report, ...args], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  const rows = () =>
    readFileSync(report, 'utf8')
      .split('\n')
      .filter((line) => /^\| \d/.test(line));
  return { status, stderr, rows };
}

test('without a binary it says what to do', () => {
  const { status, stderr } = verify([], { DISPLAY: '', WAYLAND_DISPLAY: '' });
  expect(status).toBe(2);
  expect(stderr).toMatch(/^Nothing was verified: there is no display\. Unpack Electron's zip, set ELECTRON_/);
  const empty = verify([], { DISPLAY: ':99', ELECTRON_OVERRIDE_DIST_PATH: home.directory });
  expect([empty.status, empty.stderr]).toEqual([2, expect.stringContaining('there is no electron in')]);
});

test('a check that fails is reported, and fails the run', () => {
  const dist = join(home.directory, 'zip');
  mkdirSync(dist);
  writeFileSync(join(dist, 'electron'), '#!/bin/sh\nexit 127\n', { mode: 0o755 });
  const { status, rows } = verify(['--only', '1', '--packaged', join(dist, 'electron')], {
    DISPLAY: ':99',
    ELECTRON_OVERRIDE_DIST_PATH: dist,
  });
  expect(status).toBe(1);
  for (const kind of ['unpackaged', 'packaged'])
    expect(rows()).toContainEqual(
      expect.stringMatching(new RegExp(`^\\| 1 \\| ${kind} .*FAILED \\| it ended with 127`)),
    );
});

test('the checks work on the double, and what they cannot see is asked', { timeout: 180_000 }, () => {
  const numbers = [2, 3, 4, 5, 6, 7, 9, 12, 15, 18];
  const { status, rows } = verify(['--double', '--no-questions', '--only', numbers.join(',')]);
  const results = rows().filter((row) => row.includes('| unpackaged |'));
  expect(results.filter((row) => row.includes('FAILED'))).toEqual([]);
  expect(status).toBe(0);
  const ok = results.flatMap((row) => (/ \| ok \| /.test(row) ? [Number(row.split('|')[1])] : []));
  expect(ok).toEqual([2, 3, 4, 5, 6, 7, 9, 12]);
  expect(results).toContainEqual(expect.stringMatching(/^\| 15 .* skipped \| the double of Electron/));
  expect(results).toContainEqual(expect.stringMatching(/^\| 18 .* not asked \| After quitting maximised/));
});

test('the checks are numbered in order', () => {
  expect(CHECKS.map(({ number }) => number)).toEqual(CHECKS.map((_check, index) => index + 1));
  expect(CHECKS.filter(({ machine, ask }) => machine === undefined && ask === undefined)).toEqual([]);
});
