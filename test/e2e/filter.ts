/** The filter box, driven by the keyboard, on every target. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { visit } from './visit.ts';

const STEP = '/run/synthetic-grpo-roc-demo/step/150?tab=rollouts';

export function describeFilter(shell: Shell): void {
  describe(`${shell.name}: the filter box`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    onDemo(shell, (demo) => {
      ({ running, page, errors } = demo);
    });

    const filterOf = () => new URLSearchParams(running.place().split('?')[1] ?? '').get('q');
    const box = () => page.getByRole('combobox', { name: 'Filter rollouts' });
    const status = () => page.locator('.filter-note p');

    test('/ focuses the box; text is completed by field names and values of the run', async () => {
      await visit(page, running.urlOf(STEP));
      await page.getByRole('grid').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('outc');
      await page.getByRole('option', { name: /^outcome: outcome of a tool call/ }).waitFor();
      await page.keyboard.press('Tab');
      await expect.poll(() => box().inputValue()).toBe('outcome:');
      await page.keyboard.type('time');
      // Shows the number of rollouts of the run with the value.
      await page.getByRole('option', { name: /^timeout timed out · [\d,]+ rollouts$/ }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect.poll(() => box().inputValue()).toBe('outcome:timeout');
      await page.keyboard.press('Enter');
      await status()
        .filter({ hasText: /^\d+ of 160 rollouts$/ })
        .waitFor();
      expect(filterOf()).toBe('outcome:timeout');
    });

    test('Tab moves the focus on an empty or complete word', async () => {
      const hasFocus = () => box().evaluate((element) => element === document.activeElement);
      for (const [written, isLeft] of [
        ['', true],
        ['outcome:', true],
        ['outcome:timeout', true],
        ['outcome:timeo', false],
      ] as const) {
        await box().fill(written);
        if (written.includes(':t')) await page.getByRole('option', { name: /^timeout/ }).waitFor();
        await page.keyboard.press('Tab');
        await expect.poll(hasFocus).toBe(!isLeft);
      }
      await expect.poll(() => box().inputValue()).toBe('outcome:timeout');
      await page.keyboard.press('Enter');
    });

    test('a word that may become a field is not searched before Enter', async () => {
      await page.keyboard.press('/');
      await box().fill('tool_er');
      const waits = page.getByText('searches the texts for tool_er');
      await waits.waitFor();
      // Leaving the box requests nothing either.
      await page.getByRole('heading', { level: 1 }).click();
      await waits.waitFor();
      expect(filterOf()).toBe('outcome:timeout');
      await page.keyboard.press('/');
      await page.keyboard.press('Enter');
      await expect.poll(filterOf).toBe('tool_er');
      await waits.waitFor({ state: 'detached' });
    });

    test('words are looked for in the texts, together with conditions and switches', async () => {
      await page.keyboard.press('/');
      await box().fill('reward:0 "double-check"');
      await page.keyboard.press('Enter');
      await status()
        .filter({ hasText: /of 160 rollouts/ })
        .waitFor();
      const both = Number.parseInt(await status().innerText(), 10);
      expect(both).toBeGreaterThan(0);
      await page.getByRole('group', { name: 'Decision' }).getByRole('button', { name: 'Kept' }).click();
      await status()
        .filter({ hasText: new RegExp(`^(?!${both} )\\d+ of 160`) })
        .waitFor();
      expect(Number.parseInt(await status().innerText(), 10)).toBeLessThan(both);
      await page
        .getByRole('group', { name: 'Decision' })
        .getByRole('button', { name: 'Any decision' })
        .click();
      await status()
        .filter({ hasText: new RegExp(`^${both} of 160`) })
        .waitFor();
    });

    test('a click removes a condition', async () => {
      const chips = page.getByRole('group', { name: 'Conditions' });
      await chips.getByRole('button', { name: '"double-check"' }).click();
      await expect.poll(filterOf).toBe('reward:0');
      await expect.poll(() => chips.getByRole('button').count()).toBe(1);
      await expect.poll(() => box().inputValue()).toBe('reward:0');
    });

    test('a syntax error is shown at its position, and the list stays', async () => {
      await visit(page, running.urlOf(`${STEP}&q=reward:0`));
      await status()
        .filter({ hasText: /of 160/ })
        .waitFor();
      const before = await status().innerText();
      await page.keyboard.press('/');
      await box().fill('reward:0 policy_tokens:many');
      await page.keyboard.press('Enter');
      const fault = page.getByRole('alert').filter({ hasText: 'tokens: expects a number' });
      await fault.waitFor();
      expect(await fault.locator('mark').innerText()).toBe('many');
      expect(await status().innerText()).toBe(before);
      expect(filterOf()).toBe('reward:0');
      await page.keyboard.press('Escape');
      await expect.poll(() => box().inputValue()).toBe('reward:0');
      await page.keyboard.press('Escape');
    });

    test('a filter is saved under a name and found again', async () => {
      await visit(page, running.urlOf(`${STEP}&q=reward:0`));
      const menu = () => page.getByRole('button', { name: 'Saved views; copy the filter' }).click();
      await menu();
      await page.getByRole('menuitem', { name: 'Save this filter as a view…' }).click();
      await page.getByRole('textbox', { name: 'Name of the view' }).fill('no reward');
      await page.keyboard.press('Enter');
      await page.getByText('View “no reward” saved in this library').waitFor();
      await page.getByRole('button', { name: 'Clear the filter' }).click();
      await expect.poll(filterOf).toBeNull();
      await page.keyboard.press('Escape');
      await menu();
      await page.getByRole('menuitem', { name: /^no reward/ }).click();
      await page.getByRole('menuitem', { name: 'Apply' }).click();
      await expect.poll(filterOf).toBe('reward:0');
    });

    test('a link with an invalid filter filters nothing and explains why', async () => {
      await visit(page, running.urlOf(`${STEP}&q=${encodeURIComponent('kept:perhaps')}`));
      await page.getByRole('alert').filter({ hasText: 'true, false or none' }).waitFor();
      await page.getByRole('row').nth(5).waitFor();
      expect(errors).toEqual([]);
    });

    test('groups are those with a rollout that matches', async () => {
      await visit(page, running.urlOf('/run/synthetic-grpo-roc-demo/step/150?tab=groups&q=outcome:timeout'));
      await status()
        .filter({ hasText: /^[1-5] of 5 groups with a rollout that matches$/ })
        .waitFor();
      // The group page applies the filter of the list: its ledger shows only matches.
      await page.getByRole('grid').getByRole('row').nth(1).filter({ hasText: /\d/ }).click();
      await expect.poll(() => running.place()).toMatch(/\/group\/[^/?]+\?q=outcome/);
      await status()
        .filter({ hasText: /^\d+ of 32 rollouts$/ })
        .waitFor();
      const shown = Number(/^\d+/.exec(await status().innerText())?.[0]);
      await expect.poll(() => page.getByRole('grid').getByRole('row').count()).toBe(shown + 1);
      // A sibling group is searched again; results of this group do not apply to it.
      const group = running.place();
      await page.keyboard.press('l');
      await expect.poll(() => running.place()).not.toBe(group);
      expect(running.place()).toMatch(/\/group\/[^/?]+\?q=outcome/);
      await status()
        .filter({ hasText: /^\d+ of 32 rollouts$/ })
        .waitFor();
      await page.keyboard.press('h');
      await expect.poll(() => running.place()).toBe(group);
      await status()
        .filter({ hasText: new RegExp(`^${shown} of 32 rollouts$`) })
        .waitFor();
      await box().fill('outcome:timeout reward:7');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'No rollout of this group matches' }).waitFor();
      await page.getByRole('button', { name: 'Show all 32' }).click();
      await expect.poll(() => page.getByRole('grid').getByRole('row').count()).toBeGreaterThan(20);
    });

    test('the step table filters like the charts', async () => {
      await visit(page, running.urlOf('/run/synthetic-grpo-roc-demo?q=outcome:timeout'));
      await page.getByText(/^Matching rollouts: \d+ of 1,821 rollouts, in \d+ of 12 steps$/).waitFor();
      const rows = page.getByRole('grid').getByRole('row');
      await rows.nth(1).filter({ hasText: /\d/ }).click();
      await expect.poll(() => running.place()).toMatch(/\/step\/\d+\?q=outcome/);
    });

    test('opens the rollouts of all steps in one list from the charts of a run', async () => {
      await visit(page, running.urlOf('/run/synthetic-grpo-roc-demo?q=outcome:timeout&steps=100..300'));
      await page.getByRole('link', { name: 'List them' }).click();
      await expect.poll(filterOf).toBe('outcome:timeout step:100..300');
      await status()
        .filter({ hasText: /^\d+ of 1,821 rollouts$/ })
        .waitFor();
      const list = page.getByRole('grid', { name: 'Rollouts of demo (synthetic)' });
      await list.getByRole('columnheader', { name: 'step' }).click();
      const steps = () =>
        list
          .getByRole('row')
          .evaluateAll((rows) =>
            rows.slice(1).map((row) => Number(/^\s*(\d+)/.exec(row.textContent ?? '')?.[1])),
          );
      // The rows in the old order stay until the new ones have loaded.
      await expect
        .poll(steps)
        .toSatisfy(
          (found: readonly number[]) =>
            found.length > 5 && found.every((step, i) => step >= (found[i - 1] ?? 100) && step <= 300),
        );
      await page.keyboard.press('Enter');
      await expect.poll(() => running.place()).toMatch(/\/step\/\d+\/group\/.*\/rollout\/\d+/);
      // Next and previous follow the filtered list.
      const header = page.locator('.replay-name');
      await header.filter({ hasText: /^Rollout #\d+ of the group’s 3\d · 1 of \d+ that match$/ }).waitFor();
      const first = running.place();
      await page.keyboard.press('l');
      await header.filter({ hasText: /· 2 of \d+ that match$/ }).waitFor();
      expect(running.place().split('?')[1]).toBe(first.split('?')[1]);
      await page.keyboard.press('h');
      await expect.poll(() => running.place()).toBe(first);
    });
  });
}
