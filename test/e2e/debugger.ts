/**
 * More of the comparison, on every target: the fork tree, similar rollouts, breakpoints that stop playback,
 * the watch, and exported code.
 */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { pressSequence } from './pressSequence.ts';
import { visit } from './visit.ts';

const GROUP = '/run/synthetic-grpo-roc-demo/step/0/group/pairs-of-divisors';
const rollout = (ordinal: number): string => `${GROUP}/rollout/${ordinal}`;
const PAIR = `/compare?lane=${rollout(0)}&lane=${rollout(3)}`;

/** Copied and saved texts, recorded in the page before they reach the shell. */
interface Taken {
  copied?: string;
  saved?: { readonly name: string; readonly text: Promise<string> };
}

export function describeDebugger(shell: Shell): void {
  describe(`${shell.name}: tree, alike, debugger`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    onDemo(shell, (demo) => {
      ({ running, page, errors } = demo);
    });

    const goTo = (place: string) => visit(page, running.urlOf(place));
    const searchOf = () => new URLSearchParams(running.place().split('?')[1] ?? '');
    const lanes = () => searchOf().getAll('lane');
    const press = (key: string) => page.keyboard.press(key);
    const tree = () => page.getByRole('tree');
    const current = () => tree().getByRole('treeitem', { selected: true });
    const position = () => page.getByRole('region', { name: 'Position' });
    const row = async () => Number(/^row (\d+) of/.exec(await position().innerText())?.[1]) - 1;
    const watch = () => page.getByRole('table', { name: 'Watch' });

    /** Captures copied and saved texts in the page from now on. */
    const takeTexts = () =>
      page.evaluate(() => {
        const taken: Taken = {};
        Object.assign(globalThis, { taken });
        Object.defineProperty(navigator, 'clipboard', {
          configurable: true,
          value: {
            writeText: async (text: string) => {
              taken.copied = text;
            },
          },
        });
        // Ignores clicks on save links, so that no desktop dialog opens.
        HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
          taken.saved = { name: this.download, text: fetchBlob() };
        };
        let blob = new Blob();
        const create = URL.createObjectURL.bind(URL);
        URL.createObjectURL = (object) => {
          if (object instanceof Blob) blob = object;
          return create(object);
        };
        const fetchBlob = () => blob.text();
      });
    const copied = () => page.evaluate(() => (globalThis as { taken?: Taken }).taken?.copied ?? '');
    const saved = () =>
      page.evaluate(async () => {
        const found = (globalThis as { taken?: Taken }).taken?.saved;
        return found === undefined ? undefined : { name: found.name, text: await found.text };
      });

    test('g b on a group shows its fork tree', async () => {
      await goTo(GROUP);
      await page.getByRole('grid').waitFor();
      await pressSequence(page, 'g', 'b');
      await expect.poll(() => running.place()).toBe(`${GROUP}/tree`);
      await page.getByText(/^32 rollouts\. A branch is the text/).waitFor();
      await page.getByText(/entropy, full, nats/).waitFor();
      const root = tree().getByRole('treeitem').first();
      await root.getByText(/32 in \d+ branches/).waitFor();
      await root.getByText(/^28 %$|✓ 28 %/).waitFor();
      await expect.poll(() => tree().getByRole('treeitem').count()).toBeGreaterThan(20);
    });

    test('the tree is navigated by keys, and x compares branches', async () => {
      await press('l');
      await expect.poll(() => searchOf().get('at')).toMatch(/^n\d+$/);
      await current()
        .getByText(/\d+ in \d+ branch/)
        .waitFor();
      await press('h');
      await current()
        .getByText(/32 in 3 branches/)
        .waitFor();
      await press('x');
      await expect.poll(() => lanes().length).toBe(3);
      await page.getByRole('group', { name: 'Lane C' }).waitFor();
      await page.goBack();
      await tree().waitFor();
    });

    test('a branch is folded, rollouts are marked and compared, Enter opens one', async () => {
      await goTo(`${GROUP}/tree`);
      await current()
        .getByText(/32 in 3 branches/)
        .waitFor();
      const before = await tree().getByRole('treeitem').count();
      await press('o');
      await expect.poll(() => tree().getByRole('treeitem').count()).toBe(1);
      await press('l');
      await expect.poll(() => tree().getByRole('treeitem').count()).toBe(before);
      await press('G');
      await press('Space');
      await press('k');
      await press('Space');
      await expect.poll(() => searchOf().get('mark')).toMatch(/^r\d+,r\d+$/);
      await press('x');
      await expect.poll(() => lanes().length).toBe(2);
      await page.goBack();
      await expect.poll(() => searchOf().get('mark')).toMatch(/^r\d+,r\d+$/);
      await current().waitFor();
      await press('Enter');
      await expect.poll(() => running.place()).toMatch(/\/rollout\/\d+/);
    });

    test('the same problem at all its steps is one tree', async () => {
      await goTo(`${GROUP}/tree`);
      await page.getByRole('button', { name: 'All its steps' }).click();
      await page.getByText(/^\d+ rollouts of \d+ steps\./).waitFor();
      await press('G');
      await current()
        .getByText(/^step \d+$/)
        .waitFor();
    });

    test('a lists similar rollouts, Enter compares', async () => {
      await goTo(rollout(3));
      await page.getByRole('region', { name: 'Transcript' }).waitFor();
      await press('a');
      await expect.poll(() => running.place()).toBe(`${rollout(3)}/alike`);
      const list = page.getByRole('grid', { name: 'Rollouts similar to #3' });
      await list.getByText('sibling').first().waitFor();
      await page.getByText(/^(All \d+|\d+ of \d+) other rollouts of this problem were compared/).waitFor();
      await page.getByRole('button', { name: /^Incorrect/ }).click();
      await expect.poll(() => list.getByRole('img', { name: 'correct', exact: true }).count()).toBe(0);
      await list.focus();
      await list.getByRole('row', { selected: true }).filter({ hasText: /\d/ }).waitFor();
      await press('Enter');
      await expect.poll(() => lanes()[0]).toBe(rollout(3));
      expect(lanes()).toHaveLength(2);
    });

    test('A compares with the most similar one of the other correctness', async () => {
      await goTo(rollout(3));
      await page.getByRole('region', { name: 'Transcript' }).waitFor();
      await press('A');
      await expect.poll(() => lanes()[0]).toBe(rollout(3));
      const other = page.getByRole('group', { name: 'Lane B' });
      await other.getByRole('img', { name: 'incorrect' }).waitFor();
    });

    test('a breakpoint is typed, and syntax errors are located', async () => {
      await goTo(PAIR);
      await page.getByRole('group', { name: 'Lane B' }).waitFor();
      await page.getByRole('slider', { name: /Position in the comparison/ }).waitFor();
      await press('B');
      const field = page.getByRole('combobox', { name: 'New breakpoint' });
      await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
      await field.fill('eror');
      await press('Enter');
      await page
        .getByRole('alert')
        .getByText(/at character 1: expected a condition/)
        .waitFor();
      await field.fill('first error');
      await press('Enter');
      await expect.poll(() => searchOf().getAll('break')).toEqual(['first error']);
      const set = page.getByRole('list', { name: 'Breakpoints' });
      await set.getByTitle('0 hits in A').waitFor();
      await set.getByTitle('1 hit in B').waitFor();
    });

    test('playback stops at it', async () => {
      await page.getByTitle('Playback speed').click();
      await page.getByTitle('Playback speed').click();
      await expect.poll(row).toBe(0);
      await page.getByRole('button', { name: 'Play, row by row' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      await page.getByRole('button', { name: 'Play, row by row' }).waitFor();
      await expect.poll(row).toBe(1);
      const strip = position().getByRole('status');
      await expect.poll(() => strip.innerText()).toMatch(/B turn 2 first error infra/);
    });

    test('hits are walked by d and D, over all that are on', async () => {
      await page.getByRole('button', { name: 'value above a percentile…' }).click();
      await press('Enter');
      await page.getByText(/percentiles of entropy, full, nats/).waitFor();
      const here = async () => `${await row()} ${await position().getByRole('status').innerText()}`;
      await press('g');
      await press('g');
      await expect.poll(row).toBe(0);
      // Steps through the hits of a row, then through those of the next.
      const walk = async (key: 'd' | 'D', to: number) => {
        for (let hits = 0; hits < 40 && (await row()) !== to; hits++) {
          const said = await here();
          await press(key);
          await expect.poll(here).not.toBe(said);
        }
        expect(await row()).toBe(to);
      };
      await walk('d', 1);
      await walk('d', 2);
      await walk('D', 1);
      await page.getByRole('checkbox', { name: 'value:95 is on' }).uncheck();
      await expect.poll(() => searchOf().getAll('break')).toContain('!value:95');
      await press('d');
      await page.getByText('None below. Here: first error, 1 hit').waitFor();
      expect(await row()).toBe(1);
    });

    test('the watch follows the steps', async () => {
      await page.getByRole('button', { name: 'Watch' }).click();
      await watch().getByText('turn 2').first().waitFor();
      const spent = () =>
        watch()
          .getByRole('row', { name: /^length so far/ })
          .innerText();
      const before = await spent();
      expect(before).toMatch(/[\d,]+ of 8,192 tokens/);
      await watch()
        .getByRole('row', { name: /^failed calls/ })
        .getByText('1 of 3')
        .waitFor();
      await press('j');
      await watch().getByText('turn 3').first().waitFor();
      await expect.poll(spent).not.toBe(before);
      await watch()
        .getByRole('row', { name: /^answer/ })
        .getByText('16')
        .first()
        .waitFor();
    });

    test('a single lane can be stepped, too', async () => {
      await goTo(`/compare?lane=${rollout(3)}&break=first error`);
      await page.getByText('row 1 of 3').waitFor();
      await press('d');
      await page.getByText('row 2 of 3').waitFor();
    });

    test('breakpoints on arguments, a flag and a label are added, and a mistyped one is refused', async () => {
      await goTo(`/compare?lane=${rollout(3)}&side=breakpoints`);
      const field = page.getByRole('combobox', { name: 'New breakpoint' });
      const offered = () =>
        page
          .locator('#breakpoint-completions option')
          .evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
      await field.waitFor();
      await expect
        .poll(offered)
        .toEqual(
          expect.arrayContaining(['label:loops', 'flag:repetition', 'tool:python_code_with_standard_io']),
        );
      for (const [mistyped, message] of [
        ['flag:repetitive', /expected a flag \(equals_truth, .*found repetitive/],
        ['label:loop', /expected a label \(.*loops.*found loop/],
      ] as const) {
        await field.fill(mistyped);
        await field.press('Enter');
        await page.getByText(message).waitFor();
      }
      await field.fill('args:gcd');
      await field.press('Enter');
      const set = page.getByRole('list', { name: 'Breakpoints' });
      await set.getByText('args:"gcd"').waitFor();
      await set.getByTitle(/^[1-9]\d* hits? in A/).waitFor();
      // The field was left, so the key works.
      await press('d');
      await expect.poll(() => position().innerText()).toMatch(/^row [1-9]/);
    });

    test('a runaway pattern stops neither the page nor the other breakpoints', async () => {
      const broken = ['regex:"(.+)+§"', 'regex:"\\d+"', 'first error', 'eror'];
      const query = broken.map((text) => `&break=${encodeURIComponent(text)}`).join('');
      await goTo(`${PAIR}&side=breakpoints${query}`);
      const set = page.getByRole('list', { name: 'Breakpoints' });
      const runaway = set.getByRole('listitem').first();
      await runaway.getByTitle('Searching B').waitFor();
      // Checked at once in the page: on a busy machine the search could be cancelled before the next step.
      const isStillLooking = await page.evaluate(async () => {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
        const stepped = () => document.body.innerText.includes('row 2 of');
        while (!stepped()) await new Promise((resolve) => requestAnimationFrame(resolve));
        return document.querySelector('[title="Searching B"]') !== null;
      });
      expect(isStillLooking).toBe(true);
      expect(await row()).toBe(1);
      await runaway.getByText('took longer than 1 s: skipped').waitFor();
      expect(await runaway.getByTitle(/hits? in/).count()).toBe(0);
      await set
        .getByRole('listitem')
        .nth(1)
        .getByTitle(/^[1-9]\d* hits? in B/)
        .waitFor();
      await set.getByRole('listitem').nth(2).getByTitle('1 hit in B').waitFor();
      // The worker of the pattern ends after its cancellation; the other one remains.
      const workers = () => page.workers().filter((worker) => worker.url().includes('hits.worker'));
      await expect.poll(() => workers().length).toBe(1);
      await press('Shift+G');
      const said = page.getByText(/1 breakpoint invalid: see Breakpoints · 1 breakpoint skipped/);
      // The hits of the last row come first.
      await expect
        .poll(async () => {
          if ((await said.count()) === 0) await press('d');
          return said.count();
        })
        .toBeGreaterThan(0);
    });

    test('code is copied as a script, and saved as a notebook', async () => {
      await goTo(rollout(3));
      await page.getByRole('region', { name: 'Transcript' }).waitFor();
      await takeTexts();
      await page.getByRole('button', { name: 'Copy as script' }).first().click();
      await expect
        .poll(copied)
        .toMatch(/^# demo \(synthetic\) · step 0 · pairs-of-divisors · #3\n# turn 1, call 1/);
      await expect.poll(copied).toContain('print(N, factors)');
      await page.getByRole('button', { name: 'Copy all cells to here' }).nth(1).click();
      await expect.poll(copied).toContain('# %% turn 1, call 2');
      const menu = page.getByRole('button', { name: 'Code: 3 cells' });
      await menu.click();
      await page.getByText(/to run elsewhere/).waitFor();
      await page.getByRole('menuitem', { name: 'Save as notebook (.ipynb)' }).click();
      await expect
        .poll(async () => (await saved())?.name)
        .toBe('demo-synthetic-step-0-pairs-of-divisors-3.ipynb');
      const notebook = JSON.parse((await saved())?.text ?? '');
      expect(notebook.nbformat).toBe(4);
      expect(notebook.cells).toHaveLength(4);
      await menu.click();
      await page.getByRole('menuitem', { name: 'Save as script (.py)' }).click();
      await expect.poll(async () => (await saved())?.name).toMatch(/\.py$/);
      expect((await saved())?.text).toContain('# %% turn 2, call 3');
    });

    test('the page reported no error', () => {
      expect(errors).toEqual([]);
    });
  });
}
