/** The search, driven by the keyboard, on every target. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { pressSequence } from './pressSequence.ts';
import { visit } from './visit.ts';

export function describeSearch(shell: Shell): void {
  describe(`${shell.name}: the search`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    onDemo(shell, (demo) => {
      ({ running, page, errors } = demo);
    });

    const queryOf = (name: string) => new URLSearchParams(running.place().split('?')[1] ?? '').get(name);
    const pathOf = () => running.place().split('?')[0];
    const box = () => page.getByRole('combobox', { name: 'Search all texts' });
    const status = () => page.locator('.search-status p').first();
    const results = () => page.getByRole('grid', { name: /^Found:/ });
    const chosen = () => results().getByRole('row', { selected: true });
    const searchFor = async (query: string) => {
      if (pathOf() !== '/search') await visit(page, running.urlOf('/search'));
      await box().waitFor();
      await page.keyboard.press('/');
      await box().fill(query);
      await page.keyboard.press('Enter');
      // Until then the results are those of the query before.
      await expect.poll(() => queryOf('q')).toBe(query);
    };
    const firstResult = (query: string) =>
      page
        .getByRole('grid', { name: `Found: ${query}`, exact: true })
        .locator('mark')
        .first()
        .waitFor();

    test('g / opens it with the box focused; results show hits in their text, by group', async () => {
      await pressSequence(page, 'g', '/');
      await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
      await expect.poll(() => box().evaluate((element) => element === document.activeElement)).toBe(true);
      await page.keyboard.type('"double-check"');
      await page.keyboard.press('Enter');
      await status()
        .filter({ hasText: /^[\d,]+ of [\d,]+ rollouts match/ })
        .waitFor();
      // `innerText` is empty in rows that are not painted yet.
      const marks = () => results().locator('mark').allTextContents();
      await expect.poll(async () => (await marks()).length).toBeGreaterThan(3);
      expect(new Set((await marks()).map((mark) => mark.toLowerCase().replace(/[^a-z]+/g, ' ')))).toEqual(
        new Set(['double check']),
      );
      await expect.poll(() => results().locator('.search-group').first().innerText()).toMatch(/^step \d+$/);
      expect(queryOf('q')).toBe('"double-check"');
    });

    test('Enter opens the rollout at the hit, n and N step through hits, Escape returns to the row', async () => {
      await searchFor('code:print');
      await firstResult('code:print');
      for (let i = 0; i < 4; i += 1) await page.keyboard.press('j');
      // A row is empty until its text has loaded.
      await chosen().filter({ hasText: 'print' }).waitFor();
      const row = await chosen().innerText();
      await page.keyboard.press('Enter');
      const find = page.getByRole('textbox', { name: 'Search in this rollout' });
      await find.waitFor();
      expect(await find.inputValue()).toBe('code:print');
      expect(queryOf('find')).toBe('code:print');
      const places = page.locator('.find-bar .dim');
      await places.filter({ hasText: /^\d+ of \d+$/ }).waitFor();
      // The hit is painted in the code, which is shown unescaped.
      const painted = () =>
        page.evaluate(() =>
          [...(CSS.highlights.get('find-current') ?? [])]
            .map((range) => (range as Range).toString())
            .join(''),
        );
      await expect.poll(painted).toBe('print');
      const total = Number((await places.innerText()).split(' of ')[1]);
      const at = () => places.innerText().then((text) => Number(text.split(' of ')[0]));
      const first = await at();
      await page.keyboard.press('n');
      await expect.poll(at).toBe((first % total) + 1);
      await expect.poll(painted).toBe('print');
      await page.keyboard.press('N');
      await expect.poll(at).toBe(first);
      await page.keyboard.press('Escape');
      await results().waitFor();
      expect(pathOf()).toBe('/search');
      expect(queryOf('q')).toBe('code:print');
      await expect.poll(() => chosen().innerText()).toBe(row);
    });

    test('one click selects where to search, and empty results link to other places', async () => {
      await searchFor('reward:0 print');
      await page.getByRole('button', { name: 'Code', exact: true }).click();
      await expect.poll(() => queryOf('q')).toBe('reward:0 code:print');
      await firstResult('reward:0 code:print');
      await page.getByRole('button', { name: 'Prompt', exact: true }).click();
      await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
      await page.getByText('but elsewhere').waitFor();
      await page.getByRole('button', { name: 'Search everywhere' }).click();
      await expect.poll(() => queryOf('q')).toBe('reward:0 print');
      await firstResult('reward:0 print');
    });

    test('c collects results for a comparison', async () => {
      await searchFor('wait');
      await firstResult('wait');
      await page.keyboard.press('g');
      await pressSequence(page, 'g', 'j');
      await chosen().filter({ hasText: /\S/ }).waitFor();
      await page.keyboard.press('c');
      await page.getByText('added to comparison').waitFor();
      await page.keyboard.press('c');
      await page.getByText('removed from comparison').waitFor();
    });

    test('a regular expression reports how many texts it read; an invalid one is explained', async () => {
      await searchFor('reasoning:/\\bwait\\b/i');
      await page.getByText('the index cannot answer a regular expression').waitFor();
      await results().locator('mark').first().waitFor();
      await page.keyboard.press('/');
      await box().fill('/(/');
      await page.getByRole('alert').filter({ hasText: 'invalid regular expression' }).waitFor();
      await page.keyboard.press('Escape');
    });

    test('all matches are counted by run, a run is a link, and SQL counts the same', async () => {
      await searchFor('the');
      const byRun = page.getByRole('list', { name: 'Rollouts by run' });
      // More rollouts than the first page lists, so they are counted beside it.
      await status()
        .filter({
          hasText:
            /^[\d,]+ of [\d,]+ rollouts match\. Listed so far: the first \d+ rollouts, with at least [\d,]+ hits/,
        })
        .waitFor();
      const total = async () => Number(/^([\d,]+)/.exec(await status().innerText())?.[1]?.replace(',', ''));
      const counts = async () =>
        (await byRun.locator('b').allInnerTexts()).map((text) => Number(text.replace(',', '')));
      await expect
        .poll(async () => (await counts()).reduce((sum, each) => sum + each, 0) === (await total()))
        .toBe(true);
      const first = await counts();
      await page.getByRole('link', { name: 'Count by run in SQL' }).click();
      const run = page.getByRole('main').getByRole('button', { name: 'Run', exact: true });
      await run.waitFor();
      const result = page.getByRole('grid', { name: /^Result:/ });
      expect(await result.count()).toBe(0);
      expect(await page.getByText('This statement came with a link').count()).toBe(0);
      await run.click();
      await result.waitFor();
      await expect
        .poll(async () => (await result.locator('.sql-number').allInnerTexts()).map(Number))
        .toEqual(first);
      await page.goBack();
      await byRun.getByRole('link').first().click();
      await expect.poll(() => queryOf('run')).not.toBeNull();
      await expect.poll(counts).toEqual(first.slice(0, 1));
      await page.getByRole('link', { name: 'All runs' }).click();
      await expect.poll(() => queryOf('run')).toBeNull();
    });

    test('one run can be searched', async () => {
      await visit(page, running.urlOf('/search?q=wait&run=no-such-run'));
      // The second beside a warehouse, which may have the run.
      await page
        .getByRole('heading', { name: /^(No such run in this library|Nothing of this run is here)$/ })
        .waitFor();
      await page.getByRole('combobox', { name: 'Run to search' }).selectOption('synthetic-grpo-roc-demo');
      await results().locator('mark').first().waitFor();
      expect(queryOf('run')).toBe('synthetic-grpo-roc-demo');
      await status()
        .filter({ hasText: /rollouts match/ })
        .waitFor();
      // A search within one run does not offer to continue in others.
      expect(await page.getByRole('button', { name: /^Search again/ }).count()).toBe(0);
    });

    test('words typed into the palette are looked for, and Escape returns to the page it was opened on', async () => {
      await visit(page, running.urlOf('/run/synthetic-grpo-roc-demo/problems?tab=suspicious'));
      await page.getByRole('heading', { level: 1, name: 'Problems' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('words to search for').fill('double check');
      await page.getByRole('option', { name: 'Search all texts for double check' }).click();
      await expect.poll(() => queryOf('q')).toBe('double check');
      await results().locator('mark').first().waitFor();
      // A hit that was opened is not on the way back.
      await page.keyboard.press('j');
      await chosen()
        .filter({ hasText: /double/i })
        .waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => queryOf('find')).toBe('double check');
      await page.getByRole('textbox', { name: 'Search in this rollout' }).waitFor();
      await page.keyboard.press('Escape');
      await results().locator('mark').first().waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => running.place()).toBe('/run/synthetic-grpo-roc-demo/problems?tab=suspicious');
    });

    test('the palette knows the tabs of the problems page by their words', async () => {
      for (const [words, tab] of [
        ['became incorrect', 'changes'],
        ['clusters', 'failures'],
        ['hacking', 'detectors'],
        ['suspicious', 'suspicious'],
      ] as const) {
        await page.keyboard.press('Control+k');
        await page.getByPlaceholder('words to search for').fill(words);
        await page.getByRole('option', { name: /^Problems: / }).waitFor();
        await page.keyboard.press('Enter');
        await expect.poll(() => queryOf('tab')).toBe(tab);
      }
    });

    test('a link copied here opens from the palette', async () => {
      const copied = `${running.urlOf('/in/another/run/synthetic-grpo-roc-demo')}?q=reward%3A0`;
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('a copied link').fill(copied);
      await page.getByRole('option', { name: /^Open \/run/ }).click();
      await expect.poll(() => running.place()).toBe('/run/synthetic-grpo-roc-demo?q=reward%3A0');
    });

    test('the page reported no error', () => {
      expect(errors).toEqual([]);
    });
  });
}
