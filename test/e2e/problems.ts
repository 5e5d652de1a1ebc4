/** Problems by steps, suspects, and one problem over time, on every target. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { type OnDemo, onDemo } from './onDemo.ts';
import { pressSequence } from './pressSequence.ts';
import { visit } from './visit.ts';

const PROBLEMS = '/run/synthetic-grpo-roc-demo/problems';

export function describeProblems(shell: Shell): void {
  describe(`${shell.name}: problems`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];
    let openOn: OnDemo['openOn'];

    onDemo(shell, (demo) => {
      ({ running, page, errors, openOn } = demo);
    });

    /** Enter opens the row under the cursor, which must be loaded. */
    const isLoaded = (table: Locator) =>
      table.getByRole('row', { selected: true }).filter({ hasText: /\S/ }).waitFor();

    test('g p opens the map; arrow keys move, and Enter opens the group of a cell', async () => {
      await pressSequence(page, 'g', 'p');
      const map = page.getByRole('application', { name: /^Pass rate of 5 problems by 12 steps/ });
      await map.waitFor();
      await map.focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowRight');
      await page.getByText(/^Step 50: \d+ of 3\d correct/).waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => running.place()).toMatch(/\/step\/50\/group\/[a-z-]+$/);
    });

    test('a click on a name, or o, opens the history of the problem', async () => {
      await visit(page, running.urlOf(PROBLEMS));
      const map = page.getByRole('application', { name: /^Pass rate of 5 problems/ });
      await map.waitFor();
      // The second problem: 22 px of steps, 18 px of the first row.
      await map.click({ position: { x: 60, y: 22 + 18 + 9 } });
      await expect.poll(() => running.place()).toMatch(/\/group\/[a-z-]+\/problem$/);
      const byName = running.place().split('/').at(-2);
      await visit(page, running.urlOf(PROBLEMS));
      await map.waitFor();
      await map.focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('o');
      await expect.poll(() => running.place()).toMatch(new RegExp(`/group/${byName}/problem$`));
    });

    test('Changes lists problems between two steps, and . leads from pair to pair', async () => {
      await visit(page, running.urlOf(PROBLEMS));
      await page.getByRole('button', { name: 'Changes', exact: true }).click();
      await page.getByText(/^4 problems at both steps: .+Exact McNemar test/).waitFor();
      await page.getByRole('button', { name: /^became correct \(\d+\)$/ }).click();
      const table = page.getByRole('grid', { name: 'Problems that became correct' });
      await isLoaded(table);
      await table.focus();
      await page.keyboard.press('Enter');
      const bar = page.getByRole('region', { name: 'Changed problems' });
      await bar.getByText(/^1 of \d+$/).waitFor();
      await page.getByRole('region', { name: 'Aligned turns' }).waitFor();
      const lanes = running.place().match(/lane=[^&]+/g);
      expect(lanes).toHaveLength(2);
      await page.keyboard.press('.');
      await bar.getByText(/^2 of \d+$/).waitFor();
      await expect.poll(() => running.place().match(/lane=[^&]+/g)).not.toEqual(lanes);
      await bar.getByRole('button', { name: 'Export pairs…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/^Problems that became correct from step \d+ to step \d+\.$/).waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await bar.getByRole('link', { name: 'Problems that became correct' }).click();
      await table.waitFor();
    });

    test('changed problems are exported as pairs, those with a label if there are any, and one from the comparison', async () => {
      const changes = running.urlOf(`${PROBLEMS}?tab=changes&became=correct`);
      await visit(page, changes);
      await page.getByRole('button', { name: 'Export pairs…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/^Problems that became correct from step \d+ to step \d+\.$/).waitFor();
      expect(await dialog.getByRole('radio', { name: /^(HTML|JSONL|Markdown|CSV)$/ }).count()).toBe(2);
      await dialog.getByRole('button', { name: /^(Download|Write) \d+ pairs$/ }).waitFor();
      expect(await dialog.getByLabel('only pairs with a label or a note (0)').isDisabled()).toBe(true);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      const table = page.getByRole('grid', { name: 'Problems that became correct' });
      await isLoaded(table);
      await table.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Export this pair…' }).waitFor();
      await page.keyboard.press('E');
      await dialog.getByText(/^A: .+; B: .+\.$/).waitFor();
      const arrived = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Download 1 pair' }).click();
      const path = await (await arrived).path();
      expect(readFileSync(path, 'utf8')).toContain('became correct</small>');
      await page.getByText(/^1 pair, .+ downloaded$/).waitFor();
      await page.keyboard.press('1');
      await page.getByText(/^Labelled /).waitFor();
      await visit(page, changes);
      await page.getByRole('button', { name: 'Export pairs…' }).click();
      await dialog.getByRole('button', { name: 'Download 1 pair' }).waitFor();
      await dialog.getByLabel('only pairs with a label or a note (1)').uncheck();
      await dialog.getByRole('button', { name: /^Download \d+ pairs$/ }).waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      await isLoaded(table);
      await table.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Export this pair…' }).waitFor();
      await page.keyboard.press('u');
      await page.getByText(/^Undone: /).waitFor();
    });

    test('Failures are clusters: Enter opens the medoid, c compares it, and one label for all is one undo', async () => {
      const failures = `${PROBLEMS}?tab=failures&q=${encodeURIComponent('step:..100')}`;
      await visit(page, running.urlOf(PROBLEMS));
      await page.getByRole('button', { name: 'Failures', exact: true }).click();
      await page.getByText(/^749 incorrect of 1,821 rollouts whose correctness is known/).waitFor();
      await visit(page, running.urlOf(failures));
      const table = page.getByRole('grid', { name: 'Clusters of incorrect rollouts' });
      await table.getByRole('row').nth(2).waitFor();
      const detail = page.getByRole('region', { name: 'Chosen cluster' });
      const first = await detail.getByRole('heading').innerText();
      await table.focus();
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => detail.getByRole('heading').innerText()).not.toBe(first);
      await detail
        .getByRole('row', { name: /\([\d.]+ %\).+\(.+–.+\)$/ })
        .first()
        .waitFor();

      const choice = detail.getByRole('combobox', { name: 'Label these' });
      await choice.selectOption({ index: 1 });
      await page.getByText(/^\d+ rollouts labelled .+\. u undoes it$/).waitFor();
      await table.focus();
      await page.keyboard.press('u');
      await page.getByText(/^Undone: /).waitFor();

      await page.keyboard.press('c');
      await page.getByRole('region', { name: 'Aligned turns' }).waitFor();
      await expect.poll(() => running.place().match(/lane=[^&]+/g)).toHaveLength(2);
      await visit(page, running.urlOf(failures));
      await isLoaded(table);
      await table.focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => running.place()).toMatch(/\/rollout\/\d+/);
      await visit(page, running.urlOf(`${PROBLEMS}?tab=failures&q=is_correct:true`));
      await page.getByText('No incorrect rollout matches').waitFor();
    });

    test('Detectors find nothing in the demo run until a threshold is lowered; a step can be chosen', async () => {
      await visit(page, running.urlOf(`${PROBLEMS}?tab=detectors`));
      await page.getByText(/^No detector found anything in 1,821 rollouts/).waitFor();
      const table = page.getByRole('grid', { name: 'Detectors' });
      const detail = page.getByRole('region', { name: 'Chosen detector' });
      await table.focus();
      for (let i = 0; i < 9; i++) await page.keyboard.press('ArrowDown');
      const name = 'Reward rises with length, correctness does not';
      await detail.getByRole('heading', { name }).waitFor();
      const threshold = (label: string) => page.getByRole('textbox', { name: label });
      const withReward = threshold('least correlation of length and reward within a step');
      await withReward.fill('2');
      await expect.poll(() => withReward.getAttribute('aria-invalid')).toBe('true');
      await withReward.fill('0');
      await withReward.press('Enter');
      await page.getByText(/^1 of 11 detectors found something/).waitFor();
      await detail.getByRole('link', { name: 'step 380' }).waitFor();
      await page.getByRole('combobox', { name: 'Step' }).selectOption('380');
      await page.getByText(/^1 of 11 detectors found something in 160 rollouts/).waitFor();
      await table.focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => running.place()).toMatch(/\/step\/380$/);
      await visit(page, running.urlOf(`${PROBLEMS}?tab=detectors`));
      await page.getByRole('button', { name: 'Reset thresholds' }).click();
      await page.getByText(/^No detector found anything/).waitFor();
      await visit(page, running.urlOf(`${PROBLEMS}?tab=detectors&q=${encodeURIComponent('reward:>99')}`));
      await page.getByText('No rollout matches').waitFor();
    });

    test('a finding opens its replay at the span, with meaning and cause of false positives', async () => {
      const log = fileURLToPath(
        new URL('../../fixtures/detectors/edited_tests/positive.jsonl', import.meta.url),
      );
      const other = await openOn([log]);
      const run = '/run/edited_tests-positive';
      await other.page.goto(other.running.urlOf(`${run}/problems?tab=detectors`));
      await other.page.getByText(/^1 of 11 detectors found something in 1 rollout\./).waitFor();
      await other.page.getByRole('link', { name: /g0 · rollout 0 · turn 2/ }).click();
      await expect.poll(() => other.running.place()).toMatch(/rollout\/0\?turn=2&finding=3\.\d+/);
      const labels = other.page.getByRole('region', { name: 'Labels' });
      await labels.getByRole('heading', { name: 'Findings of detectors' }).waitFor();
      await labels.getByText(/False positives: The task asks for a change of the tests/).waitFor();
      const marked = () =>
        other.page.evaluate(() => [...(CSS.highlights.get('find-current') ?? [])].map(String).join(''));
      await expect.poll(marked).toBe("sed -i 's/== 2/== 3/' tests/test_calc.py");
      await other.page.keyboard.press('Escape');
      await expect.poll(marked).toBe('');
      await labels.getByRole('button', { name: 'turn 2' }).click();
      await expect.poll(marked).toBe("sed -i 's/== 2/== 3/' tests/test_calc.py");
      expect(other.errors).toEqual([]);
    });

    test('orders and filters show the number of remaining problems', async () => {
      await visit(page, running.urlOf(PROBLEMS));
      await page.getByRole('application').waitFor();
      await page.getByRole('button', { name: 'Always solved' }).click();
      await page.getByText('No problem was always solved').waitFor();
      await visit(page, running.urlOf(`${PROBLEMS}?q=${encodeURIComponent('step:400..')}`));
      await page.getByRole('application', { name: /^Pass rate of 4 problems/ }).waitFor();
    });

    test('Regressed says which steps it compares, with the correct rollouts of both', async () => {
      await visit(page, running.urlOf(`${PROBLEMS}?sort=regressed`));
      await page.getByText('is lower at the problem’s last step than at its best step before it').waitFor();
      const map = page.getByRole('application');
      await map.focus();
      await page.keyboard.press('ArrowDown');
      const best = page.getByRole('button', { name: /^step \d+: \d+ of \d+ correct$/ }).first();
      const step = /step (\d+)/.exec(await best.innerText())?.[1];
      await best.click();
      await expect.poll(() => running.place()).toContain(`/step/${step}/group/`);
    });

    test('suspicious rewards are ready-made filters with the rollouts they find', async () => {
      await visit(page, running.urlOf(`${PROBLEMS}?tab=suspicious`));
      await page.getByText('No problem has a majority of answers against its ground truth').waitFor();
      const lucky = page.getByRole('button', { name: /^Correct though every call failed \d+/ });
      await lucky.filter({ hasText: /[1-9]/ }).click();
      await page.getByRole('grid', { name: 'Correct though every call failed' }).waitFor();
      const found = async () => Number.parseInt((await lucky.innerText()).replace(/\D/g, ''), 10);
      await expect.poll(async () => page.getByText(`${await found()} rollouts match`).count()).toBe(1);
    });

    test('answers that were rewarded and not are counted among the views', async () => {
      await visit(page, running.urlOf(`${PROBLEMS}?tab=suspicious`));
      await page.getByRole('button', { name: 'Same answer, different verdicts 0' }).click();
      await page.getByText('No answer of a problem was judged both correct and incorrect').waitFor();
    });

    test('a problem over time leads from its answers to a group', async () => {
      await visit(
        page,
        running.urlOf('/run/synthetic-grpo-roc-demo/step/150/group/pairs-of-divisors/problem'),
      );
      await page.getByRole('heading', { level: 1, name: 'pairs-of-divisors' }).waitFor();
      const train = page.getByRole('region', { name: 'Run demo (synthetic)' }).first();
      await expect.poll(() => train.getByRole('link').count()).toBe(12);
      await page.getByText('✓ ground truth').waitFor();
      await train.getByRole('link', { name: /^Step 300: [\d.]+ % correct/ }).click();
      await expect
        .poll(() => running.place())
        .toBe('/run/synthetic-grpo-roc-demo/step/300/group/pairs-of-divisors');
      expect(errors).toEqual([]);
    });
  });
}
