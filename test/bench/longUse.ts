/**
 * Scripted use of the application in a real browser for a given time: browse, search, compare, label, follow a
 * growing log, run SQL, open and close a library. Resources of page and host are measured several times after a
 * warm-up and at the end, and must not have grown.
 */
import { strict as assert } from 'node:assert';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { createLibraryManager } from '../../electron/host/libraryManager.ts';
import { Random } from '../../fixtures/generate/random.ts';
import { pathOfRoute } from '../../renderer/data/route.ts';
import { ingestHere, rows } from '../support/library.ts';
import { CHROMIUM_FLAGS, findChromium } from '../support/shells/chromium.ts';
import { serveProcess } from '../support/shells/serveProcess.ts';
import { measureResources, type Resources } from './resources.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const DEMO_LOG = join(FIXTURES, 'demo', 'demo.jsonl');
const OTHER_LOG = join(FIXTURES, 'turnwise', 'messages');
const OTHER_ID = 'other-runs';
/** Timeout of each wait. Long, because the machine may be busy. */
const WAITS_MS = 120_000;

const SEEN_GROUPS = 3;

/** Share of the time. The page caches answers for five minutes, so one round would be too short a warm-up. */
const WARM_UP = 0.1;
/** After the warm-up, whose largest counts, and at the end, whose smallest counts. */
const MEASUREMENTS = 5;
/** Maximum growth of a resource from the warm-up to the end, as a share. */
const MOST_GROWTH = 0.1;
/** In MB. SQLite restarts the write-ahead log at its beginning near this size (`electron/storage/open.ts`). */
const MOST_WAL_MB = 68;

export interface LongUseOptions {
  readonly minutes: number;
  readonly seed: number;
}

export interface LongUseReport {
  readonly rounds: number;
  readonly lines: readonly string[];
  /** Resources that have grown, and errors of the page. */
  readonly faults: readonly string[];
}

interface Visit {
  readonly runKey: string;
  readonly step: number;
  readonly groupKey: string;
}

interface Session {
  readonly page: Page;
  readonly random: Random;
  readonly groups: readonly Visit[];
  /** File of the run that grows. */
  readonly growing: string;
  readonly growingRun: string;
}

export async function runLongUse({ minutes, seed }: LongUseOptions): Promise<LongUseReport> {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-long-'));
  try {
    return await runIn(directory, minutes, new Random(seed));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function runIn(directory: string, minutes: number, random: Random): Promise<LongUseReport> {
  const libraryPath = join(directory, 'library.sqlite');
  const growing = join(directory, 'logs', 'grown', 'log.jsonl');
  mkdirSync(join(directory, 'logs', 'grown'), { recursive: true });
  writeFileSync(growing, dumped(1));
  copyFileSync(DEMO_LOG, join(directory, 'logs', 'demo.jsonl'));
  await ingestHere(libraryPath, [join(directory, 'logs')]);
  await makeOtherLibrary(directory, libraryPath);
  const all = rows(
    libraryPath,
    `SELECT DISTINCT run_key AS runKey, step, group_key AS groupKey FROM run JOIN prompt_group USING (run_id)
      WHERE step IS NOT NULL AND prompt_group.rollouts > 1 AND run_key LIKE '%demo' ORDER BY 1, 2, 3`,
  ) as unknown as Visit[];
  // Only a few groups, so that the first round fills the page's caches, which keep answers for some minutes.
  const groups = Array.from({ length: SEEN_GROUPS }, () => random.pick(all));
  const [grown] = rows(libraryPath, `SELECT run_key AS runKey FROM run WHERE run_key NOT LIKE '%demo%'`);

  const inspectorPort = await freePort();
  const host = await serveProcess(['--library', libraryPath, '--', join(directory, 'logs')], {
    NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}`,
  });
  const { executablePath, env } = findChromium();
  const browser = await chromium.launch({
    executablePath,
    args: [...CHROMIUM_FLAGS],
    env: { ...process.env, ...env },
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(WAITS_MS);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(`error ${error.message}`));
    page.on('crash', () => faults.push('the page crashed'));
    await page.goto(host.url);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    const session = { page, random, groups, growing, growingRun: String(grown?.['runKey']) };
    const measure = async (): Promise<Resources> => {
      // React keeps the last output of a view until two more have been rendered.
      for (const path of ['/settings', '/', '/settings', '/']) await go(page, path);
      await page.getByRole('grid', { name: 'Runs' }).waitFor();
      return measureResources({ page, hostPid: host.pid, inspectorPort, libraryPath });
    };

    let rounds = 0;
    const start = performance.now();
    const use = async (share: number): Promise<void> => {
      do {
        await runRound(session);
        rounds++;
      } while (performance.now() < start + share * minutes * 60_000 && !page.isClosed());
    };
    // A page retains nodes of the last views, so one measurement says little.
    const several = async (pick: (...values: number[]) => number): Promise<Resources> => {
      let picked = await measure();
      for (let i = 1; i < MEASUREMENTS && !page.isClosed(); i++) {
        await runRound(session);
        rounds++;
        picked = combined(picked, await measure(), pick);
      }
      return picked;
    };
    await use(WARM_UP);
    const before = await several(Math.max);
    await use(1);
    const compared = compareResources(before, await several(Math.min));
    return { rounds, lines: compared.lines, faults: [...faults, ...compared.faults] };
  } finally {
    await browser.close();
    await host.close();
  }
}

function combined(one: Resources, other: Resources, pick: (...values: number[]) => number): Resources {
  const names = Object.keys(one) as (keyof Resources)[];
  return Object.fromEntries(
    names.map((name) => [name, pick(one[name], other[name])]),
  ) as unknown as Resources;
}

/** @returns a line for each measure with its limit, and the measures above their limit */
export function compareResources(
  before: Resources,
  after: Resources,
): Pick<LongUseReport, 'lines' | 'faults'> {
  const lines: string[] = [];
  const faults: string[] = [];
  for (const name of Object.keys(before) as (keyof Resources)[]) {
    const limit =
      name === 'library: write-ahead log, MB'
        ? MOST_WAL_MB
        : Math.floor(before[name] * (1 + MOST_GROWTH) * 10) / 10;
    const line = `${name}: ${round(before[name])} at the start, ${round(after[name])} at the end, at most ${limit}`;
    lines.push(line);
    if (after[name] > limit) faults.push(line);
  }
  return { lines, faults };
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** A library that was open before, because a page can only open what the user has opened. */
async function makeOtherLibrary(directory: string, libraryPath: string): Promise<void> {
  const path = join(directory, 'other runs.sqlite');
  await ingestHere(path, [OTHER_LOG]);
  const manager = await createLibraryManager({ libraryPath, shell: 'browser', version: '0.0.0' });
  await manager.grant(path);
  await manager.dispatch('library.open', { path });
  await manager.close();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** 16 rollouts of a step, as verl dumps them. */
function dumped(step: number): string {
  const records = Array.from({ length: 16 }, (_, index) => ({
    input: `user\nWhat is ${Math.floor(index / 4)} + ${step}?\nassistant\n`,
    output: `It is ${Math.floor(index / 4) + step}.`,
    gts: String(Math.floor(index / 4) + step),
    score: index % 3 === 0 ? 0 : 1,
    step,
  }));
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

const ACTIVITIES: readonly ((session: Session) => Promise<void>)[] = [
  browse,
  search,
  compare,
  label,
  ask,
  follow,
  openAndClose,
];

/** Runs every activity once, in random order. The last one is always `look`, because the page keeps some of it. */
async function runRound(session: Session): Promise<void> {
  const left = [...ACTIVITIES];
  while (left.length > 0)
    await runActivity(session, left.splice(session.random.int(0, left.length - 1), 1)[0]);
  await runActivity(session, look);
}

async function runActivity(session: Session, activity = look): Promise<void> {
  try {
    await activity(session);
  } catch (error) {
    throw new Error(`${activity.name} at ${session.page.url()}`, { cause: error });
  }
}

/** Navigates without loading the page again, like a link of the application. */
function navigate(page: Page, path: string): Promise<void> {
  return page.evaluate((to) => {
    history.pushState(undefined, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
}

/** Navigates, and waits until everything is drawn. */
async function go(page: Page, path: string): Promise<void> {
  await navigate(page, path);
  await page.locator('h1, .replay-name').first().waitFor();
  await page.locator('.waiting, [aria-busy="true"]').first().waitFor({ state: 'detached' });
}

/** From the library down to a replay and up again, by keyboard. */
async function browse({ page, random }: Session): Promise<void> {
  const press = (key: string) => page.keyboard.press(key);
  const row = (grid: RegExp) =>
    page.getByRole('grid', { name: grid }).getByRole('row', { selected: true }).waitFor();
  await go(page, '/');
  await page
    .getByRole('grid', { name: 'Runs' })
    .getByRole('row', { name: /demo \(synthetic\)/ })
    .first()
    .click();
  await row(/^Steps of/);
  for (let rest = random.int(0, 3); rest > 0; rest--) await press('j');
  await press('Enter');
  await row(/^Groups of/);
  for (let rest = random.int(0, 5); rest > 0; rest--) await press('j');
  await press('Enter');
  await row(/^Rollouts of/);
  await press('Enter');
  await page.locator('.transcript-pane [data-start]').first().waitFor();
  for (const key of ['j', 'j', 'k', 't', 'e', 'n', 'M', 'o', 'i', 'M', 'o', 'i', 'e', 'l', 'h'])
    await press(key);
  await page.locator('.transcript-pane [data-start]').first().waitFor();
  await press('b');
  await page.locator('.monaco-editor .view-line').first().waitFor();
  await press('Escape');
  await page.locator('.monaco-editor').first().waitFor({ state: 'detached' });
}

/** Visits every kind of page. */
async function look({ page, random, groups }: Session): Promise<void> {
  const at = random.pick(groups);
  const { runKey, step } = at;
  const run = pathOfRoute({ view: 'run', runKey });
  const tabs = ['', '?tab=rollouts', '?tab=tools', '?tab=recipe', '/roc', '/problems', '/tokens'];
  const pages = [
    '/issues',
    '/labels',
    '/labels?tab=annotations',
    '/labels?tab=report',
    '/formats',
    '/settings',
  ];
  const steps = ['', '/roc', '/schedule', '/tokens'].map(
    (tail) => pathOfRoute({ view: 'step', runKey, step }) + tail,
  );
  const group = [
    pathOfRoute({ view: 'problem', ...at }),
    pathOfRoute({ view: 'groupTree', ...at }),
    pathOfRoute({ view: 'groupTokens', ...at }),
    pathOfRoute({ view: 'alike', ...at, ordinal: 0 }),
    pathOfRoute({ view: 'rolloutTokens', ...at, ordinal: 0 }),
  ];
  for (const path of [...tabs.map((tab) => run + tab), ...steps, ...group, ...pages]) {
    await go(page, path);
    await page.mouse.move(640, 500);
    await page.mouse.wheel(0, 3_000);
  }
}

async function search({ page, random }: Session): Promise<void> {
  const query = random.pick([
    '"double-check"',
    'code:print',
    'wait',
    'reasoning:/\\bwait\\b/i',
    'reward:0 print',
  ]);
  await go(page, '/search');
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search all texts' }).fill(query);
  await page.keyboard.press('Enter');
  const results = page.getByRole('grid', { name: /^Found:/ });
  await results.locator('mark').first().waitFor();
  // A row that is found later may be inserted before the first one and move it away from the pointer.
  await page.getByRole('progressbar', { name: 'Rollouts searched' }).waitFor({ state: 'hidden' });
  await results.locator('mark').first().click();
  await page.getByRole('textbox', { name: 'Search in this rollout' }).waitFor();
  await page.keyboard.press('n');
  await page.keyboard.press('Escape');
  // Waits, because going back is asynchronous and would undo the next navigation.
  await page.waitForURL(/\/search/);
  await results.waitFor();
}

async function compare({ page, random, groups }: Session): Promise<void> {
  const at = random.pick(groups);
  const lanes = [0, 1].map((ordinal) => `lane=${pathOfRoute({ view: 'rollout', ...at, ordinal })}`);
  await go(page, `/compare?${lanes.join('&')}`);
  await page
    .getByText(/differs from A|equal to A/)
    .first()
    .waitFor();
  for (const key of ['n', 'n', 'N', 'z', 'z', 'z', 'v', 'v', 'f']) await page.keyboard.press(key);
  const diff = page.getByRole('button', { name: 'diff', exact: true });
  if ((await diff.count()) === 0) return;
  await diff.first().click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('.monaco-diff-editor .view-line').first().waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

/** Adds a label and a note, then removes them, so that the library does not grow. */
async function label({ page, random, groups }: Session): Promise<void> {
  // Starts from a page without a rollout; otherwise the key could still label the previous one.
  await go(page, '/settings');
  await go(page, pathOfRoute({ view: 'rollout', ...random.pick(groups), ordinal: 0 }));
  await page.locator('.transcript-pane [data-start]').first().waitFor();
  const panel = page.getByRole('region', { name: 'Labels', exact: true });
  if (!(await panel.isVisible()))
    await page
      .getByRole('group', { name: 'Inspector' })
      .getByRole('button', { name: /^Labels/ })
      .click();
  const cards = panel.locator('.annotation');
  const before = await cards.count();
  await page.keyboard.press(String(random.int(1, 5)));
  await cards.nth(before).waitFor();
  await page.keyboard.press('m');
  await panel.getByRole('textbox', { name: 'Note, Markdown' }).waitFor();
  await page.keyboard.type('A note with $x^2$ and **words**');
  await page.keyboard.press('ControlOrMeta+Enter');
  // The note joins the label that was given before it.
  const note = cards.nth(before).getByText('A note with');
  await note.waitFor();
  await page.keyboard.press('u');
  await note.waitFor({ state: 'detached' });
  await page.keyboard.press('u');
  await cards.nth(before).waitFor({ state: 'detached' });
}

async function ask({ page, random }: Session): Promise<void> {
  const limit = random.int(1, 50);
  const statement = `SELECT rollout_id, text, kind FROM segment LIMIT ${limit}`;
  await go(page, `/sql?sql=${encodeURIComponent(statement)}`);
  await page.locator('.monaco-editor .view-line').first().waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Run', exact: true }).click();
  await page
    .locator('.sql-status')
    .getByText(new RegExp(`^${limit} rows? in`))
    .first()
    .waitFor();
  await page.getByRole('grid', { name: /^Result:/ }).waitFor();
}

/** Follows a growing log. Rewrites the log from its beginning each time, so that the library does not grow. */
async function follow({ page, growing, growingRun }: Session): Promise<void> {
  writeFileSync(growing, dumped(1));
  // Starts from a page without a run, because the previous run may have a button of the same name.
  await go(page, '/settings');
  await go(page, pathOfRoute({ view: 'run', runKey: growingRun }));
  const steps = page.getByRole('grid', { name: /^Steps of/ }).getByRole('row');
  await steps.nth(1).waitFor();
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await page.getByRole('button', { name: 'Stop following', exact: true }).waitFor();
  // Row 0 is the header.
  await steps.nth(2).waitFor({ state: 'detached' });
  for (const step of [2, 3, 4]) {
    appendFileSync(growing, dumped(step));
    await steps.nth(step).waitFor();
  }
  await page.getByRole('button', { name: 'Paused' }).click();
  await page.getByRole('button', { name: 'Stop following', exact: true }).click();
  await page.getByRole('button', { name: 'Follow', exact: true }).waitFor();
}

async function openAndClose({ page }: Session): Promise<void> {
  await navigate(page, `/in/${OTHER_ID}/run/r1`);
  await page.getByRole('button', { name: 'Open it again' }).click();
  await page.getByRole('grid', { name: /^Steps of/ }).waitFor();
  await go(page, `/in/${OTHER_ID}/search?q=a`);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Close this library');
  await page
    .getByRole('option', { name: /Close this library/ })
    .first()
    .click();
  await page.getByRole('grid', { name: 'Runs' }).waitFor();
}

export async function soakLongUse(minutes: number): Promise<string> {
  const { rounds, lines, faults } = await runLongUse({ minutes, seed: 10 });
  for (const line of lines) console.log(`soak:   ${line}`);
  assert.deepEqual(faults, []);
  return `${minutes} minutes of use in ${rounds} rounds: nothing has grown`;
}
