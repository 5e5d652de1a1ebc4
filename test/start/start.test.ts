/**
 * The scripts before every npm command. They are plain JavaScript for any Node version, so they are loaded by
 * URL and typed here as far as they are used.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const START = new URL('../../electron/start/', import.meta.url);
const load = async <T>(name: string): Promise<T> => (await import(new URL(name, START).href)) as T;

interface Lock {
  withLock<T>(
    root: string,
    work: () => T | Promise<T>,
    options?: { directory?: string; onWait?: () => void },
  ): Promise<T>;
}
interface Install {
  isInstalled(root: string): boolean;
  nodeBinary(root: string): string;
}
interface Start {
  parseStart(argv: readonly string[]): Record<string, unknown>;
}

interface ElectronBinary {
  findElectron(root: string): string | undefined;
  obtainElectron(root: string): Promise<{ binary: string } | { reason: string }>;
}
interface RunElectron {
  sandboxAdvice(binary: string, system: object): string[];
}

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwise-start-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('the lock', () => {
  /** Appends `start` and `end` to a file, holding the lock for a while. */
  function holder(log: string, lock: string): string {
    return `
      import { appendFileSync } from 'node:fs';
      import { withLock } from ${JSON.stringify(new URL('lock.mjs', START).href)};
      await withLock('x', async () => {
        appendFileSync(${JSON.stringify(log)}, 'start\\n');
        await new Promise((resolve) => setTimeout(resolve, 300));
        appendFileSync(${JSON.stringify(log)}, 'end\\n');
      }, { directory: ${JSON.stringify(lock)} });`;
  }

  test('two processes take turns', async () => {
    const log = join(directory, 'log');
    const script = holder(log, join(directory, 'lock'));
    const children = [1, 2, 3].map(() =>
      spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }),
    );
    for (const child of children) if (child.exitCode === null) await once(child, 'exit');
    expect(readFileSync(log, 'utf8')).toBe('start\nend\n'.repeat(3));
    expect(existsSync(join(directory, 'lock'))).toBe(false);
  });

  test('is taken over from an ended process, and not from a running one', async () => {
    const { withLock } = await load<Lock>('lock.mjs');
    const lock = join(directory, 'lock');
    mkdirSync(lock);
    // Larger than any pid.
    writeFileSync(join(lock, 'pid'), '99999999');
    expect(await withLock('x', () => 'mine', { directory: lock })).toBe('mine');

    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)']);
    mkdirSync(lock);
    writeFileSync(join(lock, 'pid'), String(child.pid));
    let hasWaited = false;
    const waiting = withLock('x', () => hasWaited, {
      directory: lock,
      onWait: () => {
        hasWaited = true;
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    child.kill('SIGKILL');
    expect(await waiting).toBe(true);
  });

  test('without an owner is taken over after a moment', async () => {
    const { withLock } = await load<Lock>('lock.mjs');
    const lock = join(directory, 'lock');
    mkdirSync(lock);
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, longAgo, longAgo);
    expect(await withLock('x', () => 1, { directory: lock })).toBe(1);
  });
});

describe('installed packages', () => {
  const lockFile = {
    packages: {
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '1.0.0', optional: true },
    },
  };
  function write(path: string, text: string): void {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  async function installed(packages: object): Promise<void> {
    const { nodeBinary } = await load<Install>('install.mjs');
    write('node_modules/.package-lock.json', JSON.stringify({ packages }));
    for (const file of [nodeBinary('.'), 'node_modules/.bin/node']) write(file, '');
  }
  beforeEach(() => write('package-lock.json', JSON.stringify(lockFile)));

  test.skipIf(process.platform === 'win32')(
    'match by the versions npm recorded, whoever ran it',
    async () => {
      const { isInstalled } = await load<Install>('install.mjs');
      expect(isInstalled(directory)).toBe(false);
      await installed({ 'node_modules/a': { version: '1.0.0' } });
      expect(isInstalled(directory)).toBe(true);
      // From now on the stamp decides.
      expect(existsSync(join(directory, 'node_modules', '.turnwise-lock'))).toBe(true);
      write('package-lock.json', JSON.stringify({ ...lockFile, more: 1 }));
      expect(isInstalled(directory)).toBe(true);
    },
  );

  test.each<[string, object]>([
    ['another version', { 'node_modules/a': { version: '2.0.0' } }],
    ['a missing package', {}],
    [
      'a package too many',
      { 'node_modules/a': { version: '1.0.0' }, 'node_modules/c': { version: '1.0.0' } },
    ],
  ])('do not match with %s', async (_name, packages) => {
    const { isInstalled } = await load<Install>('install.mjs');
    await installed(packages);
    expect(isInstalled(directory)).toBe(false);
  });

  test('are incomplete without the bundled Node', async () => {
    const { isInstalled, nodeBinary } = await load<Install>('install.mjs');
    await installed({ 'node_modules/a': { version: '1.0.0' } });
    rmSync(nodeBinary(directory));
    expect(isInstalled(directory)).toBe(false);
  });
});

describe('the lock file', () => {
  interface LockedPackage {
    readonly integrity?: string;
    readonly resolved?: string;
    readonly optional?: boolean;
    readonly dev?: boolean;
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly hasInstallScript?: boolean;
  }
  const { packages } = JSON.parse(
    readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
  ) as { packages: Readonly<Record<string, LockedPackage>> };
  const locked = Object.entries(packages).filter(([path]) => path !== '');

  test('have a hash for every package and name no registry', () => {
    expect(locked.length).toBeGreaterThan(100);
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  test('holds Node for this machine, installed without a script', async () => {
    const { nodeBinary } = await load<Install>('install.mjs');
    const path = dirname(dirname(nodeBinary('.')));
    expect(packages[path]).toMatchObject({ optional: true, integrity: expect.any(String) });
    expect(packages[path]?.hasInstallScript).toBeUndefined();
  });

  test('makes an installed package bring what its bundle leaves out, and Node', async () => {
    const config = (await import('../../electron/main/vite.config.ts')).default;
    const external = config.build?.rollupOptions?.external as readonly (string | RegExp)[];
    const names = external.filter((name) => typeof name === 'string' && name !== 'electron');
    expect(Object.keys(packages['']?.dependencies ?? {})).toEqual(names);
    const installed = locked.filter(([, entry]) => entry.dev !== true && entry.optional !== true);
    expect(installed.map(([path]) => path)).toEqual([
      'node_modules/@types/emscripten',
      'node_modules/better-sqlite3',
      'node_modules/node-addon-api',
      'node_modules/pyodide',
      'node_modules/ws',
    ]);
  });
});

describe('the command line of npm start', () => {
  test('resolves paths from the user’s directory', async () => {
    const { parseStart } = await load<Start>('start.mjs');
    const before = process.env.INIT_CWD;
    process.env.INIT_CWD = directory;
    try {
      writeFileSync(join(directory, 'a.jsonl'), '');
      expect(
        parseStart([
          ...['a.jsonl', '--library', 'x.sqlite', '--port', '8001', '--no-open', '--browser'],
          ...['--allow', '.', '--allow', 'a.jsonl'],
        ]),
      ).toEqual({
        paths: [join(directory, 'a.jsonl')],
        allowed: [directory, join(directory, 'a.jsonl')],
        library: join(directory, 'x.sqlite'),
        port: 8001,
        isBrowser: true,
        isQuiet: true,
        hasSandbox: true,
        isHelp: false,
      });
      const url = pathToFileURL(join(directory, 'a.jsonl')).href;
      expect(parseStart([url, '--no-sandbox'])).toMatchObject({
        paths: [join(directory, 'a.jsonl')],
        hasSandbox: false,
      });
    } finally {
      process.env.INIT_CWD = before;
    }
  });

  test.each([
    ['--port', 'x'],
    ['--port', '70000'],
    ['--unknown'],
    ['/no/such/log.jsonl'],
    ['--allow', '/no/such'],
  ])('refuses %s %s in one line', (...argv) => {
    const script = fileURLToPath(new URL('start.mjs', START));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [script, '--browser', '--no-open', ...argv],
      { encoding: 'utf8' },
    );
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe("Electron's binary", () => {
  const isLinux = process.platform === 'linux';
  afterEach(() => {
    delete process.env.ELECTRON_OVERRIDE_DIST_PATH;
  });

  test.runIf(isLinux)('is found in an unpacked zip, without an installed package', async () => {
    const { findElectron, obtainElectron } = await load<ElectronBinary>('electronBinary.mjs');
    const zip = join(directory, 'zip');
    process.env.ELECTRON_OVERRIDE_DIST_PATH = zip;
    expect(findElectron(directory)).toBeUndefined();
    expect(await obtainElectron(directory)).toEqual({ reason: `there is no electron in ${zip}` });
    mkdirSync(zip);
    writeFileSync(join(zip, 'electron'), '');
    expect(await obtainElectron(directory)).toEqual({ binary: join(zip, 'electron') });
  });

  test.runIf(isLinux)('is not used when its download is incomplete', async () => {
    const { findElectron } = await load<ElectronBinary>('electronBinary.mjs');
    const dist = join(directory, 'node_modules', 'electron', 'dist');
    mkdirSync(dist, { recursive: true });
    writeFileSync(join(dist, 'electron'), '');
    expect(findElectron(directory)).toBeUndefined();
    writeFileSync(join(dist, '..', 'path.txt'), 'electron');
    expect(findElectron(directory)).toBe(join(dist, 'electron'));
  });
});

describe('advice about the sandbox', () => {
  const system = {
    platform: 'linux',
    isRoot: false,
    readSetting: (path: string) => (path.includes('apparmor') ? '1' : undefined),
    isSetuidRoot: () => false,
  };
  const advice = async (changes: Partial<typeof system>): Promise<string[]> =>
    (await load<RunElectron>('runElectron.mjs')).sandboxAdvice('/e/electron', { ...system, ...changes });

  test('names the two commands where user namespaces are restricted', async () => {
    const lines = await advice({});
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain("chown root:root '/e/chrome-sandbox'");
    expect(lines[2]).toContain("chmod 4755 '/e/chrome-sandbox'");
  });
  test('names the switch for root', async () => {
    expect((await advice({ isRoot: true })).join()).toContain('npm start -- --no-sandbox');
  });
  test('is empty where the sandbox is allowed', async () => {
    expect(await advice({ readSetting: () => undefined })).toEqual([]);
    expect(await advice({ isSetuidRoot: () => true })).toEqual([]);
    expect(await advice({ platform: 'darwin' })).toEqual([]);
  });
});

test('ensure prints nothing on stdout, and nothing at all if all is in place', () => {
  const script = fileURLToPath(new URL('ensure.mjs', START));
  expect(
    execFileSync(process.execPath, [script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
  ).toBe('');
});
