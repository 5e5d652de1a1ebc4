/**
 * Labelling, on every target: keys label a rollout, a turn or selected text. A queue is reviewed by keyboard
 * alone, from the overview of a run to a pack that opens offline. The same cases in an empty library get
 * equal annotations.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { AnnotationRow } from '../../shared/api/contract.ts';
import { sharedBrowser } from '../support/shells/browserShell.ts';
import type { RunningShell, Shell, TemporaryHome } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { pressSequence } from './pressSequence.ts';
import { visit } from './visit.ts';

const DEMO = '/run/synthetic-grpo-roc-demo';
const ROLLOUT = `${DEMO}/step/0/group/pairs-of-divisors/rollout/0`;
const PACK_MS = 40_000;

export function describeLabels(shell: Shell): void {
  describe(`${shell.name}: labels`, () => {
    let home: TemporaryHome;
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    onDemo(
      shell,
      (demo) => {
        ({ home, running, page, errors } = demo);
      },
      // The library stores labels.
      async () => undefined,
    );

    const panel = () => page.getByRole('region', { name: 'Labels', exact: true });
    const cards = () => panel().locator('.annotation');
    const notice = (text: string | RegExp) => page.getByText(text).first().waitFor();
    const press = (keys: string) => page.keyboard.press(keys);
    const placeIs = (place: RegExp) => expect.poll(() => running.place()).toMatch(place);
    /** The transcript is visible, with its annotations. */
    const readingIs = async (name: string) => {
      await page.locator('.replay-name', { hasText: name }).waitFor();
      await page.locator('.transcript-pane [data-start]').first().waitFor();
    };
    const note = () => panel().getByRole('textbox', { name: 'Note, Markdown' });
    const isWriting = () =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'Note, Markdown');
    const openLabels = async () => {
      await visit(page, running.urlOf(ROLLOUT));
      await readingIs('#0');
      await page
        .getByRole('group', { name: 'Inspector' })
        .getByRole('button', { name: /^Labels/ })
        .click();
      await panel().waitFor();
    };

    test('a key labels the rollout, the same key removes the label, u and U undo and redo', async () => {
      await openLabels();
      await press('1');
      await cards().filter({ hasText: 'Wrong tool use' }).filter({ hasText: 'whole rollout' }).waitFor();
      await press('1');
      await expect.poll(() => cards().count()).toBe(0);
      await press('u');
      await cards().filter({ hasText: 'Wrong tool use' }).waitFor();
      await press('u');
      await expect.poll(() => cards().count()).toBe(0);
      await press('U');
      await cards().filter({ hasText: 'Wrong tool use' }).waitFor();
      await page.reload();
      await panel().waitFor();
      await cards().filter({ hasText: 'Wrong tool use' }).waitFor();
    });

    test('labels the current turn, and selected text, which is marked', async () => {
      await press('j');
      await placeIs(/turn=1/);
      await press('L');
      await press('5');
      await cards().filter({ hasText: 'Premature answer' }).filter({ hasText: 'turn 1' }).waitFor();
      await page
        .getByRole('heading', { name: /^Turn 1/ })
        .getByText('Premature answer')
        .waitFor();
      const quote = 'restate the problem';
      const select = () =>
        page.evaluate((quote) => {
          const piece = [...document.querySelectorAll('.transcript-pane [data-start]')].find(
            ({ textContent }) => textContent?.includes(quote),
          );
          const node = piece?.firstChild;
          if (!(node instanceof Text)) return '';
          const range = document.createRange();
          range.setStart(node, node.data.indexOf(quote));
          range.setEnd(node, node.data.indexOf(quote) + quote.length);
          getSelection()?.removeAllRanges();
          getSelection()?.addRange(range);
          return String(getSelection());
        }, quote);
      await expect.poll(select).toBe(quote);
      await press('2');
      await cards().filter({ hasText: 'Misread tool output' }).filter({ hasText: quote }).waitFor();
      const marked = () => page.evaluate(() => CSS.highlights.get('label-orange')?.size ?? 0);
      await expect.poll(marked).toBe(1);
      await expect.poll(() => page.locator('.scrubber-label').count()).toBe(2);
    });

    test('a note is written, saved with Ctrl+Enter, edited and deleted', async () => {
      await press('m');
      await expect.poll(isWriting).toBe(true);
      await page.keyboard.type(
        'Counts **all** pairs, <img src=x onerror="window.pwned=1"> not the coprime ones',
      );
      await press('ControlOrMeta+Enter');
      const card = cards().filter({ hasText: 'Counts all pairs' });
      await card.locator('strong', { hasText: 'all' }).waitFor();
      expect(await panel().locator('img').count()).toBe(0);
      await card.getByRole('button', { name: 'Edit this annotation' }).click();
      await note().fill('Only this');
      await panel().getByRole('button', { name: 'Save' }).click();
      await cards().filter({ hasText: 'Only this' }).waitFor();
      await cards()
        .filter({ hasText: 'Only this' })
        .getByRole('button', { name: 'Delete this annotation' })
        .click();
      await expect.poll(() => cards().filter({ hasText: 'Only this' }).count()).toBe(0);
    });

    test('a note after a label belongs to it, unless no label is chosen', async () => {
      await press('L');
      await press('4');
      const labelled = cards().filter({ hasText: 'Wrong formalisation' });
      await labelled.waitFor();
      const before = await cards().count();
      await press('m');
      await panel().getByText('with your label Wrong formalisation').waitFor();
      await page.keyboard.type('the same sum three times');
      await press('ControlOrMeta+Enter');
      await labelled.filter({ hasText: 'the same sum three times' }).waitFor();
      expect(await cards().count()).toBe(before);
      await press('u');
      await expect.poll(() => cards().filter({ hasText: 'the same sum' }).count()).toBe(0);
      await labelled.waitFor();
      await press('m');
      await panel().getByRole('combobox', { name: 'Label' }).selectOption('no label');
      await note().fill('beside it');
      await panel().getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => cards().count()).toBe(before + 1);
      await press('u');
      await expect.poll(() => cards().count()).toBe(before);
      // Another label replaces the one without a note.
      await press('m');
      await panel().getByRole('combobox', { name: 'Label' }).selectOption('Loops');
      await panel().getByText('in place of your label Wrong formalisation').waitFor();
      await note().fill('another one');
      await panel().getByRole('button', { name: 'Save' }).click();
      await cards().filter({ hasText: 'Loops' }).filter({ hasText: 'another one' }).waitFor();
      expect(await labelled.count()).toBe(0);
      expect(await cards().count()).toBe(before);
      await press('u');
      await labelled.waitFor();
      await press('L');
    });

    test('the palette opens a note, too, and the focus stays in it', async () => {
      await press('ControlOrMeta+k');
      await page.keyboard.type('write a note');
      await page.getByRole('option', { name: /^Write a note/ }).waitFor();
      await press('Enter');
      await expect.poll(isWriting).toBe(true);
      await page.keyboard.type('from the palette');
      await expect.poll(() => note().inputValue()).toBe('from the palette');
      await panel().getByRole('button', { name: 'Discard' }).click();
    });

    test('a draft survives navigation', async () => {
      await press('m');
      await expect.poll(isWriting).toBe(true);
      await page.keyboard.type('half a thought');
      await press('Escape');
      await expect.poll(isWriting).toBe(false);
      await press('l');
      await readingIs('#1');
      await press('h');
      await readingIs('#0');
      await expect.poll(() => note().inputValue()).toBe('half a thought');
      await panel().getByRole('button', { name: 'Discard' }).click();
    });

    test('F turns a flag into a label, at its evidence', async () => {
      await visit(page, running.urlOf(ROLLOUT.replace('/rollout/0', '/rollout/3')));
      await readingIs('#3');
      await panel().getByText('several calls in one turn, some of which were not run').waitFor();
      await press('F');
      await cards().filter({ hasText: 'flag confirmed' }).waitFor();
      await panel().getByText('✓ several calls in one turn').waitFor();
    });

    test('reviews from the overview to a pack, by keyboard alone', async () => {
      await visit(page, running.urlOf(DEMO));
      await page.getByRole('grid', { name: /^Steps of/ }).waitFor();
      await pressSequence(page, 'g', 'a');
      await placeIs(/^\/labels\?run=synthetic-grpo-roc-demo/);
      const start = page.getByRole('button', { name: 'Start review' });
      await start.waitFor();
      await press('/');
      await page.keyboard.type('step:0 is_correct:false kept:true');
      await press('Enter');
      await placeIs(/q=step/);
      await page.getByText(/that match the filter/).waitFor();
      await expect.poll(() => start.isEnabled()).toBe(true);
      await press('Enter');
      await placeIs(/rollout\/\d+\?queue=/);
      const queue = page.getByRole('region', { name: 'Queue' });
      await queue.getByText(/^1 of \d+$/).waitFor();
      const first = running.place();
      await press('6');
      await notice('Loops: whole rollout');
      await press('Enter');
      await queue.getByText(/^2 of \d+$/).waitFor();
      await press('7');
      await notice('Gave up: whole rollout');
      await press('s');
      await queue.getByText(/^3 of \d+$/).waitFor();
      await press(',');
      await press(',');
      await expect.poll(() => running.place()).toBe(first);
      // The last action was a skip two rollouts later; undoing it navigates there.
      await press('u');
      await queue.getByText(/^2 of \d+$/).waitFor();
      await press('U');
      await notice(/^Redone/);
      await pressSequence(page, 'g', 'a');
      await placeIs(/^\/labels/);
      await press('E');
      const dialog = page.getByRole('dialog', { name: 'Export a failure pack' });
      await dialog.getByText(/^\d+ cases$/).waitFor();
      if (shell.name === 'browser') await dialog.getByRole('radio', { name: /^Save on/ }).check();
      await press('Enter');
      await dialog.waitFor({ state: 'detached', timeout: PACK_MS });
      const pack = join(home.libraryPath, '..', 'synthetic-grpo-roc-demo-pack.html');
      await expect.poll(() => existsSync(pack)).toBe(true);
      const seen = await openedAlone(pack);
      expect(seen.errors).toEqual([]);
      expect(seen.requests).toEqual([]);
      expect(seen.scripts).toBe(0);
      for (const words of ['Loops', 'Gave up', 'Wrong tool use', 'restate the problem', 'pairs-of-divisors'])
        expect(seen.text).toContain(words);
    });

    test('the dialog for a run counts the labels of that run only', async () => {
      const counted = async (run: string) => {
        await visit(page, running.urlOf(run));
        await page.getByRole('heading', { level: 1, name: /^demo/ }).waitFor();
        await page.keyboard.press('E');
        const dialog = page.getByRole('dialog', { name: 'Export a failure pack' });
        await dialog.getByText(/^\d+ cases$|^Nothing to export/).waitFor();
        const labels = await dialog.getByRole('group', { name: 'Only with' }).getByRole('checkbox').count();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        return labels;
      };
      await expect.poll(() => counted('/run/synthetic-grpo-roc-demo')).toBeGreaterThan(1);
      expect(await counted('/run/synthetic-grpo-roc-demo-eval~eval')).toBe(0);
    });

    test('the same cases in an empty library have equal annotations', async () => {
      await visit(page, running.urlOf('/labels'));
      await page.getByRole('button', { name: 'Export a pack…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Export a failure pack' });
      await dialog.getByRole('radio', { name: 'JSONL', exact: true }).check();
      if (shell.name === 'browser') await dialog.getByRole('radio', { name: /^Save on/ }).check();
      await dialog.getByRole('textbox', { name: 'The new file' }).fill('again.jsonl');
      await dialog.getByText(/^\d+ cases$/).waitFor();
      await dialog.getByRole('button', { name: /^Write/ }).click();
      await dialog.waitFor({ state: 'detached', timeout: PACK_MS });
      const pack = join(home.libraryPath, '..', 'again.jsonl');
      const written = readFileSync(pack, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map(
          (line) =>
            JSON.parse(line) as { readonly type: string; readonly annotation?: { readonly id: string } },
        )
        .flatMap(({ annotation }) => (annotation === undefined ? [] : [annotation]));
      expect(written.length).toBeGreaterThanOrEqual(6);
      const host = await createHost({
        libraryPath: join(home.directory, 'empty.sqlite'),
        shell: 'browser',
        version: '0.0.0',
      });
      try {
        await host.ingest([pack]);
        const order = await host.dispatch('annotation.order', { sort: 'place' });
        if (!order.ok) throw new Error(order.failure.message);
        const annotationNos = [...(order.value as { readonly ids: Uint32Array }).ids];
        const rows = await host.dispatch('annotation.rows', { annotationNos });
        if (!rows.ok) throw new Error(rows.failure.message);
        const read = (rows.value as readonly AnnotationRow[]).map(
          ({ annotationNo: _, conflicts, place, question: __, ...annotation }) => {
            expect(conflicts).toBe(0);
            expect(place?.state).toBe('exact');
            return annotation;
          },
        );
        const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);
        expect([...read].sort(byId)).toEqual([...written].sort(byId));
      } finally {
        await host.close();
      }
    });

    test('a blind review hides reward, correctness and labels of other reviewers', async () => {
      await visit(
        page,
        running.urlOf(`/labels?run=synthetic-grpo-roc-demo&q=${encodeURIComponent('step:0')}`),
      );
      await page.getByRole('textbox', { name: /^reviewer/ }).fill('second reader');
      await page.getByRole('checkbox', { name: /^blind/ }).check();
      await expect.poll(() => page.getByText('Reviewed by second reader: 0 of').count()).toBe(1);
      await page.getByRole('button', { name: 'Start review' }).click();
      await readingIs('#0');
      await page.getByText('blind review', { exact: true }).waitFor();
      await panel().getByText('annotations of others are hidden').waitFor();
      expect(await cards().count()).toBe(0);
      await page
        .getByRole('group', { name: 'Inspector' })
        .getByRole('button', { name: 'Rollout', exact: true })
        .click();
      const inspector = page.getByRole('complementary', { name: 'Inspector' });
      await inspector.getByText(/Blind review/).waitFor();
      const names = () => inspector.locator('dt').allInnerTexts();
      await expect.poll(names).toContain('turns');
      const named = await names();
      for (const field of ['reward', 'ground truth', 'advantage', 'penalty', 'p_err'])
        expect(named).not.toContain(field);
      expect(await inspector.getByText(/✕ incorrect|✓ correct|discarded|^kept/).count()).toBe(0);
      await page
        .getByRole('group', { name: 'Inspector' })
        .getByRole('button', { name: /^Labels/ })
        .click();
      await press('6');
      await cards().filter({ hasText: 'Loops' }).waitFor();
      await press('Enter');
      await readingIs('#1');
      // Escape must not lead to the group page, which shows rewards.
      await press('Escape');
      await placeIs(/^\/labels\?tab=read&run=synthetic-grpo-roc-demo&q=step%3A0$/);
      await page.getByText('Reviewed by second reader: 1 of').waitFor();
    });

    test('two reviewers are compared', async () => {
      await visit(page, running.urlOf('/labels?tab=agreement'));
      await page.getByText(/reviewed by both/).waitFor();
      await page.getByRole('cell', { name: 'Wrong tool use' }).waitFor();
      await page.getByRole('heading', { name: /disagreement/ }).waitFor();
      await page
        .getByRole('link', { name: /#0 pairs-of-divisors/ })
        .first()
        .click();
      await readingIs('#0');
    });

    test('keys typed ahead apply to the rollouts they were meant for', async () => {
      const link = `/labels?run=synthetic-grpo-roc-demo&q=${encodeURIComponent('step:50 is_correct:false')}`;
      await visit(page, running.urlOf(link));
      await page.getByRole('textbox', { name: /^reviewer/ }).fill('fast reader');
      await expect.poll(() => page.getByText('Reviewed by fast reader: 0 of').count()).toBe(1);
      await page.getByRole('button', { name: 'Start review' }).click();
      await page.getByRole('region', { name: 'Queue' }).getByText(/^1 of/).waitFor();
      // Presses all keys before the first request is answered.
      await page.evaluate(() => {
        for (const key of ['1', 'Enter', '2', 'Enter', '3', 'Enter', '6', '6', '6'])
          window.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      });
      await page.getByRole('region', { name: 'Queue' }).getByText(/^4 of/).waitFor();
      await cards().filter({ hasText: 'Loops' }).waitFor();
      await expect.poll(() => cards().count()).toBe(1);
      for (const words of ['Arithmetic slip', 'Misread tool output', 'Wrong tool use']) {
        await press(',');
        await cards().filter({ hasText: words }).waitFor();
        await expect.poll(() => cards().count()).toBe(1);
      }
    });

    test('labels are counted, and found by the filter', async () => {
      await visit(page, running.urlOf('/labels?tab=report&run=synthetic-grpo-roc-demo'));
      const row = page.getByRole('row', { name: /^Loops/ });
      await row.waitFor();
      await page.getByRole('img', { name: 'Loops by step' }).waitFor();
      await visit(page, running.urlOf(`${DEMO}?tab=rollouts&q=${encodeURIComponent('label:loops')}`));
      await page.getByRole('grid').getByRole('row').filter({ hasText: 'Loops' }).first().waitFor();
      // The list of annotations shows the whole time.
      await visit(page, running.urlOf('/labels?tab=annotations'));
      const time = page.getByRole('grid', { name: 'Annotations' }).getByText(/\d{4}, \d\d:\d\d/);
      await expect
        .poll(() =>
          time.first().evaluate((element) => {
            const cell = element.parentElement?.getBoundingClientRect();
            return (cell?.right ?? 0) - element.getBoundingClientRect().right;
          }),
        )
        .toBeGreaterThanOrEqual(0);
    });

    test('a label is added, named, given a key, and used', async () => {
      await visit(page, running.urlOf('/labels?tab=taxonomy'));
      await page.getByRole('textbox', { name: 'Name of a new label' }).fill('Unit mix-up');
      await press('Enter');
      await page.getByText('unit-mix-up').waitFor();
      await page.getByRole('combobox', { name: 'Key of Unit mix-up' }).selectOption('4');
      await expect
        .poll(() => page.getByRole('combobox', { name: 'Key of Wrong formalisation' }).inputValue())
        .toBe('');
      await openLabels();
      await press('4');
      await cards().filter({ hasText: 'Unit mix-up' }).waitFor();
    });

    test('the page reported no error', () => {
      expect(errors).toEqual([]);
    });
  });
}

interface OpenedAlone {
  readonly errors: readonly string[];
  readonly requests: readonly string[];
  readonly scripts: number;
  readonly text: string;
}

/** Opens a file in its own browser context, offline. */
async function openedAlone(path: string): Promise<OpenedAlone> {
  const context = await (await sharedBrowser()).newContext({ offline: true });
  try {
    const page = await context.newPage();
    const errors: string[] = [];
    const requests: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => errors.push(message.text()));
    page.on('dialog', (dialog) => errors.push(`dialog: ${dialog.message()}`));
    const url = pathToFileURL(path).href;
    page.on('request', (request) => request.url() !== url && requests.push(request.url()));
    await page.goto(url);
    const scripts = await page.locator('script, [onerror], [onclick], [onload], iframe, object').count();
    // Includes folded text.
    const text = await page.evaluate(() => document.body.textContent ?? '');
    return { errors, requests, scripts, text };
  } finally {
    await context.close();
  }
}
