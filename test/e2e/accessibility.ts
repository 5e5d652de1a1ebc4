/** Every screen of the demo run passes axe, in both themes. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';

const RUN = '/run/synthetic-grpo-roc-demo';
const STEP = `${RUN}/step/0`;
const GROUP = `${STEP}/group/pairs-of-divisors`;
const ROLLOUT = `${GROUP}/rollout/0`;

const SCREENS: readonly string[] = [
  ...['/', '/issues', '/formats', '/search', '/sql', '/settings', '/compare', '/nowhere'],
  ...['/labels', '/labels?tab=annotations', '/labels?tab=report', '/labels?tab=taxonomy'],
  ...[RUN, `${RUN}?tab=rollouts`, `${RUN}?tab=tools`, `${RUN}?tab=recipe`, `${RUN}?tab=evaluation`],
  ...[`${RUN}/roc`, `${RUN}/tokens`, `${RUN}/problems`],
  ...[STEP, `${STEP}/roc`, `${STEP}/schedule`, `${STEP}/tokens`],
  ...[GROUP, `${GROUP}/tree`, `${GROUP}/problem`, `${GROUP}/tokens`],
  ...[ROLLOUT, `${ROLLOUT}?text=raw`, `${ROLLOUT}/alike`, `${ROLLOUT}/tokens`],
];

/**
 * A row of a table is a link, so that it opens in another tab and shows its address; browsers and screen
 * readers announce it as a row.
 */
const EXCEPTIONS = { 'aria-allowed-role': { enabled: false } };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export function describeAccessibility(shell: Shell): void {
  describe(`${shell.name}: accessibility`, () => {
    let running: RunningShell;
    let page: Page;

    onDemo(shell, (demo) => {
      ({ running, page } = demo);
    });

    async function open(place: string): Promise<void> {
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.goto(running.urlOf(place));
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await expect.poll(() => page.locator('.waiting, [aria-busy="true"]').count()).toBe(0);
      await page.evaluate(AXE);
    }

    /** @param only the rules to apply; default: all */
    async function violations(only?: readonly string[]): Promise<readonly string[]> {
      const { violations } = await page.evaluate(
        (options) =>
          (window as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run(options),
        {
          resultTypes: ['violations'],
          ...(only === undefined ? { rules: EXCEPTIONS } : { runOnly: { type: 'rule', values: [...only] } }),
        },
      );
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
    }

    test.each(SCREENS)('%s has no violation', async (place) => {
      await open(place);
      expect(await violations()).toEqual([]);
      // The other theme has other colours, and nothing else.
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.locator('html[data-theme=dark]').waitFor();
      expect(await violations(['color-contrast'])).toEqual([]);
    });

    const MAIN = 'main :is([role=grid], [role=application], [role=tree], section.transcript)';

    test.each([`${RUN}?tab=rollouts`, `${RUN}/problems`, `${STEP}/schedule`, `${GROUP}/tree`, ROLLOUT])(
      '%s shows where the keys act once one is pressed',
      async (place) => {
        await open(place);
        const outlined = () =>
          page
            .locator(MAIN)
            .first()
            .evaluate(
              (main) =>
                [main, ...main.querySelectorAll('*')].filter((element) => {
                  const { outlineStyle, outlineWidth } = getComputedStyle(element);
                  return (
                    element.checkVisibility() &&
                    outlineStyle === 'solid' &&
                    Number.parseFloat(outlineWidth) >= 2
                  );
                }).length,
            );
        // The view took the focus by itself: no ring until a key is used in it.
        expect(await outlined()).toBe(0);
        await page.keyboard.press('ArrowDown');
        await expect.poll(outlined).toBe(1);
      },
    );

    test.each([RUN, `${RUN}/problems`, `${STEP}/schedule`, GROUP])(
      '%s keeps room for its list when zoomed in twice',
      async (place) => {
        const size = page.viewportSize() ?? { width: 1440, height: 900 };
        await page.setViewportSize({ width: 640, height: 400 });
        await open(place);
        const list = page.locator(MAIN).first();
        await list.scrollIntoViewIfNeeded();
        const box = await list.boundingBox();
        await page.setViewportSize(size);
        expect(box?.height).toBeGreaterThan(200);
        expect(box?.y).toBeLessThan(250);
      },
    );

    test('control: a button without a name is found', async () => {
      await open('/settings');
      await page.evaluate(() => document.querySelector('main')?.append(document.createElement('button')));
      expect((await violations()).join()).toContain('button-name');
    });
  });
}
