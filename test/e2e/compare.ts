/**
 * Two rollouts side by side as their reader meets them, on every target: gathered from a list, opened by key,
 * aligned, with the place where they part, folds, the next difference, another baseline, woven, in the diff
 * editor; a lane that is gone says so; a link opens the same again.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningShell, Shell, TemporaryHome } from '../support/shells/shell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { watchErrors } from './suite.ts';

const GROUP = '/run/synthetic-grpo-roc-demo/step/0/group/pairs-of-divisors';
const linkOf = (...ordinals: readonly number[]): string =>
  `/compare?${ordinals.map((ordinal) => `lane=${GROUP}/rollout/${ordinal}`).join('&')}`;

export function describeCompare(shell: Shell): void {
  describe(`${shell.name}: compare`, () => {
    let home: TemporaryHome;
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    beforeAll(async () => {
      home = createTemporaryHome();
      running = await shell.open({ home });
      page = running.page;
      page.setDefaultTimeout(10_000);
      errors = watchErrors(page);
      await page.getByRole('heading', { level: 1, name: 'demo (synthetic)' }).waitFor();
    });
    afterAll(async () => {
      await running?.close();
      home.remove();
    });

    const list = () => page.getByRole('region', { name: 'Aligned turns' });
    const laneOf = (letter: string) => list().getByRole('group', { name: `Lane ${letter}`, exact: true });
    const queryOf = () => new URLSearchParams(running.place().split('?')[1] ?? '');
    const current = () => list().locator('[aria-current]').first();

    test('c on two rows gathers them, x opens them', async () => {
      await page.goto(running.urlOf(GROUP));
      await page.getByRole('grid', { name: 'Rollouts of pairs-of-divisors' }).waitFor();
      await page.getByRole('row').nth(3).waitFor();
      await page.keyboard.press('c');
      await page.getByText(/is to be compared · choose another/).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('c');
      await page.getByRole('link', { name: 'compare 2' }).waitFor();
      await page.keyboard.press('x');
      await laneOf('A').getByRole('link', { name: '#0' }).waitFor();
      await laneOf('B').getByRole('link', { name: '#1' }).waitFor();
      await laneOf('A').getByText('baseline', { exact: true }).waitFor();
    });

    test('the header compares, and marks what differs', async () => {
      const facts = list().locator('.cmp-facts').nth(1);
      await facts.getByText('mean entropy').waitFor();
      expect(await facts.locator('.is-different').count()).toBeGreaterThan(2);
    });

    test('the fork has both tokens, with value, source and alternatives', async () => {
      const fork = list().getByRole('region', { name: 'The fork of B' });
      await fork.getByText(/B parts from A/).waitFor();
      await fork
        .getByText(/percentile of this rollout’s policy tokens/)
        .first()
        .waitFor();
      await fork.getByText('entropy, full, nats, T=1.0, trainer policy').first().waitFor();
      const alternatives = fork.getByRole('list', { name: /^Alternatives in/ }).first();
      await alternatives.getByText('all others').waitFor();
      await fork.getByText(/token (was #\d+ here|is not among the \d+ listed here)/).waitFor();
    });

    test('n and N go through the differences, and the link goes along', async () => {
      await page.keyboard.press('n');
      await expect.poll(() => queryOf().get('row')).toBe('1');
      await page.keyboard.press('n');
      await expect.poll(() => queryOf().get('row')).toBe('2');
      await page.keyboard.press('N');
      await expect.poll(() => queryOf().get('row')).toBe('1');
      await expect.poll(() => current().isVisible()).toBe(true);
      await page.keyboard.press('f');
      await expect.poll(() => queryOf().get('row')).toBe('0');
    });

    test('an equal segment is folded with its length, and opens', async () => {
      const fold = list()
        .getByRole('button', { name: /^▸ equal tool call · \d+ chars$/ })
        .first();
      await fold.click();
      await list().locator('.cmp-code').first().getByText('from', { exact: false }).first().waitFor();
    });

    test('another lane becomes the baseline, and lanes change places', async () => {
      await page.keyboard.press('b');
      await expect.poll(() => queryOf().get('base')).toBe('1');
      await laneOf('B').getByText('baseline', { exact: true }).waitFor();
      await list().getByRole('region', { name: 'The fork of A' }).waitFor();
      await laneOf('A').getByRole('button', { name: 'Move A to the right' }).click();
      await expect.poll(() => queryOf().getAll('lane')[0]).toBe(`${GROUP}/rollout/1`);
      expect(queryOf().get('base')).toBeNull();
      await laneOf('A').getByText('baseline', { exact: true }).waitFor();
      await laneOf('A').getByRole('link', { name: '#1' }).waitFor();
    });

    test('woven into one text, what went is struck and what came is underlined', async () => {
      await page.keyboard.press('u');
      await expect.poll(() => queryOf().get('layout')).toBe('unified');
      await list().locator('.is-struck').first().waitFor();
      await list().locator('.is-added-text').first().waitFor();
      await page.keyboard.press('u');
      await list().locator('.is-struck').first().waitFor({ state: 'detached' });
    });

    test('e opens the diff editor, Escape closes it', async () => {
      await page.goto(running.urlOf(linkOf(0, 1)));
      await laneOf('B')
        .getByText(/parts from A/)
        .waitFor();
      await page.keyboard.press('e');
      const dialog = page.getByRole('dialog');
      await dialog.locator('.monaco-diff-editor .view-line').first().waitFor();
      await dialog.getByRole('button', { name: 'inline' }).click();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await list().waitFor();
    });

    test('equal turns are one line that opens; the same rollout twice says so', async () => {
      await page.goto(running.urlOf(linkOf(0, 0)));
      await laneOf('B').getByText('same rollout as A').waitFor();
      await laneOf('B').getByText('equal to A').waitFor();
      const fold = list().getByRole('button', { name: /^▸ 3 equal turns · [\d,]+ chars$/ });
      await fold.waitFor();
      await page.keyboard.press('Enter');
      await list().getByText('turn 1', { exact: true }).first().waitFor();
      await list()
        .getByRole('button', { name: /fold again/ })
        .click();
      await fold.waitFor();
    });

    test('a lane that is gone keeps its column, says so, and can be taken out', async () => {
      await page.goto(running.urlOf(`${linkOf(0, 999, 3)}&base=2`));
      await laneOf('B').getByText('#999 not there').waitFor();
      await laneOf('C').getByText('baseline', { exact: true }).waitFor();
      await laneOf('A')
        .getByText(/parts from C/)
        .waitFor();
      await laneOf('B').getByRole('button', { name: 'Take it out' }).click();
      await expect.poll(() => queryOf().getAll('lane').length).toBe(2);
      await laneOf('B').getByRole('link', { name: '#3' }).waitFor();
      await laneOf('B').getByText('baseline', { exact: true }).waitFor();
    });

    test('a link opens lanes, baseline, row and options again, and Enter the replay', async () => {
      await page.goto(running.urlOf(`${linkOf(3, 1)}&base=1&on=0&row=1&equal=show&show=code,output`));
      await laneOf('B').getByText('baseline', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'code', pressed: true }).waitFor();
      await page.getByRole('button', { name: 'show', exact: true, pressed: true }).waitFor();
      await expect.poll(() => current().isVisible()).toBe(true);
      expect(queryOf().get('row')).toBe('1');
      await page.keyboard.press('Enter');
      await expect.poll(() => running.place()).toMatch(/\/rollout\/3(\?turn=\d+)?$/);
    });

    test('none of it was an error to the page', () => {
      expect(errors).toEqual([]);
    });
  });
}
