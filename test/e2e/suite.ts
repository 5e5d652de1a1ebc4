/**
 * Required behaviour of every shell, written once. A target's file calls `describeApplication` with its
 * shell, which stays abstract here. Elements are found by name and role only.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { BEACON, HOSTILE_RUN, writeHostileLog } from '../support/shells/hostileLog.ts';
import {
  PAGE_TIMEOUT_MS,
  type RunningShell,
  type Shell,
  type TemporaryHome,
} from '../support/shells/shell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { watchErrors } from './watchErrors.ts';

const DEMO = '/run/synthetic-grpo-roc-demo';
const FIRST_GROUP = `${DEMO}/step/0/group/pairs-of-divisors`;
const FIRST_ROLLOUT = `${FIRST_GROUP}/rollout/0`;

async function waitForPlace(shell: RunningShell, place: string): Promise<void> {
  await expect.poll(() => shell.place()).toBe(place);
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const grid = (page: Page, name: string | RegExp) => page.getByRole('grid', { name });
/** A row of a virtual list exists before its values have loaded, and only then keys open it. */
const selectedRow = (page: Page) => page.getByRole('row', { selected: true }).filter({ hasText: /\d/ });

export function describeApplication(shell: Shell): void {
  describe(`${shell.name}: the demo run`, () => {
    let home: TemporaryHome;
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    beforeAll(async () => {
      home = createTemporaryHome();
      running = await shell.open({ home });
      page = running.page;
      page.setDefaultTimeout(PAGE_TIMEOUT_MS);
      errors = watchErrors(page);
    });
    afterAll(async () => {
      await running?.close();
      home.remove();
    });

    async function goTo(place: string): Promise<void> {
      onTestFailed(() => console.error(`${shell.name} at ${running.place()}; errors of the page:`, errors));
      await page.goto(running.urlOf(place));
    }

    test('a start without paths opens the demo', async () => {
      await waitForPlace(running, DEMO);
      await heading(page, 'demo (synthetic)').waitFor();
    });

    test('the library lists it', async () => {
      await goTo(DEMO);
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Library' }).click();
      await waitForPlace(running, '/');
      await page
        .getByRole('row', { name: /demo \(synthetic\)/ })
        .first()
        .waitFor();
    });

    test('the library stays after a reload, and a link of it opens it', async () => {
      await goTo('/');
      await page.getByRole('row', { name: /evaluation/ }).waitFor();
      await page.reload();
      await page.getByRole('row', { name: /evaluation/ }).waitFor();
      expect(running.place()).toBe('/');
      await goTo('/?filter=demo');
      await page.getByRole('row', { name: /evaluation/ }).waitFor();
      expect(running.place()).toBe('/?filter=demo');
    });

    test('navigates from run to step to group to rollout by keyboard, and back up', async () => {
      await goTo(DEMO);
      await grid(page, 'Steps of demo (synthetic)').waitFor();
      await selectedRow(page).first().waitFor();
      await page.keyboard.press('Enter');
      await waitForPlace(running, `${DEMO}/step/0`);
      await grid(page, 'Groups of step 0').waitFor();
      await selectedRow(page).first().waitFor();
      await page.keyboard.press('Enter');
      await waitForPlace(running, FIRST_GROUP);
      await heading(page, /Problem pairs-of-divisors/).waitFor();
      await selectedRow(page).first().waitFor();
      await page.keyboard.press('Enter');
      await waitForPlace(running, FIRST_ROLLOUT);
      await page
        .getByRole('navigation', { name: 'Outline' })
        .getByRole('button', { name: 'Turn 1' })
        .waitFor();
      for (const [place, shown] of [
        [FIRST_GROUP, heading(page, /Problem pairs-of-divisors/)],
        [`${DEMO}/step/0`, grid(page, 'Groups of step 0')],
        [DEMO, grid(page, 'Steps of demo (synthetic)')],
        ['/', grid(page, 'Runs')],
      ] as const) {
        await page.keyboard.press('Escape');
        await waitForPlace(running, place);
        await shown.waitFor();
      }
    });

    test('a step that the list did not open is selected on the way up', async () => {
      await goTo(`${DEMO}/step/150`);
      await grid(page, 'Groups of step 150').waitFor();
      await page.keyboard.press('Escape');
      await waitForPlace(running, DEMO);
      await expect.poll(() => selectedRow(page).innerText()).toMatch(/^150\b/);
    });

    test('j and k move the row', async () => {
      await goTo(DEMO);
      await grid(page, /Steps of/).waitFor();
      const row = selectedRow(page);
      await row.waitFor();
      const first = await row.innerText();
      await page.keyboard.press('j');
      await expect.poll(() => row.innerText()).not.toBe(first);
      await page.keyboard.press('k');
      await expect.poll(() => row.innerText()).toBe(first);
    });

    test('a deep link opens its page in a fresh browser', async () => {
      await goTo(FIRST_ROLLOUT);
      await page
        .getByRole('region', { name: /Transcript/ })
        .or(page.getByLabel('Transcript'))
        .first()
        .waitFor();
      expect(running.place()).toBe(FIRST_ROLLOUT);
      await page.reload();
      await page.getByText('#0', { exact: false }).first().waitFor();
      expect(running.place()).toBe(FIRST_ROLLOUT);
    });

    test('code is drawn as it is written, without ligatures', async () => {
      await goTo(FIRST_ROLLOUT);
      const code = page.locator('.transcript-pane .code').first();
      await code.waitFor();
      expect(await code.evaluate((element) => getComputedStyle(element).fontVariantLigatures)).toBe('none');
    });

    test('? shows the keys, Escape closes them', async () => {
      await goTo(DEMO);
      await grid(page, /Steps of/).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(running.place()).toBe(DEMO);
    });

    test('Ctrl-K finds a command and runs it', async () => {
      await goTo(DEMO);
      await grid(page, /Steps of/).waitFor();
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('Go to settings');
      await page.getByRole('option', { name: /^Go to settings/, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await waitForPlace(running, '/settings');
    });

    test('the theme switches, and stays after a reload', async () => {
      await goTo(DEMO);
      const background = (): Promise<string> =>
        page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await page.getByRole('button', { name: 'Theme: system' }).click();
      await page.getByRole('button', { name: 'Theme: light' }).waitFor();
      const light = await background();
      await page.getByRole('button', { name: 'Theme: light' }).click();
      await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
      await expect.poll(background).not.toBe(light);
      const dark = await background();
      await page.reload();
      await page.getByRole('button', { name: 'Theme: dark' }).click();
      await page.getByRole('button', { name: 'Theme: system' }).waitFor();
      expect(dark).not.toBe(light);
    });

    test('the raw record is read from its file', async () => {
      await goTo(FIRST_ROLLOUT);
      await page.getByRole('button', { name: 'Raw record', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Raw record' });
      await dialog.getByText(/demo\.jsonl, line \d+/).waitFor();
      await dialog.getByText('"rollout"').first().waitFor();
      await page.keyboard.press('Escape');
    });

    test('the page reported no error', () => {
      expect(errors).toEqual([]);
    });
  });

  describe(`${shell.name}: a hostile log`, () => {
    let home: TemporaryHome;
    let running: RunningShell;
    let page: Page;
    let errors: string[];
    const requested: string[] = [];

    beforeAll(async () => {
      home = createTemporaryHome();
      running = await shell.open({ home, paths: [writeHostileLog(home.directory)] });
      page = running.page;
      page.setDefaultTimeout(PAGE_TIMEOUT_MS);
      errors = watchErrors(page);
      page.on('request', (request) => requested.push(request.url()));
    });
    afterAll(async () => {
      await running?.close();
      home.remove();
    });

    const pwned = (): Promise<unknown> => page.evaluate(() => (window as { pwned?: unknown }).pwned);

    async function openRollout(): Promise<void> {
      await page.goto(running.urlOf(`/run/${HOSTILE_RUN}`));
      for (const title of [/Steps of/, /Groups of/]) {
        await grid(page, title).waitFor();
        await selectedRow(page).first().waitFor();
        await page.keyboard.press('Enter');
      }
      await page.getByText('4 rollouts', { exact: true }).waitFor({ state: 'attached' });
      await selectedRow(page).first().waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => running.place()).toMatch(/\/rollout\/0$/);
      await page.getByRole('button', { name: 'Raw record', exact: true }).waitFor();
    }

    test('a log named at start opens first', async () => {
      await waitForPlace(running, `/run/${HOSTILE_RUN}`);
      // As plain text, including tags.
      await heading(page, '<b>hostile</b> run').waitFor();
    });

    test('hostile text is shown, and none of it runs', async () => {
      await openRollout();
      await page.getByText('<script>window.pwned', { exact: false }).first().waitFor();
      for (const form of ['Raw', 'Rendered']) {
        await page.getByRole('group', { name: 'Text' }).getByRole('button', { name: form }).click();
        await page.waitForTimeout(300); // time for an `onerror` to run, if it could
        expect(await pwned()).toBeUndefined();
      }
      await page.getByRole('button', { name: 'Raw record', exact: true }).click();
      await page.getByRole('dialog', { name: 'Raw record' }).waitFor();
      await page.waitForTimeout(300);
      expect(await pwned()).toBeUndefined();
      await page.keyboard.press('Escape');
    });

    test('hostile text creates no element', async () => {
      await openRollout();
      const main = page.getByRole('main');
      expect(await main.locator('script, iframe, base, meta, style, object, embed, form').count()).toBe(0);
      expect(await main.locator('img[src^="http"], img[src="x"]').count()).toBe(0);
      expect(await page.locator('a[href^="javascript:" i]').count()).toBe(0);
      const handlers = await page.evaluate(() =>
        [...document.querySelectorAll('*')].flatMap((element) =>
          element.getAttributeNames().filter((name) => name.startsWith('on')),
        ),
      );
      expect(handlers).toEqual([]);
    });

    test('hostile text makes no request', () => {
      expect(requested.filter((url) => url.includes(BEACON))).toEqual([]);
    });

    test('control: the same text runs without the protection', async () => {
      // HTML inserted by a script is stopped by the policy, the second line of defence.
      await page.evaluate(() => {
        const probe = document.createElement('div');
        probe.innerHTML = '<img src=x onerror="window.pwned=\'control\'">';
        document.body.append(probe);
      });
      await expect.poll(() => errors.join('\n')).toMatch(/Content Security Policy/);
      expect(await pwned()).toBeUndefined();
    });
  });
}
