/** Arranging tables, on every target: columns, several sort keys, selection, copying, conditions. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { visit } from './visit.ts';

const STEP = '/run/synthetic-grpo-roc-demo/step/150';
const ROLLOUTS = `${STEP}?tab=rollouts`;

export function describeTables(shell: Shell): void {
  describe(`${shell.name}: tables`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    onDemo(shell, (demo) => {
      ({ running, page, errors } = demo);
    });

    const queryOf = (name: string) => new URLSearchParams(running.place().split('?')[1] ?? '').get(name);
    const head = (name: string) => page.getByRole('columnheader', { name, exact: true });
    const heads = async () => {
      const all = await page.getByRole('columnheader').allInnerTexts();
      return all.map((text) => text.trim()).filter((text) => text !== '');
    };
    const selected = () => page.getByRole('row', { selected: true });
    const row = (at: number) => page.getByRole('row').nth(at + 1);
    const bar = () => page.getByRole('status').filter({ hasText: /selected$/ });
    const pick = () => page.getByRole('button', { name: 'Columns and density' }).click();

    async function openList(place: string): Promise<void> {
      await visit(page, running.urlOf(place));
      await page.getByRole('grid').waitFor();
      await page.getByRole('gridcell').filter({ hasText: /\S/ }).first().waitFor();
    }

    /** Records clipboard writes, because reading the clipboard needs a permission. */
    async function watchClipboard(): Promise<() => Promise<string | undefined>> {
      await page.evaluate(() => {
        const seen = window as { copied?: string };
        delete seen.copied;
        navigator.clipboard.writeText = async (text) => {
          seen.copied = text;
        };
      });
      return () => page.evaluate(() => (window as { copied?: string }).copied);
    }

    test('columns beyond a narrow window are marked at its edge and scrolled to with their heads', async () => {
      const size = page.viewportSize();
      await page.setViewportSize({ width: 1024, height: 720 });
      try {
        await openList('/run/synthetic-grpo-roc-demo/step/0/group/pairs-of-divisors?ways=all');
        const shadow = () =>
          page.evaluate(
            () =>
              getComputedStyle(document.querySelector('.vtable-frame') ?? document.body, '::after').opacity,
          );
        await expect.poll(shadow).toBe('1');
        await expect.poll(async () => (await head('turns').boundingBox())?.x).toBeGreaterThan(1024);
        await page.getByRole('grid').hover();
        await page.mouse.wheel(4000, 0);
        await expect.poll(shadow).toBe('0');
        const [last, cell] = [page.getByRole('columnheader').last(), row(0).getByRole('gridcell').last()];
        // The end of the list appears before the last pixels are scrolled.
        await expect
          .poll(async () => {
            const [above, below] = [await last.boundingBox(), await cell.boundingBox()];
            return above?.x === below?.x && (above?.x ?? 2000) + (above?.width ?? 0) < 1024;
          })
          .toBe(true);
      } finally {
        if (size !== null) await page.setViewportSize(size);
      }
    });

    test('the list of runs fits 1024 px, and the breadcrumb cuts long names only', async () => {
      const size = page.viewportSize();
      await page.setViewportSize({ width: 1024, height: 720 });
      try {
        await openList('/');
        const over = () => page.getByRole('grid').evaluate((grid) => grid.scrollWidth - grid.clientWidth);
        await expect.poll(over).toBe(0);
        await page.goto(
          running.urlOf('/run/synthetic-grpo-roc-demo/step/0/group/pairs-of-divisors/rollout/3/alike'),
        );
        const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
        await crumbs.getByText('similar').waitFor();
        const cut = () =>
          crumbs
            .locator('[title]')
            .evaluateAll((all) =>
              all.flatMap((one) => (one.scrollWidth > one.clientWidth ? [one.textContent] : [])),
            );
        await expect.poll(cut).toEqual([]);
        await page.setViewportSize({ width: 560, height: 720 });
        await expect.poll(cut).toEqual(['demo (synthetic)', 'pairs-of-divisors']);
      } finally {
        if (size !== null) await page.setViewportSize(size);
      }
    });

    test('the chips of the top bar give way to the path, whose last part stays', async () => {
      const size = page.viewportSize();
      try {
        await openList('/run/synthetic-grpo-roc-demo/step/0/group/pairs-of-divisors');
        await page.keyboard.press('c');
        await page.getByText(/added to comparison/).waitFor();
        await page.goto(
          running.urlOf('/run/synthetic-grpo-roc-demo/step/0/group/pairs-of-divisors/rollout/3'),
        );
        await page.getByRole('link', { name: 'compare 1' }).waitFor();
        // As they are beside a followed directory, a log being read and a verification.
        await page.locator('.top-right').evaluate((right) => {
          const add = (kind: string, html: string) => {
            const chip = document.createElement('a');
            chip.className = kind;
            chip.innerHTML = html;
            right.prepend(chip);
          };
          const bar = '<progress value="0.5" max="1"></progress>';
          add('job-chip', `${bar} 36 of 1,821 rollouts verified`);
          add('job-chip', `${bar} 1,234 new rollouts`);
          const dot = '<i class="follow-dot is-watching"></i>';
          add(
            'follow-chip',
            `${dot} following <b>growing</b> <span>54 new rollouts since 14:02, the last 4 min ago</span>`,
          );
        });
        const state = () =>
          page.locator('.top').evaluate((top) => {
            const parts = [...top.querySelectorAll('.top-name, .crumbs > *, .top > .chip, .top-right > *')]
              .map((part) => ({ part, box: part.getBoundingClientRect() }))
              .filter(({ box }) => box.width > 0);
            const over = parts.flatMap(({ part, box }, i) =>
              box.left < (parts[i - 1]?.box.right ?? 0) - 0.5 ? [part.textContent] : [],
            );
            const last = top.querySelector('.crumbs em');
            const first = top.querySelector('.crumbs a');
            const isWhole = last !== null && last.scrollWidth <= last.clientWidth;
            const end = parts.at(-1)?.box.right ?? 0;
            const at = first?.getBoundingClientRect();
            const hit = at && document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2);
            return { over, isWhole, isInside: end <= innerWidth, isClickable: hit === first };
          });
        for (const width of [720, 1024, 1280]) {
          await page.setViewportSize({ width, height: 450 });
          await expect
            .poll(state, { message: `${width} px` })
            .toEqual({ over: [], isWhole: true, isInside: true, isClickable: true });
        }
      } finally {
        if (size !== null) await page.setViewportSize(size);
      }
    });

    test('in a low window, the page scrolls to the row under the cursor', async () => {
      const size = page.viewportSize();
      await page.setViewportSize({ width: 720, height: 450 });
      try {
        // A list that no other test opens, because its position is remembered.
        await openList('/run/synthetic-grpo-roc-demo/step/300?tab=rollouts');
        const seen = () =>
          selected().evaluate((row) => {
            const { left, top, height } = row.getBoundingClientRect();
            return {
              rowIndex: row.ariaRowIndex,
              isSeen: document.elementFromPoint(left + 5, top + height / 2)?.closest('[role=row]') === row,
            };
          });
        for (let rowIndex = 3; rowIndex < 20; rowIndex++) {
          await page.keyboard.press('ArrowDown');
          await expect.poll(seen).toEqual({ rowIndex: `${rowIndex}`, isSeen: true });
        }
      } finally {
        if (size !== null) await page.setViewportSize(size);
      }
    });

    test('no entry of the menu of columns is under its help text', async () => {
      await openList(ROLLOUTS);
      await page.getByRole('button', { name: 'Columns and density' }).click();
      const menu = page.getByRole('dialog', { name: 'Columns' });
      await menu.waitFor();
      const isUnder = await menu.evaluate((element) => {
        const help = element.querySelector('p')?.getBoundingClientRect();
        if (help === undefined) return true;
        const seen = document.elementFromPoint(help.left + 30, help.top + 10);
        return seen?.closest('label') !== null || seen.closest('p') === null;
      });
      expect(isUnder).toBe(false);
      const last = menu.getByRole('checkbox').last();
      await last.scrollIntoViewIfNeeded();
      await last.click({ trial: true });
      await page.keyboard.press('Escape');
    });

    test('the second click of a double click does nothing on the page that the first opened', async () => {
      await openList(ROLLOUTS);
      await row(1).filter({ hasText: /\d/ }).waitFor();
      const cell = await row(1).boundingBox();
      if (cell === null) throw new Error('there is no second row');
      await page.mouse.click(cell.x + cell.width / 2, cell.y + 5);
      await page.getByRole('navigation', { name: 'Outline' }).waitFor();
      // The text is now at the position of the row.
      const text = await page.locator('[data-start]').first().boundingBox();
      if (text === null) throw new Error('no text is drawn');
      const selectedBy = async (detail: number) => {
        await page.mouse.move(text.x + 20, text.y + 8);
        await page.mouse.down({ clickCount: detail });
        await page.mouse.up({ clickCount: detail });
        return page.evaluate(() => String(getSelection()));
      };
      expect(await selectedBy(2)).toBe('');
      // A double click that begins on this page selects a word as usual.
      await selectedBy(1);
      expect(await selectedBy(2)).not.toBe('');
    });

    test('a column is hidden, and stays hidden after a reload, until a reset', async () => {
      await openList(ROLLOUTS);
      await expect.poll(heads).toContain('p_format');
      const before = await heads();
      await pick();
      await page.getByRole('checkbox', { name: 'p_format' }).uncheck();
      await page.keyboard.press('Escape');
      await expect.poll(heads).toEqual(before.filter((name) => name !== 'p_format'));
      await page.reload();
      await page.getByRole('grid').waitFor();
      await expect.poll(heads).toEqual(before.filter((name) => name !== 'p_format'));
      await pick();
      await page.getByRole('button', { name: 'Reset columns' }).click();
      await page.keyboard.press('Escape');
      await expect.poll(heads).toEqual(before);
    });

    test('a column is moved by keys in the picker, and by dragging its head', async () => {
      await openList(ROLLOUTS);
      await expect.poll(heads).toContain('turns');
      const before = await heads();
      await pick();
      await page.getByRole('checkbox', { name: 'turns' }).focus();
      await page.keyboard.press('Alt+ArrowUp');
      await page.keyboard.press('Escape');
      const at = before.indexOf('turns');
      const byKeys = before.toSpliced(at, 1).toSpliced(at - 1, 0, 'turns');
      await expect.poll(heads).toEqual(byKeys);
      await page.getByRole('checkbox', { name: 'turns' }).waitFor({ state: 'detached' });
      const from = await head('turns').boundingBox();
      const to = await head('calls').boundingBox();
      if (from === null || to === null) throw new Error('the heads are not seen');
      await page.mouse.move(from.x + from.width / 2, from.y + 12);
      await page.mouse.down();
      await page.mouse.move(to.x + 2, to.y + 12, { steps: 6 });
      await page.mouse.up();
      await expect.poll(heads).toEqual(before);
      // Dragging a head does not sort.
      expect(queryOf('sort')).toBeNull();
    });

    test('a width is dragged, changed by keys in the picker, and reset', async () => {
      await openList(ROLLOUTS);
      const width = async () => Math.round((await head('answer').boundingBox())?.width ?? 0);
      const before = await width();
      const box = await head('answer').boundingBox();
      if (box === null) throw new Error('the head is not seen');
      const edge = { x: box.x + box.width + 6, y: box.y + 15 };
      const left = box.x;
      await page.mouse.move(edge.x, edge.y);
      await page.mouse.down();
      await page.mouse.move(edge.x + 40, edge.y, { steps: 4 });
      await page.mouse.up();
      await expect.poll(width).toBe(before + 40);
      // The edge stays under the pointer.
      await expect.poll(async () => (await head('answer').boundingBox())?.x).toBeCloseTo(left, 0);
      await page.reload();
      await page.getByRole('grid').waitFor();
      await expect.poll(width).toBe(before + 40);
      await page.mouse.dblclick(edge.x + 40, edge.y);
      await expect.poll(width).toBeLessThan(before + 40);
      expect(queryOf('sort')).toBeNull();
      await pick();
      await page.getByRole('checkbox', { name: 'answer' }).focus();
      await page.keyboard.press('Alt+ArrowRight');
      await page
        .getByRole('status')
        .filter({ hasText: `answer: ${before + 10} px wide` })
        .waitFor({ state: 'attached' });
      await expect.poll(width).toBe(before + 10);
      await page.keyboard.press('Alt+ArrowLeft');
      await page.keyboard.press('Alt+ArrowLeft');
      await expect.poll(width).toBe(before - 10);
      await page.getByRole('button', { name: 'Reset columns' }).click();
      await page.keyboard.press('Escape');
      await expect.poll(width).toBe(before);
    });

    test('rows are dense in all tables once they are in one', async () => {
      await openList(ROLLOUTS);
      const height = async () => (await row(0).boundingBox())?.height;
      await expect.poll(height).toBe(28);
      await pick();
      await page.getByRole('button', { name: 'Compact' }).click();
      await page.keyboard.press('Escape');
      await expect.poll(height).toBe(22);
      await openList(`${STEP}?tab=groups`);
      await expect.poll(height).toBe(22);
      await pick();
      await page.getByRole('button', { name: 'Comfortable' }).click();
      await page.keyboard.press('Escape');
      await expect.poll(height).toBe(28);
    });

    test('Shift-click sorts by a further column, and the link has it', async () => {
      await openList(ROLLOUTS);
      await head('reward').getByRole('button').click();
      await expect.poll(() => queryOf('sort')).toBe('-reward');
      await head('turns')
        .getByRole('button')
        .click({ modifiers: ['Shift'] });
      await expect.poll(() => queryOf('sort')).toBe('-reward,-turns');
      await page.getByRole('columnheader', { name: 'turns ▼2' }).waitFor();
      await page
        .getByRole('columnheader', { name: 'turns ▼2' })
        .getByRole('button')
        .click({ modifiers: ['Shift'] });
      await expect.poll(() => queryOf('sort')).toBe('-reward,turns');
      const second = page.getByRole('columnheader', { name: 'turns ▲2' });
      await second.waitFor();
      await expect.poll(() => second.getAttribute('aria-sort')).toBe('ascending');
      await page.getByRole('columnheader', { name: 'reward ▼1' }).waitFor();
    });

    test('rows are selected by keys and clicks, and Escape lets go of them', async () => {
      await openList(ROLLOUTS);
      expect(await page.getByRole('grid').getAttribute('aria-multiselectable')).toBe('true');
      await selected().first().waitFor();
      await page.keyboard.press('Shift+ArrowDown');
      await page.keyboard.press('Shift+J');
      await bar().filter({ hasText: '3 selected' }).waitFor();
      await page.keyboard.press('Shift+K');
      await bar().filter({ hasText: '2 selected' }).waitFor();
      await row(6).click({ modifiers: ['ControlOrMeta'] });
      await bar().filter({ hasText: '3 selected' }).waitFor();
      await expect.poll(() => selected().count()).toBe(3);
      await row(9).click({ modifiers: ['Shift'] });
      await bar().filter({ hasText: '6 selected' }).waitFor();
      await page.keyboard.press('ControlOrMeta+a');
      await bar().filter({ hasText: '160 selected' }).waitFor();
      const here = running.place();
      await page.keyboard.press('Escape');
      await bar().waitFor({ state: 'detached' });
      expect(running.place()).toBe(here);
      await expect.poll(() => selected().count()).toBe(1);
    });

    test('selected rows are copied as TSV: complete, exact, in column order', async () => {
      await openList(ROLLOUTS);
      const copied = await watchClipboard();
      await page.keyboard.press('ControlOrMeta+a');
      await bar().filter({ hasText: '160 selected' }).waitFor();
      await page.keyboard.press('ControlOrMeta+c');
      await page.getByText('160 rows copied as TSV').waitFor();
      const lines = ((await copied()) ?? '').trimEnd().split('\n');
      expect(lines).toHaveLength(161);
      const names = lines[0]?.split('\t') ?? [];
      expect(names.slice(0, 5)).toEqual(['kept', 'problem id', 'rollout', 'answer', 'correct']);
      const advantages = lines.slice(1).map((line) => line.split('\t')[names.indexOf('advantage')] ?? '');
      // Unknown is blank, and +0.85 is copied with all its digits.
      expect(advantages).toContain('');
      expect(advantages.some((text) => /^-?\d+\.\d{4,}$/.test(text))).toBe(true);
    });

    test('two to four selected rows are compared', async () => {
      await openList(ROLLOUTS);
      await page.getByRole('grid').focus();
      await page.keyboard.press('Space');
      await bar().filter({ hasText: '1 selected' }).waitFor();
      const compare = page.getByRole('main').getByRole('button', { name: 'Compare', exact: true });
      await expect.poll(() => compare.isDisabled()).toBe(true);
      await page.keyboard.press('Shift+ArrowDown');
      await bar().filter({ hasText: '2 selected' }).waitFor();
      await page.getByRole('button', { name: 'Clear', exact: true }).focus();
      const here = running.place();
      await page.keyboard.press('Escape');
      await bar().waitFor({ state: 'detached' });
      expect(running.place()).toBe(here);
      await page.keyboard.press('Space');
      await page.keyboard.press('Shift+ArrowUp');
      await bar().filter({ hasText: '2 selected' }).waitFor();
      await compare.click();
      await expect.poll(() => running.place().split('?')[0]).toBe('/compare');
      const lanes = new URLSearchParams(running.place().split('?')[1]).getAll('lane');
      expect(lanes).toHaveLength(2);
    });

    test('a column head starts a condition in the filter box; a cell adds its value', async () => {
      await openList(ROLLOUTS);
      await head('turns').click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Filter…' }).click();
      const box = page.getByRole('combobox', { name: 'Filter rollouts' });
      await expect.poll(() => box.inputValue()).toBe('turns:>');
      await page.keyboard.type('2');
      await page.keyboard.press('Enter');
      await expect.poll(() => queryOf('q')).toBe('turns:>2');
      const status = page.locator('.filter-note p');
      await status.filter({ hasText: /^\d+ of 160 rollouts$/ }).waitFor();
      const column = (await page.getByRole('columnheader').allInnerTexts()).findIndex(
        (name) => name.trim() === 'rollout',
      );
      const cell = row(0).getByRole('gridcell').nth(column);
      await cell.filter({ hasText: /^#\d+/ }).waitFor();
      const index = (await cell.innerText()).slice(1);
      await cell.click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Without this value' }).click();
      await expect.poll(() => queryOf('q')).toBe(`turns:>2 not ordinal:${index}`);
    });

    test('every head has its menu by keys, also one that does not sort', async () => {
      await openList(ROLLOUTS);
      const before = await heads();
      const menu = page.getByRole('menu', { name: /^Column / });
      const unsorted = page.locator('[role=columnheader] button[aria-haspopup=menu]').last();
      const name = (await unsorted.innerText()).trim();
      expect(before).toContain(name);
      await unsorted.focus();
      await page.keyboard.press('Enter');
      await menu.getByRole('menuitem', { name: 'Hide this column' }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(heads).toEqual(before.filter((each) => each !== name));
      await head('turns').getByRole('button').focus();
      await page.keyboard.press('Shift+F10');
      await expect.poll(() => menu.getAttribute('aria-label')).toBe('Column turns');
      await menu.getByRole('menuitem', { name: 'Reset columns' }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(heads).toEqual(before);
    });

    test('the menu key reaches the values of the row under the cursor', async () => {
      await openList(ROLLOUTS);
      await page.getByRole('grid').focus();
      await page.keyboard.press('Shift+F10');
      const ofRow = page.getByRole('menu', { name: 'This row' });
      await ofRow.getByRole('menuitem', { name: /^turns: \d+…$/ }).click();
      await page
        .getByRole('menu', { name: 'Value of turns' })
        .getByRole('menuitem', { name: 'Only this value' })
        .click();
      await expect.poll(() => queryOf('q')).toMatch(/^turns:\d+$/);
      await page.getByRole('grid').focus();
      await page.keyboard.press('ContextMenu');
      await ofRow.waitFor();
      await page.keyboard.press('Escape');
      await ofRow.waitFor({ state: 'detached' });
      // The table has the keyboard focus again.
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid');
    });

    test('the ledger of a group is selected and copied like any list', async () => {
      await openList(ROLLOUTS);
      await row(0).and(page.locator('[href]')).waitFor();
      const group = await row(0).getAttribute('href');
      await visit(page, running.urlOf(group?.replace(/\/rollout\/.*$/, '') ?? ''));
      const ledger = page.getByRole('grid', { name: /^Rollouts of / });
      await ledger.waitFor();
      const copied = await watchClipboard();
      await ledger.getByRole('row', { selected: true }).filter({ hasText: /\d/ }).waitFor();
      await ledger.focus();
      await page.keyboard.press('Control+a');
      await bar().waitFor();
      await page.keyboard.press('Control+c');
      await expect.poll(copied).toMatch(/^rollout\tdecision/);
      const rows = (await copied())?.trim().split('\n') ?? [];
      expect(rows.length).toBeGreaterThan(8);
      expect(rows[1]).toMatch(/^0\t/);
    });

    test('groups under a filter show how many of their rollouts match', async () => {
      await openList(`${STEP}?tab=groups&q=outcome:timeout`);
      const names = async () =>
        (await page.getByRole('columnheader').allInnerTexts()).map((name) => name.trim());
      await expect.poll(names).toContain('match');
      const cell = row(0)
        .getByRole('gridcell')
        .nth((await names()).indexOf('match'));
      await expect.poll(() => cell.innerText()).toMatch(/^[1-9]\d*\/32$/);
      await openList(`${STEP}?tab=groups`);
      await expect.poll(heads).not.toContain('match');
    });

    test('the page reported no error', () => {
      expect(errors).toEqual([]);
    });

    test('the palette lists commands of a table and its filter, only while available', async () => {
      await openList(`${STEP}?tab=rollouts&sort=-reward&q=${encodeURIComponent('is_correct:true')}`);
      const palette = page.getByRole('dialog', { name: 'Command palette' });
      const run = async (words: string) => {
        await page.keyboard.press('ControlOrMeta+k');
        await palette.getByRole('combobox').fill(words);
        await palette.getByRole('option', { name: words, exact: true }).click();
        await palette.waitFor({ state: 'detached' });
      };
      await page.keyboard.press('ControlOrMeta+k');
      await palette.getByRole('option', { name: 'Table: select all rows' }).waitFor();
      expect(await palette.getByRole('option', { name: 'Table: copy the selected rows' }).count()).toBe(0);
      await page.keyboard.press('Escape');
      await palette.waitFor({ state: 'detached' });
      const copied = await watchClipboard();
      await run('Table: select all rows, to review, pack or compare them');
      await bar().waitFor();
      await run('Table: copy the selected rows as TSV');
      await expect.poll(async () => (await copied())?.split('\n').length ?? 0).toBeGreaterThan(10);
      await run('Filter: copy as SQL');
      await expect.poll(copied).toMatch(/is_correct/);
      await run('Filter: copy as a command line');
      await expect.poll(copied).toMatch(/turnwise.* rollouts .*is_correct:true/s);
      await run('Table: clear the sorting');
      await expect.poll(() => queryOf('sort')).toBeNull();
      await run('Table: comfortable or compact rows');
      await expect.poll(async () => (await row(0).boundingBox())?.height).toBe(22);
      await run('Table: comfortable or compact rows');
      await expect.poll(async () => (await row(0).boundingBox())?.height).toBe(28);
      await run('Table: choose its columns…');
      await page.getByRole('checkbox', { name: 'p_format' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('checkbox', { name: 'p_format' }).waitFor({ state: 'detached' });
      await run('Filter: save this view…');
      const naming = page.getByRole('dialog').filter({ hasText: 'is_correct:true' });
      await naming.waitFor();
      await page.keyboard.press('Escape');
      await naming.waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      // The command has no key, so it is listed only when searched for.
      await page.getByLabel('Find a key or command').fill('columns');
      await page.getByRole('dialog', { name: 'Keys' }).getByText('Table: choose its columns…').waitFor();
      await page.keyboard.press('Escape');
      expect(errors).toEqual([]);
    });
  });
}
