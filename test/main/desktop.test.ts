/** The pure functions of Electron's main process. */
import { describe, expect, test } from 'vitest';
import { bundlePaths } from '../../electron/main/bundleProtocol.ts';
import { menuTemplate } from '../../electron/main/menu.ts';
import { argumentsForPaths, startArguments } from '../../electron/main/startArguments.ts';
import { restorableState } from '../../electron/main/windowState.ts';
import { COMMANDS } from '../../renderer/shell/keys/keymap.ts';

const LAPTOP = { x: 0, y: 25, width: 1440, height: 875 };
const SECOND = { x: 1440, y: 0, width: 2560, height: 1440 };

describe('a saved window', () => {
  const bounds = { x: 1600, y: 100, width: 1200, height: 800 };

  test('restores its bounds', () => {
    const saved = { bounds, isMaximized: true };
    expect(restorableState(saved, [LAPTOP, SECOND])).toEqual(saved);
  });

  test('keeps its size, not its position, when the display is gone', () => {
    expect(restorableState({ bounds, isMaximized: true }, [LAPTOP])).toEqual({ isMaximized: true });
  });

  test.each([
    ['above every display', { ...bounds, y: -400 }],
    ['below', { ...bounds, y: 1430 }],
    ['a sliver to the right', { ...bounds, x: 3950 }],
    ['too small to use', { ...bounds, width: 10 }],
  ])('is not restored %s', (_where, lost) => {
    expect(restorableState({ bounds: lost, isMaximized: false }, [LAPTOP, SECOND])).toEqual({
      isMaximized: false,
    });
  });

  test.each([
    [undefined],
    [null],
    ['text'],
    [{}],
    [{ bounds: { x: '1' }, isMaximized: 1 }],
    [{ bounds: null }],
  ])('rejects %j', (saved) => expect(restorableState(saved, [LAPTOP])).toEqual({ isMaximized: false }));
});

describe('the arguments of a start', () => {
  test('are paths, whatever switches are between them', () => {
    const args = ['--library=lib.sqlite', '--enable-logging', 'a.jsonl', '--', '--odd-name.jsonl', '/abs/b'];
    expect(startArguments(args, '/logs')).toEqual({
      paths: ['/logs/a.jsonl', '/logs/--odd-name.jsonl', '/abs/b'],
      library: '/logs/lib.sqlite',
    });
  });
  test('may be URLs of files', () => {
    const args = ['file:///a%20b.jsonl', '--', 'file:///c', 'file:d', 'file://'];
    expect(startArguments(args, '/logs').paths).toEqual(['/a b.jsonl', '/c', '/logs/file:d', '/']);
  });
  test('are passed to the next start without the paths of this one', () => {
    const args = ['/app', '--no-sandbox', 'a.jsonl', '--library=/l', '--', 'b.jsonl'];
    expect(argumentsForPaths(args, 1, ['/c'])).toEqual(['/app', '--no-sandbox', '--library=/l', '--', '/c']);
    expect(argumentsForPaths([], 0, [])).toEqual(['--']);
  });
  test('may be empty', () => expect(startArguments([], '/logs')).toEqual({ paths: [] }));
});

test('every command of the menu exists in the page', () => {
  const known = new Set<string>(COMMANDS.map(({ id }) => id));
  for (const isMac of [true, false]) {
    const sent: string[] = [];
    const template = menuTemplate({ isMac, hasDevTools: true, run: (command) => sent.push(command) });
    const items = template.flatMap((item) => (Array.isArray(item.submenu) ? item.submenu : []));
    const commands = items.filter((item) => item.id !== undefined);
    for (const item of commands) (item.click as () => void)();
    expect(sent).toEqual(commands.map(({ id }) => id));
    expect(sent.filter((id) => !known.has(id))).toEqual([]);
  }
});

test('no key of the menu fires while the user types', () => {
  for (const isMac of [true, false]) {
    const template = menuTemplate({ isMac, hasDevTools: true, run: () => undefined });
    const items = template.flatMap((item) => (Array.isArray(item.submenu) ? item.submenu : []));
    const registered = items.filter((item) => item.registerAccelerator !== false || isMac);
    const keys = registered.flatMap(({ accelerator }) => accelerator ?? []);
    expect(keys).toContain('CmdOrCtrl+O');
    expect(keys.filter((key) => !key.startsWith('CmdOrCtrl+'))).toEqual([]);
  }
});

describe('paths of the bundle', () => {
  test('from the sources', () => {
    expect(bundlePaths('file:///repo/electron/main/main.ts')).toEqual({
      renderer: '/repo/dist/renderer',
      preload: '/repo/dist/electron/preload.cjs',
    });
  });
  test('built, and packed with the demo beside the archive', () => {
    expect(bundlePaths('file:///repo/dist/electron/main.js')).toEqual({
      renderer: '/repo/dist/renderer',
      preload: '/repo/dist/electron/preload.cjs',
      demo: '/repo/fixtures/demo/demo.jsonl',
    });
    expect(bundlePaths('file:///opt/Turnwise/resources/app.asar/dist/electron/main.js')).toEqual({
      renderer: '/opt/Turnwise/resources/app.asar/dist/renderer',
      preload: '/opt/Turnwise/resources/app.asar/dist/electron/preload.cjs',
      demo: '/opt/Turnwise/resources/app.asar.unpacked/fixtures/demo/demo.jsonl',
    });
  });
});
