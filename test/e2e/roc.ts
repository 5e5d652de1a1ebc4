/**
 * Resample-on-Correct, on every target: the ledger of a group with its reasons, what-ifs in the URL, two
 * rollouts compared, and a report whose numbers lead to their groups.
 */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { pressSequence } from './pressSequence.ts';
import { visit } from './visit.ts';

const DEMO = '/run/synthetic-grpo-roc-demo';
const GROUP = `${DEMO}/step/0/group/pairs-of-divisors`;

export function describeRoc(shell: Shell): void {
  describe(`${shell.name}: Resample-on-Correct`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    onDemo(shell, (demo) => {
      ({ running, page, errors } = demo);
    });

    const goTo = (place: string) => visit(page, running.urlOf(place));
    const ledger = () => page.getByRole('grid', { name: 'Rollouts of pairs-of-divisors' });
    const rows = () => ledger().getByRole('row');
    /** Keys act on the row under the cursor, which must be loaded. */
    const isLoaded = (table: Locator) =>
      table.getByRole('row', { selected: true }).filter({ hasText: /\d/ }).waitFor();
    const panel = () => page.getByRole('complementary', { name: 'What if' });
    const searchOf = () => new URLSearchParams(running.place().split('?')[1] ?? '');

    test('a group shows its decisions, their source and arithmetic', async () => {
      await goTo(GROUP);
      await ledger().waitFor();
      await page.getByText('decision: logged').waitFor();
      await page.getByText(/of 32 correct \(reward > 0\) → round\(/).waitFor();
      await page.getByText(/recomputed by the rule “release”:$/i).waitFor();
      await expect.poll(() => rows().count()).toBeGreaterThan(10);
    });

    test('rows are filtered and sorted, and stay so after a visit to one of them', async () => {
      await goTo(GROUP);
      await page.getByRole('button', { name: /^discarded/ }).click();
      await ledger().getByRole('columnheader', { name: 'penalty' }).getByRole('button').click();
      await expect.poll(() => searchOf().get('show')).toBe('discarded');
      await expect.poll(() => searchOf().get('sort')).toBe('penalty');
      const selected = page.getByRole('row', { selected: true });
      await page.keyboard.press('j');
      await selected.filter({ hasText: /\d/ }).waitFor();
      const row = await selected.innerText();
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Outline' }).waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => selected.innerText()).toBe(row);
      expect(searchOf().get('show')).toBe('discarded');
    });

    test('all three penalties can be seen side by side', async () => {
      await goTo(GROUP);
      await ledger().waitFor();
      await page.keyboard.press('p');
      for (const name of ['p_err logged', 'p_format logged', 'penalty logged'])
        await ledger().getByRole('columnheader', { name }).waitFor();
      await page.keyboard.press('p');
      await ledger().getByRole('columnheader', { name: 'p_err logged' }).waitFor({ state: 'detached' });
    });

    test('Space compares two rows', async () => {
      await goTo(GROUP);
      await isLoaded(ledger());
      await page.keyboard.press('Space');
      await page.keyboard.press('j');
      await page.keyboard.press('Space');
      const pair = page.getByRole('region', { name: 'Two rollouts side by side' });
      await pair.getByRole('link', { name: '#0' }).waitFor();
      await pair.getByRole('link', { name: '#1' }).waitFor();
      await page.keyboard.press('Space');
      await pair.waitFor({ state: 'detached' });
    });

    test('a what-if changes rows at once, is in the URL, and can be undone', async () => {
      await goTo(GROUP);
      await isLoaded(ledger());
      await page.keyboard.press('i');
      await panel().waitFor();
      // Opened by key, the panel has the focus, so the next Tab stays in it.
      await page.keyboard.press('Tab');
      const hasFocus = () => panel().evaluate((element) => element.contains(document.activeElement));
      await expect.poll(hasFocus).toBe(true);
      await panel().getByLabel('keep n', { exact: true }).fill('8');
      await panel()
        .getByText(/decisions flip: /)
        .waitFor();
      await expect.poll(() => searchOf().get('if.down_sample_to_n')).toBe('8');
      await page.getByText('what if: release', { exact: true }).waitFor();
      const all = await rows().count();
      await page.getByRole('button', { name: /flips/ }).click();
      await expect.poll(() => rows().count()).toBeLessThan(all);
      const flips = await rows().count();
      await page.reload();
      await panel()
        .getByText(/decisions flip: /)
        .waitFor();
      await expect.poll(() => rows().count()).toBe(flips);
      await panel().getByRole('button', { name: 'Reset', exact: true }).click();
      await page.getByText('what if: release', { exact: true }).waitFor({ state: 'detached' });
      await expect.poll(() => [...searchOf().keys()].filter((name) => name.startsWith('if.'))).toEqual([]);
    });

    test('the panel does not cover the rows in a narrow window', async () => {
      await goTo(`${GROUP}?whatif=group&if.down_sample_to_n=8`);
      await ledger().waitFor();
      const size = page.viewportSize();
      const rightOf = async (name: RegExp) => {
        const box = await ledger().getByRole('columnheader', { name }).boundingBox();
        return box === null ? Number.POSITIVE_INFINITY : box.x + box.width;
      };
      await page.setViewportSize({ width: 1280, height: 800 });
      const left = async () => (await panel().boundingBox())?.x ?? 0;
      await expect.poll(async () => (await rightOf(/^failed/)) <= (await left())).toBe(true);
      // The panel overlaps a narrow page, whose last column can still be scrolled into view.
      await page.setViewportSize({ width: 900, height: 700 });
      await ledger().evaluate((grid) => grid.scrollTo({ left: 9_999 }));
      await expect.poll(async () => (await rightOf(/^stopped by/)) <= (await left())).toBe(true);
      if (size !== null) await page.setViewportSize(size);
    });

    test('the paper’s rule gives probabilities without a set', async () => {
      await goTo(`${GROUP}?whatif=group&if.rule=paper`);
      await panel()
        .getByText(/The paper’s rule is random: rows show the probability/)
        .waitFor();
      await page.getByText(/no set is claimed/).waitFor();
    });

    test('an invalid value is refused with a message', async () => {
      await goTo(`${GROUP}?whatif=group&if.world_size=0`);
      await panel()
        .getByText(/Ignored in this address, invalid value: world_size=0/)
        .waitFor();
      await panel().getByLabel('world size', { exact: true }).fill('0');
      await panel().getByText('must be a whole number of 1 or more').waitFor();
    });

    test('the what-if opens for the whole run, in the report', async () => {
      await goTo(`${GROUP}?whatif=group&if.penalty=typed`);
      await panel().getByRole('group', { name: 'Scope' }).getByRole('button', { name: 'run' }).click();
      await panel()
        .getByText(/decisions flip, in \d+ of \d+ groups/)
        .waitFor();
      await panel().getByRole('link', { name: 'Open the report' }).click();
      await page.getByRole('heading', { level: 1, name: 'Resample-on-Correct' }).waitFor();
      expect(searchOf().get('if.penalty')).toBe('typed');
      await page.getByRole('region', { name: 'Kept by class' }).getByText('what if: release').waitFor();
    });

    test('every number of a report leads to its groups, and these to their ledgers', async () => {
      await goTo(`${DEMO}/roc?if.penalty=typed`);
      await page.getByRole('region', { name: 'Kept by class' }).getByText('what if: release').waitFor();
      const mixed = page.getByRole('region', { name: 'Groups', exact: true }).getByRole('button').first();
      const count = Number(await mixed.innerText());
      await mixed.click();
      const behind = page.getByRole('grid', { name: 'Groups: mixed' });
      await expect.poll(() => behind.getAttribute('aria-rowcount')).toBe(String(count + 1));
      await isLoaded(behind);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: /^Problem / }).waitFor();
      expect(searchOf().get('if.penalty')).toBe('typed');
    });

    test('so does a bar, a mean and a point, and the groups can be sorted', async () => {
      await goTo(`${DEMO}/roc`);
      const bias = page.getByRole('region', { name: 'Bias' });
      await bias.getByRole('button', { name: /^Turns 2: \d+ rollouts, [\d.]+ % of the kept$/ }).click();
      const behind = () => page.getByRole('grid', { name: /^Groups: / });
      await page.getByRole('grid', { name: 'Groups: kept correct rollouts of 2 turns · logged' }).waitFor();
      await behind()
        .getByRole('columnheader', { name: 'calls sum', exact: true })
        .getByRole('button')
        .click();
      await expect.poll(() => searchOf().get('sort')).toBe('-toolCalls');
      const calls = async () => {
        const rows = await behind().getByRole('row').allInnerTexts();
        return rows.slice(1, 6).map((row) => Number(row.split('\n').at(-4)));
      };
      // The rows in the old order stay until the new ones have loaded.
      const areSorted = (found: readonly number[]): boolean =>
        found.every((n, i) => n > 0 && n <= (found[i - 1] ?? n));
      await expect.poll(async () => areSorted(await calls())).toBe(true);
      await bias
        .getByRole('row', { name: /^without a tool call/ })
        .getByRole('button')
        .last()
        .click();
      await page
        .getByRole('grid', { name: 'Groups: discarded correct rollouts without a tool call · logged' })
        .waitFor();
      const errorsChart = page.getByRole('slider', { name: 'Failed calls in correct by step' });
      await errorsChart.focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page
        .getByRole('grid', { name: 'Groups: correct with a failed call, step 0, pool · logged' })
        .waitFor();
    });

    test('a count of logged reasons lists the rollouts counted, without scrolling', async () => {
      for (const of of [DEMO, `${DEMO}/step/0`]) {
        await goTo(`${of}/roc`);
        const reasons = page.getByRole('region', { name: 'Reasons, logged' });
        const number = reasons.getByRole('link').last();
        await number.waitFor();
        const { height } = page.viewportSize() ?? { height: 0 };
        await expect
          .poll(async () => {
            const box = await number.boundingBox();
            return (box?.y ?? 0) + (box?.height ?? 0);
          })
          .toBeLessThan(height);
        const count = Number((await number.innerText()).replace(',', ''));
        await number.click();
        const list = page.getByRole('grid', { name: /^Rollouts of / });
        await expect.poll(() => list.getAttribute('aria-rowcount')).toBe(String(count + 1));
        await expect.poll(() => searchOf().get('q')).toMatch(/^reason:discarded_/);
        expect(new URL(page.url()).pathname).toBe(of);
      }
    });

    test('a number explains itself on focus: meaning, count with its unit, source', async () => {
      await goTo(`${DEMO}/roc`);
      const first = page.getByRole('region', { name: 'Disagreements' }).getByRole('button').first();
      await first.waitFor();
      const value = await first.textContent();
      await first.focus();
      const hint = page.getByRole('tooltip');
      await hint.waitFor();
      expect(await hint.textContent()).toBe(
        `Rollouts whose logged and recomputed decisions differ${value} rolloutsfrom the log against the recomputationShows the groups`,
      );
      expect(await first.getAttribute('aria-describedby')).toBe(await hint.getAttribute('id'));
    });

    test('a point opens its groups, the chart of groups the report of a step', async () => {
      await goTo(`${DEMO}/roc`);
      const rates = page.getByRole('slider', { name: 'Kept by class by step' });
      await rates.waitFor();
      // The report is complete, so the page no longer moves under the pointer.
      await page.getByRole('region', { name: 'Correct rollouts kept by penalty' }).waitFor();
      const dot = rates.locator('circle').first();
      const at = async () => ({
        x: Number(await dot.getAttribute('cx')),
        y: Number(await dot.getAttribute('cy')),
      });
      await rates.click({ position: await at() });
      await page
        .getByRole('grid', { name: /^Groups: (correct|incorrect) rollouts of step 0 · logged$/ })
        .waitFor();
      const groups = page.getByRole('slider', { name: 'Groups by outcome by step' });
      await groups.click({ position: { x: (await at()).x, y: 40 } });
      await page.getByRole('heading', { level: 1, name: 'Resample-on-Correct, step 0' }).waitFor();
    });

    test('from a step, g r leads to its report, l to the next step’s, Escape back', async () => {
      await goTo(`${DEMO}/step/0`);
      await page.getByRole('grid', { name: 'Groups of step 0' }).waitFor();
      await pressSequence(page, 'g', 'r');
      await page.getByRole('heading', { level: 1, name: 'Resample-on-Correct, step 0' }).waitFor();
      await page.getByRole('region', { name: 'Correct rollouts kept by penalty' }).waitFor();
      await page.keyboard.press('l');
      await expect.poll(() => running.place()).toMatch(/step\/[1-9]\d*\/roc$/);
      await page.getByRole('heading', { level: 1, name: /^Resample-on-Correct, step [1-9]/ }).waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => running.place()).toMatch(/step\/[1-9]\d*$/);
    });

    test('the page reported no error', () => {
      expect(errors).toEqual([]);
    });
  });
}
