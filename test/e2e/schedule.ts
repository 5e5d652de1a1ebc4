/**
 * The schedule of a step, on every target: opened from the charts of tool calls and walked by keys. Without
 * timing in the log, it explains what to log.
 */
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { pressSequence } from './pressSequence.ts';
import { visit } from './visit.ts';

const DEMO = '/run/synthetic-grpo-roc-demo';
const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));

export function describeSchedule(shell: Shell): void {
  describe(`${shell.name}: schedule`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];
    let openOn: (
      paths: readonly string[],
    ) => Promise<{ running: RunningShell; page: Page; errors: string[] }>;

    onDemo(shell, (demo) => {
      ({ running, page, errors, openOn } = demo);
    });
    const timeline = () => page.getByRole('application', { name: /rollouts on \d+ workers over time/ });
    const reading = () => page.getByRole('complementary', { name: 'Rollout' });

    test('a chart over steps opens the schedule of its step, and g d opens it from a step', async () => {
      await visit(page, running.urlOf(`${DEMO}?tab=tools`));
      const wall = page.getByRole('slider', { name: 'Wall time of the rollouts by step' });
      await wall.focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => running.place()).toBe(`${DEMO}/step/500/schedule`);
      await timeline().waitFor();
      await visit(page, running.urlOf(`${DEMO}/step/50`));
      await page.getByRole('grid').waitFor();
      await pressSequence(page, 'g', 'd');
      await expect.poll(() => running.place()).toBe(`${DEMO}/step/50/schedule`);
      await page.getByText('158 of 158 rollouts placed in time').waitFor();
      // The demo logs no starts of tool calls, so the mean is labelled as an estimate.
      await page.getByText('calls in flight, mean (estimate)').waitFor();
      await page.getByText('waits without a start', { exact: true }).waitFor();
    });

    test('a bar of the latency chart of brushed steps leads to its rollouts', async () => {
      await visit(page, running.urlOf(`${DEMO}?tab=tools&steps=400..500`));
      const chart = page.getByRole('slider', { name: 'How long tool calls took' });
      const figure = page.getByRole('figure').filter({ has: chart });
      await figure.getByText('calls, steps 400 to 500').waitFor();
      await figure.getByText('from the text').first().waitFor();
      for (const label of [/^p50 /, /^p95 /, /^max /, /^rStar2-Agent, mean 300 ms/])
        await figure.locator('text').filter({ hasText: label }).waitFor();
      await chart.focus();
      await page.keyboard.press('Home');
      await expect
        .poll(() => chart.getAttribute('aria-valuetext'))
        .toMatch(
          /ms: \d[\d,]* calls?, [\d.]+ %; Enter opens the rollouts whose slowest call took this long$/,
        );
      await page.keyboard.press('Enter');
      await page.getByRole('grid').waitFor();
      await expect.poll(() => new URL(page.url()).searchParams.get('tab')).toBe('rollouts');
      expect(new URL(page.url()).searchParams.get('q')).toMatch(
        /^step:400\.\.500 latency_ms:>=[\d.]+ latency_ms:<[\d.]+$/,
      );
    });

    test('keys move, zoom and open; back returns to the same view', async () => {
      await visit(page, running.urlOf(`${DEMO}/step/50/schedule`));
      await timeline().focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('+');
      await page.keyboard.press('+');
      await expect.poll(() => new URL(page.url()).searchParams.get('t')).toMatch(/^[\d.]+\.\.[\d.]+$/);
      await reading()
        .getByText(/ #\d+$/)
        .waitFor();
      const name = await reading()
        .getByText(/ #\d+$/)
        .innerText();
      const [, group = '', ordinal = ''] = /^(.*) #(\d+)$/.exec(name) ?? [];
      await page.keyboard.press('Enter');
      await expect.poll(() => running.place()).toBe(`${DEMO}/step/50/group/${group}/rollout/${ordinal}`);
      await page.goBack();
      await reading().getByText(name).waitFor();
      await page.keyboard.press('0');
      await expect.poll(() => new URL(page.url()).searchParams.get('t')).toBeNull();
      await page.keyboard.press('Escape');
      await expect.poll(() => running.place()).toBe(`${DEMO}/step/50`);
    });

    test('hovering shows a bar’s values, a drag zooms, a filter marks matches', async () => {
      await visit(page, running.urlOf(`${DEMO}/step/50/schedule`));
      const canvas = timeline().locator('canvas');
      await canvas.waitFor();
      // Waits until the canvas no longer moves.
      await canvas.hover();
      const box = await canvas.boundingBox();
      if (box === null) throw new Error('the canvas is not drawn');
      const y = box.y + 96 + 12;
      // Finds a bar somewhere in the row.
      for (let x = box.x + 200; x < box.x + box.width; x += 60) await page.mouse.move(x, y);
      await reading()
        .getByText(/turns?/)
        .waitFor();
      await page.mouse.move(box.x + 400, y);
      await page.mouse.down();
      await page.mouse.move(box.x + 600, y, { steps: 4 });
      await page.mouse.up();
      await expect.poll(() => new URL(page.url()).searchParams.get('t')).toMatch(/\.\./);
      await visit(page, running.urlOf(`${DEMO}/step/50/schedule?q=${encodeURIComponent('worker:w1')}`));
      await page
        .getByRole('application', { name: /^158 rollouts on \d+ workers over time, \d+ of them/ })
        .waitFor();
      await page.getByText(/158 of 158 rollouts placed in time · \d+ of 158 match/).waitFor();
      await visit(page, running.urlOf(`${DEMO}/step/50/schedule?q=${encodeURIComponent('worker:nobody')}`));
      await page.getByText(/^No rollout of this step matches/).waitFor();
      expect(errors).toEqual([]);
    });

    test('a log without timing lists the missing fields; one with starts of calls places them', async () => {
      ({ running, page, errors } = await openOn([
        fixture('turnwise/messages'),
        fixture('turnwise/schedule'),
      ]));
      await visit(page, running.urlOf('/run/synthetic-schedule/step/1/schedule'));
      await timeline().waitFor();
      await page.getByText('waiting for a tool').waitFor();
      await timeline().focus();
      await page.keyboard.press('n');
      await reading().getByText('straggler').waitFor();
      await page.keyboard.press('l');
      await expect.poll(() => running.place()).toBe('/run/synthetic-schedule/step/2/schedule');
      await visit(page, running.urlOf('/run/r1/step/1/schedule'));
      await page.getByText('No start and end times in this log').waitFor();
      await page.getByText('timing.start', { exact: true }).waitFor();
      expect(errors).toEqual([]);
    });
  });
}
