/**
 * Sends the hostile corpus through ingest, every view and every pack, in a real browser. Fails if a page requests
 * anything outside, executes a text, crashes, shows a failed view or blocks, or if the host uses too much memory.
 */
import { strict as assert } from 'node:assert';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { pathOfRoute } from '../../renderer/data/route.ts';
import { PACK_FORMATS, type PackFormat, type ParamsOf, type ResultOf } from '../../shared/api/contract.ts';
import {
  CORPUS_RUN,
  type HostileCorpus,
  MANY_STEPS_RUN,
  writeHostileCorpus,
} from '../support/hostileCorpus.ts';
import { CHROMIUM_FLAGS, findChromium } from '../support/shells/chromium.ts';
import { serveProcess } from '../support/shells/serveProcess.ts';
import { openSocketTransport } from '../support/shells/socketTransport.ts';

const LONGEST_BLOCK_MS = 2_000;
const MOST_HOST_MB = 1_200;
const OPENS_WITHIN_MS = 30_000;
/** Rollouts of one HTML pack. */
const PAGE_ROLLOUTS = 8;

export interface ViewsReport {
  readonly rollouts: number;
  readonly files: number;
  readonly views: number;
  readonly packs: number;
  /** Peak memory of the host by then. */
  readonly hostMegabytes: {
    readonly afterIngest: number;
    readonly afterViews: number;
    readonly afterPacks: number;
  };
  readonly longestBlock: { readonly ms: number; readonly at: string };
  /** Observed events that are not allowed: requests, scripts, crashes, failed views, long blocks. */
  readonly faults: readonly string[];
}

/** @param only part of a group's name; default: all groups */
export async function openHostileViews(only = ''): Promise<ViewsReport> {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-hostile-'));
  try {
    return await inDirectory(directory, only);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function inDirectory(directory: string, only: string): Promise<ViewsReport> {
  const logs = join(directory, 'logs');
  const corpus = writeHostileCorpus(logs);
  const host = await serveProcess(['--library', join(directory, 'library.sqlite'), '--', logs], {});
  const { executablePath, env } = findChromium();
  const browser = await chromium.launch({
    executablePath,
    args: [...CHROMIUM_FLAGS],
    env: { ...process.env, ...env },
  });
  const { port, hash, origin } = new URL(host.url);
  const transport = await openSocketTransport({ port: Number(port), token: hash.slice('#token='.length) });
  const ask = async <T>(method: string, params: object): Promise<T> => {
    const result = await transport.send(method, params);
    if (!result.ok) throw new Error(`${method}: ${result.failure.message}`);
    return result.value as T;
  };
  const faults: string[] = [];
  let longestBlock = { ms: 0, at: '' };
  try {
    while ((await ask<ResultOf<'ingest.jobs'>>('ingest.jobs', {})).some(({ state }) => state === 'running'));
    const runs = await ask<ResultOf<'run.list'>>('run.list', {});
    const { rollouts = 0, runId = 0 } = runs.find(({ runKey }) => runKey === CORPUS_RUN) ?? {};
    const expected = corpus.groups.reduce((sum, group) => sum + group.rollouts, 0);
    if (rollouts !== expected) faults.push(`${rollouts} of ${expected} rollouts were read`);
    const afterIngest = peakMegabytes(host.pid);
    await label(ask, runId);

    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    let at = '';
    const fault = (text: string): void => void faults.push(`${at}: ${text}`);
    page.on('pageerror', (error) => fault(`error ${error.message}`));
    page.on('crash', () => fault('the page crashed'));
    page.on('popup', (popup) => fault(`popup ${popup.url()}`));
    page.on('dialog', (dialog) => {
      fault(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(origin) && !/^(?:data|blob):/.test(url)) fault(`request ${url}`);
    });
    await page.addInitScript(() => {
      const blocks: number[] = [];
      Object.assign(window, { blocks });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) blocks.push(duration);
      }).observe({ type: 'longtask', buffered: true });
    });
    await page.goto(host.url);
    const views = [...viewsOf(corpus, only)];
    for (const [name, path] of views) {
      at = name;
      await open(page, new URL(path, origin).href).catch((error: unknown) => {
        fault(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
      });
      if (page.isClosed()) break;
      const seen = await page
        .evaluate(() => ({
          blocks: (window as unknown as { blocks: number[] }).blocks,
          pwned: 'pwned' in window,
          failed: document.body.innerText.includes('This view failed'),
        }))
        .catch(() => undefined);
      if (seen === undefined) fault('the page does not answer');
      else {
        const longest = Math.max(0, ...seen.blocks);
        if (longest > longestBlock.ms) longestBlock = { ms: Math.round(longest), at };
        if (longest > LONGEST_BLOCK_MS) fault(`blocked for ${Math.round(longest)} ms`);
        if (seen.pwned) fault('a text ran');
        if (seen.failed) fault('the view failed');
      }
    }
    const afterViews = peakMegabytes(host.pid);
    let packs = 0;
    const pack = async (params: Partial<ParamsOf<'pack.export'>>, format: PackFormat): Promise<string> => {
      packs++;
      const name = `pack-${packs}.${format}`;
      at = name;
      const all = { runId, siblings: true, tokens: true, raw: true, format, path: name, ...params };
      const result = await transport.send('pack.export', all);
      if (!result.ok) fault(result.failure.message);
      return join(directory, name);
    };
    for (const format of PACK_FORMATS) if (format !== 'html') await pack({ isAll: true }, format);
    // Packs a few rollouts each, because a page with all texts would have hundreds of megabytes.
    const { ids } = await ask<ResultOf<'rollout.order'>>('rollout.order', { runId });
    const packPage = await browser.newPage();
    packPage.on('request', (request) => {
      if (!request.url().startsWith('file:')) fault(`request ${request.url()}`);
    });
    for (let from = 0; from < ids.length && only === ''; from += PAGE_ROLLOUTS) {
      const path = await pack({ rolloutIds: [...ids.subarray(from, from + PAGE_ROLLOUTS)] }, 'html');
      if (await runsTexts(packPage, path)) fault('a text ran');
      rmSync(path, { force: true });
    }
    return {
      ...{ rollouts, files: corpus.groups.length + 1 + corpus.files, views: views.length },
      ...{
        packs,
        hostMegabytes: { afterIngest, afterViews, afterPacks: peakMegabytes(host.pid) },
        longestBlock,
        faults,
      },
    };
  } finally {
    await transport.close();
    await browser.close();
    await host.close();
  }
}

/** Adds a label and a hostile note to every rollout. */
async function label(ask: <T>(method: string, params: object) => Promise<T>, runId: number): Promise<void> {
  const { ids } = await ask<ResultOf<'rollout.order'>>('rollout.order', { runId });
  const note = '<img src=x onerror="window.pwned=7"> =HYPERLINK("https://beacon.attacker.example") \u202e';
  for (const rolloutId of ids) {
    const put = { rolloutId, target: { kind: 'rollout' }, label: 'loops', note };
    await ask('annotation.apply', { author: '<b>ann</b>', changes: [{ put }] });
  }
}

function* viewsOf({ groups }: HostileCorpus, only: string): Generator<readonly [name: string, path: string]> {
  const runKey = CORPUS_RUN;
  const step = 0;
  for (const { name, key: groupKey, rollouts } of groups) {
    if (!name.includes(only)) continue;
    const rollout = (ordinal: number) =>
      pathOfRoute({ view: 'rollout', ...{ runKey, step, groupKey, ordinal } });
    const group = pathOfRoute({ view: 'group', runKey, step, groupKey });
    yield [`replay of ${name}`, rollout(0)];
    yield [`raw replay of ${name}`, `${rollout(0)}?text=raw`];
    yield [`hit in ${name}`, `${rollout(0)}?find=${encodeURIComponent('text:/\\S/')}`];
    yield [`group of ${name}`, group];
    yield [`problem of ${name}`, pathOfRoute({ view: 'problem', runKey, step, groupKey })];
    if (rollouts < 2) continue;
    yield [`fork tree of ${name}`, pathOfRoute({ view: 'groupTree', runKey, step, groupKey })];
    yield [`rollouts like ${name}`, pathOfRoute({ view: 'alike', runKey, step, groupKey, ordinal: 0 })];
    const lanes = [0, 1].map((ordinal) => `lane=${encodeURIComponent(rollout(ordinal))}`);
    yield [`comparison of ${name}`, `/compare?${lanes.join('&')}&equal=show`];
  }
  const run = pathOfRoute({ view: 'run', runKey });
  const tabsOfLabels = ['annotations', 'report', 'agreement', 'conflicts', 'taxonomy'];
  const pages = [
    ...['/', '/issues', '/formats', '/mapping', '/labels'],
    ...tabsOfLabels.map((tab) => `/labels?tab=${tab}`),
  ];
  const tabs = [
    '',
    '?tab=rollouts',
    '?tab=tools',
    '?tab=recipe',
    '?tab=evaluation',
    '/roc',
    '/problems',
    '/tokens',
  ];
  const steps = ['', '/roc', '/schedule', '/tokens'].map((tail) => `${run}/step/0${tail}`);
  const select = 'SELECT rollout_id, text, kind FROM segment';
  const searches = ['x', '"beacon"', 'code:a', '/(a+)+$/', '<script>', '\u202e'].map(
    (q) => `/search?q=${encodeURIComponent(q)}`,
  );
  const sql = `/sql?sql=${encodeURIComponent(select)}`;
  const ofManySteps = ['', '/step/0', '/step/0/group/g', '/problems', '/tokens'].map(
    (tail) => pathOfRoute({ view: 'run', runKey: MANY_STEPS_RUN }) + tail,
  );
  for (const path of [...ofManySteps, ...pages, ...tabs.map((tab) => run + tab), ...steps, ...searches, sql])
    yield [path, path];
}

async function open(page: Page, url: string): Promise<void> {
  const limit = { timeout: OPENS_WITHIN_MS };
  await page.goto(url, limit);
  await page.getByRole('heading', { level: 1 }).first().waitFor(limit);
  await page
    .locator('.waiting, [aria-busy="true"]')
    .first()
    .waitFor({ state: 'detached', ...limit });
  if (new URL(url).pathname === '/sql') {
    await page.getByRole('main').getByRole('button', { name: 'Run', exact: true }).click(limit);
    await page.getByRole('grid', { name: /^Result:/ }).waitFor(limit);
  }
  // Scrolls, because virtual lists render only the visible rows.
  for (let notch = 0; notch < 6; notch++) await page.mouse.wheel(0, 4_000);
  // The end of a transcript, which has other segments than its beginning.
  for (const transcript of await page.locator('.transcript').all())
    await transcript.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
}

async function runsTexts(page: Page, path: string): Promise<boolean> {
  // Megabytes of marks for hidden characters take a busy machine a minute to lay out.
  await page.goto(pathToFileURL(path).href, { timeout: 300_000 });
  return page.evaluate(() => {
    for (const each of document.querySelectorAll('details')) each.open = true;
    return 'pwned' in window;
  });
}

/** @returns the largest peak of the process and its children, in MB */
function peakMegabytes(pid: number): number {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  const peak = (process: number): number =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  return Math.round(Math.max(...[pid, ...children].map(peak)));
}

export async function soakViews(): Promise<string> {
  const report = await openHostileViews();
  assert.deepEqual(report.faults, []);
  const { afterPacks } = report.hostMegabytes;
  assert.ok(afterPacks <= MOST_HOST_MB, `the host took ${afterPacks} MB`);
  const { files, rollouts, views, packs, longestBlock } = report;
  return `${files} hostile files, ${rollouts} rollouts of them in ${views} views and ${packs} packs: no request, no script, no crash; longest block ${longestBlock.ms} ms (${longestBlock.at}), host at most ${afterPacks} MB`;
}
