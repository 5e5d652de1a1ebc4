/**
 * Comparison of rollouts, on every target: collected from a list, opened by key, aligned, with the fork,
 * folds, the next difference, another baseline, unified view and the diff editor. A removed lane shows a
 * message, and a link reopens the same state.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyDemoLibrary, DEMO_LOG } from '../support/preparedLibrary.ts';
import {
  PAGE_TIMEOUT_MS,
  type RunningShell,
  type Shell,
  type TemporaryHome,
} from '../support/shells/shell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { visit } from './visit.ts';
import { watchErrors } from './watchErrors.ts';

const GROUP = '/run/synthetic-grpo-roc-demo/step/0/group/pairs-of-divisors';
const linkOf = (...ordinals: readonly number[]): string =>
  `/compare?${ordinals.map((ordinal) => `lane=${GROUP}/rollout/${ordinal}`).join('&')}`;

/**
 * A run that the test removes, and one with an empty response and long lines of code.
 * @returns the file's path
 */
function writeTwoRuns(directory: string): string {
  const path = join(directory, 'runs.jsonl');
  const turn = (thought: string, code: string, printed: string) =>
    `<reason>${thought}</reason>\n<tool_call>\n${JSON.stringify({ name: 'python', arguments: { code } })}\n</tool_call><|im_end|>\n` +
    `<|im_start|>user\n<tool_response>\nTool call success\nstdout: ${printed}\n</tool_response><|im_end|>\n<|im_start|>assistant\n`;
  const full = `${turn('I add.', 'print(1 + 1)', '2')}<reason>So it is two.</reason>\n<answer>\\boxed{2}</answer>`;
  const other = full.replace('print(1 + 1)', 'print(sum([1, 1]))');
  const longLine = (term: string) => full.replace('1 + 1', Array(200).fill(term).join(' + '));
  const traceback = Array.from({ length: 500 }, (_, i) => `  File "lib.py", line ${i}`).join('\n');
  const failing = (name: string) =>
    `<reason>I try ${name}.</reason>\n<tool_call>\n{"name": "python", "arguments": {"code": "fail('${name}')"}}\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\nTool call failure\nstderr: ${traceback}\nValueError: the end of ${name}\n</tool_response><|im_end|>\n<|im_start|>assistant\nNo.<|im_end|>`;
  const lines = [
    { run: 'kept', index: 0, text: full, reward: 1 },
    { run: 'kept', index: 1, text: '', reward: 0 },
    { run: 'kept', index: 2, text: longLine('1'), reward: 0 },
    { run: 'kept', index: 3, text: longLine('2'), reward: 0 },
    { run: 'gone', index: 0, text: other, reward: 1 },
    ...[0, 1].map((index) => ({
      ...{ run: 'malformed', index, reward: index },
      text: `<reason>I call.</reason>\n<tool_call>\n{"name": "python", "arguments": {"code": "${index}"<|im_end|>`,
    })),
    ...['one', 'two'].map((name, index) => ({ run: 'failing', index, text: failing(name), reward: 0 })),
  ].map((rollout) => ({
    v: 1,
    type: 'rollout',
    step: 0,
    group: 'g',
    problem: { id: 'p', prompt: 'What is 1 + 1?' },
    ...rollout,
  }));
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  return path;
}

export function describeCompare(shell: Shell): void {
  describe(`${shell.name}: compare`, () => {
    let home: TemporaryHome;
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    beforeAll(async () => {
      home = createTemporaryHome();
      await copyDemoLibrary(home.libraryPath);
      running = await shell.open({ home, paths: [DEMO_LOG, writeTwoRuns(home.directory)], isLazy: true });
      page = running.page;
      page.setDefaultTimeout(PAGE_TIMEOUT_MS);
      errors = watchErrors(page);
      await page.getByText('demo (synthetic)').first().waitFor();
      await visit(page, running.urlOf('/run/gone'));
      await page.getByRole('heading', { level: 1, name: 'gone' }).waitFor();
    });
    afterAll(async () => {
      await running?.close();
      home.remove();
    });

    const list = () => page.getByRole('region', { name: 'Aligned turns' });
    const laneOf = (letter: string) => list().getByRole('group', { name: `Lane ${letter}`, exact: true });
    const queryOf = () => new URLSearchParams(running.place().split('?')[1] ?? '');
    const position = () => page.getByRole('region', { name: 'Position' });
    const row = async () => Number(/^row (\d+) of/.exec(await position().innerText())?.[1]) - 1;
    const current = () => list().locator('[aria-current]').first();

    test('a replay and the selected rows of a group have a button', async () => {
      await visit(page, running.urlOf(`${GROUP}/rollout/2`));
      await page.getByRole('button', { name: 'Add to the comparison' }).click();
      await page.getByText(/added to comparison/).waitFor();
      await page.getByRole('button', { name: 'Remove from the comparison' }).click();
      await page.getByText(/removed from comparison/).waitFor();
      await visit(page, running.urlOf(GROUP));
      const rows = page.getByRole('grid', { name: /^Rollouts of/ }).getByRole('row');
      await rows.nth(1).waitFor();
      for (const row of [1, 2])
        await rows
          .nth(row)
          .filter({ hasText: /\d/ })
          .click({ modifiers: ['ControlOrMeta'] });
      await page.getByRole('button', { name: 'Compare', exact: true }).last().click();
      await expect.poll(() => running.place()).toMatch(/^\/compare\?lane=.*lane=/);
      await page.goBack();
      for (const row of [1, 3])
        await rows
          .nth(row)
          .filter({ hasText: /\d/ })
          .click({ modifiers: ['ControlOrMeta'] });
      await page.getByRole('button', { name: 'Review', exact: true }).click();
      await expect.poll(() => running.place()).toMatch(/\/rollout\/0\?queue=/);
    });

    test('c on two rows collects them, x opens them', async () => {
      await page.goto(running.urlOf(GROUP));
      await page.getByRole('grid', { name: 'Rollouts of pairs-of-divisors' }).waitFor();
      const selected = (ordinal: number) =>
        page.getByRole('row', { selected: true }).filter({ hasText: `#${ordinal}` });
      await selected(0).waitFor();
      await page.keyboard.press('c');
      await page.getByText(/added to comparison · add another/).waitFor();
      await page.keyboard.press('j');
      await selected(1).waitFor();
      await page.keyboard.press('c');
      await page.getByRole('link', { name: 'compare 2' }).waitFor();
      await page.getByRole('img', { name: /^in comparison: 2 of 2/ }).waitFor();
      expect(await page.getByRole('img', { name: /^in comparison/ }).count()).toBe(2);
      await page.keyboard.press('x');
      await laneOf('A').getByRole('link', { name: '#0' }).waitFor();
      await laneOf('B').getByRole('link', { name: '#1' }).waitFor();
      await laneOf('A').getByText('baseline', { exact: true }).waitFor();
    });

    test('the header compares facts, and marks differences', async () => {
      const facts = list().getByRole('table', { name: 'Facts of the lanes' });
      await facts.getByText('mean entropy').waitFor();
      await expect.poll(() => facts.locator('.is-different').count()).toBeGreaterThan(2);
      expect(await facts.getByText('turns', { exact: true }).count()).toBe(0);
      await list()
        .getByRole('button', { name: /more facts?$/ })
        .click();
      await facts.getByText('turns', { exact: true }).waitFor();
      // The state survives a reload.
      await page.reload();
      await facts.getByText('turns', { exact: true }).waitFor();
      await list().getByRole('button', { name: 'fewer facts' }).click();
      await facts.getByText('turns', { exact: true }).waitFor({ state: 'detached' });
    });

    test('the fork has both tokens, with value, source and alternatives', async () => {
      const fork = list().getByRole('region', { name: 'The fork of B' });
      await fork.getByText(/B differs from A/).waitFor();
      await fork
        .getByText(/percentile of this rollout’s policy tokens/)
        .first()
        .waitFor();
      await fork.getByText('entropy, full, nats, T=1.0, trainer policy').first().waitFor();
      const alternatives = fork.getByRole('list', { name: /^Alternatives in/ }).first();
      await alternatives.getByText('all others').waitFor();
      await fork
        .getByText(/token (was #\d+ here|is not among the \d+ listed here)/)
        .first()
        .waitFor();
    });

    test('n and N step through the differences, and update the link', async () => {
      await page.keyboard.press('n');
      await expect.poll(row).toBe(1);
      await page.keyboard.press('n');
      await expect.poll(row).toBe(2);
      await page.keyboard.press('N');
      await expect.poll(row).toBe(1);
      await expect.poll(() => current().isVisible()).toBe(true);
      await expect.poll(() => queryOf().get('at')).toBe('1.1');
      await page.keyboard.press('N');
      await expect.poll(row).toBe(0);
      // The chosen lane has no turn in this row, so the baseline names it.
      await expect.poll(() => queryOf().get('at')).toBe('0.1');
      await page.keyboard.press('f');
      await expect.poll(row).toBe(0);
    });

    test('each command of a comparison has a key that no other command takes there', async () => {
      await visit(page, running.urlOf(linkOf(3, 15)));
      const fork = list().getByRole('button', { name: /^in turn \d+ of [AB]$/ });
      await fork.last().waitFor();
      await page.keyboard.press('End');
      await expect.poll(row).toBeGreaterThan(0);
      const end = queryOf().get('at');
      // The last line links the different actions of A and of B, which are in different rows.
      await fork.last().click();
      await expect.poll(() => queryOf().get('at')).not.toBe(end);
      const ofB = queryOf().get('at');
      await fork.nth(-2).click();
      await expect.poll(() => queryOf().get('at')).not.toBe(ofB);
      const place = queryOf().get('at');
      await page.keyboard.press('End');
      await expect.poll(() => queryOf().get('at')).toBe(end);
      await page.keyboard.press('a');
      await expect.poll(() => queryOf().get('at')).toBe(place);
      await page.keyboard.press('a');
      await expect.poll(() => queryOf().get('at')).toBe(ofB);
      await page.keyboard.press('?');
      const help = page.getByRole('dialog', { name: 'Keys' });
      await help.getByLabel('Find a key or command').fill('compare');
      const ofCompare = help
        .locator('section section')
        .filter({ has: page.getByRole('heading', { name: 'Compare' }) });
      await ofCompare.getByText('Go to the first different action').waitFor();
      expect(await ofCompare.locator('div').filter({ hasText: 'palette' }).allInnerTexts()).toEqual([]);
      await page.keyboard.press('Escape');
      await help.waitFor({ state: 'detached' });
    });

    test('an equal segment is folded with its length, and opens', async () => {
      await visit(page, running.urlOf(`${linkOf(3, 15)}&at=0.2`));
      await laneOf('B')
        .getByText(/differs from A/)
        .waitFor();
      const fold = list()
        .getByRole('button', { name: /^▸ equal tool call · \d+ chars$/ })
        .first();
      await fold.click();
      await list().locator('.cmp-code').filter({ hasText: 'isqrt' }).first().waitFor();
      await fold.waitFor({ state: 'detached' });
      await page.keyboard.press('o');
      await fold.waitFor();
    });

    test('another lane becomes the baseline, and lanes are reordered', async () => {
      await visit(page, running.urlOf(`${linkOf(0, 1)}&on=1&at=1.1`));
      await laneOf('B')
        .getByText(/differs from A/)
        .waitFor();
      await page.keyboard.press('b');
      await expect.poll(() => queryOf().get('base')).toBe('1');
      await laneOf('B').getByText('baseline', { exact: true }).waitFor();
      await list().getByRole('region', { name: 'The fork of A' }).waitFor();
      await laneOf('A').getByRole('button', { name: 'Move A to the right' }).click();
      await expect.poll(() => queryOf().getAll('lane')[0]).toBe(`${GROUP}/rollout/1`);
      await expect.poll(() => queryOf().get('base')).toBeNull();
      await laneOf('A').getByText('baseline', { exact: true }).waitFor();
      await laneOf('A').getByRole('link', { name: '#1' }).waitFor();
    });

    test('< and > move the chosen lane, the pointer any; the position stays at its turn', async () => {
      await visit(page, running.urlOf(`${linkOf(1, 0, 2)}&on=1&at=1.1`));
      const ordinals = () =>
        queryOf()
          .getAll('lane')
          .map((lane) => lane.split('/').at(-1))
          .join(' ');
      await laneOf('C')
        .getByText(/differs from A/)
        .waitFor();
      await page.keyboard.press('>');
      await expect.poll(ordinals).toBe('1 2 0');
      await laneOf('C').getByRole('link', { name: '#0' }).waitFor();
      await expect.poll(() => queryOf().get('at')).toBe('2.1');
      await page.keyboard.press('<');
      await expect.poll(ordinals).toBe('1 0 2');
      await expect.poll(() => queryOf().get('at')).toBe('1.1');
      await laneOf('C')
        .getByText(/differs from A/)
        .waitFor();
      // Drags by the head's own surface, because dragging a link in it drags the link.
      await laneOf('A').dragTo(laneOf('C'), {
        sourcePosition: { x: 4, y: 4 },
        targetPosition: { x: 40, y: 4 },
      });
      await expect.poll(ordinals).toBe('0 2 1');
      await expect.poll(() => [queryOf().get('base'), queryOf().get('at')]).toEqual(['2', '0.1']);
      await laneOf('C').getByText('baseline', { exact: true }).waitFor();
      const said = async () => (await position().innerText()).replace(/\s+/g, ' ');
      await expect.poll(said).toMatch(/A turn 1 B no turn C no turn/);
      // No other lane has this row, so the nearest row replaces it.
      await laneOf('A').getByRole('button', { name: 'Remove A' }).click();
      await expect.poll(ordinals).toBe('2 1');
      await expect.poll(() => queryOf().get('at')).toBe('1.1');
      await expect.poll(said).toMatch(/B turn 1 /);
    });

    test('in the unified view, removed text is struck and added text underlined', async () => {
      await visit(page, running.urlOf(linkOf(1, 0)));
      await laneOf('B')
        .getByText(/differs from A/)
        .waitFor();
      await page.keyboard.press('v');
      await expect.poll(() => queryOf().get('layout')).toBe('unified');
      await list().locator('.is-struck').first().waitFor();
      await list().locator('.is-added-text').first().waitFor();
      await page.keyboard.press('v');
      await list().locator('.is-struck').first().waitFor({ state: 'detached' });
    });

    test('e opens the diff editor, Escape closes it', async () => {
      await visit(page, running.urlOf(`${linkOf(0, 1)}&at=1.1`));
      await laneOf('B')
        .getByText(/differs from A/)
        .waitFor();
      await page.keyboard.press('e');
      const dialog = page.getByRole('dialog');
      await dialog.locator('.monaco-diff-editor .view-line').first().waitFor();
      await dialog.getByRole('button', { name: 'inline' }).click();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await list().waitFor();
    });

    test('numbers that replace one another are boxed whole', async () => {
      const before = running.place();
      const group = '/run/synthetic-grpo-roc-demo/step/150/group/minimal-square-error';
      await visit(page, running.urlOf(`/compare?lane=${group}/rollout/0&lane=${group}/rollout/14`));
      await laneOf('B')
        .getByText(/differs from A/)
        .waitFor();
      await page.keyboard.press('e');
      const dialog = page.getByRole('dialog');
      // 0.07 and 0.09 differ in one digit, but the whole number is marked.
      await expect.poll(() => dialog.locator('.diff-number').allInnerTexts()).toEqual(['0.07', '0.09']);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await visit(page, running.urlOf(before));
      await laneOf('B')
        .getByText(/differs from A/)
        .waitFor();
    });

    test('prose is wrapped in the diff editor', async () => {
      await list().getByRole('button', { name: 'diff', exact: true }).first().click();
      const dialog = page.getByRole('dialog', { name: /^Reasoning of/ });
      const side = dialog.locator('.editor.modified');
      // A long line wraps, so there are fewer line numbers than visible lines.
      await expect.poll(() => side.locator('.view-line').count()).toBeGreaterThan(1);
      const numbers = async () =>
        (await side.locator('.line-numbers').allInnerTexts()).filter((text) => /\d/.test(text)).length;
      await expect
        .poll(
          async () => (await numbers()) > 0 && (await numbers()) < (await side.locator('.view-line').count()),
        )
        .toBe(true);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      // The key closed only the dialog.
      await list().waitFor();
      expect(running.place()).toMatch(/^\/compare/);
    });

    test('code is not wrapped', async () => {
      const [a, b] = [2, 3].map((ordinal) => `/run/kept/step/0/group/g/rollout/${ordinal}`);
      await visit(page, running.urlOf(`/compare?lane=${a}&lane=${b}`));
      await laneOf('B')
        .getByText(/differs from A/)
        .waitFor();
      await page.keyboard.press('e');
      const dialog = page.getByRole('dialog', { name: /^Tool call of/ });
      const lines = dialog.locator('.editor.modified .view-line');
      await lines.first().waitFor();
      await expect.poll(() => lines.first().innerText()).toMatch(/2/);
      await expect.poll(() => lines.count()).toBe(1);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    });

    test('equal turns are folded to one line; the same rollout twice is reported', async () => {
      await visit(page, running.urlOf(linkOf(0, 0)));
      await laneOf('B').getByText('same rollout as A').waitFor();
      await laneOf('B').getByText('equal to A').waitFor();
      const fold = list().getByRole('button', { name: /^▸ 3 equal turns · [\d,]+ chars$/ });
      await fold.waitFor();
      await page.keyboard.press('Enter');
      await list().getByText('turn 1', { exact: true }).first().waitFor();
      await list()
        .getByRole('button', { name: /fold again/ })
        .click();
      await fold.waitFor();
      // Opens the fold by key, from a turn in it.
      await page.keyboard.press('o');
      await list().getByText('turn 2', { exact: true }).first().waitFor();
      await page.keyboard.press('j');
      await expect.poll(row).toBe(1);
      await page.keyboard.press('o');
      await fold.waitFor();
    });

    test('a removed lane keeps its column with a message, and can be closed', async () => {
      await visit(page, running.urlOf(`${linkOf(0, 999, 3)}&base=2`));
      await laneOf('B').getByText('#999 not found').waitFor();
      await laneOf('C').getByText('baseline', { exact: true }).waitFor();
      await laneOf('A')
        .getByText(/differs from C/)
        .waitFor();
      await laneOf('B').getByRole('button', { name: 'Remove', exact: true }).click();
      await expect.poll(() => queryOf().getAll('lane').length).toBe(2);
      await laneOf('B').getByRole('link', { name: '#3' }).waitFor();
      await laneOf('B').getByText('baseline', { exact: true }).waitFor();
    });

    test('a link restores lanes, baseline, position and options, and Enter opens the replay', async () => {
      await visit(page, running.urlOf(`${linkOf(3, 1)}&base=1&on=0&at=0.2&equal=show&show=code,output`));
      await laneOf('B').getByText('baseline', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'code', pressed: true }).waitFor();
      await page.getByRole('button', { name: 'show', exact: true, pressed: true }).waitFor();
      await expect.poll(() => current().isVisible()).toBe(true);
      await expect.poll(row).toBe(1);
      await page.keyboard.press('Enter');
      await expect.poll(() => running.place()).toMatch(/\/rollout\/3(\?turn=\d+)?$/);
    });

    test('a rollout removed from the library leaves a lane that can be closed', async () => {
      const [kept, gone] = ['/run/kept/step/0/group/g/rollout/0', '/run/gone/step/0/group/g/rollout/0'];
      const place = `/compare?lane=${gone}&lane=${kept}&at=1.2`;
      await visit(page, running.urlOf(place));
      await laneOf('B')
        .getByText(/differs from A/)
        .waitFor();
      // If another window is possible, the comparison stays open; else its results are cached.
      const isOpen = shell.name === 'browser';
      const popup = isOpen ? page.waitForEvent('popup') : page;
      if (isOpen) await page.evaluate(() => void window.open('/run/gone'));
      const other = await popup;
      if (!isOpen)
        await other.evaluate(() => {
          history.pushState(undefined, '', '/run/gone');
          dispatchEvent(new PopStateEvent('popstate'));
        });
      await other.getByRole('heading', { level: 1, name: 'gone' }).waitFor();
      await other.keyboard.press('Delete');
      await other.getByRole('button', { name: 'Remove 1 rollout' }).click();
      await other.getByText(/^gone removed/).waitFor();
      if (isOpen) await other.close();
      else {
        await page.goBack();
        await page.goBack();
      }
      for (const again of [false, true]) {
        if (again) await visit(page, running.urlOf(place));
        await laneOf('A').getByText('#0 not found').waitFor();
        await laneOf('A')
          .getByText(/It was removed, logged again/)
          .waitFor();
        await laneOf('B').getByRole('link', { name: '#0' }).waitFor();
      }
      await laneOf('A').getByRole('button', { name: 'Remove', exact: true }).click();
      await expect.poll(() => queryOf().getAll('lane')).toEqual([kept]);
      await expect.poll(row).toBe(1);
      await expect.poll(() => queryOf().get('at')).toBe('0.2');
    });

    test('an empty response is shown beside a full one, with a message', async () => {
      const [full, empty] = ['/run/kept/step/0/group/g/rollout/0', '/run/kept/step/0/group/g/rollout/1'];
      await visit(page, running.urlOf(`/compare?lane=${full}&lane=${empty}`));
      await laneOf('B').getByText('empty response').waitFor();
      await laneOf('B').getByText('differs from A at the start').waitFor();
      await list().getByText('turn 2', { exact: true }).first().waitFor();
      await expect.poll(() => list().locator('.cmp-gap').count()).toBeGreaterThan(2);
      await page.keyboard.press('b');
      await laneOf('A').getByText('differs from B at the start').waitFor();
      await expect.poll(() => list().locator('.is-added').count()).toBeGreaterThan(2);
      await page.keyboard.press('v');
      await list().getByText('I add.', { exact: false }).first().waitFor();
    });

    test('two empty responses are both reported', async () => {
      const empty = '/run/kept/step/0/group/g/rollout/1';
      await visit(page, running.urlOf(`/compare?lane=${empty}&lane=${empty}`));
      await list().getByRole('heading', { name: 'Both responses are empty' }).waitFor();
    });

    test('the names of facts do not touch their values, in a narrow window and at 200 % zoom', async () => {
      const size = page.viewportSize();
      const lane = '/run/malformed/step/0/group/g/rollout';
      await visit(page, running.urlOf(`/compare?lane=${lane}/0&lane=${lane}/1`));
      await page.getByRole('button', { name: /more facts?$/ }).click();
      const name = page.getByRole('rowheader', { name: 'malformed calls' });
      await name.waitFor();
      const gaps = () =>
        page.locator('.cmp-facts tbody tr').evaluateAll((rows) =>
          rows.map((row) => {
            const box = (of: string) => {
              const range = document.createRange();
              range.selectNodeContents(row.querySelector(of) ?? row);
              return range.getBoundingClientRect();
            };
            const value = box('td');
            return value.width === 0 ? 99 : value.left - box('th').right;
          }),
        );
      for (const [width, height] of [
        [1024, 768],
        [720, 450],
      ] as const) {
        await page.setViewportSize({ width, height });
        await name.waitFor();
        await expect
          .poll(async () => Math.min(...(await gaps())), { message: `${width} px` })
          .toBeGreaterThanOrEqual(6);
      }
      // Beside the panel of labels there is less room still: no value is cut off.
      await page.locator('.cmp-toolbar').getByRole('button', { name: 'Show the side panel' }).click();
      const cut = () =>
        page
          .locator('.cmp-facts td')
          .evaluateAll((cells) =>
            cells.flatMap((cell) => (cell.scrollWidth > cell.clientWidth ? [cell.textContent] : [])),
          );
      await expect.poll(cut).toEqual([]);
      await page.getByRole('button', { name: 'Hide the side panel' }).click();
      if (size !== null) await page.setViewportSize(size);
      await page.getByRole('button', { name: /fewer facts$/ }).click();
    });

    test('lanes beyond the fourth are counted, and one appears when a lane is closed', async () => {
      await visit(page, running.urlOf(linkOf(0, 1, 2, 3, 4, 5)));
      await page.getByText('2 lanes left out: 4 at most').waitFor();
      await laneOf('D').getByRole('link', { name: '#3' }).waitFor();
      await laneOf('B').getByRole('button', { name: 'Remove B' }).click();
      await page.getByText('1 lane left out: 4 at most').waitFor();
      await laneOf('D').getByRole('link', { name: '#4' }).waitFor();
    });

    test('at four lanes the rows have most of the window', async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.evaluate(() => document.fonts.ready);
      await laneOf('A').waitFor();
      await list().getByText('turn 1', { exact: true }).first().waitFor();
      const heights = () =>
        list().evaluate((element) => {
          const top = element.getBoundingClientRect().top;
          const first = element.querySelector('[data-row]')?.getBoundingClientRect().top ?? 0;
          return { head: first - top, rows: element.getBoundingClientRect().bottom - first };
        });
      // The page is laid out anew for the size of its window.
      await expect
        .poll(heights)
        .toSatisfy(({ head, rows }: Awaited<ReturnType<typeof heights>>) => head <= 220 && rows / 800 >= 0.6);
    });

    test('Escape returns to the previous page, also after a reload', async () => {
      const tree = page.getByRole('tree', { name: 'Fork tree of pairs-of-divisors' });
      await page.goto(running.urlOf(GROUP));
      await page.getByRole('grid', { name: 'Rollouts of pairs-of-divisors' }).waitFor();
      await page.goto(running.urlOf(`${GROUP}/tree`));
      await tree.waitFor();
      for (const isReloaded of [false, true]) {
        await page.keyboard.press('x');
        await laneOf('B')
          .getByText(/differs from A/)
          .waitFor();
        if (isReloaded) {
          await page.reload();
          await laneOf('B')
            .getByText(/differs from A/)
            .waitFor();
        }
        await page.keyboard.press('Escape');
        await tree.waitFor();
        await expect.poll(() => running.place().split('?')[0]).toBe(`${GROUP}/tree`);
      }
      await page.keyboard.press('Escape');
      await page.getByRole('grid', { name: 'Rollouts of pairs-of-divisors' }).waitFor();
    });

    test('Escape after e without a difference stays in the comparison', async () => {
      await page.goto(running.urlOf(`${GROUP}/rollout/0`));
      await page.getByRole('region', { name: 'Transcript' }).waitFor();
      await page.goto(running.urlOf(linkOf(0, 0)));
      await laneOf('B').getByText('equal to A').waitFor();
      await page.keyboard.press('e');
      const said = page.getByText('Nothing to compare in this row');
      await said.waitFor();
      await page.keyboard.press('Escape');
      await said.waitFor({ state: 'detached' });
      await laneOf('B').getByText('equal to A').waitFor();
      expect(running.place()).toMatch(/^\/compare/);
      await page.keyboard.press('Escape');
      await expect.poll(() => running.place().split('?')[0]).toBe(`${GROUP}/rollout/0`);
    });

    test('O shows the whole error of a turn, in the replay, the rows and the watch', async () => {
      const group = '/run/failing/step/0/group/g/rollout';
      const last = (name: string) => page.getByText(`ValueError: the end of ${name}`);
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      await visit(page, running.urlOf(`${group}/0?turn=1`));
      const transcript = page.getByRole('region', { name: 'Transcript' });
      await transcript.getByRole('button', { name: /^Show all 50\d lines/ }).waitFor();
      await transcript.focus();
      expect(await last('one').count()).toBe(0);
      await page.keyboard.press('Shift+O');
      await last('one').waitFor();
      await expect.poll(focused).toBe('Transcript');
      await page.keyboard.press('Shift+O');
      await last('one').waitFor({ state: 'detached' });
      await page.keyboard.press('j');
      await expect.poll(() => queryOf().get('turn')).toBe('2');
      await page.keyboard.press('Shift+O');
      await page.getByText('No error is shortened in this turn').waitFor();

      await visit(page, running.urlOf(`/compare?lane=${group}/0&lane=${group}/1&side=watch`));
      const watch = page.getByRole('table', { name: 'Watch' });
      await watch
        .getByRole('row', { name: /^errors/ })
        .getByRole('button')
        .first()
        .waitFor();
      // The rows leave out equal lines, the watch all after the beginning.
      const middle = page.getByText('line 250');
      expect(await middle.count()).toBe(0);
      await page.keyboard.press('Shift+O');
      await watch.getByText('ValueError: the end of one').waitFor();
      await watch.getByText('ValueError: the end of two').waitFor();
      await expect.poll(() => middle.count()).toBeGreaterThan(2);
      await page.keyboard.press('Shift+O');
      await expect.poll(() => middle.count()).toBe(0);
      // By pointer.
      await watch
        .getByRole('row', { name: /^errors/ })
        .getByRole('button')
        .first()
        .click();
      await watch.getByText('ValueError: the end of one').waitFor();
    });

    test('a tree by action shows what was called and what came back, with the same keys', async () => {
      await visit(page, running.urlOf(`${GROUP}/tree`));
      const tree = page.getByRole('tree', { name: 'Fork tree of pairs-of-divisors' });
      await tree.waitFor();
      await page.getByRole('button', { name: 'By action' }).click();
      await page.getByText(/A branch is a tool call or a final answer/).waitFor();
      expect(queryOf().get('by')).toBe('action');
      await tree.getByText('Start').waitFor();
      const called = tree.getByRole('treeitem').filter({ hasText: 'python_code_with_standard_io' }).first();
      await called
        .getByText(/success|no error/)
        .first()
        .waitFor();
      await tree.focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => queryOf().get('at')).toMatch(/^[nr]\d+$/);
      expect(await tree.evaluate((element) => element === document.activeElement)).toBe(true);
      // A reload keeps the kind of branch, and x compares one rollout of each.
      await page.reload();
      await tree.getByText('Start').waitFor();
      await page.keyboard.press('Home');
      await page.keyboard.press('x');
      await laneOf('B')
        .getByText(/differs from A|equal to A/)
        .waitFor();
    });

    test('a tree over the steps shows the share of each branch, for the selected steps', async () => {
      // Clears the collection.
      await page.evaluate(() => localStorage.clear());
      await page.goto(running.urlOf(`${GROUP}/tree?of=steps`));
      const tree = page.getByRole('tree', { name: 'Fork tree of pairs-of-divisors' });
      await tree.waitFor();
      await page.getByText(/^384 rollouts of 12 steps\./).waitFor();
      const root = tree.getByRole('treeitem').first();
      await root.getByRole('img', { name: 'Over the steps: 100 % of step 0 to 100 % of step 500' }).waitFor();
      await page.getByRole('combobox', { name: 'To step' }).selectOption('50');
      await page.getByText(/^64 rollouts of 2 steps\./).waitFor();
      await expect.poll(() => queryOf().get('steps')).toBe('0-50');
      await root.getByRole('img', { name: 'Over the steps: 100 % of step 0 to 100 % of step 50' }).waitFor();
      // A collected rollout is marked here, too.
      await page.keyboard.press('Shift+G');
      await page.keyboard.press('c');
      const mark = tree.getByRole('img', { name: /^in comparison: / });
      await mark.waitFor();
      await page.keyboard.press('c');
      await mark.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'All 12 steps' }).click();
      await page.getByText(/^384 rollouts of 12 steps\./).waitFor();
      expect(queryOf().get('steps')).toBeNull();
    });

    test('the position follows manual scrolling', async () => {
      await visit(page, running.urlOf(`${linkOf(0, 3)}&equal=show`));
      const position = page.getByRole('region', { name: 'Position' }).getByText(/^row \d+ of \d+$/);
      await position.waitFor();
      const at = async () => /^row (\d+) of (\d+)$/.exec(await position.innerText())?.slice(1) ?? [];
      const [first, rows] = await at();
      expect(first).toBe('1');
      const box = await page.getByRole('region', { name: 'Aligned turns' }).boundingBox();
      if (box === null) throw new Error('the rows are not there');
      await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.8);
      await expect
        .poll(async () => {
          await page.mouse.wheel(0, 600);
          return (await at())[0];
        })
        .toBe(rows);
      expect(queryOf().get('at')).not.toBeNull();
      await expect
        .poll(async () => {
          await page.mouse.wheel(0, -600);
          return (await at())[0];
        })
        .toBe('1');
    });

    test('the panel and its tab are part of the link, and the tab is remembered', async () => {
      const panel = page.getByRole('complementary', { name: 'Panel' });
      // Simulates a user who has never opened a panel.
      await page.evaluate(() => localStorage.clear());
      await visit(page, running.urlOf(`${linkOf(0, 3)}&side=breakpoints`));
      await panel.getByRole('button', { name: 'Breakpoints', pressed: true }).waitFor();
      await panel.getByRole('button', { name: 'Watch' }).click();
      await expect.poll(() => queryOf().get('side')).toBe('watch');
      await panel.getByRole('button', { name: 'Breakpoints' }).click();
      // A link without a tab opens on the last one.
      await visit(page, running.urlOf(linkOf(0, 3)));
      await expect.poll(() => queryOf().get('side')).toBe('breakpoints');
      await page.getByRole('region', { name: 'Aligned turns' }).focus();
      await page.keyboard.press('i');
      await panel.waitFor({ state: 'detached' });
      expect(queryOf().get('side')).toBeNull();
      await page.keyboard.press('i');
      await panel.waitFor();
      expect(queryOf().get('side')).toBe('breakpoints');
      await page.keyboard.press('i');
      await panel.waitFor({ state: 'detached' });
    });

    test('Escape closes the side panel first, then leaves', async () => {
      const panel = page.getByRole('complementary', { name: 'Panel' });
      await page.goto(running.urlOf(`${GROUP}/rollout/0`));
      await page.getByRole('region', { name: 'Transcript' }).waitFor();
      await page.goto(running.urlOf(linkOf(0, 3)));
      await page.getByRole('button', { name: /^Labels .* findings$/ }).click();
      await panel.getByRole('heading', { name: 'No labels or notes yet' }).waitFor();
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
      expect(running.place()).toMatch(/^\/compare/);
      expect(queryOf().get('side')).toBeNull();
      await page.keyboard.press('Escape');
      await expect.poll(() => running.place().split('?')[0]).toBe(`${GROUP}/rollout/0`);
    });

    test('number keys label the chosen lane, the other one, or both, and u undoes', async () => {
      await visit(page, running.urlOf(linkOf(0, 3)));
      await laneOf('B').getByRole('link', { name: '#3' }).waitFor();
      const bar = page.getByRole('region', { name: 'Labels and notes' });
      const target = async (name: string) =>
        bar.getByRole('button', { name, exact: true, pressed: true }).waitFor();
      const chip = (letter: string) => laneOf(letter).getByText('Wrong tool use');
      const chipsAre = (a: number, b: number) =>
        expect.poll(async () => [await chip('A').count(), await chip('B').count()]).toEqual([a, b]);
      await target('B');
      await page.keyboard.press('1');
      await chipsAre(0, 1);
      await page.keyboard.press('L');
      await target('both');
      await page.keyboard.press('1');
      await chipsAre(1, 1);
      await page.keyboard.press('1');
      await chipsAre(0, 0);
      // One press is one step, whatever it changed.
      await page.keyboard.press('u');
      await chipsAre(1, 1);
      await page.keyboard.press('u');
      await chipsAre(0, 1);
      await page.keyboard.press('L');
      await target('A');
      expect(queryOf().get('on')).toBe('0');
      // A change of the other lane is undone without leaving the comparison.
      await page.keyboard.press('u');
      await chipsAre(0, 0);
      expect(running.place()).toMatch(/^\/compare\?/);
      await page.keyboard.press('U');
      await chipsAre(0, 1);
      await page.keyboard.press('u');
      await chipsAre(0, 0);
    });

    test('m writes a note with a severity on both lanes, in the panel', async () => {
      await visit(page, running.urlOf(linkOf(0, 3)));
      const bar = page.getByRole('region', { name: 'Labels and notes' });
      await bar.getByRole('button', { name: 'both', exact: true }).click();
      await page.keyboard.press('m');
      const editor = page.getByRole('form', { name: 'Note' });
      await editor.getByText('Note on A and B').waitFor();
      await expect.poll(() => editor.evaluate((form) => form.contains(document.activeElement))).toBe(true);
      await page.keyboard.type('Same slip');
      await editor.getByRole('button', { name: 'major' }).click();
      await editor.getByRole('button', { name: 'Save' }).click();
      for (const letter of ['A', 'B']) await laneOf(letter).getByText('Same slip').waitFor();
      const panel = page.getByRole('complementary', { name: 'Panel' });
      await panel.locator('.annotation', { hasText: 'Same slip' }).getByText('major').waitFor();
      await list().focus();
      await page.keyboard.press('u');
      for (const letter of ['A', 'B'])
        await laneOf(letter).getByText('Same slip').waitFor({ state: 'detached' });
      await bar.getByRole('button', { name: 'B', exact: true }).click();
      await list().focus();
      await page.keyboard.press('i');
      await panel.waitFor({ state: 'detached' });
    });

    test('the page reported no error', () => {
      expect(errors).toEqual([]);
    });
  });
}
