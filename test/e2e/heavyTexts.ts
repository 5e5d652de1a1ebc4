/** Small texts that would crash or block a page that renders every element in them. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HEAVY_GROUP, HEAVY_TEXTS, HOSTILE_RUN, writeHostileLog } from '../support/shells/hostileLog.ts';
import {
  PAGE_TIMEOUT_MS,
  type RunningShell,
  type Shell,
  type TemporaryHome,
} from '../support/shells/shell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { visit } from './visit.ts';

export function describeHeavyTexts(shell: Shell): void {
  describe(`${shell.name}: heavy texts`, () => {
    let home: TemporaryHome;
    let running: RunningShell;
    let page: Page;

    beforeAll(async () => {
      home = createTemporaryHome();
      running = await shell.open({ home, paths: [writeHostileLog(home.directory)] });
      page = running.page;
      page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    });
    afterAll(async () => {
      await running?.close();
      home.remove();
    });

    test.each(Object.keys(HEAVY_TEXTS).map((name, index) => [name, index] as const))(
      'the page of a rollout of %s can be used',
      async (name, index) => {
        const place = `/run/${HOSTILE_RUN}/step/1/group/${HEAVY_GROUP}/rollout/${index}`;
        await visit(page, running.urlOf(place));
        await page.getByText(`Begin of ${name}.`).first().waitFor();
        await page.getByRole('button', { name: 'Raw record', exact: true }).click();
        const record = page.getByRole('dialog', { name: 'Raw record' });
        await record.waitFor();
        await page.keyboard.press('Escape');
        await record.waitFor({ state: 'detached' });
        expect(await page.getByText('This view failed').count()).toBe(0);
      },
    );
  });
}
