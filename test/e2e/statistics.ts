/**
 * Token statistics, on every target: the source of the numbers, where the policy reflects, uncertain tokens,
 * and the message if nothing was logged.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { type OnDemo, onDemo } from './onDemo.ts';
import { pressSequence } from './pressSequence.ts';
import { visit } from './visit.ts';

const DEMO = '/run/synthetic-grpo-roc-demo';

export function describeStatistics(shell: Shell): void {
  describe(`${shell.name}: statistics of tokens`, () => {
    let demo: OnDemo;
    let running: RunningShell;
    let page: Page;
    const errors: string[][] = [];

    onDemo(shell, (opened) => {
      demo = opened;
      ({ running, page } = demo);
      errors.push(demo.errors);
    });
    const reopen = async (logs: string): Promise<void> => {
      const opened = await demo.openOn([logs]);
      ({ running, page } = opened);
      errors.push(opened.errors);
    };

    const goTo = (place: string) => visit(page, running.urlOf(place));
    const searchOf = () => new URLSearchParams(running.place().split('?')[1] ?? '');
    const tokens = () => page.getByRole('grid', { name: /Tokens by mean/ });
    const signal = (name: string) =>
      page.getByRole('group', { name: 'Signal' }).getByRole('button', { name, exact: true });

    test('g t leads from a run to its tokens, with their source', async () => {
      await pressSequence(page, 'g', 't');
      await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor();
      await page.getByText('entropy, full, nats, T=1.0, trainer policy').waitFor();
      await page
        .getByText(/128 rollouts, [\d,]+ policy tokens; mean [\d.]+; 80th percentile [\d.]+/)
        .waitFor();
      const place = page.getByRole('navigation', { name: 'Breadcrumb' });
      await expect.poll(() => place.innerText()).toMatch(/tokens$/);
    });

    test('every part of the page has its numbers', async () => {
      const main = page.getByRole('region', { name: 'Statistics of entropy' });
      await main.getByRole('slider', { name: 'Tokens by entropy' }).waitFor();
      await main.getByRole('slider', { name: 'Share of tokens below' }).waitFor();
      await main.getByRole('slider', { name: 'Mean entropy by position' }).waitFor();
      const segments = main.getByRole('region', { name: 'Mean by kind of segment' });
      for (const kind of ['reasoning', 'tool-call', 'answer'])
        await segments.getByRole('row', { name: new RegExp(`^${kind} [\\d.]+`) }).waitFor();
      const high = main.getByRole('region', { name: 'High tokens by class' });
      await high.getByText(/directly after a tool response, within its first 60 policy tokens/).waitFor();
      await main
        .getByRole('row', {
          name: /^after error [\d.]+ % [\d,]+ reflection tokens after error of [\d,]+ tokens/,
        })
        .waitFor();
      await main.getByRole('slider', { name: 'Mean entropy by step' }).waitFor();
    });

    test('a chart is read by keys', async () => {
      const curve = page.getByRole('slider', { name: 'Mean entropy by position' });
      await curve.focus();
      await page.keyboard.press('Home');
      await page.getByText(/position 0 · success [\d.]+ of \d+ · error [\d.]+ of \d+/).waitFor();
      await page.keyboard.press('ArrowRight');
      await page.getByText(/position 1 · success/).waitFor();
    });

    test('tokens are sorted, filtered, and hidden if rare', async () => {
      const cells = (column: number) => tokens().getByRole('gridcell').nth(column);
      await tokens().waitFor();
      const all = Number(await tokens().getAttribute('aria-rowcount'));
      const field = page.getByRole('spinbutton', { name: 'Least count of a token' });
      await field.fill('100');
      await field.press('Enter');
      await expect.poll(async () => Number(await tokens().getAttribute('aria-rowcount'))).toBeLessThan(all);
      expect(searchOf().get('least')).toBe('100');
      await tokens().getByRole('columnheader', { name: 'seen' }).getByRole('button').click();
      await expect.poll(() => searchOf().get('sort')).toBe('-tokens');
      await expect
        .poll(async () => Number((await cells(3).innerText()).replace(',', '')))
        .toBeGreaterThan(500);
      await page.getByRole('searchbox', { name: 'Filter tokens' }).fill('check');
      await expect.poll(() => cells(0).innerText()).toMatch(/check/);
    });

    test('the user sets the window of reflection, which is shown', async () => {
      const field = page.getByRole('spinbutton', { name: 'Reflection window, policy tokens' });
      await field.fill('20');
      await field.press('Enter');
      await page.getByText(/within its first 20 policy tokens/).waitFor();
      expect(searchOf().get('window')).toBe('20');
    });

    test('surprisal is labelled surprisal, and is in the URL', async () => {
      await signal('surprisal').click();
      await page.getByText('surprisal, not entropy, nats, T unknown, rollout policy').waitFor();
      await page.getByRole('slider', { name: 'Tokens by surprisal' }).waitFor();
      expect(await page.getByRole('slider', { name: /entropy/ }).count()).toBe(0);
      expect(searchOf().get('signal')).toBe('surprisal');
    });

    test('a missing signal is explained, with what to log and the alternatives', async () => {
      await signal('log-probability gap').click();
      await page.getByRole('heading', { name: 'No log-probability gap is logged in this run' }).waitFor();
      await page.getByText(/Needed: both the rollout engine’s and the trainer’s log-probability/).waitFor();
      await page.getByRole('button', { name: 'Show entropy' }).click();
      await page.getByText('entropy, full, nats, T=1.0, trainer policy').waitFor();
    });

    test('a step leads to its own tokens, l to the next step’s, Escape back to the step', async () => {
      await goTo(`${DEMO}/tokens`);
      const steps = page.getByRole('slider', { name: 'Mean entropy by step' });
      await steps.focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Tokens, step 0' }).waitFor();
      await page.getByText(/32 rollouts, [\d,]+ policy tokens/).waitFor();
      await page.keyboard.press('l');
      await expect.poll(() => running.place()).toMatch(/step\/[1-9]\d*\/tokens/);
      await page.getByRole('heading', { level: 1, name: /^Tokens, step [1-9]/ }).waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => running.place()).toMatch(/step\/[1-9]\d*$/);
    });

    test('a token leads to its highest occurrences, each to the replay', async () => {
      await goTo(`${DEMO}/tokens?filter=boundary`);
      await tokens().waitFor();
      // Enter opens the row under the cursor, which must be loaded.
      await tokens().getByRole('row', { selected: true }).filter({ hasText: 'boundary' }).waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => searchOf().get('of')).toBe(' boundary');
      const places = page.getByRole('grid', { name: 'Positions of " boundary" by entropy' });
      await places.waitFor();
      /** NaN while a row is loading. */
      const values = async () => {
        const rows = (await places.getByRole('row').all()).slice(1, 6);
        return (await Promise.all(rows.map((row) => row.innerText()))).map((text) => Number.parseFloat(text));
      };
      await expect.poll(values).toSatisfy((read: number[]) => read.length > 0 && !read.includes(Number.NaN));
      const highest = await values();
      expect(highest).toEqual([...highest].sort((a, b) => b - a));
      await page.getByRole('group', { name: 'Order' }).getByRole('button', { name: 'lowest' }).click();
      await expect.poll(async () => (await values())[0]).toBeLessThan(highest[0] ?? 0);
      await page.getByRole('group', { name: 'Order' }).getByRole('button', { name: 'highest' }).click();
      await expect.poll(async () => (await values())[0]).toBe(highest[0]);
      await places.getByRole('row').nth(1).click();
      await expect.poll(() => running.place()).toMatch(/\/rollout\/\d+\?token=\d+&/);
      await page.goBack();
      await places.waitFor();
      await page.keyboard.press('Escape');
      await tokens().waitFor();
      expect(searchOf().get('of')).toBeNull();
    });

    test('the reflection tokens after an error are listed, each leads to the replay', async () => {
      await goTo(`${DEMO}/tokens`);
      const link = page.getByRole('button', { name: /^[\d,]+ reflection tokens after error$/ });
      const total = Number((await link.innerText()).replace(',', ''));
      await link.click();
      await expect.poll(() => searchOf().get('after')).toBe('error');
      const list = page.getByRole('region', { name: 'Positions of tokens' });
      await list.getByRole('heading', { name: 'Reflection tokens after an error' }).waitFor();
      await list.getByText(`first 100 of ${total.toLocaleString('en')} positions`).waitFor();
      await list.getByRole('row').nth(1).filter({ hasText: /\d/ }).click();
      await expect.poll(() => running.place()).toMatch(/\/rollout\/\d+\?token=\d+&/);
      const bar = page.getByRole('region', { name: 'Positions', exact: true });
      await bar.getByText(`1 of ${total.toLocaleString('en')}`).waitFor();
      const first = new URL(page.url()).pathname;
      await page.keyboard.press('n');
      await bar.getByText(`2 of ${total.toLocaleString('en')}`).waitFor();
      expect(new URL(page.url()).pathname).not.toBe(first);
      // The token of the other rollout is scrolled to, so its turn is the current one.
      await expect.poll(() => Number(searchOf().get('turn'))).toBeGreaterThan(0);
      await page.keyboard.press('N');
      await bar.getByText(`1 of ${total.toLocaleString('en')}`).waitFor();
      await page.goBack();
      await page.goBack();
      await page.goBack();
      await list.waitFor();
      await page.keyboard.press('Escape');
      await tokens().waitFor();
      expect(searchOf().get('after')).toBeNull();
    });

    test('tables and charts are saved with their source', async () => {
      await goTo(`${DEMO}/tokens`);
      await tokens().waitFor();
      const saved = async (click: () => Promise<void>) => {
        const [download] = await Promise.all([page.waitForEvent('download'), click()]);
        return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
      };
      for (const [name, rows] of [
        ['the means by segment', 8],
        ['the density of reflection tokens', 2],
        ['these tokens', 1],
      ] as const) {
        const { bytes } = await saved(() =>
          page.getByRole('button', { name: `Save ${name} as CSV` }).click(),
        );
        const [head, ...lines] = bytes.toString('utf8').trimEnd().split('\n');
        expect(head).toMatch(/,source$/);
        expect(lines.length).toBeGreaterThanOrEqual(rows);
        expect(lines[0]).toMatch(/demo \(synthetic\)[^:]*: entropy, full/);
      }
      for (const title of ['Tokens by entropy', 'Mean entropy by position', 'Mean entropy']) {
        const choose = async (item: string) => {
          await page.getByRole('button', { name: `${title}: table, save`, exact: true }).click();
          await page.getByRole('menuitem', { name: item, exact: true }).click();
        };
        const png = await saved(() => choose('Save as PNG'));
        expect(png.bytes.subarray(1, 4).toString('latin1')).toBe('PNG');
        expect((await saved(() => choose('Save as SVG'))).bytes.toString('utf8')).toContain(title);
        expect((await saved(() => choose('Save as CSV'))).bytes.toString('utf8')).toMatch(/,source\n/);
        await choose('Full window');
        const dialog = page.getByRole('dialog', { name: title });
        await expect
          .poll(async () => (await dialog.getByRole('slider').boundingBox())?.height)
          .toBeGreaterThan(500);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
      }
    });

    test('g t leads from a group and from a rollout to their own tokens, and links to wider ones', async () => {
      await goTo(`${DEMO}/step/300/group/lattice-paths`);
      await page.getByRole('heading', { level: 1, name: /Problem lattice-paths/ }).waitFor();
      await pressSequence(page, 'g', 't');
      await page.getByRole('heading', { level: 1, name: 'Tokens of the group' }).waitFor();
      await page.getByText(/; 32 rollouts, [\d,]+ policy tokens/).waitFor();
      expect(await page.getByRole('region', { name: 'Step by step' }).count()).toBe(0);
      await goTo(`${DEMO}/step/300/group/lattice-paths/rollout/8`);
      await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('#8').waitFor();
      await pressSequence(page, 'g', 't');
      await page.getByRole('heading', { level: 1, name: 'Tokens, rollout #8' }).waitFor();
      await page.getByText(/; 1 rollout, [\d,]+ policy tokens/).waitFor();
      await page.keyboard.press('l');
      await page.getByRole('heading', { level: 1, name: 'Tokens, rollout #9' }).waitFor();
      const scope = page.getByRole('navigation', { name: 'Scope' });
      await scope.getByRole('link', { name: 'group' }).click();
      await page.getByRole('heading', { level: 1, name: 'Tokens of the group' }).waitFor();
      await scope.getByRole('link', { name: 'run' }).click();
      await page.getByRole('heading', { level: 1, name: 'Tokens', exact: true }).waitFor();
    });

    test('a log without signals explains what to log', async () => {
      const logs = join(demo.home.directory, 'without');
      mkdirSync(logs, { recursive: true });
      writeFileSync(
        join(logs, '1.jsonl'),
        `${JSON.stringify({ input: 'user\nWhat is 1 + 1?\nassistant\n', output: '2', gts: '2', score: 1, step: 1 })}\n`,
      );
      await reopen(logs);
      await page.getByRole('heading', { level: 1, name: 'without' }).waitFor();
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Tokens' }).click();
      await page.getByRole('heading', { name: 'Nothing is logged per token in this run' }).waitFor();
      await page.getByText(/Needed: the entropy of each token/).waitFor();
    });

    test('a signed signal is shown on both sides of 0', async () => {
      const logs = join(demo.home.directory, 'signed');
      mkdirSync(logs, { recursive: true });
      const words = [' a', ' b', ' c', ' d'];
      const rollouts = Array.from({ length: 4 }, (_, index) => ({
        ...{ v: 1, type: 'rollout', run: 'signed', step: 1, group: 'g', index },
        problem: { id: 'g', prompt: 'Which?' },
        reward: index % 2,
        tokens: {
          text: words,
          mask: [1, 1, 1, 1],
          logprob: [-1, -1, -1, -1],
          trainer_logprob: [-1.02, -1.01, -1, -0.99 + index / 1000],
        },
      }));
      writeFileSync(join(logs, 'log.jsonl'), rollouts.map((one) => `${JSON.stringify(one)}\n`).join(''));
      await reopen(logs);
      await page.getByRole('heading', { level: 1, name: 'signed' }).waitFor();
      await goTo('/run/signed/tokens?signal=gap');
      await page
        .getByText(/^log-probability gap, nats; 4 rollouts, 16 policy tokens; mean −0\.0\d+/)
        .waitFor();
      await page.getByText(/16 policy tokens, bins of 0.001/).waitFor();
      const bars = page.getByRole('slider', { name: 'Tokens by log-probability gap' });
      await bars.focus();
      await page.keyboard.press('Home');
      await page.getByText(/^−0\.02\d to −0\.0\d\d: 4 tokens/).waitFor();
      const below = page
        .getByRole('figure')
        .filter({ has: bars })
        .getByText(/^below 0: /);
      await bars.blur();
      await expect.poll(() => below.innerText()).toMatch(/50\.0 %/);
    });

    test('the page reported no error', () => {
      expect(errors.flat()).toEqual([]);
    });
  });
}
