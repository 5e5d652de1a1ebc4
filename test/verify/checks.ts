/**
 * What has to be seen of the desktop application with Electron's binary, in order. `machine` looks itself; it
 * returns a note, or throws. `ask` are questions for a person.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, globSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { arch, release } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import type { Desktop, Target } from './main.ts';

/** The machine cannot look here; the message says why. */
export class NotHere extends Error {}

export interface Check {
  readonly number: number;
  readonly title: string;
  /** Default: the unpackaged application. */
  readonly on?: readonly ('unpackaged' | 'packaged')[];
  /** Default: every system. */
  readonly platforms?: readonly NodeJS.Platform[];
  /** Starts of its own come from `target.start`. */
  readonly machine?: (target: Target) => Promise<string>;
  readonly ask?: readonly string[];
}

const BOTH = ['unpackaged', 'packaged'] as const;
const DEMO = '/run/synthetic-grpo-roc-demo';
const ENDLESS = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c';

function expectThat(isTrue: boolean, message: string): void {
  if (!isTrue) throw new Error(message);
}

/** Electron's objects in the main process. The fuses of a packaged application keep everybody out. */
function mainOf({ app }: Desktop) {
  if (app === undefined) throw new NotHere('nobody can look into the main process of a packaged application');
  return app;
}

function realElectron({ isDouble }: Target): void {
  if (isDouble) throw new NotHere('the double of Electron cannot show it');
}

let lastRequest = 3_000_000;
async function request<T>({ page }: Desktop, method: string, params: object): Promise<T> {
  lastRequest += 1;
  const answer = await page.evaluate(
    ([id, name, given]) =>
      (
        globalThis as unknown as {
          turnwise: { request(id: number, method: string, params: object): Promise<object> };
        }
      ).turnwise.request(id, name, given),
    [lastRequest, method, params] as const,
  );
  const result = answer as { ok: boolean; value: T; failure: { message: string } };
  if (!result.ok) throw new Error(`${method}: ${result.failure.message}`);
  return result.value;
}

/** @returns the code of the failure */
async function cancelledSql({ page }: Desktop, sql: string): Promise<string> {
  lastRequest += 1;
  return page.evaluate(
    async ([id, text]) => {
      interface Bridge {
        request(id: number, method: string, params: object): Promise<{ failure?: { code: string } }>;
        cancel(id: number): void;
      }
      const { turnwise } = globalThis as unknown as { turnwise: Bridge };
      const answer = turnwise.request(id, 'sql.run', { sql: text });
      setTimeout(() => turnwise.cancel(id), 500);
      return (await answer).failure?.code ?? 'an answer';
    },
    [lastRequest, sql] as const,
  );
}

async function until(what: string, isTrue: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  for (const end = Date.now() + seconds * 1_000; Date.now() < end; ) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what}: not within ${seconds} s`);
}

const runKeys = async (desktop: Desktop): Promise<string[]> =>
  (await request<{ runKey: string }[]>(desktop, 'run.list', {})).map(({ runKey }) => runKey);

function rollout(run: string, index: number, text = 'two'): string {
  const messages = [{ role: 'assistant', content: text }];
  const problem = { id: `p${index >> 5}`, prompt: 'What is 1 + 1?' };
  const place = { run, step: 0, group: `g${index >> 5}`, index: index & 31 };
  return `${JSON.stringify({ v: 1, type: 'rollout', ...place, problem, messages, reward: 1 })}\n`;
}

/** A log with one rollout of a run of its own. */
function writeLog(target: Target, name: string): { readonly path: string; readonly run: string } {
  const run = `run-${randomUUID().slice(0, 8)}`;
  const path = join(target.home.directory, name);
  const text = rollout(run, 0);
  writeFileSync(path, name.endsWith('.zst') ? zstdCompressSync(text) : text);
  return { path, run };
}

async function exitOf({ child }: Desktop, within = 30): Promise<string> {
  const from = Date.now();
  const ended = once(child, 'exit').then(([code, signal]) => String(code ?? signal));
  const late = new Promise<string>((resolve) => setTimeout(resolve, within * 1_000, 'never').unref());
  const how = child.exitCode === null && child.signalCode === null ? await Promise.race([ended, late]) : '0';
  expectThat(how === '0', how === 'never' ? `it did not end within ${within} s` : `it ended with ${how}`);
  return `ended after ${((Date.now() - from) / 1_000).toFixed(1)} s`;
}

async function quit(desktop: Desktop, within?: number): Promise<string> {
  // Asked from a timer, because ending would abort the call.
  await mainOf(desktop).evaluate(({ app }) => void setTimeout(() => app.quit(), 50));
  return exitOf(desktop, within);
}

/** @returns the number of rollouts */
function writeLargeLog(path: string, run: string, megabytes: number): number {
  const file = openSync(path, 'w');
  const text = 'It is two, because one and one are two. '.repeat(2_000);
  const rollouts = Math.ceil((megabytes * 1e6) / text.length);
  for (let index = 0; index < rollouts; index += 1) writeSync(file, rollout(run, index, text));
  closeSync(file);
  return rollouts;
}

export const CHECKS: readonly Check[] = [
  {
    number: 1,
    title: 'It starts, tells `npm start` so, and opens a window',
    on: BOTH,
    machine: async (target) => {
      const { milliseconds, seen, end } = await target.startAlone();
      await end('SIGTERM');
      return `${seen} after ${milliseconds} ms, on ${process.platform} ${release()} ${arch()}`;
    },
    ask: [
      'Does a window appear within 5 s, without a white flash?',
      'Ubuntu 23.10 or later, unmodified (else skip): does the browser follow `npm start`, and do the two printed commands or `--no-sandbox` bring the window?',
    ],
  },
  {
    number: 2,
    title: 'Node inside Electron has what the application uses',
    on: BOTH,
    machine: async (target) => {
      const { path, run } = writeLog(target, 'compressed.jsonl.zst');
      const desktop = await target.start([path]);
      try {
        await until('a thread reads zstd and writes SQLite', async () =>
          (await runKeys(desktop)).includes(run),
        );
        if (desktop.app === undefined) return 'zstd and the addon work in threads';
        return await desktop.app.evaluate(() => {
          const { zstdCompressSync, zstdDecompressSync } = process.getBuiltinModule('node:zlib');
          const { getHashes, hash } = process.getBuiltinModule('node:crypto');
          const text = zstdDecompressSync(zstdCompressSync(Buffer.from('x'))).toString();
          if (text !== 'x' || hash('sha1', 'x').length !== 40 || !getHashes().includes('sha256'))
            throw new Error('zstd, sha1 or sha256 is missing');
          const { electron = 'none', node, chrome = 'none' } = process.versions;
          return `Electron ${electron}, Node ${node}, Chromium ${chrome}`;
        });
      } finally {
        await desktop.close();
      }
    },
  },
  {
    number: 3,
    title: 'A library and odd paths arrive from the command line',
    machine: async (target) => {
      const [plain, odd] = [writeLog(target, 'a.jsonl'), writeLog(target, '--odd name.jsonl')];
      const libraryPath = join(target.home.directory, 'new.turnwise');
      const desktop = await target.start([plain.path, odd.path], { libraryPath });
      try {
        await until('both logs are read', async () => {
          const keys = await runKeys(desktop);
          return keys.includes(plain.run) && keys.includes(odd.run);
        });
        const hash = createHash('sha256').update(libraryPath).digest('hex').slice(0, 16);
        const userData = await mainOf(desktop).evaluate(({ app }) => app.getPath('userData'));
        expectThat(userData.endsWith(join('libraries', hash)), `userData is ${userData}`);
        return userData;
      } finally {
        await desktop.close();
      }
    },
  },
  {
    number: 4,
    title: 'The page loads under its policy, with its fonts; deep links and reload work',
    on: BOTH,
    machine: async (target) => {
      const { page, messages, urlOf } = await target.shared();
      await page.goto(urlOf(`${DEMO}/step/0`));
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.reload();
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      const fonts = await page.evaluate(async () => {
        await document.fonts.load('16px "Inter Variable"');
        return document.fonts.check('16px "Inter Variable"');
      });
      expectThat(fonts, 'Inter is not loaded');
      const bad = messages.filter((text) => /Content.Security.Policy|Refused to/i.test(text));
      expectThat(bad.length === 0, bad.join('; '));
      return 'no message about the policy';
    },
    ask: ['Do formulas in a replay look typeset (KaTeX fonts)?'],
  },
  {
    number: 5,
    title: 'The editor of the SQL console starts with its worker',
    on: BOTH,
    machine: async (target) => {
      const { page, messages, urlOf } = await target.shared();
      await page.goto(urlOf('/sql'));
      await page.locator('.monaco-editor').first().waitFor();
      const bad = messages.filter((text) => /web worker|main thread/i.test(text));
      expectThat(bad.length === 0, bad.join('; '));
      return 'no message about workers';
    },
    ask: ['SQL console: do find (Ctrl/Cmd-F), copy and paste work by keyboard and by the Edit menu?'],
  },
  {
    number: 6,
    title: 'The demo run is read, and opens down to a rollout',
    on: BOTH,
    machine: async (target) => {
      const desktop = await target.shared();
      const [run] = await request<{ runId: number; rollouts: number }[]>(desktop, 'run.list', {});
      expectThat(run !== undefined, 'there is no run');
      const order = await request<{ ids: ArrayLike<number> }>(desktop, 'rollout.order', {
        runId: run?.runId,
      });
      expectThat(order.ids.length === run?.rollouts, `${order.ids.length} ids for ${run?.rollouts} rollouts`);
      const { page, urlOf } = desktop;
      await page.goto(urlOf(`${DEMO}/step/0/group/pairs-of-divisors/rollout/0`));
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      return `${run?.rollouts} rollouts`;
    },
    ask: ['Do sorting and filtering a list of rollouts give the right rows?'],
  },
  {
    number: 7,
    title: 'SQL: a result, an error with its place, a statement without end; its process ends',
    on: BOTH,
    machine: async (target) => {
      const desktop = await target.shared();
      const ask = (sql: string, timeoutMs = 10_000) =>
        request<{ kind: string; resultId?: number; at?: unknown; message?: string }>(desktop, 'sql.run', {
          sql,
          timeoutMs,
        });
      const rows = await ask("SELECT 9007199254740993 AS large, x'0102' AS bytes");
      const page = await request<{ rows: unknown[][] }>(desktop, 'sql.page', {
        resultId: rows.resultId,
        from: 0,
      });
      expectThat(JSON.stringify(page.rows).includes('9007199254740993'), JSON.stringify(page.rows));
      const error = await ask('SELECT nothing FROM rollout');
      expectThat(error.kind === 'refused' && error.at !== undefined, JSON.stringify(error));
      const late = await ask(ENDLESS, 1_000).catch((failure: Error) => failure.message);
      expectThat(/longer than 1 s/.test(String(late)), `after its time: ${JSON.stringify(late)}`);
      const cancelled = await cancelledSql(desktop, ENDLESS);
      expectThat(cancelled === 'cancelled', `after cancelling: ${cancelled}`);
      if (desktop.app === undefined || target.isDouble) return 'a statement without end ends';
      const { app } = desktop;
      // Chromium has utility processes of its own, for the network and for audio.
      const ours = 'Node Utility Process';
      await until('the SQL process is gone', () =>
        app.evaluate(
          ({ app: electron }, name) => electron.getAppMetrics().every((process) => process.name !== name),
          ours,
        ),
      );
      return `a statement without end ends; no ${ours} is left`;
    },
  },
  {
    number: 8,
    title: 'A second start gives its paths to the first, also while that one closes',
    machine: async (target) => {
      realElectron(target);
      const desktop = await target.start([]);
      const { path, run } = writeLog(target, 'second.jsonl');
      const second = target.startAgain([path]);
      const [code] = await once(second, 'exit');
      expectThat(code === 0, `the second start ended with ${code}`);
      await until('the first reads the path', async () => (await runKeys(desktop)).includes(run));
      await desktop.close();
      return 'the second start ended with 0';
    },
    ask: [
      'Quit, and start again at once with a path (a .turnwise file on an AppImage too): does a window with it appear?',
    ],
  },
  {
    number: 9,
    title: 'Copying works without a gesture in the page',
    on: BOTH,
    machine: async (target) => {
      const desktop = await target.shared();
      const app = mainOf(desktop);
      await desktop.page.goto(desktop.urlOf(DEMO));
      await desktop.page.getByRole('heading', { level: 1 }).first().waitFor();
      await app.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('place.copyLink')?.click());
      await desktop.page.getByText('Link copied').waitFor();
      if (target.isDouble) return 'said to be copied';
      const text = await app.evaluate(({ clipboard }) => clipboard.readText());
      expectThat(text === DEMO, `the clipboard has ${text}`);
      return text;
    },
    ask: [
      'Do `y`, `Y` and the copy button of a code block copy, and Help › Copy Link with another application in front?',
    ],
  },
  {
    number: 10,
    title: 'Files come by drop, dialog and double click',
    on: BOTH,
    ask: [
      'Are a dropped file, a dropped folder and a dropped library opened?',
      'Do File › Open Files, Open Folder and Open Library work, and the dialog for a new library (move a run)?',
      'Packaged (else skip): does a double click on a .turnwise file open it, and does the system offer Turnwise for .jsonl and .eval without making it the default?',
    ],
  },
  {
    number: 11,
    title: 'Downloads ask where, and are whole',
    on: BOTH,
    ask: [
      'Do CSV, notebook and PNG of a chart arrive whole where the dialog said, and nothing if it is cancelled?',
    ],
  },
  {
    number: 12,
    title: 'Links of rollouts open outside after a question, and only https',
    machine: async (target) => {
      const opened = await request<{ opened: boolean }>(await target.shared(), 'shell.openLink', {
        url: 'http://example.com/',
      });
      expectThat(!opened.opened, 'http: was opened');
      return 'http: is refused';
    },
    ask: ['Does an https link in a replay ask with the whole URL, and open in your browser?'],
  },
  {
    number: 13,
    title: 'Quitting in the middle of a large log is quick, and the next start reads on',
    machine: async (target) => {
      const path = join(target.home.directory, 'large.jsonl');
      const run = `large-${randomUUID().slice(0, 8)}`;
      const written = writeLargeLog(path, run, target.megabytes);
      const libraryPath = join(target.home.directory, 'large.turnwise');
      const first = await target.start([path], { libraryPath });
      await until('reading begins', async () => (await runKeys(first)).includes(run));
      const end = await quit(first);
      const library = new Database(libraryPath, { readonly: true });
      const whole = library.pragma('integrity_check', { simple: true });
      library.close();
      expectThat(whole === 'ok', `integrity_check: ${String(whole)}`);
      const second = await target.start([path], { libraryPath });
      const jobs = () => request<{ state: string; issues: number }[]>(second, 'ingest.jobs', {});
      await until('the rest is read', async () => (await jobs()).every(({ state }) => state === 'done'), 900);
      const [read] = await request<{ rollouts: number }[]>(second, 'run.list', {});
      await second.close();
      expectThat(read?.rollouts === written, `${read?.rollouts} of ${written} rollouts`);
      return `${target.megabytes} MB: ${end}; ${written} rollouts in the end`;
    },
  },
  {
    number: 14,
    title: 'Signals end it in order',
    on: BOTH,
    machine: async (target) => {
      if (process.platform === 'win32') throw new NotHere('Windows has no signals');
      const notes: string[] = [];
      for (const signals of [['SIGTERM'], ['SIGINT', 'SIGINT']] as const) {
        const { end } = await target.startAlone();
        const how = await end(...signals);
        expectThat(how === 0, `${signals.join(', ')}: ended with ${how}`);
        notes.push(`${signals.join(', ')}: ended with 0`);
      }
      return notes.join('; ');
    },
    ask: [
      'Does Ctrl-C in the terminal of `npm start` end it without an error, and without a helper process left?',
      'macOS (else skip): Cmd-Q twice. Windows (else skip): log off while it reads. Is everything still there at the next start?',
    ],
  },
  {
    number: 15,
    title: 'It ends although the thread that writes has died',
    machine: async (target) => {
      realElectron(target);
      const desktop = await target.start([], { crashesWriter: true });
      await new Promise((resolve) => setTimeout(resolve, 8_000));
      return quit(desktop, 25);
    },
  },
  {
    number: 16,
    title: 'Windows come and go',
    ask: [
      'Close the window while it loads: no error box?',
      'macOS (else skip): with the window closed, do the dock, a file and a menu command each open one?',
    ],
  },
  {
    number: 17,
    title: 'Keys of the menu stand down while typing',
    platforms: ['darwin'],
    ask: [
      'Does `?` reach every text field, does Cmd-K open the palette once, and do the Edit menu keys work in fields?',
    ],
  },
  {
    number: 18,
    title: 'The window comes back where it was',
    ask: [
      'After quitting maximised, and after unplugging a second display: is the window visible, without a white flash in dark mode?',
    ],
  },
  {
    number: 19,
    title: 'A crash of the page is answered by a dialog, and Reload works',
    machine: async (target) => {
      realElectron(target);
      const desktop = await target.shared();
      const messages = await mainOf(desktop).evaluate(async ({ BrowserWindow, dialog }) => {
        const [window] = BrowserWindow.getAllWindows();
        const said: string[] = [];
        dialog.showMessageBox = (async (_window: unknown, { message }: { message: string }) => {
          said.push(message);
          return { response: 0, checkboxChecked: false };
        }) as unknown as typeof dialog.showMessageBox;
        const loaded = new Promise((resolve) =>
          window?.webContents.once('did-finish-load', () => resolve(0)),
        );
        window?.webContents.forcefullyCrashRenderer();
        await loaded;
        return said;
      });
      expectThat(messages.length === 1, `${messages.length} dialogs`);
      return messages[0] ?? '';
    },
  },
  {
    number: 20,
    title: 'Memory',
    machine: async (target) => {
      realElectron(target);
      const desktop = await target.shared();
      const used = await mainOf(desktop).evaluate(({ app }) =>
        app
          .getAppMetrics()
          .map(({ type, memory }) => `${type} ${Math.round(memory.workingSetSize / 1024)} MB`),
      );
      return used.join(', ');
    },
    ask: [
      'With the largest library at hand, an hour of use: does a full thread fail alone, and the application go on?',
    ],
  },
  {
    number: 21,
    title: '`npm run package` makes the packages of this system',
    machine: async (target) => {
      realElectron(target);
      return target.makePackages();
    },
  },
  {
    number: 22,
    title: 'The fuses are set, and threads load from beside the archive',
    on: ['packaged'],
    machine: async (target) => {
      realElectron(target);
      const [archive] = globSync('**/app.asar', { cwd: target.packageDirectory() });
      expectThat(archive !== undefined, 'there is no app.asar');
      const path = join(target.packageDirectory(), archive ?? '');
      const addon = join(`${path}.unpacked`, 'node_modules/better-sqlite3/package.json');
      expectThat(existsSync(addon), 'the addon is not beside the archive');
      return `app.asar ${Math.round(statSync(path).size / 1e6)} MB; ${target.readFuses()}`;
    },
  },
  {
    number: 23,
    title: 'AppImage and .deb',
    platforms: ['linux'],
    on: ['packaged'],
    ask: [
      'AppImage on Ubuntu 24.04, with and without `--no-sandbox`: does it start?',
      '.deb: is it installed without missing packages, with our icon in the launcher, and does it start (AppArmor profile)? As root it says why not?',
    ],
  },
  {
    number: 24,
    title: 'dmg and installer',
    platforms: ['darwin', 'win32'],
    on: ['packaged'],
    ask: [
      'macOS arm64 (else skip): does the unsigned application start after "Open Anyway", with our icon and without a question about a keychain?',
      'Windows (else skip): does the installer work for a user whose name is not ASCII, with our icon, and is Turnwise under "Open with" of a .jsonl file?',
    ],
  },
  {
    number: 25,
    title: 'x64 on arm64',
    platforms: ['darwin', 'win32'],
    on: ['packaged'],
    ask: ['Does the x64 package start on an arm64 machine (Rosetta, Windows emulation), and read a log?'],
  },
  {
    number: 26,
    title: 'A warehouse opens by its dialog',
    on: BOTH,
    machine: async (target) => {
      const desktop = await target.shared();
      const app = mainOf(desktop);
      await desktop.page.goto(desktop.urlOf('/'));
      await desktop.page.getByRole('heading', { level: 1 }).first().waitFor();
      const opened = app.waitForEvent('window');
      await app.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('warehouse.open')?.click());
      const dialog = await opened;
      await dialog.getByLabel('Address').fill('http://127.0.0.1:1/team');
      await dialog.getByRole('button', { name: 'Open' }).click();
      const said = await dialog.getByRole('alert').textContent();
      const keeps = (await dialog.getByLabel('Keep the password').count()) > 0;
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      expectThat(said?.includes('127.0.0.1:1') === true, `the dialog says ${said}`);
      return `${said}; ${keeps ? 'a keychain' : 'no keychain'}`;
    },
    ask: [
      'Open a warehouse and keep its password, quit, and start again: does its library show the runs without a question? (Without a warehouse or keychain: skip)',
    ],
  },
];
