/** The tour of the demo, on every target: each page shows what its text describes; it can be left and restarted. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { pressSequence } from './pressSequence.ts';

const DEMO = '/run/synthetic-grpo-roc-demo';
const GROUP = `${DEMO}/step/300/group/lattice-paths`;

export function describeTour(shell: Shell): void {
  describe(`${shell.name}: tour`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    onDemo(shell, (demo) => {
      ({ running, page, errors } = demo);
    });
    const tour = () => page.getByRole('complementary', { name: 'Tour' });
    const next = () => tour().getByRole('button', { name: 'Next' }).click();

    test('is offered on the demo, and leads through five pages', async () => {
      await page.getByRole('button', { name: 'Take the tour' }).click();
      await tour().getByRole('heading', { name: 'A run, step by step' }).waitFor();
      await page.getByRole('button', { name: 'Split' }).waitFor();
      await next();
      await expect.poll(() => running.place()).toBe(GROUP);
      await page.getByText('How the rule chose').first().waitFor();
      await next();
      await page.getByRole('region', { name: 'Transcript' }).waitFor();
      expect(running.place()).toBe(`${GROUP}/rollout/8?turn=2`);
      await page.getByRole('group', { name: 'Heat' }).or(page.getByText('High')).first().waitFor();
      await next();
      await page
        .getByText(/differs from A|equal to A/)
        .first()
        .waitFor();
      await tour().getByRole('button', { name: 'Back' }).click();
      await expect.poll(() => running.place()).toBe(`${GROUP}/rollout/8?turn=2`);
      await next();
      await next();
      await expect.poll(() => running.place()).toBe('/labels');
      await pressSequence(page, 'g', 'l');
      await tour().getByRole('button', { name: 'Back to it' }).click();
      await expect.poll(() => running.place()).toBe('/labels');
      await tour().getByRole('button', { name: 'Done' }).click();
      await tour().waitFor({ state: 'detached' });
    });

    test('is not offered again, but is in the palette, and stays where it was after a reload', async () => {
      await page.goto(running.urlOf(DEMO));
      await page.getByRole('heading', { level: 1, name: 'demo (synthetic)' }).waitFor();
      expect(await page.getByRole('button', { name: 'Take the tour' }).count()).toBe(0);
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox').fill('tour');
      await page.keyboard.press('Enter');
      await tour().waitFor();
      await next();
      await page.reload();
      await tour()
        .getByRole('heading', { name: /^A group/ })
        .waitFor();
      await tour().getByRole('button', { name: 'End the tour' }).click();
      await tour().waitFor({ state: 'detached' });
    });

    test('the page reported no error', () => {
      expect(errors).toEqual([]);
    });
  });
}
