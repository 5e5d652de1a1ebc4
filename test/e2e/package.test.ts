/** `npm run package` with stand-ins for Electron's download and for the tool that writes the .deb. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOSTILE_RUN, writeHostileLog } from '../support/shells/hostileLog.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The fuses in Electron's executable follow this text: a version, their number, and a digit for each. */
const FUSE_WIRE = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\u0001\u0008';
const DEFAULT_FUSES = '10110001';

const home = createTemporaryHome();
const at = (...names: string[]): string => join(home.directory, ...names);
const resources = at('packages', 'linux-unpacked', 'resources');

/** The builder compares the whole configuration, for every system, with its schema. */
function runBuilder(dist: string, ...target: string[]) {
  return spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules', 'electron-builder', 'cli.js'),
      ...['--config', 'electron/main/builder.yml', ...target],
      ...[`-c.electronDist=${at(dist)}`, `-c.directories.output=${at('packages')}`],
    ],
    {
      cwd: ROOT,
      encoding: 'utf8',
      env: {
        ...process.env,
        CUSTOM_FPM_PATH: at('fpm'),
        PATH: [at('bin'), process.env.PATH].join(delimiter),
      },
    },
  );
}

/** Arguments of the tool that writes the .deb. */
let deb: readonly string[];
/** Contents of the files that the tool was told to install, by installation path. */
let installed: Readonly<Record<string, string>>;

beforeAll(() => {
  mkdirSync(at('dist', 'resources'), { recursive: true });
  writeFileSync(at('dist', 'electron'), `stand-in ${FUSE_WIRE}${DEFAULT_FUSES}`, { mode: 0o755 });
  const tool = `
    const { readFileSync, statSync, writeFileSync } = require('node:fs');
    const args = process.argv.slice(2);
    const pairs = args.map((arg) => arg.split('=')).filter(([from, to]) => from.startsWith('/') && to?.startsWith('/'));
    const files = pairs.filter(([from]) => statSync(from).isFile());
    const installed = Object.fromEntries(files.map(([from, to]) => [to, readFileSync(from, 'utf8')]));
    writeFileSync(args[args.indexOf('--package') + 1], '');
    writeFileSync(${JSON.stringify(at('deb.json'))}, JSON.stringify({ args, installed }));`;
  writeFileSync(at('fpm'), `#!${process.execPath}\n${tool}\n`, { mode: 0o755 });
  const { status, stdout, stderr } = runBuilder('dist', '--linux', 'deb', '--x64');
  expect({ status, stdout, stderr }).toMatchObject({ status: 0 });
  ({ args: deb, installed } = JSON.parse(readFileSync(at('deb.json'), 'utf8')));
});
afterAll(() => home.remove());

function optionsOf(name: string): readonly string[] {
  return deb.flatMap((arg, index) => (arg === name ? [deb[index + 1] ?? ''] : []));
}

interface ArchiveEntry {
  readonly unpacked?: boolean;
  readonly files?: Readonly<Record<string, ArchiveEntry>>;
}

/** Paths in the archive; the files beside it are marked. */
function listArchive(path: string): readonly string[] {
  const bytes = readFileSync(path);
  const header = JSON.parse(bytes.toString('utf8', 16, 16 + bytes.readUInt32LE(12))) as ArchiveEntry;
  const list = ({ files = {} }: ArchiveEntry, directory: string): string[] =>
    Object.entries(files).flatMap(([name, entry]) =>
      entry.files === undefined
        ? [`${directory}/${name}${entry.unpacked === true ? ' (unpacked)' : ''}`]
        : list(entry, `${directory}/${name}`),
    );
  return list(header, '');
}

test('the .deb names its maintainer, and the C library that the addon needs', () => {
  expect(optionsOf('--maintainer')).toEqual([expect.stringMatching(/^\S.* <\S+@\S+>$/)]);
  expect(optionsOf('--url')).toEqual([expect.stringMatching(/^https:/)]);
  const addon = readFileSync(join(ROOT, 'node_modules/better-sqlite3/prebuilds/linux-x64.node'), 'latin1');
  const minors = [...addon.matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
  expect(optionsOf('-d')).toContain(`libc6 (>= 2.${Math.max(...minors)})`);
});

test('the desktop entry has our icon, offers logs and opens libraries', () => {
  expect(installed['/usr/share/icons/hicolor/scalable/apps/turnwise.svg']).toContain('<title>Turnwise');
  const entry = installed['/usr/share/applications/turnwise.desktop'];
  const lines = [
    'Exec=/opt/Turnwise/turnwise %U',
    'Icon=turnwise',
    'StartupWMClass=turnwise',
    'MimeType=text/plain;application/json;application/zip;application/x-turnwise;',
  ];
  expect(entry?.split('\n')).toEqual(expect.arrayContaining(lines));
  // Declares no type for *.jsonl, which would make Turnwise the default application.
  const types = installed['/usr/share/mime/packages/turnwise.xml'] ?? '';
  expect(types.match(/pattern="[^"]+"/g)).toEqual(['pattern="*.turnwise"']);
});

test('the fuses are set', () => {
  const binary = readFileSync(join(resources, '..', 'turnwise'), 'latin1');
  // Enabled: integrity check of the archive, and loading code from the archive only.
  expect(binary).toBe(`stand-in ${FUSE_WIRE}00001100`);
});

test('the archive holds the page, and beside it lies what threads load', () => {
  const files = listArchive(join(resources, 'app.asar'));
  const has = (path: string): boolean => files.includes(path);
  for (const path of ['/dist/renderer/index.html', '/dist/electron/main.js', '/dist/electron/preload.cjs'])
    expect([path, has(path)]).toEqual([path, true]);
  const python = ['/node_modules/pyodide/pyodide.asm.wasm', '/dist/python/python.snapshot'];
  for (const path of ['/package.json', '/fixtures/demo/demo.jsonl', '/dist/electron/writer.js', ...python])
    expect([path, has(`${path} (unpacked)`)]).toEqual([path, true]);
  const packages = files.flatMap((path) => /^\/node_modules\/([^/]+)\//.exec(path)?.[1] ?? []);
  expect(new Set(packages)).toEqual(new Set(['better-sqlite3', 'pyodide']));
  expect(files.filter((path) => /\.(map|gz)( |$)/.test(path))).toEqual([]);
});

test('threads and the addon work from beside the archive', () => {
  const cli = join(resources, 'app.asar.unpacked', 'dist', 'electron', 'cli.js');
  const turnwise = (...args: string[]): string =>
    execFileSync(process.execPath, [cli, ...args, '--library', home.libraryPath], { encoding: 'utf8' });
  turnwise('ingest', writeHostileLog(home.directory));
  expect(turnwise('query', 'SELECT run_key FROM run')).toContain(HOSTILE_RUN);
});

/** The parts of Electron.app that the builder reads and renames. */
function writeElectronApp(directory: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  const plist = (executable: string): string =>
    `<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
      <key>CFBundleExecutable</key><string>${executable}</string>
      <key>CFBundleIdentifier</key><string>com.github.Electron</string></dict></plist>`;
  write('Info.plist', plist('Electron'));
  write('MacOS/Electron', '');
  write(
    'Frameworks/Electron Framework.framework/Electron Framework',
    `stand-in ${FUSE_WIRE}${DEFAULT_FUSES}`,
  );
  for (const kind of ['', ' (GPU)', ' (Plugin)', ' (Renderer)']) {
    const helper = `Electron Helper${kind}`;
    write(`Frameworks/${helper}.app/Contents/Info.plist`, plist(helper));
    write(`Frameworks/${helper}.app/Contents/MacOS/${helper}`, '');
  }
}

test.skipIf(process.platform === 'darwin')(
  'macOS gets a new ad-hoc signature, and logs keep their application',
  () => {
    writeElectronApp(at('mac', 'Electron.app', 'Contents'));
    mkdirSync(at('bin'));
    writeFileSync(at('bin', 'codesign'), `#!/bin/sh\necho "$@" > '${at('signed')}'\n`, { mode: 0o755 });
    // An empty icon, because converting the SVG needs a download.
    writeFileSync(at('icon.icns'), '');
    const { status, stderr } = runBuilder('mac', '--mac', 'dir', '--arm64', `-c.mac.icon=${at('icon.icns')}`);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const bundle = at('packages', 'mac-arm64', 'Turnwise.app');
    expect(readFileSync(at('signed'), 'utf8')).toMatch(/^--sign - --force .*Turnwise\.app\n$/);
    const plist = readFileSync(join(bundle, 'Contents', 'Info.plist'), 'utf8').replaceAll(/>\s+</g, '><');
    const types = plist.matchAll(
      /<array><string>(\w+)<\/string><\/array>(?:(?!LSHandlerRank).)*<key>LSHandlerRank<\/key><string>(\w+)</gs,
    );
    expect([...types].map(([, extension, rank]) => `${extension}: ${rank}`)).toEqual([
      'turnwise: Owner',
      'jsonl: Alternate',
      'eval: Alternate',
    ]);
  },
);
