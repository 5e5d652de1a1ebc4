/** Credentials in messages, masked on request: no page shows any part of them, and the layout does not change. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  PAGE_TIMEOUT_MS,
  type RunningShell,
  type Shell,
  type TemporaryHome,
} from '../support/shells/shell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { visit } from './visit.ts';
import { watchErrors } from './watchErrors.ts';

const RUN = 'run-with-keys';
const GROUP = `/run/${RUN}/step/0/group/g`;
const ROLLOUT = `${GROUP}/rollout/0`;
/** One per rollout. They share a beginning, so that the rollouts diverge inside the key. */
const KEYS = ['sk-aB3dE6gH9jK2mN5pQ8sT', 'sk-aB3dYYYYYYYYYYYYYYYY'] as const;
const PASSWORD = 'correct-horse';
/** Parts that no page may show while credentials are masked. */
const SECRET = /E6gH9jK2|YYYYYYYY|correct-horse/;
const MASKED = '█'.repeat(KEYS[0].length);

function rollout(index: 0 | 1): object {
  const key = KEYS[index];
  const call = { name: 'python', arguments: { code: `login("${key}")\nprint(6 * 7)` } };
  const text = [
    `I read the key ${key} from the environment and call the tool afterwards.\n`,
    `<tool_call>\n${JSON.stringify(call)}\n</tool_call><|im_end|>\n`,
    `<|im_start|>user\n<tool_response>\npostgres://me:${PASSWORD}@db/x\n42\n</tool_response><|im_end|>\n`,
    `<|im_start|>assistant\nThe final answer is ${key}.<|im_end|>`,
  ].join('');
  const tokens = text.match(/\s?[^\s]{1,6}|\s/g) ?? [];
  return {
    ...{ v: 1, type: 'rollout', run: RUN, step: 0, split: 'train', group: 'g', index, text },
    problem: { id: 'p', prompt: `Log in with ${KEYS[0]} and compute.`, ground_truth: KEYS[0] },
    tokens: {
      text: tokens,
      entropy: tokens.map((_, i) => (i % 5) / 5),
      top: tokens.map((token) => [
        [token, -0.1],
        ['other', -3],
      ]),
      entropy_of: { kind: 'full', unit: 'nats', policy: 'trainer' },
    },
    ...{ chat_template: 'chatml-hermes', reward: index, answer: key, stop_reason: 'answer' },
  };
}

function writeLog(directory: string): string {
  const path = join(directory, 'keys.jsonl');
  const lines = [{ v: 1, type: 'run', run: RUN, name: 'keys' }, rollout(0), rollout(1)];
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  return path;
}

export function describeCredentials(shell: Shell): void {
  describe(`${shell.name}: credentials in messages`, () => {
    let home: TemporaryHome;
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    beforeAll(async () => {
      home = createTemporaryHome();
      running = await shell.open({ home, paths: [writeLog(home.directory)], isLazy: true });
      page = running.page;
      page.setDefaultTimeout(PAGE_TIMEOUT_MS);
      errors = watchErrors(page);
      await page.getByText('keys').first().waitFor();
    });
    afterAll(async () => {
      await running?.close();
      home.remove();
    });

    const transcript = () => page.locator('.transcript-pane');
    const readout = () => page.getByRole('region', { name: 'Token', exact: true });
    /** Everything in the document: texts, attributes, fields. */
    const document = () =>
      page.evaluate(() => {
        const fields = [...globalThis.document.querySelectorAll<HTMLInputElement>('input, textarea')];
        return [globalThis.document.documentElement.outerHTML, ...fields.map((one) => one.value)].join('\n');
      });
    const hasNoSecret = async () => expect(SECRET.exec(await document())).toBeNull();
    const open = (path: string) => visit(page, running.urlOf(path));
    const openReplay = async () => {
      await open(ROLLOUT);
      await transcript().getByText('from the environment').waitFor();
    };
    const select = (text: string) =>
      page.evaluate((wanted) => {
        const pieces = [...globalThis.document.querySelectorAll('.transcript-pane [data-start]')];
        const node = pieces
          .map(({ firstChild }) => firstChild)
          .find((one) => one?.nodeValue?.includes(wanted));
        const from = node?.nodeValue?.indexOf(wanted) ?? 0;
        if (node === null || node === undefined) throw new Error(`no text has ${wanted}`);
        getSelection()?.setBaseAndExtent(node, from, node, from + wanted.length);
      }, text);
    const cards = () => page.getByRole('region', { name: 'Labels', exact: true }).locator('.annotation');

    test('are shown as logged, until the command masks them', async () => {
      await openReplay();
      // The browser leaves text out of `innerText` until it has rendered it.
      await expect.poll(() => transcript().innerText()).toContain(KEYS[0]);
      await page.keyboard.press('ControlOrMeta+k');
      await page.keyboard.type('mask credentials');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'credentials masked' }).waitFor();
      await transcript().getByText(`I read the key ${MASKED} from the environment`).waitFor();
      await hasNoSecret();
      expect(await transcript().innerText()).toContain(`login("${MASKED}")`);
      // User name, host and the rest of the URL are kept.
      expect(await transcript().innerText()).toContain(`postgres://me:${'█'.repeat(PASSWORD.length)}@db/x`);
    });

    test('the token behind a credential is marked in its place, and masked tokens have no alternatives', async () => {
      const tokenOf = async (text: string) => {
        await open(
          `${ROLLOUT}?token=${(rollout(0) as { tokens: { text: string[] } }).tokens.text.indexOf(text)}`,
        );
        await readout().locator('.token-text').waitFor();
        return readout().locator('.token-text').innerText();
      };
      expect(await tokenOf(' tool')).toMatch(/tool/);
      await readout()
        .getByRole('list', { name: /^Alternatives/ })
        .waitFor();
      expect(await tokenOf('dE6gH9')).toBe('“██████”');
      await readout().getByText('credential masked').waitFor();
      await hasNoSecret();
    });

    test.each([
      ['the group', GROUP],
      ['the problem', `${GROUP}/problem`],
      ['the fork tree', `${GROUP}/tree`],
      ['the comparison', `/compare?lane=${ROLLOUT}&lane=${GROUP}/rollout/1`],
      ['the search', '/search?q=environment'],
      ['the rollouts of a run', `/run/${RUN}?tab=rollouts`],
    ])('are masked in %s', async (_, path) => {
      await open(path);
      await page.locator('main').getByText('█').first().waitFor();
      await hasNoSecret();
    });

    test('are masked in the exact text and in the raw record', async () => {
      await openReplay();
      await page.keyboard.press('M');
      await transcript().getByText('<tool_call>').waitFor();
      await hasNoSecret();
      await page.getByRole('button', { name: 'Raw record', exact: true }).click();
      await page.getByRole('dialog', { name: 'Raw record' }).getByText(MASKED).first().waitFor();
      await hasNoSecret();
      await page.keyboard.press('Escape');
    });

    test('a hit behind a credential is marked', async () => {
      await open(`${ROLLOUT}?find=afterwards`);
      const painted = () =>
        page.evaluate(() => [...(CSS.highlights.get('find-current') ?? [])].map(String).join(''));
      await expect.poll(painted).toBe('afterwards');
    });

    test('cells of an SQL result are masked', async () => {
      await open(
        `/sql?sql=${encodeURIComponent('SELECT answer, response FROM rollout JOIN tool_call USING (rollout_id)')}`,
      );
      await page.locator('.monaco-editor .view-line').first().waitFor();
      await page.locator('.monaco-editor').first().click();
      await page.keyboard.press('Control+Enter');
      await page
        .getByRole('grid', { name: /^Result:/ })
        .getByText(MASKED)
        .first()
        .waitFor();
      await hasNoSecret();
    });

    test('a label on masked text is the same as on the text as logged', async () => {
      await openReplay();
      await page
        .getByRole('group', { name: 'Inspector' })
        .getByRole('button', { name: /^Labels/ })
        .click();
      await select(`${MASKED} from`);
      await page.keyboard.press('1');
      await cards()
        .filter({ hasText: `${MASKED} from` })
        .waitFor();
      await select('call the tool');
      await page.keyboard.press('2');
      await cards().filter({ hasText: 'call the tool' }).waitFor();
      await open('/labels?tab=annotations');
      await page.getByRole('grid').getByText(MASKED).first().waitFor();
      await hasNoSecret();

      await open('/settings');
      const setting = page.getByRole('group', { name: 'Mask credentials in messages' });
      await setting.getByRole('button', { name: 'Off' }).click();
      await expect.poll(() => page.getByRole('link', { name: 'credentials masked' }).count()).toBe(0);
      expect(
        await setting.getByRole('button', { name: 'Off' }).evaluate((off) => off.matches(':focus')),
      ).toBe(true);
      await openReplay();
      await cards()
        .filter({ hasText: `${KEYS[0]} from` })
        .waitFor();
      // The same selection is the same target, so the key removes the label.
      for (const [text, key] of [
        [`${KEYS[0]} from`, '1'],
        ['call the tool', '2'],
      ] as const) {
        await cards().filter({ hasText: text }).waitFor();
        await select(text);
        await page.keyboard.press(key);
        await cards().filter({ hasText: text }).waitFor({ state: 'detached' });
      }
      expect(errors).toEqual([]);
    });
  });
}
