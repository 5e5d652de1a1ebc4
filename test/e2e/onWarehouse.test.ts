/**
 * A warehouse in place of a library, step by step. `npm run soak -- warehouse` also runs the specs of a library on it, with
 * all steps here.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';
import { browserShell } from '../support/shells/browserShell.ts';
import { PAGE_TIMEOUT_MS, type RunningShell, type TemporaryHome } from '../support/shells/shell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { closeEngine, warehouseOf, warehouseShell } from '../support/shells/warehouseShell.ts';
import { hasEngine } from '../warehouse/engine.ts';
import { describeCompare } from './compare.ts';
import { describeContext } from './context.ts';
import { describeFilter } from './filter.ts';
import { describeRoc } from './roc.ts';
import { describeSearch } from './search.ts';
import { describeSql } from './sql.ts';
import { describeTables } from './tables.ts';
import { watchErrors } from './watchErrors.ts';

const DEMO = '/run/synthetic-grpo-roc-demo';
const FIRST_GROUP = 'group/pairs-of-divisors';

describe.runIf(hasEngine)('a warehouse', () => {
  let home: TemporaryHome;
  let running: RunningShell;
  let page: Page;
  let errors: string[];

  beforeAll(async () => {
    home = createTemporaryHome();
    await copyDemoLibrary(home.libraryPath);
    running = await browserShell.open({
      home: { ...home, libraryPath: await warehouseOf(home.libraryPath) },
      isLazy: true,
    });
    page = running.page;
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    errors = watchErrors(page);
  });
  afterAll(async () => {
    await running?.close();
    home.remove();
  });

  const steps = () => page.getByRole('grid', { name: 'Steps of demo (synthetic)' });
  const row = (step: number) => steps().getByRole('row', { name: new RegExp(`^${step} `) });
  const here = (count: number) =>
    page.getByText(`${count} of 12 steps are here.`, { exact: false }).waitFor();

  test('opens at its runs, and one opens with all its steps', async () => {
    await expect.poll(() => running.place()).toBe('/warehouse');
    await page.getByText('synthetic-grpo-roc-demo', { exact: true }).click();
    await here(1);
    await page.getByText('1,821 rollouts').waitFor();
    await expect.poll(() => row(0).innerText()).toMatch(/^0\s+160\s+5\s+28\.8/);
    await page
      .getByRole('figure', { name: /Reward and pass rate/ })
      .or(page.getByText('Reward and pass rate'))
      .first()
      .waitFor();
  });

  test('a step is copied when it is opened, by keys', async () => {
    await steps().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('grid', { name: 'Groups of step 0' }).waitFor();
    await page.getByText('160 rollouts').first().waitFor();
    await page.keyboard.press('Escape');
    await here(2);
  });

  test('a link to a rollout copies its step and opens it', async () => {
    await page.goto(running.urlOf(`${DEMO}/step/100/${FIRST_GROUP}/rollout/1`));
    await page.getByRole('navigation', { name: 'Outline' }).getByRole('button', { name: 'Turn 1' }).waitFor();
    await page.goto(running.urlOf(DEMO));
    await here(3);
  });

  test('the warehouse lists the rollouts of all steps, and one opens', async () => {
    await page.goto(running.urlOf(`${DEMO}?tab=rollouts&sort=-toolErrors`));
    await page.getByText('The first 1,000 of 1,821 rollouts of all steps', { exact: false }).waitFor();
    await page.goto(running.urlOf(`${DEMO}?tab=rollouts&sort=-toolErrors&q=step:300`));
    await page.getByText('160 matching rollouts of all steps', { exact: false }).waitFor();
    const rollouts = page.getByRole('grid', { name: 'Rollouts of demo (synthetic)' });
    await rollouts.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => running.place()).toMatch(/\/step\/300\/group\/[\w-]+\/rollout\/\d+$/);
    await page.getByRole('navigation', { name: 'Outline' }).getByRole('button', { name: 'Turn 1' }).waitFor();
    await page.goto(running.urlOf(DEMO));
    await here(4);
  });

  test('a label of a copied rollout selects it among all', async () => {
    await page.goto(running.urlOf(`${DEMO}/step/100/${FIRST_GROUP}/rollout/1`));
    await page.getByRole('navigation', { name: 'Outline' }).getByRole('button', { name: 'Turn 1' }).waitFor();
    await page
      .getByRole('group', { name: 'Inspector' })
      .getByRole('button', { name: /^Labels/ })
      .click();
    await page.keyboard.press('1');
    await page.locator('.annotation').filter({ hasText: 'whole rollout' }).waitFor();
    await page.goto(running.urlOf(`${DEMO}?tab=rollouts&q=label:wrong-tool-use`));
    await page.getByText('1 matching rollout of all steps', { exact: false }).waitFor();
    await page.goto(running.urlOf(`${DEMO}?tab=rollouts&q=label:none`));
    await page
      .getByText('The first 1,000 of 1,820 matching rollouts of all steps', { exact: false })
      .waitFor();
  });

  test('a filter counts all steps, and what it chose is kept as a run of its own', async () => {
    await page.goto(running.urlOf(`${DEMO}?q=tool_errors:>0`));
    await page.getByText('Matching rollouts: 687 of 1,821 rollouts, in 12 of 12 steps').waitFor();
    await page.getByRole('button', { name: 'Keep a copy of 687 rollouts' }).click();
    await page.getByText('these rollouts were chosen', { exact: false }).waitFor();
    expect(decodeURIComponent(running.place())).toBe(`${DEMO} [tool_errors:>0]`);
    await page.goto(running.urlOf(DEMO));
    await here(4);
  });

  test('a filter that only a library answers says so', async () => {
    await page.goto(running.urlOf(`${DEMO}?q=code:nowhere`));
    await page.getByText('write text: instead of code:', { exact: false }).first().waitFor();
    expect(await page.getByRole('button', { name: /^Keep a copy/ }).count()).toBe(0);
    await page.goto(running.urlOf(`${DEMO}?tab=rollouts&q=code:nowhere`));
    await page.getByRole('button', { name: 'Filter the steps here' }).click();
    await page.getByRole('heading', { name: 'No rollout matches the filter' }).waitFor();
  });

  test('a statement asks all steps of the warehouse, and a row opens its rollout', async () => {
    const ask = async (sql: string) => {
      await page.goto(running.urlOf(`/sql?store=warehouse&sql=${encodeURIComponent(sql)}`));
      await page.getByText('This statement came with a link and was not run.', { exact: false }).waitFor();
      await page.locator('.sql-bar').getByRole('button', { name: 'Run', exact: true }).click();
    };
    await ask('SELECT step, count() AS rollouts FROM rollout GROUP BY step ORDER BY step');
    await page.getByText('12 rows in', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Schema' }).click();
    await page.locator('summary').filter({ hasText: 'issue' }).waitFor();
    await ask('INSERT INTO run_row SELECT 1');
    await page.getByText('readonly', { exact: false }).first().waitFor();
    await ask('SELECT 1 FORMAT CSV');
    await page.getByText('leave out FORMAT', { exact: false }).waitFor();
    await ask(
      'SELECT run, step, `group`, `index`, toInt64(9007199254740993) AS large, [1, NULL] AS list FROM rollout WHERE step = 300 ORDER BY `group`, `index` LIMIT 1',
    );
    await page.getByText('9007199254740993').waitFor();
    await page.getByText('[1,null]').waitFor();
    await page.getByRole('grid').last().focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => running.place()).toMatch(/\/step\/300\/group\/[\w-]+\/rollout\/\d+$/);
    await page.getByRole('navigation', { name: 'Outline' }).getByRole('button', { name: 'Turn 1' }).waitFor();
  });

  test('a search of the steps here leads to all steps', async () => {
    await page.goto(running.urlOf(`/search?q=code:import&run=synthetic-grpo-roc-demo`));
    await here(4);
    await page.getByRole('link', { name: 'Look in all steps' }).click();
    await page.getByText('The first 1,000 of 1,281 matching rollouts', { exact: false }).waitFor();
    expect(decodeURIComponent(running.place())).toBe(`${DEMO}?tab=rollouts&q=import`);
  });

  test('a page of the whole run says how many of its steps are here', async () => {
    await page.goto(running.urlOf(`${DEMO}/tokens`));
    await page.getByText('This page knows the 4 of 12 steps that are here.', { exact: false }).waitFor();
    await page.getByRole('link', { name: 'Copy more of them' }).click();
    await here(4);
  });

  test('a step that is nowhere is not found', async () => {
    await page.goto(running.urlOf(`${DEMO}/step/51`));
    await page.getByRole('heading', { name: 'Step 51' }).waitFor();
  });

  test('the page reported no error', () => {
    expect(errors).toEqual([]);
  });
});

if (hasEngine && process.env['TURNWISE_SOAK'] !== undefined) {
  describeRoc(warehouseShell);
  describeFilter(warehouseShell);
  describeTables(warehouseShell);
  describeSearch(warehouseShell);
  describeSql(warehouseShell);
  describeContext(warehouseShell);
  describeCompare(warehouseShell);
}
afterAll(closeEngine);
