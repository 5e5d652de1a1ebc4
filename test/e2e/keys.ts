/** Rebound keys work everywhere. For rebinding, see `test/renderer/keySettings.test.tsx`. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { pressSequence } from './pressSequence.ts';
import { visit } from './visit.ts';

export function describeKeys(shell: Shell): void {
  describe(`${shell.name}: keys`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    onDemo(shell, (demo) => {
      ({ running, page, errors } = demo);
    });

    const row = () => page.getByRole('listitem').filter({ hasText: 'place.problems' });

    test('a command gets other keys, which work and are shown', async () => {
      await visit(page, running.urlOf('/settings'));
      await page.getByRole('button', { name: 'Change keys' }).click();
      await page.getByLabel('Find a command').fill('place.problems');
      await page.getByRole('button', { name: /^Change the keys of Go to the problems/ }).click();
      await pressSequence(page, 'q', 'p');
      await row().getByText('q', { exact: true }).waitFor();
      await visit(page, running.urlOf('/run/synthetic-grpo-roc-demo'));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await pressSequence(page, 'g', 'p');
      await pressSequence(page, 'q', 'p');
      await expect.poll(() => running.place()).toBe('/run/synthetic-grpo-roc-demo/problems');
      await page.keyboard.press('?');
      const help = page.getByRole('dialog', { name: 'Keys' });
      await help.getByText('Go to the problems of this run').waitFor();
      await expect
        .poll(() =>
          help.getByText('Go to the problems of this run').locator('..').locator('kbd').allInnerTexts(),
        )
        .toEqual(['q', 'p']);
      await page.keyboard.press('Escape');
      await help.waitFor({ state: 'detached' });
      // Tooltips show the current keys.
      await page.getByRole('link', { name: 'Problems' }).first().hover();
      await page.getByRole('tooltip', { name: 'Problems of the run by step (q p)' }).waitFor();
      expect(errors).toEqual([]);
    });

    test('keys are changed, taken away and reset with keys alone, and the focus stays in the row', async () => {
      const focused = page.locator(':focus');
      const named = () => expect.poll(() => focused.getAttribute('aria-label'));
      const inRow = () => expect.poll(() => focused.evaluate((element) => element.tagName));
      await visit(page, running.urlOf('/settings'));
      await page.getByRole('button', { name: 'Change keys' }).focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('Find a command').waitFor();
      while ((await focused.getAttribute('aria-label')) !== 'Find a command')
        await page.keyboard.press('Tab');
      await page.keyboard.type('place.problems');
      await page.keyboard.press('Tab');
      await named().toBe('Change the keys of Go to the problems of this run');
      await page.keyboard.press('Enter');
      await expect.poll(() => focused.innerText()).toMatch(/^Press a key/);
      await page.keyboard.press('Escape');
      await named().toMatch(/^Change the keys of/);
      await page.keyboard.press('Enter');
      await expect.poll(() => focused.innerText()).toMatch(/^Press a key/);
      await pressSequence(page, 'q', 'z');
      await row().getByText('z', { exact: true }).waitFor();
      await named().toMatch(/^Change the keys of/);
      await page.keyboard.press('Tab');
      await named().toMatch(/^No keys for/);
      await page.keyboard.press('Enter');
      await row().getByText('none', { exact: true }).waitFor();
      await inRow().toBe('LI');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await named().toMatch(/: reset keys$/);
      await page.keyboard.press('Enter');
      await row().getByText('g', { exact: true }).waitFor();
      // The focus is on the row. The next control would remove the keys, so it must not get the focus.
      await inRow().toBe('LI');
    });
  });
}
