/** A pack of hostile rollouts in a real offline browser: it is readable, and nothing in it acts. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rows, type Scratch, scratch } from '../support/library.ts';
import { hostileLibrary, packHere } from '../support/packed.ts';
import { sharedBrowser } from '../support/shells/browserShell.ts';

let place: Scratch;
let browser: Browser;
let path: string;
/** The first two rollouts as a pair. */
let pairPath: string;

beforeAll(async () => {
  place = scratch();
  await hostileLibrary(place.library, place.directory);
  path = join(place.directory, 'pack.html');
  await packHere(place.library, 'html', path, { tokens: true, siblings: true });
  pairPath = join(place.directory, 'pairs.html');
  const [a = 0, b = 0] = rows(place.library, 'SELECT rollout_id FROM rollout ORDER BY ordinal').map((row) =>
    Number(row['rollout_id']),
  );
  await packHere(place.library, 'html', pairPath, { isAll: true, pairs: { rolloutIds: [a, b] } });
  browser = await sharedBrowser();
});
afterAll(() => place.remove());

/** Records everything that a passive page would not do. */
async function opened(
  scheme: 'light' | 'dark',
  file = path,
): Promise<{ page: Page; did: readonly string[] }> {
  const did: string[] = [];
  const context = await browser.newContext({ offline: true, colorScheme: scheme });
  const page = await context.newPage();
  page.on('console', (message) => did.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => did.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    did.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => did.push(`request: ${request.url()}`));
  page.on('popup', (popup) => did.push(`popup: ${popup.url()}`));
  await page.goto(pathToFileURL(file).href);
  return { page, did };
}

it.each(['light', 'dark'] as const)('makes no request and runs nothing, %s', async (scheme) => {
  const { page, did } = await opened(scheme);
  // Unfolds, follows and paints everything.
  await page.evaluate(() => {
    for (const each of document.querySelectorAll('details')) each.open = true;
    for (const each of document.querySelectorAll('summary, mark, a')) (each as HTMLElement).click();
    for (const each of document.querySelectorAll('details')) each.open = true;
    window.scrollTo(0, document.body.scrollHeight);
  });
  await page.screenshot();
  expect(did.filter((what) => !what.startsWith('request: file:'))).toEqual([]);
  expect(did.filter((what) => what.startsWith('request:'))).toHaveLength(1);
  const found = await page.evaluate(() => ({
    active: document.querySelectorAll(
      'script, [onerror], [onclick], [onload], [style], iframe, img, form, input, object, base',
    ).length,
    links: [...document.querySelectorAll('a')]
      .map((link) => link.getAttribute('href') ?? '')
      .filter((link) => !/^#c\d/.test(link)),
    refresh: document.querySelectorAll('meta[http-equiv=refresh]').length,
    styles: document.querySelectorAll('style').length,
    pwned: 'pwned' in window,
    cases: document.querySelectorAll('article').length,
    title: document.title,
    width: document.documentElement.scrollWidth <= document.documentElement.clientWidth,
  }));
  expect(found).toEqual({
    ...{ active: 0, links: [], refresh: 0, styles: 1, pwned: false, cases: 3, width: true },
    title: '3 cases with 9 annotations · Turnwise',
  });
  const text = await page.locator('main').innerText();
  for (const wanted of [
    '<script>window.pwned',
    '</textarea></style></script>',
    '-->',
    ']]>',
    'javascript:alert(1)',
  ])
    expect(text).toContain(wanted);
  await page.context().close();
});

it('shows a pair side by side, and does nothing', async () => {
  const { page, did } = await opened('light', pairPath);
  await page.setViewportSize({ width: 1280, height: 800 });
  const found = await page.evaluate(() => {
    for (const each of document.querySelectorAll('details')) each.open = true;
    for (const each of document.querySelectorAll('summary, mark, a')) (each as HTMLElement).click();
    for (const each of document.querySelectorAll('details')) each.open = true;
    const tops = [...document.querySelectorAll('.turn .sides')].map((row) =>
      [...row.children].map((side) => Math.round(side.getBoundingClientRect().top)),
    );
    return {
      active: document.querySelectorAll('script, [onerror], [onclick], [style], iframe, img, form, input')
        .length,
      pwned: 'pwned' in window,
      pairs: document.querySelectorAll('article').length,
      rows: tops.length > 2 && tops.every(([left, right]) => left === right),
      title: document.title,
      isWithin: document.documentElement.scrollWidth <= document.documentElement.clientWidth,
    };
  });
  expect(found).toEqual({
    ...{ active: 0, pwned: false, pairs: 1, rows: true, isWithin: true },
    title: '1 pair with 6 annotations · Turnwise',
  });
  expect(did.filter((what) => !what.startsWith('request: file:'))).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  const isWithin = await page.evaluate(
    () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
  );
  expect(isWithin).toBe(true);
  await page.context().close();
});

it('prints folded text', async () => {
  const { page } = await opened('dark');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const [ground, shown] = await page.evaluate(() => {
    for (const each of document.querySelectorAll('details')) each.open = false;
    const inner = document.querySelector('details.turn .prose');
    return [
      getComputedStyle(document.body).backgroundColor,
      (inner?.getBoundingClientRect().height ?? 0) > 0,
    ];
  });
  expect(ground).toBe('rgb(251, 250, 247)');
  expect(shown).toBe(true);
  await page.context().close();
});

it('on a phone it wraps labels and boxes tables; on a desktop it shows three rollouts side by side', async () => {
  const { page } = await opened('light');
  await page.setViewportSize({ width: 390, height: 800 });
  const phone = await page.evaluate(() => ({
    isWithin: document.documentElement.scrollWidth <= document.documentElement.clientWidth,
    // The minimum width of text that wraps at every letter.
    narrowest: Math.min(
      ...[...document.querySelectorAll('td .chip')].map((chip) => chip.getBoundingClientRect().width),
    ),
    scrolls: [...document.querySelectorAll('.scroll')].some((box) => box.scrollWidth > box.clientWidth),
  }));
  expect(phone.isWithin).toBe(true);
  expect(phone.narrowest).toBeGreaterThan(80);
  expect(phone.scrolls).toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });
  const desk = await page.evaluate(() => {
    const row = document.querySelector('.group.wide');
    const more = document.querySelector('.more');
    return {
      rollouts: row?.children.length,
      fits: (row?.scrollWidth ?? 0) <= (row?.clientWidth ?? 0),
      more: more === null ? '' : getComputedStyle(more).display,
    };
  });
  expect(desk).toEqual({ rollouts: 3, fits: true, more: 'none' });
  await page.setViewportSize({ width: 1000, height: 800 });
  expect(await page.locator('.more').first().isVisible()).toBe(true);
  await page.context().close();
});
