/** The SQL console, driven by the keyboard, on every target. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isDouble, type RunningShell, type Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { pressSequence } from './pressSequence.ts';

const ENDLESS = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c';

export function describeSql(shell: Shell): void {
  describe(`${shell.name}: the SQL console`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    onDemo(shell, (demo) => {
      ({ running, page, errors } = demo);
    });

    const editor = () => page.locator('.monaco-editor').first();
    const status = () => page.locator('.sql-status');
    const result = () => page.getByRole('grid', { name: /^Result:/ });
    const said = (text: string | RegExp) => status().getByText(text).first().waitFor();
    const runIt = () => page.keyboard.press('Control+Enter');
    const follow = async (sql: string) => {
      await page.goto(running.urlOf(`/sql?sql=${encodeURIComponent(sql)}`));
      await editor().waitFor();
      await editor().locator('.view-line').first().waitFor();
    };

    test('g q opens it; input is completed; Ctrl+Enter runs the statement, which is in the URL', async () => {
      await pressSequence(page, 'g', 'q');
      await page.getByRole('heading', { level: 1, name: 'SQL', exact: true }).waitFor();
      await page.locator('.monaco-editor.focused').waitFor();
      await page.keyboard.type('SELECT count(*) AS n FROM roll');
      await page.locator('.suggest-widget .monaco-list-row.focused', { hasText: 'rollout' }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.type(' LIMIT 3');
      // It has the colours of the page’s theme, although Monaco's themes have their own colours for SQL.
      const isThemed = () =>
        editor()
          .locator('.view-line span span', { hasText: /^count$/ })
          .evaluate((word) => {
            const probe = document.body.appendChild(document.createElement('i'));
            probe.style.color = 'var(--code-name)';
            const colour = getComputedStyle(probe).color;
            probe.remove();
            return colour === getComputedStyle(word).color;
          });
      await expect.poll(isThemed).toBe(true);
      // Runs without a pause, while the editor's text is newer than the page's state.
      await runIt();
      await said('1 row in');
      // A list of completions would lie over the statement.
      await page.keyboard.type(' -- w');
      await page.keyboard.press('Control+Space');
      await page.locator('.suggest-widget.visible').waitFor();
      await runIt();
      await page.locator('.suggest-widget.visible').waitFor({ state: 'detached' });
      await follow('SELECT rollout_id, reward FROM rollout ORDER BY rollout_id LIMIT 7');
      await editor().click();
      await runIt();
      await said('7 rows in');
      await expect.poll(() => result().getByRole('row').count()).toBe(8);
      // The editor keeps the focus after a statement runs.
      const isWriting = () => page.evaluate(() => document.activeElement?.closest('.monaco-editor') !== null);
      await expect.poll(isWriting).toBe(true);
      await page.keyboard.press('End');
      await page.keyboard.type('1');
      await runIt();
      await said('71 rows in');
      await expect.poll(isWriting).toBe(true);
      await page.keyboard.press('Backspace');
      await runIt();
      await said('7 rows in');
      await expect
        .poll(() => new URLSearchParams(running.place().split('?')[1]).get('sql'))
        .toBe('SELECT rollout_id, reward FROM rollout ORDER BY rollout_id LIMIT 7');
    });

    test('at 720 by 450 pixels, 200 % zoom, the result has rows', async () => {
      const size = page.viewportSize();
      await follow('SELECT rollout_id, 0.1 + 0.2 AS sum FROM rollout ORDER BY rollout_id LIMIT 7');
      await editor().click();
      await runIt();
      await said('7 rows in');
      // The cell has the digits of other tables, its hint all of them.
      const cell = result().getByText('0.3', { exact: true }).first();
      await expect.poll(() => cell.getAttribute('title')).toBe('0.30000000000000004');
      try {
        for (const [width, height] of [
          [720, 450],
          [720, 800],
          [1440, 450],
        ] as const) {
          await page.setViewportSize({ width, height });
          const tall = async () => (await result().boundingBox())?.height ?? 0;
          await expect.poll(tall, { message: `${width} × ${height}` }).toBeGreaterThan(110);
          await result().getByRole('row').nth(3).scrollIntoViewIfNeeded();
          await result().getByRole('row').nth(3).click({ trial: true });
        }
      } finally {
        if (size !== null) await page.setViewportSize(size);
      }
      await follow('SELECT rollout_id, reward FROM rollout ORDER BY rollout_id LIMIT 7');
      await editor().click();
      await runIt();
      await said('7 rows in');
    });

    test('Escape focuses the result; Enter on a row with a rollout id opens its replay, and Back returns', async () => {
      await page.keyboard.press('Escape');
      await page.locator('.monaco-editor.focused').waitFor({ state: 'detached' });
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await expect.poll(() => running.place()).toMatch(/^\/run\/.*\/rollout\/\d+/);
      await page.goBack();
      await result().waitFor();
      await said('7 rows in');
    });

    test('an error has its position, in the message and in the editor', async () => {
      await follow('SELECT step\nFRM rollout');
      await editor().click();
      await runIt();
      await page.getByRole('alert').filter({ hasText: 'near' }).waitFor();
      await page.locator('.squiggly-error').first().waitFor();
      await page.getByRole('button', { name: /^line \d+, column \d+$/ }).click();
      await follow("ATTACH '/tmp/x.sqlite' AS x");
      await editor().click();
      await runIt();
      await page.getByRole('alert').filter({ hasText: 'only SELECT' }).waitFor();
    });

    test('a statement without end is cancelled by Escape', async () => {
      await follow(ENDLESS);
      await editor().click();
      await runIt();
      await page.getByRole('button', { name: 'Cancel (Esc)' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('alert').filter({ hasText: 'cancelled' }).waitFor();
    });

    test('a link does not run its statement', async () => {
      await follow('SELECT step, groups FROM step ORDER BY step');
      await page.getByText('This statement came with a link and was not run').waitFor();
      expect(await result().count()).toBe(0);
      await page.getByRole('main').getByRole('button', { name: 'Run', exact: true }).click();
      await said(/\d+ rows? in/);
      await result().waitFor();
      await page.getByText('This statement came with a link and was not run').waitFor({ state: 'detached' });
    });

    const reportsNoError = () =>
      test('the page reported no error', () => {
        expect(errors).toEqual([]);
      });
    // The editor, its policy and the process depend on the shell, what follows does not.
    if (isDouble(shell)) {
      reportsNoError();
      return;
    }

    test('two clicks make a chart of it', async () => {
      await page.getByRole('button', { name: 'Chart', exact: true }).click();
      await page.getByRole('img', { name: /^groups by step/ }).waitFor();
      await page.getByRole('button', { name: 'y: groups' }).click();
      await page
        .getByRole('menuitemcheckbox')
        .filter({ hasNotText: 'groups' })
        .and(page.locator(':not([data-disabled])'))
        .last()
        .click();
      await page.keyboard.press('Escape');
      await page.getByRole('list', { name: 'Columns drawn' }).getByText('groups').waitFor();
      await expect
        .poll(() => page.getByRole('list', { name: 'Columns drawn' }).getByRole('listitem').count())
        .toBe(2);
      await page.getByRole('button', { name: 'Bars', exact: true }).click();
      await expect.poll(() => page.locator('.sql-drawing rect').count()).toBeGreaterThan(1);
      await page.getByRole('button', { name: 'Table', exact: true }).click();
      await result().waitFor();
    });

    test('long names of bars are written in full, with every number', async () => {
      await follow(
        "SELECT problem_id || ' of the training run with a long name' AS name, count(*) * 1234567 AS n FROM rollout GROUP BY 1 ORDER BY 1",
      );
      await page.getByRole('main').getByRole('button', { name: 'Run', exact: true }).click();
      await result().waitFor();
      const shown = result().locator('[title*="training run"]');
      await shown.first().waitFor();
      const names = await shown.allTextContents();
      await page.getByRole('button', { name: 'Chart', exact: true }).click();
      const drawing = page.getByRole('img', { name: /^n by name/ });
      await drawing.waitFor();
      const drawn = (await drawing.locator('.bar-name').allTextContents()).join('').replaceAll(' ', '');
      for (const name of names) expect(drawn).toContain(name.replaceAll(' ', ''));
      expect(await drawing.textContent()).not.toContain('…');
      expect(await drawing.locator('g > g > text').first().textContent()).toMatch(/^\d{1,3}(,\d{3}){2,}$/);
      await page.getByRole('button', { name: 'Table', exact: true }).click();
    });

    test('Explain shows the query plan', async () => {
      await follow('SELECT reward FROM rollout WHERE reward > 0 ORDER BY reward');
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      const plan = page.getByRole('region', { name: 'Query plan' });
      await plan.getByText(/^SCAN/).first().waitFor();
      await plan.getByText('reads every row').first().waitFor();
    });

    test('queries are saved, renamed and removed with keys alone; a second Enter removes no other', async () => {
      const panel = page.getByRole('region', { name: 'Saved queries' });
      const focused = page.locator(':focus');
      const names = () =>
        panel
          .getByRole('button', { name: /^Rename / })
          .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
      const save = async (name: string) => {
        await panel.getByLabel('Name of the query').focus();
        await page.keyboard.type(name);
        await page.keyboard.press('Enter');
        await panel.getByRole('button', { name: `Rename ${name}` }).waitFor();
      };
      await follow('SELECT 1');
      for (const name of ['k1', 'k2', 'k3']) await save(name);
      await panel.getByRole('button', { name: 'Rename k2' }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => focused.getAttribute('aria-label')).toBe('New name of k2');
      await page.keyboard.press('Escape');
      await expect.poll(() => focused.getAttribute('aria-label')).toBe('Rename k2');
      await page.keyboard.press('Enter');
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('z2');
      await page.keyboard.press('Enter');
      await panel.getByRole('button', { name: 'Rename z2' }).waitFor();
      await expect.poll(() => focused.getAttribute('aria-label')).toBe('Rename z2');
      await panel.getByRole('button', { name: 'Remove k1' }).focus();
      await page.keyboard.press('Enter');
      await panel.getByText('Removed k1.').waitFor();
      await expect.poll(() => focused.evaluate((element) => element.tagName)).toBe('LI');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      await expect.poll(() => focused.evaluate((element) => element.className)).toBe('sql-take');
      expect(await names()).toEqual(['Rename k3', 'Rename z2']);
      for (const name of ['k3', 'z2']) await panel.getByRole('button', { name: `Remove ${name}` }).click();
    });

    test('a query is saved, renamed, deleted and restored', async () => {
      await follow('SELECT 42 AS answer');
      const panel = page.getByRole('region', { name: 'Saved queries' });
      await panel.getByRole('textbox', { name: 'Name of the query' }).fill('mine');
      await panel.getByRole('button', { name: 'Save', exact: true }).click();
      await panel.getByRole('button', { name: 'Rename mine' }).click();
      await panel.getByRole('textbox', { name: 'New name of mine' }).fill('my own');
      await page.keyboard.press('Enter');
      await panel.getByRole('button', { name: 'Remove my own' }).click();
      await panel.getByRole('button', { name: 'Undo' }).click();
      await panel.getByRole('button', { name: /^my own/ }).waitFor();
      await panel.getByRole('button', { name: /^Outcomes of tool calls/ }).click();
      await editor().getByText('tool_call').first().waitFor();
      await panel.getByRole('button', { name: /^my own/ }).click();
      await runIt();
      await said('1 row in');
      await result().getByText('42', { exact: true }).waitFor();
    });

    test('the schema inserts names into the statement', async () => {
      await follow('SELECT ');
      await editor().click();
      await page.keyboard.press('Control+End');
      await page.getByRole('button', { name: 'Schema', exact: true }).click();
      const schema = page.getByRole('region', { name: 'Schema' });
      await schema.getByRole('searchbox').fill('mean_entropy');
      await schema
        .getByRole('button', { name: /^mean_entropy/ })
        .first()
        .click();
      await editor().getByText('mean_entropy').waitFor();
    });

    test('leaving the page frees its editor', async () => {
      const session = await page.context().newCDPSession(page);
      await session.send('Performance.enable');
      const go = (path: string) =>
        page.evaluate((to) => {
          history.pushState(undefined, '', to);
          dispatchEvent(new PopStateEvent('popstate'));
        }, path);
      const nodesAfterVisits = async (visits: number) => {
        for (let visit = 0; visit < visits; visit++) {
          await go('/sql?sql=SELECT');
          await editor().locator('.view-line').first().waitFor();
          await go('/settings');
          await editor().waitFor({ state: 'detached' });
        }
        await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
        await session.send('HeapProfiler.collectGarbage');
        const { metrics } = await session.send('Performance.getMetrics');
        return metrics.find(({ name }) => name === 'Nodes')?.value ?? Number.NaN;
      };
      // The first visits load what stays. An editor has 250 nodes.
      const before = await nodesAfterVisits(2);
      await expect.poll(() => nodesAfterVisits(4)).toBeLessThan(before + 250);
      await session.detach();
    });

    reportsNoError();
  });
}
