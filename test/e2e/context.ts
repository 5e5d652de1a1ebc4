/** The context of a turn beside the replay, and why the rollout ended. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { visit } from './visit.ts';

/** Its second turn has a failed call. */
const FAILING = '/run/synthetic-grpo-roc-demo/step/0/group/pairs-of-divisors/rollout/3';

export function describeContext(shell: Shell): void {
  describe(`${shell.name}: context and outcome`, () => {
    let running: RunningShell;
    let page: Page;

    onDemo(shell, async (demo) => {
      ({ running, page } = demo);
      await visit(page, running.urlOf(`${FAILING}?turn=2`));
      await outcome().waitFor();
    });

    const outcome = () => page.getByRole('region', { name: 'Outcome', exact: true });
    const context = () => page.getByRole('complementary', { name: 'Context', exact: true });
    const part = (name: string | RegExp) => context().getByRole('button', { name }).first();

    test('the key opens the context, the link keeps it, and turns step through it', async () => {
      await page.keyboard.press('Shift+C');
      await context().getByRole('heading', { name: 'Context of turn 2' }).waitFor();
      expect(running.place()).toContain('context=1');
      await visit(page, running.urlOf(`${FAILING}?turn=1&context=1`));
      await context().getByRole('heading', { name: 'Context of turn 1' }).waitFor();
      await page.keyboard.press('j');
      await context().getByRole('heading', { name: 'Context of turn 2' }).waitFor();
    });

    test('a part opens in place and jumps to the transcript', async () => {
      await part(/^tool response/).click();
      const text = context().getByRole('region', { name: 'Text of tool response' });
      await text.getByText('tool_response').first().waitFor();
      await part(/^tool response/).click();
      await text.waitFor({ state: 'detached' });
      await context().getByRole('button', { name: 'turn 1' }).first().click();
      await context().getByRole('heading', { name: 'Context of turn 1' }).waitFor();
    });

    test('Escape closes it, and the outcome says why the rollout ended', async () => {
      await page.keyboard.press('Escape');
      await context().waitFor({ state: 'detached' });
      await outcome().getByText('stopped by').waitFor();
      await outcome().getByText('last tool error').waitFor();
      await outcome().getByTitle('Show it in the transcript').last().click();
      await expect.poll(() => running.place()).toMatch(/turn=\d/);
    });
  });
}
