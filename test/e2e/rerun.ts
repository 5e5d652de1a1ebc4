/** Running a tool call again, on every target. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isDouble, type RunningShell, type Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';

const GROUP = '/run/synthetic-grpo-roc-demo/step/0/group/pairs-of-divisors';
const ROLLOUT = `${GROUP}/rollout/3`;

/** Limit of a run whose Python has to start first, which may take a minute. */
const PYTHON_MS = 75_000;
const STARTS_PYTHON = { timeout: 120_000 };

/** Whether the end of an element is on the screen, and nothing covers it. */
function isInSight(element: Element): boolean {
  const { left, bottom } = element.getBoundingClientRect();
  const shown = document.elementFromPoint(left + 20, bottom - 10);
  return shown !== null && element.contains(shown);
}

export function describeRerun(shell: Shell): void {
  describe(`${shell.name}: a tool call run again`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    onDemo(
      shell,
      (demo) => {
        ({ running, page, errors } = demo);
      },
      // Verifying changes the library.
      async () => undefined,
    );

    const result = () => page.getByRole('region', { name: 'Call 1 run again' });
    const status = (text: string | RegExp, timeout?: number) =>
      result().getByRole('status').filter({ hasText: text }).waitFor({ timeout });
    const code = () => page.getByRole('textbox', { name: 'Code to run' });
    const run = async (text: string) => {
      await code().fill(text);
      await page.keyboard.press('Control+Enter');
    };

    test(
      'runs nothing until it is asked to, then says that the output is the same',
      STARTS_PYTHON,
      async () => {
        await page.goto(running.urlOf(ROLLOUT));
        const button = page.getByRole('button', { name: 'Run', exact: true }).first();
        await button.waitFor();
        expect(await result().count()).toBe(0);
        await button.press('Enter');
        await status('same as logged', PYTHON_MS);
        await expect.poll(() => result().evaluate(isInSight)).toBe(true);
        await result().getByText('Run on this computer in a sandbox: no network, no files.').waitFor();
        await result()
          .getByText(/variables? at the end/)
          .waitFor();
      },
    );

    test('runs edited code and shows what differs, errors and variables', async () => {
      await result().getByRole('button', { name: 'Edit' }).click();
      await run('x = [1, 2]\nprint("something else")');
      await status('not as logged: the output differs');
      await result().locator('.output .is-added', { hasText: 'something else' }).waitFor();
      // The edited code stays in sight, since the code above is that of the log.
      await result().locator('.code .is-added', { hasText: 'x = [1, 2]' }).waitFor();
      await result().getByRole('row', { name: 'x list 2 [1, 2]' }).waitFor();
      await result().getByRole('button', { name: 'Edit' }).click();
      expect(await code().inputValue()).toContain('something else');
      await run('<b>&</b>');
      await result().getByText('✕ SyntaxError').waitFor();
      await result().getByRole('button', { name: 'Edit' }).click();
      await run('1 / 0');
      await status('not as logged: the log has no error, here ZeroDivisionError: division by zero');
    });

    test('Escape stops a run, and then the place is the same', async () => {
      await result().getByRole('button', { name: 'Edit' }).click();
      await run('while True: pass');
      await status('Running');
      await page.keyboard.press('Escape');
      await status('Stopped.');
      expect(running.place()).toContain(ROLLOUT);
    });

    // Processes and settings depend on the shell, what follows does not.
    if (isDouble(shell)) return;

    test('Escape in the editor goes back to the result, and editing ends a run', async () => {
      await result().getByRole('button', { name: 'Edit' }).click();
      await code().fill('not run');
      await page.keyboard.press('Escape');
      await status('Stopped.');
      await result().getByRole('button', { name: 'Edit' }).click();
      expect(await code().inputValue()).toBe('while True: pass');
      await page.keyboard.press('Control+Enter');
      await status('Running');
      await page.getByRole('button', { name: 'Edit and run' }).first().click();
      await code().fill('print("after")');
      await page.waitForTimeout(500);
      await page.keyboard.press('Control+Enter');
      await result().locator('.output .is-added', { hasText: 'after' }).waitFor();
    });

    test('a session runs the earlier calls first', async () => {
      await page.getByRole('button', { name: 'Edit and run' }).nth(1).click();
      const second = page.getByRole('region', { name: 'Call 2 run again' });
      await code().fill('print(N, factors)');
      await second.getByRole('button', { name: 'Session' }).click();
      await code().press('Control+Enter');
      await second.getByText('18216 {2: 3, 3: 2, 11: 1, 23: 1}', { exact: true }).waitFor();
      await second.getByRole('button', { name: 'Alone' }).click();
      await second.getByRole('button', { name: 'Run', exact: true }).click();
      await second.getByText('✕ NameError').waitFor();
      expect(errors).toEqual([]);
    });

    test('steps through a run, back, to a breakpoint and to a line', async () => {
      const second = page.getByRole('region', { name: 'Call 2 run again' });
      await second.getByRole('button', { name: 'Edit', exact: true }).click();
      await code().fill('total = 0\nfor n in (3, 4):\n    total += n\nprint(total)');
      await page.keyboard.press('Control+Enter');
      await second.getByText(/variables? at the end/).waitFor();
      await second.getByRole('button', { name: 'Step through' }).click();
      const steps = second.getByRole('region', { name: 'Steps of this run' });
      const at = (text: string) => steps.getByRole('status').filter({ hasText: text }).waitFor();
      await at('Step 1 of 7 · line 1 runs next');
      // The keys work at once.
      await page.keyboard.press('ArrowRight');
      await at('Step 2 of 7 · line 2 runs next, time 1 of 3');
      await steps.getByRole('row', { name: 'total int 0 changed' }).waitFor();
      await steps.getByRole('button', { name: 'Breakpoint at line 3' }).click();
      await page.keyboard.press('Shift+ArrowRight');
      await page.keyboard.press('Shift+ArrowRight');
      await at('Step 5 of 7 · line 3 runs next, time 2 of 2');
      await steps.getByRole('row', { name: 'n int 4 changed' }).waitFor();
      await page.keyboard.press('ArrowLeft');
      await at('Step 4 of 7 · line 2 runs next, time 2 of 3');
      await steps.getByRole('row', { name: 'total int 3 changed' }).waitFor();
      await steps.getByRole('button', { name: 'print(total)' }).click();
      await at('Step 7 of 7 · line 4 runs next');
      await page.keyboard.press('End');
      await at('The end of the code');
      await steps.getByRole('row', { name: 'total int 7' }).waitFor();
      expect(errors).toEqual([]);
    });

    test('runs the calls of a comparison, each with its own rollout', STARTS_PYTHON, async () => {
      const lanes = [3, 4].map((ordinal) => `lane=${GROUP}/rollout/${ordinal}`);
      await page.goto(running.urlOf(`/compare?${lanes.join('&')}`));
      const resultOf = (lane: string) => page.getByRole('region', { name: `Call 1 of ${lane} run again` });
      // The rows move while what is known of the fork arrives, so a click could miss.
      await page.getByRole('button', { name: 'Run', exact: true }).nth(1).press('Enter');
      await resultOf('B').getByText('same as logged').waitFor({ timeout: PYTHON_MS });
      expect(await resultOf('A').count()).toBe(0);
      await page.getByRole('button', { name: 'Edit and run' }).first().press('Enter');
      await resultOf('A').getByRole('textbox', { name: 'Code to run' }).fill('print("of the baseline")');
      await page.keyboard.press('Control+Enter');
      await resultOf('A').locator('.output .is-added', { hasText: 'of the baseline' }).waitFor();
      await resultOf('B').getByText('same as logged').waitFor();
      // The row has grown with its results: the next one begins below them.
      const gap = () =>
        page.evaluate(() => {
          const ends = [...document.querySelectorAll('.rerun')].map(
            (one) => one.getBoundingClientRect().bottom,
          );
          const rows = [...document.querySelectorAll('.measured-row')];
          const at = rows.findIndex((row) => row.querySelector('.rerun') !== null);
          // The next row may be too far away to be rendered.
          rows[at]?.scrollIntoView({ block: 'end' });
          const next = rows[at + 1]?.getBoundingClientRect().top ?? Number.NEGATIVE_INFINITY;
          return next - Math.max(...ends);
        });
      await expect.poll(gap).toBeGreaterThanOrEqual(0);
      await page.getByRole('button', { name: 'unified' }).click();
      await resultOf('B').first().waitFor();
      expect(errors).toEqual([]);
    });

    test('verifies the calls of selected rollouts, and the filter finds them', STARTS_PYTHON, async () => {
      await page.goto(running.urlOf(GROUP));
      await page.getByRole('grid').focus();
      await page.keyboard.press('Shift+ArrowDown');
      await page.getByRole('button', { name: 'Verify calls' }).click();
      // The result stays beside the button.
      const bar = page.getByRole('toolbar', { name: 'Selected rows' });
      await bar.getByText(/Python calls? of \d+ rollouts?: \d+ same/).waitFor({ timeout: PYTHON_MS });
      await bar.getByRole('link', { name: 'chart over steps' }).click();
      const classes = page.getByRole('list', { name: 'Classes' });
      await classes
        .getByText(/same output|some call printed something else|no call could be run/)
        .first()
        .waitFor();
      const filter = encodeURIComponent('rerun:any');
      await page.goto(running.urlOf(`/run/synthetic-grpo-roc-demo/step/0?tab=rollouts&q=${filter}`));
      const rows = page.getByRole('grid').getByRole('row');
      // The head and two rollouts.
      await expect.poll(() => rows.count()).toBe(3);
      await page.getByRole('columnheader', { name: 'rerun' }).waitFor();
      expect(errors).toEqual([]);
    });

    test('says which call of a rollout differs, and leads to it', STARTS_PYTHON, async () => {
      await page.goto(
        running.urlOf('/run/synthetic-grpo-roc-demo/step/400/group/expected-draws/rollout/3?turn=1'),
      );
      await page.getByRole('region', { name: 'Outcome' }).waitFor();
      await page.keyboard.press('ControlOrMeta+k');
      await page.keyboard.type('verify calls');
      await page.getByRole('option', { name: /^Verify calls/ }).click();
      const verified = page.getByRole('region', { name: 'How it ended' }).locator('div', {
        has: page.getByText('verified calls', { exact: true }),
      });
      await verified.getByText(/1 different/).waitFor({ timeout: PYTHON_MS });
      await verified.getByRole('button', { name: 'turn 3' }).click();
      await expect.poll(() => new URL(page.url()).searchParams.get('turn')).toBe('3');
      expect(errors).toEqual([]);
    });
  });
}
