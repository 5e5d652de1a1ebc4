/**
 * `npm run verify:desktop`: runs the checks of `checks.ts` on the unpackaged and the packaged application, asks
 * what only a person can see, and writes a report.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createInterface as createPrompt } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium, type ElectronApplication, type Page } from 'playwright-core';
import { openElectron, openElectronDouble } from '../support/shells/electronShell.ts';
import type { TemporaryHome } from '../support/shells/shell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { CHECKS, type Check, NotHere } from './checks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGES = join(ROOT, 'dist', 'packages');

const HELP = `npm run verify:desktop -- [options]

Checks the desktop application with Electron's binary, unpackaged and packaged, and writes a report.

  --report FILE     default: dist/verify-desktop.md
  --packaged FILE   the packaged executable; default: the one in dist/packages, which check 21 makes
  --only LIST       numbers of checks, such as 1,13
  --megabytes N     size of the log of check 13; default: 1000
  --no-questions    only what the machine can see
  --double          on the double of Electron: shows that the checks run, nothing about Electron
  --help            print this
`;

/** A running application. */
export interface Desktop {
  readonly page: Page;
  /** Absent for a packaged application. */
  readonly app?: ElectronApplication;
  readonly child: ChildProcess;
  /** What the page wrote to its console. */
  readonly messages: readonly string[];
  urlOf(path: string): string;
  close(): Promise<void>;
}

/** One way to run the application. Every start has a library of its own unless it names one. */
export interface Target {
  readonly kind: 'unpackaged' | 'packaged';
  readonly isDouble: boolean;
  readonly home: TemporaryHome;
  readonly megabytes: number;
  /** One instance with the demo run, for checks that leave it as it was. */
  shared(): Promise<Desktop>;
  start(
    paths: readonly string[],
    options?: { readonly libraryPath?: string; readonly crashesWriter?: boolean },
  ): Promise<Desktop>;
  /** Another process with the library of the last start. */
  startAgain(paths: readonly string[]): ChildProcess;
  /** Without anything that drives it. `end` sends the signals, and returns how it ended. */
  startAlone(): Promise<{
    readonly milliseconds: number;
    /** What showed that it is up. */
    readonly seen: string;
    end(...signals: NodeJS.Signals[]): Promise<number | string>;
  }>;
  packageDirectory(): string;
  makePackages(): string;
  readFuses(): string;
}

interface Executable {
  readonly kind: Target['kind'];
  /** Absent: the double. */
  readonly path?: string;
}

class RunningTarget implements Target {
  readonly kind: Target['kind'];
  readonly isDouble: boolean;
  readonly home = createTemporaryHome();
  readonly megabytes: number;
  private readonly path: string | undefined;
  private readonly open: Desktop[] = [];
  private sharedOne: Promise<Desktop> | undefined;
  private starts = 0;
  private libraryPath = '';

  constructor({ kind, path }: Executable, megabytes: number) {
    this.kind = kind;
    this.path = path;
    this.isDouble = path === undefined;
    this.megabytes = megabytes;
  }

  shared(): Promise<Desktop> {
    this.sharedOne ??= this.start([]).then(async (desktop) => {
      await desktop.page.getByRole('heading', { level: 1 }).first().waitFor();
      return desktop;
    });
    return this.sharedOne;
  }

  async start(
    paths: readonly string[],
    { libraryPath = this.newLibrary(), crashesWriter = false } = {},
  ): Promise<Desktop> {
    this.libraryPath = libraryPath;
    const options = { home: { ...this.home, libraryPath }, paths };
    if (this.kind === 'packaged') return this.opened(await this.openPackaged(paths));
    const running = await (this.path === undefined
      ? openElectronDouble(options)
      : openElectron(this.path, { ...options, ...(crashesWriter ? { root: this.makeCrashing() } : {}) }));
    return this.opened({ ...running, child: running.app.process() });
  }

  private opened(desktop: Omit<Desktop, 'messages'>): Desktop {
    const messages: string[] = [];
    desktop.page.on('console', (message) => void messages.push(message.text()));
    const opened = { ...desktop, messages };
    this.open.push(opened);
    return opened;
  }

  /** The fuses forbid Node's inspector, so only the page can be driven. */
  private async openPackaged(paths: readonly string[]): Promise<Omit<Desktop, 'messages'>> {
    const child = this.spawn(['--remote-debugging-port=0'], paths, 'pipe');
    const address = await new Promise<string>((found, failed) => {
      child.once('exit', (code) => failed(new Error(`it ended with ${code}`)));
      createInterface(child.stderr as NodeJS.ReadableStream).on('line', (line) => {
        const [, url] = /^DevTools listening on (ws:\S+)/.exec(line) ?? [];
        if (url !== undefined) found(url);
      });
    });
    const browser = await chromium.connectOverCDP(address);
    const [context] = browser.contexts();
    const page = context?.pages()[0] ?? (await context?.waitForEvent('page'));
    if (page === undefined) throw new Error('there is no window');
    await page.waitForURL((url) => url.href.startsWith('app://bundle/'));
    return {
      page,
      child,
      urlOf: (path) => `app://bundle${path}`,
      close: async () => {
        await browser.close();
        child.kill();
        if (child.exitCode === null) await once(child, 'exit');
      },
    };
  }

  startAgain(paths: readonly string[]): ChildProcess {
    return this.spawn([], paths, 'ignore');
  }

  async startAlone() {
    const from = Date.now();
    const end = async (child: ChildProcess, signals: readonly NodeJS.Signals[]) => {
      const exit = once(child, 'exit');
      for (const signal of signals) child.kill(signal);
      const [code, signal] = (await exit) as [number | null, string | null];
      return code ?? signal ?? '';
    };
    if (this.path === undefined) {
      // The double starts only when it is driven.
      const { child } = await this.start([]);
      return {
        milliseconds: Date.now() - from,
        seen: 'a page (of the double, without the message "up")',
        end: (...signals: NodeJS.Signals[]) => end(child, signals),
      };
    }
    this.libraryPath = this.newLibrary();
    const child = this.spawn([], [], ['ignore', 'inherit', 'inherit', 'ipc']);
    const [message] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code, signal]) => [`it ended with ${code ?? signal}`]),
    ]);
    if (message !== 'up') throw new Error(String(message));
    return {
      milliseconds: Date.now() - from,
      seen: 'the message "up"',
      end: (...signals: NodeJS.Signals[]) => end(child, signals),
    };
  }

  private spawn(
    switches: readonly string[],
    paths: readonly string[],
    stdio: 'pipe' | 'ignore' | ('ignore' | 'inherit' | 'ipc')[],
  ): ChildProcess {
    const directory = this.kind === 'packaged' ? [] : [ROOT];
    return spawn(
      this.path ?? '',
      [...directory, ...switches, `--library=${this.libraryPath}`, '--', ...paths],
      { env: { ...process.env, ...this.home.env }, stdio },
    );
  }

  private newLibrary(): string {
    this.starts += 1;
    return join(this.home.directory, `library-${this.starts}.turnwise`);
  }

  /** A copy of the built application whose writing thread dies. */
  private makeCrashing(): string {
    const root = join(this.home.directory, 'crashing');
    mkdirSync(join(root, 'dist'), { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));
    cpSync(join(ROOT, 'dist', 'electron'), join(root, 'dist', 'electron'), { recursive: true });
    for (const name of ['dist/renderer', 'node_modules', 'fixtures'])
      symlinkSync(join(ROOT, name), join(root, name), 'junction');
    const crash = "setTimeout(() => { throw new Error('verify:desktop'); }, 5_000);\n";
    appendFileSync(join(root, 'dist', 'electron', 'writer.js'), crash);
    return root;
  }

  packageDirectory(): string {
    // macOS has the archive beside the directory of the executable.
    return dirname(process.platform === 'darwin' ? dirname(this.path ?? '') : (this.path ?? ''));
  }

  makePackages(): string {
    execFileSync('npm', ['run', 'package'], {
      cwd: ROOT,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    const made = globSync('*.{AppImage,deb,dmg,exe}', { cwd: PACKAGES });
    if (made.length === 0) throw new Error(`nothing in ${PACKAGES}`);
    return made.join(', ');
  }

  readFuses(): string {
    const script = join(ROOT, 'node_modules', '@electron', 'fuses', 'dist', 'bin.js');
    const read = execFileSync(process.execPath, [script, 'read', '--app', this.path ?? ''], {
      encoding: 'utf8',
    });
    const on = [...read.matchAll(/(\w+) is Enabled/g)].map(([, name]) => name).sort();
    const wanted = ['EnableEmbeddedAsarIntegrityValidation', 'OnlyLoadAppFromAsar'];
    if (JSON.stringify(on) !== JSON.stringify(wanted)) throw new Error(`enabled fuses: ${on.join(', ')}`);
    return `fuses: ${on.join(', ')}`;
  }

  async close(): Promise<void> {
    for (const desktop of this.open) {
      if (desktop.child.exitCode === null && desktop.child.signalCode === null)
        await desktop.close().catch(() => undefined);
    }
    this.home.remove();
  }
}

interface Outcome {
  readonly result: 'ok' | 'FAILED' | 'skipped' | 'not asked';
  readonly text: string;
}

async function look(check: Check, target: Target): Promise<Outcome[]> {
  if (check.machine === undefined) return [];
  try {
    return [{ result: 'ok', text: await check.machine(target) }];
  } catch (error) {
    if (error instanceof NotHere) return [{ result: 'skipped', text: error.message }];
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return [{ result: 'FAILED', text: line }];
  }
}

async function ask({ ask: questions = [] }: Check, mayAsk: boolean): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    if (!mayAsk) {
      outcomes.push({ result: 'not asked', text: question });
      continue;
    }
    const prompt = createPrompt({ input: process.stdin, output: process.stderr });
    const answer = (await prompt.question(`  ${question}\n  y / n / s(kip), and a remark: `)).trim();
    prompt.close();
    const [first = 's'] = answer.toLowerCase();
    const remark = answer.replace(/^\w+\s*/, '');
    const result = first === 'y' ? 'ok' : first === 'n' ? 'FAILED' : 'skipped';
    outcomes.push({ result, text: remark === '' ? question : `${question} ${remark}` });
  }
  return outcomes;
}

function findPackaged(): string | undefined {
  const patterns = [
    '*-unpacked/turnwise',
    '*-unpacked/Turnwise.exe',
    'mac*/Turnwise.app/Contents/MacOS/Turnwise',
  ];
  const [found] = globSync(patterns, { cwd: PACKAGES });
  return found === undefined ? undefined : join(PACKAGES, found);
}

/** Why there is nothing to verify, or the binary. */
async function findUnpackaged(): Promise<Executable | { readonly reason: string }> {
  const hasDisplay = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  if (!hasDisplay) return { reason: 'there is no display' };
  const { obtainElectron } = (await import(
    new URL('../../electron/start/electronBinary.mjs', import.meta.url).href
  )) as { obtainElectron(root: string): Promise<{ binary: string } | { reason: string }> };
  const found = await obtainElectron(ROOT);
  return 'binary' in found ? { kind: 'unpackaged', path: found.binary } : found;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      report: { type: 'string', default: join(ROOT, 'dist', 'verify-desktop.md') },
      packaged: { type: 'string' },
      only: { type: 'string' },
      megabytes: { type: 'string', default: '1000' },
      'no-questions': { type: 'boolean', default: false },
      double: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const unpackaged = values.double ? { kind: 'unpackaged' as const } : await findUnpackaged();
  if ('reason' in unpackaged) {
    console.error(
      `Nothing was verified: ${unpackaged.reason}. Unpack Electron's zip, set ELECTRON_OVERRIDE_DIST_PATH to its ` +
        'directory, and run this on a desktop; or try the checks alone: npm run verify:desktop -- --double',
    );
    return 2;
  }
  execFileSync(process.execPath, [join(ROOT, 'electron', 'start', 'build.mjs')], { stdio: 'inherit' });

  const only = values.only?.split(',').map(Number);
  const mayAsk = !values['no-questions'] && process.stdin.isTTY === true;
  const lines: string[] = [];
  const counts = new Map<string, number>();
  const note = (number: number, kind: string, title: string, { result, text }: Outcome): void => {
    counts.set(result, (counts.get(result) ?? 0) + 1);
    lines.push(`| ${number} | ${kind} | ${title} | ${result} | ${text.replaceAll('|', '\\|')} |`);
    console.error(`  ${result}: ${text}`);
  };
  for (const kind of ['unpackaged', 'packaged'] as const) {
    const checks = CHECKS.filter(({ number, on = ['unpackaged'], platforms = [process.platform] }) => {
      const isWanted = only === undefined || only.includes(number);
      return isWanted && on.includes(kind) && platforms.includes(process.platform);
    });
    const packaged = values.packaged === undefined ? findPackaged() : resolve(values.packaged);
    const executable: Executable | undefined =
      kind === 'unpackaged'
        ? unpackaged
        : packaged === undefined || values.double
          ? undefined
          : { kind, path: packaged };
    const target =
      executable === undefined ? undefined : new RunningTarget(executable, Number(values.megabytes));
    for (const check of checks) {
      console.error(`${check.number}. ${check.title} (${kind})`);
      const outcomes: readonly Outcome[] =
        target === undefined
          ? [{ result: 'skipped', text: 'there is no packaged application' }]
          : [...(await look(check, target)), ...(await ask(check, mayAsk))];
      for (const outcome of outcomes) note(check.number, kind, check.title, outcome);
    }
    await target?.close();
  }

  const name = values.double ? 'the double of Electron (nothing about Electron follows)' : 'Electron';
  const sum = [...counts].map(([result, count]) => `${count} ${result}`).join(', ');
  const head = `# The desktop application on ${name}\n\n${process.platform} ${process.arch}. ${sum}.\n`;
  const table = ['| # | application | check | result | seen or asked |', '|---|---|---|---|---|', ...lines];
  mkdirSync(dirname(resolve(values.report)), { recursive: true });
  writeFileSync(values.report, `${head}\n${table.join('\n')}\n`);
  console.error(`${sum}; report: ${values.report}`);
  return counts.has('FAILED') ? 1 : 0;
}

process.exitCode = await main();
