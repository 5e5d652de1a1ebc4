/** The overview of a run, its evaluation and its recipe, on every target. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openReader } from '../../electron/storage/open.ts';
import type { RunningShell, Shell, TemporaryHome } from '../support/shells/shell.ts';
import { onDemo } from './onDemo.ts';
import { visit } from './visit.ts';

const RUN = '/run/synthetic-grpo-roc-demo';

export function describeOverview(shell: Shell): void {
  describe(`${shell.name}: the overview of a run`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    onDemo(shell, (demo) => {
      ({ running, page, errors } = demo);
    });

    const queryOf = (name: string) => new URLSearchParams(running.place().split('?')[1] ?? '').get(name);
    const chart = (name: string) => page.getByRole('slider', { name: `${name} by step` });
    const rows = () => page.getByRole('grid', { name: 'Steps of demo (synthetic)' }).getByRole('row');

    test('one crosshair for all charts, by keyboard', async () => {
      await visit(page, running.urlOf(RUN));
      await chart('Truncated').focus();
      await page.keyboard.press('Home');
      await expect.poll(() => chart('Truncated').getAttribute('aria-valuenow')).toBe('0');
      await page.keyboard.press('ArrowRight');
      for (const name of ['Truncated', 'Groups by outcome', 'Mean entropy'])
        await expect.poll(() => chart(name).getAttribute('aria-valuenow')).toBe('50');
      await expect
        .poll(() => chart('Truncated').getAttribute('aria-valuetext'))
        .toMatch(/^step 50: truncated 3\.2%; Enter opens rollouts stopped by the length limit$/);
      await page.getByText('step 50 · RL-1').waitFor();
    });

    test('a split shows a line for each class and the share of each, and leads to the class', async () => {
      await visit(page, running.urlOf(RUN));
      await page.getByRole('button', { name: 'Split', exact: true }).click();
      await page.getByRole('menuitemcheckbox', { name: /^Tool use/ }).click();
      await page
        .getByRole('list', { name: 'Classes' })
        .getByText('no call at all', { exact: true })
        .waitFor();
      // The change consists of changed class shares and changed rewards within the classes.
      await page
        .getByText(/^Mean reward 0\.\d\d → 0\.\d\d from step 0 to 500 \(\+0\.\d\d ± 0\.\d\d\)$/)
        .waitFor();
      await chart('Without a valid tool call').waitFor({ state: 'detached' });
      await chart('Groups by outcome').waitFor({ state: 'detached' });
      await chart('Share of each class').focus();
      await page.keyboard.press('Home');
      await expect
        .poll(() => chart('Share of each class').getAttribute('aria-valuetext'))
        .toMatch(/^step 0: with tool calls 70.6%, no call at all 29.4%/);
      await page.keyboard.press('Enter');
      await expect.poll(() => queryOf('q')).toBe('tool_calls:>0');
      await visit(page, running.urlOf(`${RUN}?q=turns%3A%3E3`));
      await page.getByRole('button', { name: 'Split', exact: true }).click();
      await page.getByRole('menuitemcheckbox', { name: /^The filter/ }).click();
      await page.getByRole('list', { name: 'Classes' }).getByText('all others').waitFor();
      await expect.poll(() => [queryOf('q'), queryOf('by')]).toEqual([null, 'turns:>3']);
      await page.getByRole('button', { name: 'Split: the filter' }).click();
      await page.getByRole('menuitem', { name: 'No split' }).click();
      await expect.poll(() => [queryOf('q'), queryOf('by')]).toEqual(['turns:>3', null]);
      await visit(page, running.urlOf(RUN));
    });

    test('a stage shows its changes', async () => {
      await page.getByRole('group', { name: 'Stages' }).getByRole('button', { name: /^RL-2/ }).focus();
      await page.getByText('step 300 · RL-2 begins: max_response_tokens 8,192 → 12,288').waitFor();
    });

    test('opens a rollout from a curve with two keys or two clicks', async () => {
      await chart('Truncated').focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await expect.poll(() => running.place()).toBe(`${RUN}/step/0?tab=rollouts&q=stop_reason%3Alength`);
      await visit(page, running.urlOf(RUN));
      const failed = chart('Failed tool calls');
      await expect.poll(() => failed.getAttribute('aria-valuetext')).not.toMatch(/no data/);
      // The left edge is the first step. The top is nearest to the higher curve.
      await failed.hover({ position: { x: 45, y: 12 } });
      const box = await failed.boundingBox();
      if (box === null) throw new Error('the chart is not there');
      await page.mouse.click(box.x + 40, box.y + 12);
      await expect.poll(() => queryOf('q')).toBe('is_correct:true tool_errors:>0');
      await expect.poll(() => running.place().split('?')[0]).toBe(`${RUN}/step/0`);
      await page.getByRole('grid').getByRole('row').nth(1).filter({ hasText: /\d/ }).click();
      await expect.poll(() => running.place()).toMatch(/\/step\/0\/group\/[^/]+\/rollout\/\d+/);
    });

    test('a brush marks steps in every chart, filters the table and clears with Escape', async () => {
      await visit(page, running.urlOf(RUN));
      await rows().nth(12).waitFor();
      // Waits until the chart no longer moves.
      await chart('Truncated').hover();
      const box = await chart('Truncated').boundingBox();
      if (box === null) throw new Error('the chart is not there');
      await page.mouse.move(box.x + box.width * 0.5, box.y + 40);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 3 });
      await page.mouse.move(box.x + box.width * 0.7, box.y + 40, { steps: 3 });
      await page.mouse.up();
      await expect.poll(() => queryOf('steps')).toMatch(/^\d+\.\.\d+$/);
      const [from = 0, to = 0] = (queryOf('steps') ?? '').split('..').map(Number);
      expect(to).toBeGreaterThan(from);
      const shown = [0, 50, 100, 150, 200, 250, 300, 340, 380, 400, 450, 500].filter(
        (step) => step >= from && step <= to,
      );
      await expect.poll(() => rows().count()).toBe(shown.length + 1);
      await page.getByRole('button', { name: 'zoom' }).click();
      await expect.poll(() => chart('Truncated').getAttribute('aria-valuemin')).toBe(String(from));
      await chart('Truncated').focus();
      await page.keyboard.press('Escape');
      await expect.poll(() => queryOf('steps')).toBeNull();
      await expect.poll(() => rows().count()).toBe(13);
    });

    test('brushes by keyboard', async () => {
      await visit(page, running.urlOf(RUN));
      await chart('Truncated').focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('Shift+ArrowRight');
      await page.keyboard.press('Shift+ArrowRight');
      await expect.poll(() => queryOf('steps')).toBe('0..100');
      await page.getByRole('button', { name: 'Clear the range' }).click();
      await expect.poll(() => queryOf('steps')).toBeNull();
    });

    test('a filter shows all series dimmed behind the matches', async () => {
      await visit(page, running.urlOf(`${RUN}?q=${encodeURIComponent('is_correct:true')}`));
      const status = page.getByRole('status').filter({ hasText: /of 1,821 rollouts/ });
      await status.waitFor();
      await expect.poll(() => chart('Truncated').getAttribute('aria-valuetext')).toMatch(/truncated 0%/);
      await chart('Truncated').focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => queryOf('q')).toBe('is_correct:true stop_reason:length');
    });

    test('two runs on the same charts', async () => {
      await visit(page, running.urlOf(RUN));
      await page.getByRole('button', { name: 'Compare runs' }).click();
      await page.getByRole('menuitemcheckbox', { name: /demo evaluation/ }).click();
      await page.keyboard.press('Escape');
      await expect.poll(() => queryOf('runs')).toBe('synthetic-grpo-roc-demo-eval~eval');
      const legend = page.getByRole('list', { name: 'Runs' });
      await legend.getByText('demo evaluation (synthetic)').waitFor();
      await expect
        .poll(() => chart('Pass rate').getAttribute('aria-valuetext'))
        .toMatch(/demo \(synthetic\) 0\.805, demo evaluation \(synthetic\) 0\.95/);
      await legend.getByRole('button', { name: 'Remove demo evaluation (synthetic)' }).click();
      await expect.poll(() => queryOf('runs')).toBeNull();
    });

    test('a published number can be shown in its chart, and latency has a logarithmic axis; both are remembered', async () => {
      await visit(page, running.urlOf(`${RUN}?tab=tools`));
      const figure = page
        .getByRole('figure')
        .filter({ has: page.getByRole('heading', { name: 'Tool latency', exact: true }) });
      await figure.getByRole('button', { name: 'Reference: rStar2-Agent, mean 300 ms' }).click();
      await figure.getByText('arXiv 2508.20722').first().waitFor();
      await figure.getByRole('button', { name: 'Tool latency: table, save' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Logarithmic axis' }).click();
      await figure.getByText('per call, log').waitFor();
      await page.reload();
      await figure.getByText('per call, log').waitFor();
      await figure.locator('svg text').filter({ hasText: 'rStar2-Agent, mean: 300 ms' }).waitFor();
      await expect.poll(() => figure.locator('svg text').filter({ hasText: /^0/ }).count()).toBe(1);
      await visit(page, running.urlOf(RUN));
    });

    test('shows the numbers of a chart as a table', async () => {
      await visit(page, running.urlOf(RUN));
      await page.getByRole('button', { name: 'Truncated: table, save' }).click();
      await page.getByRole('menuitem', { name: 'Show the numbers' }).click();
      const table = page.getByRole('region', { name: 'Truncated, numbers' });
      await expect.poll(() => table.getByRole('row', { name: /^50 / }).innerText()).toMatch(/3\.2%/);
      await page.getByRole('button', { name: 'Truncated: table, save' }).click();
      await page.getByRole('menuitem', { name: 'Show the drawing' }).click();
      await chart('Truncated').waitFor();
    });

    test('an evaluation has a panel per benchmark; a line needs a source', async () => {
      await visit(page, running.urlOf(`${RUN}-eval~eval?tab=evaluation`));
      const panel = page.getByRole('region', { name: 'synthetic-number-theory', exact: true });
      await panel.getByText('8 samples of each of 2 problems').waitFor();
      await panel.getByRole('columnheader', { name: 'pass@8' }).waitFor();
      await panel.getByRole('columnheader', { name: 'maj@8' }).waitFor();
      await panel
        .getByRole('table')
        .getByText(/^95 % interval: of pass@1, over problems, with two problems all correct/)
        .waitFor();
      // A filter selects problems, each with all its samples.
      await page
        .getByRole('combobox', { name: 'Filter problems with a rollout that matches' })
        .fill('is_correct:true');
      await page.getByText('A problem counts with all its samples').waitFor();
      await panel.getByText('8 samples of each of 2 problems').waitFor();
      await panel.getByRole('button', { name: 'Reference lines' }).click();
      await page.getByText('No published result is known for this benchmark').waitFor();
      await page.getByRole('menuitem', { name: 'Add a line…' }).click();
      await page.getByRole('textbox', { name: 'Name of the line' }).fill('last year');
      await page.getByRole('textbox', { name: 'pass@1 in per cent' }).fill('62.5');
      expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
      await page.getByRole('textbox', { name: 'Source' }).fill('our report of 2025');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      const line = panel.getByRole('row', { name: /^last year 62\.5 our report of 2025$/ });
      await line.waitFor();
    });

    test('the recipe lists stages with their limits, and problems solved k of k', async () => {
      await visit(page, running.urlOf(`${RUN}?tab=recipe&solved=450`));
      const stages = page.getByRole('region', { name: 'Stages' });
      await stages.getByRole('row', { name: /^RL-2/ }).filter({ hasText: '12,288 tokens' }).waitFor();
      const list = page.getByRole('grid', { name: 'Problems solved k of k at step 450' });
      await list.getByRole('row').nth(1).waitFor();
      await page.getByRole('status').filter({ hasText: '1 of 4 groups · 25.0 %' }).waitFor();
      expect(errors).toEqual([]);
    });
  });
}

/** Files that a browser saves without asking; a desktop asks for a path. */
export function describeOverviewFiles(shell: Shell): void {
  describe(`${shell.name}: charts as files`, () => {
    let home: TemporaryHome;
    let running: RunningShell;
    let page: Page;

    onDemo(shell, async (demo) => {
      ({ home, running, page } = demo);
      await visit(page, running.urlOf(RUN));
    });

    async function saved(
      item: string,
      menu: string | RegExp = 'Truncated: table, save',
    ): Promise<{ readonly name: string; readonly bytes: Buffer }> {
      await page.getByRole('button', { name: menu }).first().click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: item }).click(),
      ]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    }

    test('CSV equals SQL', async () => {
      const { name, bytes } = await saved('Save as CSV');
      expect(name).toBe('demo-synthetic-truncated.csv');
      const [head, ...lines] = bytes.toString('utf8').trimEnd().split('\n');
      expect(head).toBe('step,Truncated: truncated [of rollouts; from rollouts],source');
      const db = openReader(home.libraryPath);
      const rows = db
        .prepare(
          `SELECT step, avg(stop_reason = 'length') AS share FROM rollout r JOIN run USING (run_id)
           WHERE kind = 'train' AND stop_reason_source = 'logged' GROUP BY step ORDER BY step`,
        )
        .all() as { step: number; share: number }[];
      db.close();
      expect(rows.length).toBe(12);
      expect(lines).toEqual(rows.map(({ step, share }) => `${step},${share},demo (synthetic)`));
    });

    test('SVG is self-contained, PNG is an image of twice its size', async () => {
      const svg = (await saved('Save as SVG')).bytes.toString('utf8');
      expect(svg).toMatch(/^<\?xml[^>]+>\n<svg /);
      expect(svg).toContain('Truncated (of rollouts)');
      // The image is self-contained.
      expect(svg).not.toMatch(/var\(--|class=/);
      const width = Number(/ width="(\d+)"/.exec(svg)?.[1]);
      const png = (await saved('Save as PNG')).bytes;
      expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
      expect(png.readUInt32BE(16)).toBe(2 * width);
      // A fixed size for a page of a paper, always on a light background.
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1280, 800]);
      const paper = /<rect [^>]*fill="(#[0-9a-f]+)"/.exec(svg)?.[1];
      await page.getByRole('button', { name: /^Theme: / }).click();
      await page.getByRole('button', { name: 'Theme: light' }).click();
      await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
      const inDark = (await saved('Save as SVG')).bytes.toString('utf8');
      expect(/<rect [^>]*fill="(#[0-9a-f]+)"/.exec(inDark)?.[1]).toBe(paper);
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    });

    test.each([
      ['the map of problems', '/problems', 'Problems: table, save', /^demo-synthetic-problems\./, 57],
      [
        'the history of a problem',
        '/step/500/group/expected-draws/problem',
        'History of the problem: save',
        /^problem-expected-draws\./,
        12,
      ],
      [
        'the timeline',
        '/step/500/schedule',
        'Timeline: table, save',
        /^demo-synthetic-step-500-schedule\./,
        128,
      ],
      [
        'pass@k by samples',
        '-eval~eval?tab=evaluation',
        /^By samples.*: table, save$/,
        /-by-samples-step-\d+\./,
        4,
      ],
    ])('%s has its picture and its numbers', async (_what, path, menu, name, least) => {
      await visit(page, running.urlOf(`${RUN}${path}`));
      const csv = await saved('Save as CSV', menu);
      expect(csv.name).toMatch(name);
      const [head, ...lines] = csv.bytes.toString('utf8').trimEnd().split('\n');
      expect(head).toMatch(/,source$/);
      expect(lines[0]).toMatch(/(from rollouts|as logged)/);
      expect(lines.length).toBeGreaterThanOrEqual(least);
      const png = await saved('Save as PNG', menu);
      expect(png.name).toMatch(name);
      expect(png.bytes.subarray(1, 4).toString('latin1')).toBe('PNG');
      expect(png.bytes.readUInt32BE(16)).toBeGreaterThan(600);
    });
  });
}
