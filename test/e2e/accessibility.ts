/** Every screen of the demo run passes axe, in both themes. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { DEMO_LOG } from '../support/preparedLibrary.ts';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { visit } from './visit.ts';

const RUN = '/run/synthetic-grpo-roc-demo';
const STEP = `${RUN}/step/0`;
const GROUP = `${STEP}/group/pairs-of-divisors`;
const ROLLOUT = `${GROUP}/rollout/0`;

const NO_PAGE = '/nowhere';
const MAPPING = `/mapping?path=${encodeURIComponent(DEMO_LOG)}`;
const COMPARISON = `/compare?lane=${GROUP}/rollout/0&lane=${GROUP}/rollout/1`;

const SCREENS: readonly string[] = [
  ...[
    '/',
    '/issues',
    '/formats',
    '/glossary',
    '/search',
    '/sql',
    '/settings',
    '/compare',
    COMPARISON,
    NO_PAGE,
  ],
  ...['/labels', '/labels?tab=annotations', '/labels?tab=report', '/labels?tab=taxonomy'],
  ...[RUN, `${RUN}?tab=rollouts`, `${RUN}?tab=tools`, `${RUN}?tab=recipe`, `${RUN}?tab=configuration`],
  ...[`${RUN}-eval~eval?tab=evaluation`, MAPPING, '/mapping', '/mapping?path=gone'],
  ...[`${RUN}/roc`, `${RUN}/tokens`, `${RUN}/problems`],
  ...[STEP, `${STEP}/roc`, `${STEP}/schedule`, `${STEP}/tokens`],
  ...[GROUP, `${GROUP}/tree`, `${GROUP}/problem`, `${GROUP}/tokens`],
  ...[ROLLOUT, `${ROLLOUT}?text=raw`, `${ROLLOUT}/alike`, `${ROLLOUT}/tokens`],
];

interface Overlay {
  readonly role: 'menu' | 'dialog';
  readonly keys: string;
  /** Button that gets the focus before the keys are pressed. */
  readonly button?: string | RegExp;
}

/** Overlays of a screen, and the keys that open them. */
const OVERLAYS: readonly (readonly [place: string, overlays: readonly Overlay[]])[] = [
  [
    RUN,
    [
      { role: 'dialog', keys: '?' },
      { role: 'dialog', keys: 'ControlOrMeta+k' },
      { role: 'menu', keys: 'Enter', button: /: table, save$/ },
      { role: 'menu', keys: 'Enter', button: 'Saved views; copy the filter' },
    ],
  ],
  [
    GROUP,
    [
      { role: 'menu', keys: 'Shift+F10' },
      { role: 'dialog', keys: 'Enter', button: 'Columns and density' },
      { role: 'dialog', keys: 'E' },
    ],
  ],
  [
    '/',
    [
      { role: 'menu', keys: 'Enter', button: /^Actions for the library/ },
      { role: 'dialog', keys: 'Delete' },
      { role: 'dialog', keys: 'ControlOrMeta+o' },
    ],
  ],
  [`${RUN}-eval~eval?tab=evaluation`, [{ role: 'menu', keys: 'Enter', button: 'Reference lines' }]],
  [
    ROLLOUT,
    [
      { role: 'dialog', keys: 'b' },
      { role: 'dialog', keys: 'Y' },
    ],
  ],
  [MAPPING, [{ role: 'dialog', keys: 'Enter', button: 'JSON…' }]],
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
      await (place === NO_PAGE ? page.goto(running.urlOf(place)) : visit(page, running.urlOf(place)));
      if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.locator('.waiting, [aria-busy="true"]').first().waitFor({ state: 'detached' });
    }

    /** @param only the rules to apply; default: all @param within a selector */
    async function violations(only?: readonly string[], within = 'html'): Promise<readonly string[]> {
      const { violations } = await page.evaluate(
        ([options, within]) =>
          (
            window as unknown as { axe: { run(within: string, options: object): Promise<AxeResults> } }
          ).axe.run(within, options),
        [
          {
            resultTypes: ['violations'],
            ...(only === undefined
              ? { rules: EXCEPTIONS }
              : { runOnly: { type: 'rule', values: [...only] } }),
          },
          within,
        ] as const,
      );
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
    }

    test.each(SCREENS)('%s has no violation', async (place) => {
      await open(place);
      expect(await violations()).toEqual([]);
      // The themes differ in colours only.
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.locator('html[data-theme=dark]').waitFor();
      expect(await violations(['color-contrast'])).toEqual([]);
    });

    test.each(OVERLAYS)(
      'menus and dialogs over %s have no violation, and return the focus',
      async (place, all) => {
        await open(place);
        for (const { role, keys, button } of all) {
          if (button !== undefined)
            await page.getByRole('main').getByRole('button', { name: button }).first().focus();
          const opener = await page.evaluateHandle(() => document.activeElement);
          await page.keyboard.press(keys);
          const shown = page.getByRole(role).last();
          await shown.waitFor();
          // Checks only the overlay, because the rest of the page is hidden meanwhile.
          expect(await violations(undefined, `[role=${role}]`), keys).toEqual([]);
          await page.emulateMedia({ colorScheme: 'dark' });
          await page.locator('html[data-theme=dark]').waitFor();
          expect(await violations(['color-contrast'], `[role=${role}]`), keys).toEqual([]);
          await page.emulateMedia({ colorScheme: 'light' });
          await page.keyboard.press('Escape');
          await shown.waitFor({ state: 'detached' });
          await expect
            .poll(() => opener.evaluate((element) => element === document.activeElement), { message: keys })
            .toBe(true);
        }
      },
    );

    const MAIN =
      'main :is([role=grid], [role=application], [role=tree], section.transcript, section.measured-list)';

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

    test.each([RUN, `${RUN}/problems`, `${STEP}/schedule`, GROUP, MAPPING, COMPARISON])(
      '%s keeps room for its list when zoomed in twice',
      async (place) => {
        const size = page.viewportSize() ?? { width: 1440, height: 900 };
        await page.setViewportSize({ width: 640, height: 400 });
        await open(place);
        try {
          const list = page.locator(MAIN).first();
          await expect
            .poll(async () => {
              await list.scrollIntoViewIfNeeded();
              return list.boundingBox();
            })
            .toSatisfy(
              (box: { readonly y: number; readonly height: number } | null) =>
                box !== null && box.height > 200 && box.y < 250,
            );
        } finally {
          await page.setViewportSize(size);
        }
      },
    );

    test('fields give the focus back to what opened them, and removed controls to the one beside them', async () => {
      const focused = page.locator(':focus');
      await open(`${RUN}?tab=rollouts`);
      await page.keyboard.press('/');
      await page.keyboard.type('correct:1');
      await page.keyboard.press('Enter');
      await expect.poll(() => focused.getAttribute('role')).toBe('grid');
      await open(ROLLOUT);
      for (const [keys, field] of [
        ['/', 'Find in this rollout'],
        ['m', 'Note, Markdown'],
      ] as const) {
        await page.keyboard.press(keys);
        await expect.poll(() => focused.getAttribute('aria-label')).toBe(field);
        await page.keyboard.type('a word');
        await page.keyboard.press('Escape');
        await expect.poll(() => focused.getAttribute('aria-label')).toBe('Transcript');
      }
      // The unfinished note is kept.
      await page.keyboard.press('m');
      await expect.poll(() => focused.inputValue()).toBe('a word');
      await page.getByRole('button', { name: 'Discard' }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => focused.getAttribute('aria-label')).toBe('Transcript');
      expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toHaveLength(1);
      await open(COMPARISON);
      await page.getByRole('button', { name: 'use as baseline' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('group', { name: 'Lane B' }).getByText('baseline', { exact: true }).waitFor();
      await expect.poll(() => focused.evaluate((element) => element.closest('main') !== null)).toBe(true);
      await page.getByRole('button', { name: 'Remove B' }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => focused.getAttribute('title')).toMatch(/^A is the chosen lane|^choose A/);
    });

    test('the timeline can be read as a table, whose rows open', async () => {
      await open(`${STEP}/schedule`);
      await page.getByRole('button', { name: 'Timeline: table, save' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Show the numbers' }).press('Enter');
      const table = page.getByRole('grid', { name: 'Rollouts by worker over time, numbers' });
      await table
        .getByText(/^\S+ #\d+$/)
        .first()
        .waitFor();
      expect(await violations()).toEqual([]);
      await table.press('Enter');
      await expect.poll(() => running.place()).toMatch(/\/rollout\/\d+$/);
    });

    test('control: a button without a name is found', async () => {
      await open('/settings');
      await page.evaluate(() => document.querySelector('main')?.append(document.createElement('button')));
      expect((await violations()).join()).toContain('button-name');
    });
  });
}
