/**
 * Several libraries, on every target: opened beside each other, compared on the same charts, closed. A run is
 * moved to its own library.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { createLibraryManager } from '../../electron/host/libraryManager.ts';
import { makeOtherLibrary, OTHER_ID } from '../contract/twoLibraries.ts';
import type { RunningShell, Shell, TemporaryHome } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';

const DEMO = '/run/synthetic-grpo-roc-demo';

export function describeLibraries(shell: Shell): void {
  describe(`${shell.name}: several libraries`, () => {
    let home: TemporaryHome;
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    onDemo(
      shell,
      (demo) => {
        ({ home, running, page, errors } = demo);
      },
      async ({ directory, libraryPath, env }) => {
        // The library was opened once by the user and closed, because a test cannot choose a file in the
        // browser's dialog.
        const path = await makeOtherLibrary(directory);
        // Grants are kept in the user's own directory.
        vi.stubEnv('TURNWISE_HOME', env['TURNWISE_HOME']);
        const manager = await createLibraryManager({ libraryPath, shell: 'browser', version: '0.0.0' });
        await manager.grant(path);
        await manager.dispatch('library.open', { path });
        await manager.close();
        vi.unstubAllEnvs();
      },
    );

    const libraryList = () => page.getByRole('region', { name: 'Libraries' });
    const rowOf = (name: RegExp) => page.getByRole('grid', { name: 'Runs' }).getByRole('row', { name });
    const placeIs = (place: string | RegExp) =>
      typeof place === 'string'
        ? expect.poll(() => running.place()).toBe(place)
        : expect.poll(() => running.place()).toMatch(place);

    test('a link into a closed library explains that, and opens it', async () => {
      await page.goto(running.urlOf(`/in/${OTHER_ID}/run/r1`));
      await page.getByText('The library other runs is closed').waitFor();
      await page.getByRole('button', { name: 'Open it again' }).click();
      await page.getByRole('grid', { name: /^Steps of/ }).waitFor();
      await placeIs(`/in/${OTHER_ID}/run/r1`);
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Library' }).click();
      await placeIs(`/in/${OTHER_ID}`);
      await rowOf(/^r1|a run/)
        .first()
        .waitFor();
      expect(await rowOf(/demo/).count()).toBe(0);
      await page.goto(running.urlOf('/in/nowhere/run/x'));
      await page.getByText('No library nowhere is open').waitFor();
      await page.getByRole('link', { name: /the library Turnwise was started with/ }).click();
      await placeIs('/');
      await rowOf(/demo/).first().waitFor();
    });

    test('switching between libraries keeps the page of each', async () => {
      await page.goto(running.urlOf('/in/home/?filter=evaluation'));
      await libraryList().getByRole('link', { name: 'other runs' }).click();
      await placeIs(`/in/${OTHER_ID}`);
      await rowOf(/r1|a run/)
        .first()
        .click();
      await placeIs(`/in/${OTHER_ID}/run/r1`);
      await page
        .getByRole('grid', { name: /^Steps of/ })
        .getByRole('row')
        .nth(1)
        .filter({ hasText: /\d/ })
        .click();
      await placeIs(new RegExp(`^/in/${OTHER_ID}/run/r1/step/1`));
      // Up twice, within the library.
      await page.getByRole('heading', { level: 1, name: 'Step 1' }).waitFor();
      await page.keyboard.press('Escape');
      await placeIs(`/in/${OTHER_ID}/run/r1`);
      await page.getByRole('grid', { name: /^Steps of/ }).waitFor();
      await page.keyboard.press('Escape');
      await placeIs(`/in/${OTHER_ID}`);
      await libraryList().getByRole('link', { name: 'library', exact: true }).click();
      await placeIs('/');
      const here = libraryList().getByRole('link', { name: 'library', exact: true });
      await expect.poll(() => here.getAttribute('aria-current')).toBe('page');
      await rowOf(/demo/).first().waitFor();
    });

    test('a run of another library is drawn on the same charts, and its points lead there', async () => {
      await page.goto(running.urlOf(DEMO));
      await page.getByRole('button', { name: 'Compare runs' }).click();
      // The exact text, without the message that its runs are loading.
      await page.getByText('In the library other runs', { exact: true }).waitFor();
      await page.getByRole('menuitemcheckbox').last().click();
      await page.keyboard.press('Escape');
      const legend = page.getByRole('list', { name: 'Runs' });
      await legend.getByText(/· other runs/).waitFor();
      await placeIs(`${DEMO}?runs=r1%40${OTHER_ID}`);
      const chart = page.getByRole('slider', { name: 'Mean reward by step' });
      await chart.focus();
      // Only the other run has step 1, and its points come after its name.
      await expect
        .poll(async () => {
          await page.keyboard.press('Home');
          await page.keyboard.press('ArrowRight');
          return chart.getAttribute('aria-valuenow');
        })
        .toBe('1');
      await page.keyboard.press('Enter');
      await placeIs(new RegExp(`^/in/${OTHER_ID}/run/r1/step/1\\?`));
      await page.getByRole('heading', { level: 1, name: 'Step 1' }).waitFor();
      await page.goBack();
      await legend.getByText(/· other runs/).waitFor();
    });

    test('a comparison with a run of a closed library explains the gap', async () => {
      await page.goto(running.urlOf(`${DEMO}?runs=r1%40elsewhere`));
      await page.getByText('r1 is in the library elsewhere, which is not open').waitFor();
    });

    test('library sizes are listed by run', async () => {
      await page.goto(running.urlOf('/in/home/'));
      await libraryList().getByRole('button', { name: 'Actions for the library library' }).click();
      await page.getByRole('menuitem', { name: /^Disk space/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('row', { name: /demo evaluation \(synthetic\)/ }).waitFor();
      await dialog.getByRole('row', { name: /^the file .*100/ }).waitFor();
      await dialog.getByRole('button', { name: 'Compact' }).click();
      await page.getByText(/compacted: |is already compact/).waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    });

    test('a long name gives way to the marks behind it', async () => {
      await page.goto(running.urlOf('/in/home/'));
      const before = page.viewportSize();
      await page.setViewportSize({ width: 1024, height: 720 });
      const row = rowOf(/demo evaluation \(synthetic\)/);
      const right = async (of: Locator) => {
        const box = await of.boundingBox();
        return (box?.x ?? 0) + (box?.width ?? Number.NaN);
      };
      const cell = () => right(row.getByRole('gridcell').first());
      for (const mark of ['evaluation', 'synthetic'])
        await expect
          .poll(async () => (await right(row.getByText(mark, { exact: true }))) <= (await cell()), {
            message: mark,
          })
          .toBe(true);
      if (before !== null) await page.setViewportSize(before);
    });

    test('a run is exported as Parquet, beside the library and nowhere else', async () => {
      await page.goto(running.urlOf('/in/home/'));
      await rowOf(/demo evaluation \(synthetic\)/)
        .getByRole('button', { name: /Actions for/ })
        .click();
      await page.getByRole('menuitem', { name: 'Export as Parquet…' }).click();
      const dialog = page.getByRole('dialog');
      if (shell.name === 'browser') await dialog.getByRole('radio', { name: /^Save on/ }).check();
      await dialog.getByRole('textbox').fill('/etc/rollouts');
      await dialog.getByRole('button', { name: /^Write 160 rollouts/ }).click();
      await dialog.getByText(/no permission to write in \/etc\. Give a bare name/).waitFor();
      await dialog.getByRole('textbox').fill('rollouts');
      await dialog.getByRole('button', { name: /^Write 160 rollouts/ }).click();
      await page.getByText(/160 rollouts in 4 files, .*rollouts$/).waitFor();
      const partitions = readdirSync(join(dirname(home.libraryPath), 'rollouts', 'rollouts'));
      expect(partitions).toEqual(['run=synthetic-grpo-roc-demo-eval~eval']);
    });

    test('a run is moved to its own library, which is closed and opened again', async () => {
      await page.goto(running.urlOf('/in/home/'));
      await rowOf(/demo evaluation \(synthetic\)/)
        .getByRole('button', { name: /Actions for/ })
        .click();
      await page.getByRole('menuitem', { name: 'Move to a new library…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox').fill('library.sqlite');
      await dialog.getByRole('button', { name: /^Move 160 rollouts/ }).click();
      await dialog
        .getByRole('alert')
        .getByText(/needs the name .*library\.sqlite for itself/)
        .waitFor();
      await dialog.getByRole('textbox').fill('evaluations');
      await dialog.getByRole('button', { name: /^Move 160 rollouts/ }).click();
      await dialog.waitFor({ state: 'hidden' });
      await libraryList().getByRole('link', { name: 'evaluations' }).click();
      await placeIs('/in/evaluations');
      await rowOf(/demo evaluation \(synthetic\)/).waitFor();
      await expect.poll(() => page.getByRole('grid', { name: 'Runs' }).getByRole('row').count()).toBe(2);

      await libraryList().getByRole('button', { name: 'Actions for the library evaluations' }).click();
      await page.getByRole('menuitem', { name: 'Close' }).click();
      await placeIs('/');
      const entry = libraryList().getByRole('listitem').filter({ hasText: 'evaluations' });
      await entry.getByText(/closed/).waitFor();
      await rowOf(/demo evaluation \(synthetic\)/).waitFor({ state: 'detached' });
      await entry.getByRole('button', { name: 'Open again' }).click();
      await placeIs('/in/evaluations');
      await rowOf(/demo evaluation \(synthetic\)/).waitFor();
    });

    test('closing a library while its charts load shows a message', async () => {
      await page.goto(running.urlOf(`/in/${OTHER_ID}/run/r1?q=correct%3Atrue`));
      // Its name appears once it is open, and then the charts load.
      await page
        .getByRole('navigation', { name: 'Breadcrumb' })
        .getByRole('link', { name: 'other runs' })
        .waitFor();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('Close this library');
      await page.keyboard.press('Enter');
      await placeIs('/');
      await page.goto(running.urlOf(`${DEMO}?runs=r1%40${OTHER_ID}`));
      await page.getByText(`r1 is in the library ${OTHER_ID}, which is not open`).waitFor();
      await page.goto(running.urlOf('/in/home/'));
      await libraryList().getByRole('button', { name: 'Forget the library other runs' }).click();
      await page.getByText('other runs removed from the list').waitFor();
    });

    test('the page reported no error', () => {
      expect(errors).toEqual([]);
    });
  });
}
