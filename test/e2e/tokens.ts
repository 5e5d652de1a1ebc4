/**
 * Tokens in the replay, on every target: the scale, the threshold of high tokens, jumps by key, the readout
 * with alternatives, the list, the brush. There is never one element per token.
 */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { visit } from './visit.ts';

const DEMO = '/run/synthetic-grpo-roc-demo';
/** Its second turn has a failed call. */
const FAILING = `${DEMO}/step/0/group/pairs-of-divisors/rollout/3`;
const ROLLOUT = `${DEMO}/step/0/group/pairs-of-divisors/rollout/0`;

export function describeTokens(shell: Shell): void {
  describe(`${shell.name}: tokens`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    onDemo(shell, async (demo) => {
      ({ running, page, errors } = demo);
      await open(ROLLOUT);
    });

    /** Each test opens what it needs, so that it can be retried. */
    const open = async (place: string) => {
      await visit(page, running.urlOf(place));
      await threshold().filter({ hasText: 'policy tokens' }).waitFor();
    };
    const bar = () => page.getByRole('region', { name: 'Tokens', exact: true });
    const readout = () => page.getByRole('region', { name: 'Token', exact: true });
    const threshold = () => bar().getByRole('status');
    const searchOf = () => new URLSearchParams(running.place().split('?')[1] ?? '');
    const tokenOf = () => Number(searchOf().get('token') ?? Number.NaN);
    const countOf = async () =>
      Number(
        /([\d,]+) of [\d,]+ policy tokens/.exec(await threshold().innerText())?.[1]?.replaceAll(',', ''),
      );
    /** Characters under the highlights whose name has this prefix. */
    const marked = (prefix: string) =>
      page.evaluate((wanted) => {
        let characters = 0;
        for (const [name, highlight] of CSS.highlights.entries()) {
          if (!name.startsWith(wanted)) continue;
          for (const range of highlight) characters += range.endOffset - range.startOffset;
        }
        return characters;
      }, prefix);

    test('the scale names its source', async () => {
      await bar().getByText('entropy, full, nats, T=1.0, trainer policy').waitFor();
      await expect
        .poll(() => threshold().innerText())
        .toMatch(/top 20 % · ≥ 0\.\d{3} nats · \d+ of \d+ policy tokens/);
      await expect.poll(() => marked('heat-')).toBeGreaterThan(0);
      await expect.poll(() => marked('reflection-')).toBeGreaterThan(0);
    });

    test('at 720 by 450 pixels only the text scrolls, not its pane around it', async () => {
      const size = page.viewportSize();
      await page.setViewportSize({ width: 720, height: 450 });
      try {
        await open(ROLLOUT);
        await readout().waitFor();
        const over = () =>
          page
            .locator('.transcript-pane')
            .evaluate(({ parentElement: pane }) => (pane?.scrollHeight ?? 99) - (pane?.clientHeight ?? 0));
        await expect.poll(over).toBeLessThanOrEqual(0);
      } finally {
        if (size !== null) await page.setViewportSize(size);
      }
    });

    test('the user sets the threshold, and its count follows', async () => {
      await open(ROLLOUT);
      await bar().getByLabel('Threshold', { exact: true }).selectOption('rollout');
      await expect.poll(() => threshold().innerText()).toContain('top ');
      const before = await countOf();
      const slider = bar().getByRole('slider', { name: 'Share of policy tokens that is high' });
      await slider.focus();
      await page.keyboard.press('PageDown');
      await page.keyboard.press('PageDown');
      await expect.poll(countOf).toBeLessThan(before);
      await bar().getByLabel('Threshold', { exact: true }).selectOption('run');
      await bar()
        .getByText(/of [\d,]+ tokens in \d+ rollouts/)
        .waitFor();
      await bar().getByLabel('Threshold', { exact: true }).selectOption('fixed');
      await bar().getByLabel('Fixed threshold', { exact: true }).fill('2');
      await expect.poll(() => threshold().innerText()).toContain('≥ 2.000 nats');
      await bar().getByLabel('Threshold', { exact: true }).selectOption('rollout');
      await slider.focus();
      await page.keyboard.press('PageUp');
      await page.keyboard.press('PageUp');
      await expect.poll(countOf).toBe(before);
    });

    test('n and r step through high tokens, N and R back', async () => {
      await open(ROLLOUT);
      await page.getByRole('region', { name: 'Transcript' }).focus();
      await page.keyboard.press('n');
      await expect.poll(tokenOf).toBeGreaterThanOrEqual(0);
      const first = tokenOf();
      await page.keyboard.press('n');
      await expect.poll(tokenOf).toBeGreaterThan(first);
      await page.keyboard.press('N');
      await expect.poll(tokenOf).toBe(first);
      await page.keyboard.press('r');
      await expect.poll(tokenOf).toBeGreaterThan(first);
      await readout().getByText('reflection', { exact: true }).waitFor();
      const reflection = tokenOf();
      await page.keyboard.press('r');
      await expect.poll(tokenOf).toBeGreaterThan(reflection);
      await page.keyboard.press('R');
      await expect.poll(tokenOf).toBe(reflection);
    });

    test('n and r visit only tokens after an error, or in code, and the link keeps it', async () => {
      const scope = () => bar().getByRole('combobox', { name: 'Jump to tokens' });
      const onlyOf = () => searchOf().get('only');
      const focusText = () => page.getByRole('region', { name: 'Transcript' }).focus();
      await open(`${FAILING}?only=after-error`);
      await bar()
        .getByText(/^\d+ of \d+ high$/)
        .waitFor();
      expect(await scope().inputValue()).toBe('after-error');
      await focusText();
      await page.keyboard.press('n');
      // The failed call is in turn 2.
      await expect.poll(() => searchOf().get('turn')).toBe('3');
      const first = tokenOf();
      await page.keyboard.press('N');
      await page.getByText('No high token after an error before this position').waitFor();
      expect(tokenOf()).toBe(first);
      await page.keyboard.press('r');
      await expect.poll(tokenOf).toBeGreaterThan(first);
      // Chosen by keys: the focus stays on the menu.
      await scope().focus();
      await page.keyboard.press('ArrowDown');
      await expect.poll(onlyOf).toBe('code');
      expect(await scope().evaluate((element) => element === document.activeElement)).toBe(true);
      await bar().getByText('0 of 109 high').waitFor();
      expect(await bar().getByRole('button', { name: 'Next high token' }).isDisabled()).toBe(true);
      await scope().selectOption('everywhere');
      await expect.poll(onlyOf).toBeNull();
      await bar().getByText('109 high').waitFor();
    });

    test('a slider moved with the pointer returns the keyboard focus', async () => {
      await open(`${ROLLOUT}?token=0`);
      const text = () => threshold().innerText();
      const share = await text();
      const slider = bar().getByRole('slider', { name: 'Share of policy tokens that is high' });
      const box = await slider.boundingBox();
      if (box === null) throw new Error('the slider is not there');
      await page.mouse.click(box.x + box.width * 0.9, box.y + box.height / 2);
      await expect.poll(text).not.toBe(share);
      await page.keyboard.press('n');
      await expect.poll(tokenOf).toBeGreaterThan(0);
    });

    test('with a search open, n steps through the hits', async () => {
      await open(`${ROLLOUT}?token=253`);
      await page.keyboard.press('/');
      const find = page.getByRole('textbox', { name: 'Find in this rollout' });
      await find.fill('the');
      const hit = page.locator('.find-bar .dim');
      await hit.filter({ hasText: /^1 of \d+$/ }).waitFor();
      await page.getByRole('region', { name: 'Transcript' }).focus();
      await page.keyboard.press('n');
      await hit.filter({ hasText: /^2 of \d+$/ }).waitFor();
      expect(tokenOf()).toBe(253);
      await page.keyboard.press('Escape');
      await find.waitFor({ state: 'detached' });
    });

    test('the readout shows value, position and alternatives with the tail', async () => {
      await open(`${ROLLOUT}?token=253`);
      await readout()
        .getByText(/^\d+ of \d+$/)
        .waitFor();
      await readout()
        .getByText(/percentile$/)
        .waitFor();
      // The log lists alternatives for some tokens only; the strip states where they are missing.
      const alternatives = readout().getByRole('list', { name: /Alternatives/ });
      const none = readout().getByText('no alternatives are listed for this token');
      await alternatives.or(none).waitFor();
      for (let i = 0; i < 10 && (await none.isVisible()); i += 1) {
        const last = tokenOf();
        await page.keyboard.press('r');
        await expect.poll(tokenOf).toBeGreaterThan(last);
        // Neither is shown until the alternatives of this token have loaded.
        await readout().getByText(`token ${tokenOf()}`, { exact: true }).waitFor();
        await alternatives.or(none).waitFor();
      }
      await alternatives.getByText(/^tail /).waitFor();
      expect(await alternatives.getByRole('listitem').count()).toBeGreaterThan(2);
      const before = tokenOf();
      await page.keyboard.press(']');
      await expect.poll(tokenOf).toBe(before + 1);
      await page.keyboard.press('[');
      await expect.poll(tokenOf).toBe(before);
    });

    test('heat is background or underline, without an element per token', async () => {
      await open(ROLLOUT);
      await bar().getByRole('button', { name: 'Marks' }).click();
      const options = page.getByRole('dialog', { name: 'How tokens are marked' });
      await options.getByText(/directly after a tool response, within its first 60/).waitFor();
      await options.getByRole('button', { name: 'Underline' }).click();
      await expect.poll(() => marked('line-')).toBeGreaterThan(0);
      await expect.poll(() => marked('heat-')).toBe(0);
      await options.getByLabel(/^words \(text heuristic, not entropy\)/).check();
      await options.getByText(/correlation /).waitFor();
      await expect.poll(() => marked('words')).toBeGreaterThan(0);
      await options.getByLabel(/^loss mask/).check();
      await expect.poll(() => marked('masked')).toBeGreaterThan(0);
      await options.getByRole('button', { name: 'Background' }).click();
      await page.keyboard.press('Escape');
      await options.waitFor({ state: 'detached' });
      await expect.poll(() => marked('heat-')).toBeGreaterThan(0);
      const elements = () =>
        page
          .getByRole('region', { name: 'Transcript' })
          .evaluate((element) => element.querySelectorAll('*').length);
      const withHeat = await elements();
      await page.keyboard.press('e');
      await expect.poll(() => marked('heat-')).toBe(0);
      await expect.poll(elements).toBe(withHeat);
      await page.keyboard.press('e');
      await expect.poll(() => marked('heat-')).toBeGreaterThan(0);
    });

    test('the list leads to its tokens, and the brush narrows it', async () => {
      await open(ROLLOUT);
      await page.getByRole('button', { name: /^High \d/ }).click();
      const list = page.getByRole('listbox', { name: 'High tokens, with context' });
      await page.getByRole('searchbox', { name: 'Search in tokens' }).fill('check');
      await expect
        .poll(() => list.locator('.token-row-context b').allTextContents())
        .toSatisfy((found: string[]) => found.length > 0 && found.every((token) => /check/i.test(token)));
      await list.getByRole('option').first().click();
      await readout().getByText(/check/i).first().waitFor();
      await page.getByRole('searchbox', { name: 'Search in tokens' }).fill('');
      const scrubber = page.getByRole('slider', { name: 'Position in the rollout, by turn' });
      const box = await scrubber.boundingBox();
      if (box === null) throw new Error('the scrubber is not there');
      await page.mouse.move(box.x + box.width * 0.2, box.y + 20);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 4 });
      await page.mouse.up();
      const selected = page.getByRole('region', { name: 'Selected tokens' });
      await selected.getByRole('button', { name: 'Copy tokens as CSV' }).click();
      await page.getByText(/^\d+ tokens copied as CSV$|The clipboard is not available/).waitFor();
      expect(searchOf().get('tokens')).toMatch(/^\d+-\d+$/);
      await page.keyboard.press('Escape');
      await selected.waitFor({ state: 'detached' });
    });

    test('a link to a token opens on it', async () => {
      await visit(page, running.urlOf(`${ROLLOUT}?token=253`));
      await readout().getByText('token 253').waitFor();
      await expect.poll(() => page.evaluate(() => CSS.highlights.get('token-current')?.size)).toBe(1);
    });

    test('formulas are marked as a whole, and the current token keeps its heat', async () => {
      await visit(page, running.urlOf(`${DEMO}/step/150/group/minimal-square-error/rollout/0?token=2`));
      await readout().getByText('token 2', { exact: true }).waitFor();
      const slider = bar().getByRole('slider', { name: 'Share of policy tokens that is high' });
      await slider.focus();
      await page.keyboard.press('End');
      await expect.poll(() => page.locator('.formula[data-heat]').count()).toBeGreaterThan(0);
      const outline = page.locator('.token-outline');
      await outline.waitFor({ state: 'visible' });
      expect(await outline.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
        'rgba(0, 0, 0, 0)',
      );
      // Tokens under a formula can be found, too.
      const formula = page.locator('.formula[data-heat]').first();
      await formula.scrollIntoViewIfNeeded();
      // Uses its first line, because the middle of a wrapped element is beside it.
      const middle = () =>
        formula.evaluate((element) => {
          const { left, top, width, height } = element.getClientRects()[0] ?? new DOMRect();
          return { x: left + width / 2, y: top + height / 2 };
        });
      // The text may still move, because the turns above it are rendered when they are near.
      await expect
        .poll(async () => {
          const { x, y } = await middle();
          await page.mouse.move(x, y);
          return readout()
            .getByText(/^in a formula, which is marked as a whole/)
            .count();
        })
        .toBe(1);
      await page.getByRole('region', { name: 'Transcript' }).focus();
      await bar().getByRole('button', { name: 'Hide heat' }).click();
      await expect.poll(() => page.locator('.formula[data-heat]').count()).toBe(0);
      await bar().getByRole('button', { name: 'Show heat' }).click();
    });

    test('uses few elements, rendered and raw, while a rollout is scrolled', async () => {
      await visit(page, running.urlOf(ROLLOUT));
      await page.getByRole('region', { name: 'Transcript' }).focus();
      for (const key of ['End', 'm', 'Home', 'm']) {
        await page.keyboard.press(key);
        // Distant turns are one element each, so only near tokens have elements.
        await expect
          .poll(() => page.evaluate(() => document.querySelectorAll('.transcript *').length))
          .toBeLessThan(2_000);
        await expect.poll(() => page.locator('.segment-head').count()).toBeGreaterThan(0);
      }
    });

    test('the page reported no error', () => {
      expect(errors).toEqual([]);
    });
  });
}
