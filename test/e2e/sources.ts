/**
 * Unusual logs, on every target: an unknown format is mapped by hand, a growing directory is followed without
 * moving its lists, a log without steps shows none, a run is removed.
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byteTokenizerJson } from '../support/byteTokenizer.ts';
import { jsonLine as line, poolAndKept, sampledIds } from '../support/joinableLogs.ts';
import {
  PAGE_TIMEOUT_MS,
  type RunningShell,
  type Shell,
  type TemporaryHome,
} from '../support/shells/shell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { pressSequence } from './pressSequence.ts';
import { watchErrors } from './watchErrors.ts';

function dumped(step: number, from: number, to: number): string {
  const records = Array.from({ length: to - from }, (_, i) => from + i).map((i) => ({
    input: `user\nWhat is ${Math.floor(i / 4)} + ${step}?\nassistant\n`,
    output: `It is ${Math.floor(i / 4) + step}.`,
    gts: String(Math.floor(i / 4) + step),
    score: i % 3 === 0 ? 0 : 1,
    step,
  }));
  return records.map(line).join('');
}

function writeLogs(directory: string): string {
  const logs = join(directory, 'logs');
  for (const name of ['grown', 'odd', 'talk', 'shells', 'shells-kept', 'ids'])
    mkdirSync(join(logs, name), { recursive: true });
  for (const step of [1, 2]) writeFileSync(join(logs, 'grown', `${step}.jsonl`), dumped(step, 0, 16));
  const { pool, kept } = poolAndKept(3);
  writeFileSync(join(logs, 'shells', 'traces.jsonl'), pool);
  writeFileSync(join(logs, 'shells-kept', '3.jsonl'), kept);
  writeFileSync(
    join(logs, 'ids', 'rollouts.jsonl'),
    sampledIds(0, 'Let me see.') + sampledIds(1, 'Another way.', 'Nothing of it.'),
  );
  const odd = Array.from({ length: 12 }, (_, i) => ({
    ask: `How many clips are ${i} and ${i}?`,
    said: { in_the_end: `There are ${2 * i}.`, mark: i % 2 },
  }));
  writeFileSync(join(logs, 'odd', 'out.jsonl'), odd.map(line).join(''));
  const talk = (reward: number, trial: number) => ({
    ...{ task_id: 1, reward, trial, info: { task: { instruction: 'Cancel my flight.' } } },
    traj: [
      { role: 'system', content: 'You are an agent of an airline.' },
      { role: 'user', content: 'Cancel my flight.' },
      { role: 'assistant', content: `Done, attempt ${trial}.` },
    ],
  });
  writeFileSync(join(logs, 'talk', 'airline.json'), JSON.stringify([talk(1, 0), talk(0, 1)]));
  return logs;
}

export function describeSources(shell: Shell): void {
  describe(`${shell.name}: logs of any kind`, () => {
    let home: TemporaryHome;
    let logs: string;
    let running: RunningShell;
    let page: Page;
    let errors: string[];

    beforeAll(async () => {
      home = createTemporaryHome();
      logs = writeLogs(home.directory);
      running = await shell.open({ home, paths: [logs], isLazy: true });
      page = running.page;
      page.setDefaultTimeout(PAGE_TIMEOUT_MS);
      errors = watchErrors(page);
      await library();
    });
    afterAll(async () => {
      await running?.close();
      home.remove();
    });

    /** Goes through another page, because a start at `/` opens its run. */
    async function library(): Promise<void> {
      await page.goto(running.urlOf('/settings'));
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Library' }).click();
      await page.getByRole('grid', { name: 'Runs' }).waitFor();
    }
    const run = (name: RegExp) => page.getByRole('row', { name }).first();
    /** Enter opens the row under the cursor, which must be loaded. */
    const isLoaded = (grid: string | RegExp) =>
      page
        .getByRole('grid', { name: grid })
        .getByRole('row', { selected: true })
        .filter({ hasText: /\d/ })
        .waitFor();
    const steps = () => page.getByRole('grid', { name: /Steps of/ }).getByRole('row');
    const live = () => page.getByRole('button', { name: 'Live', exact: true }).getAttribute('aria-pressed');

    test('a file of an unknown format is mapped by picking its values, and ingested', async () => {
      await page.getByRole('link', { name: 'Map its fields…' }).click();
      await page.getByRole('heading', { name: /Map the fields of out\.jsonl/ }).waitFor();
      await page.getByText('No rollout yet').waitFor();
      const values = page.getByRole('grid', { name: 'Values of the record' });
      await page.getByLabel('response', { exact: true }).focus();
      await values.getByRole('row', { name: /in_the_end/ }).click();
      await page.getByText('10 records → 10 rollouts').waitFor();
      await page.getByLabel('prompt', { exact: true }).focus();
      await values.getByRole('row', { name: /^ask/ }).click();
      await page.getByLabel('reward', { exact: true }).fill('said.');
      await page.getByLabel('reward', { exact: true }).fill('said.mark');
      await page.getByRole('region', { name: 'Preview' }).getByText('How many clips are 3 and 3?').waitFor();
      await page.getByRole('textbox', { name: 'Name of the mapping' }).fill('clips');
      await page.getByRole('button', { name: 'Save & read' }).click();
      await page.getByRole('heading', { level: 1, name: 'clips' }).waitFor();
      await library();
      await run(/^clips\b.*mapping:clips/).waitFor();
    });

    test('a log without steps shows its groups at once, and no step anywhere', async () => {
      await library();
      await run(/airline/).click();
      await page.getByText('no training steps in this log').waitFor();
      await page.getByRole('row', { selected: true }).getByText('Cancel my flight.').waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('2 rollouts', { exact: true }).waitFor();
      const place = page.getByRole('navigation', { name: 'Breadcrumb' });
      expect(await place.innerText()).not.toMatch(/step/);
      await page.keyboard.press('Escape');
      await expect.poll(() => running.place()).toMatch(/^\/run\/[^/]+$/);
    });

    test('a followed run is live, in its header, charts and table, and can be paused', async () => {
      await library();
      await run(/grown/).click();
      await expect.poll(() => steps().count()).toBe(3);
      await page.getByRole('button', { name: 'Follow', exact: true }).click();
      await page.getByRole('button', { name: 'Stop following' }).waitFor();
      writeFileSync(join(logs, 'grown', '3.jsonl'), dumped(3, 0, 16));
      await expect.poll(() => steps().count()).toBe(4);
      await page.getByTitle(/ · 3 steps$/).waitFor();
      // If the newest step is selected, the selection moves to each newer step.
      await page.keyboard.press('Shift+G');
      await expect.poll(() => page.getByRole('row', { selected: true }).innerText()).toMatch(/^3\b/);
      writeFileSync(join(logs, 'grown', '4.jsonl'), dumped(4, 0, 8));
      await expect.poll(() => steps().count()).toBe(5);
      await expect.poll(() => page.getByRole('row', { selected: true }).innerText()).toMatch(/^4\b/);
      await page.getByTitle('56 rollouts · 14 groups · 4 steps', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Paused' }).click();
      appendFileSync(join(logs, 'grown', '4.jsonl'), dumped(4, 8, 16));
      const resume = page.getByRole('button', { name: '8 rollouts not shown · Resume' });
      await resume.waitFor();
      const lastRow = () => steps().last().innerText();
      const charts = () => page.getByRole('region', { name: 'By step' }).innerText();
      const shown = async () => ({ row: await lastRow(), charts: await charts() });
      // What was requested before the pause may still arrive.
      let held = await shown();
      await expect
        .poll(async () => {
          const before = held;
          held = await shown();
          return isDeepStrictEqual(before, held);
        })
        .toBe(true);
      // A half-written line is no issue of a live run.
      appendFileSync(join(logs, 'grown', '4.jsonl'), dumped(4, 16, 17).slice(0, 40));
      writeFileSync(join(logs, 'grown', '5.jsonl'), dumped(5, 0, 4));
      await page.getByRole('button', { name: '12 rollouts not shown · Resume' }).waitFor();
      await page.getByTitle('56 rollouts · 14 groups · 4 steps', { exact: true }).waitFor();
      expect(await shown()).toEqual(held);
      expect(await page.getByRole('link', { name: /issue/ }).count()).toBe(0);
      await page.getByRole('button', { name: '12 rollouts not shown · Resume' }).click();
      await page.getByTitle('68 rollouts · 17 groups · 5 steps', { exact: true }).waitFor();
      await expect.poll(() => steps().count()).toBe(6);
      await resume.waitFor({ state: 'detached' });
      await expect.poll(live).toBe('true');
    });

    test('following again begins live, and a half-written line is an issue once it has ended', async () => {
      await page.getByRole('button', { name: 'Paused' }).click();
      await expect.poll(live).toBe('false');
      await page.getByRole('button', { name: 'Stop following' }).click();
      await page.getByRole('link', { name: '1 issue' }).first().waitFor();
      appendFileSync(join(logs, 'grown', '4.jsonl'), dumped(4, 16, 17).slice(40));
      await page.getByRole('button', { name: 'Follow', exact: true }).click();
      await page.getByRole('button', { name: 'Stop following' }).waitFor();
      await expect.poll(live).toBe('true');
      await page.getByText(/^69 rollouts/).waitFor();
      await page.getByRole('link', { name: '1 issue' }).first().waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Paused' }).click();
    });

    test('the list of a step is paused, too', async () => {
      await steps().nth(4).filter({ hasText: /\d/ }).click();
      await page.getByRole('button', { name: 'All rollouts' }).click();
      const rows = page.getByRole('grid', { name: 'Rollouts of step 4' });
      await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe('18');
      appendFileSync(join(logs, 'grown', '4.jsonl'), dumped(4, 17, 20));
      await page.getByRole('button', { name: '3 rollouts not shown · Resume' }).waitFor();
      expect(await rows.getAttribute('aria-rowcount')).toBe('18');
      await page.keyboard.press('.');
      await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe('21');
      await expect.poll(live).toBe('false');
    });

    test('its groups can be formed by another rule, and restored', async () => {
      await page.keyboard.press('Escape');
      await isLoaded(/Steps of/);
      await page.keyboard.press('s');
      await page.getByText(/by equal prompt: 18 groups of 4/).waitFor();
      await page.getByRole('radio', { name: /Every/ }).check();
      await page.getByRole('spinbutton', { name: 'Rollouts per group' }).fill('2');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText(/by their order in the log: 36 groups of 2/).waitFor();
      await page.getByRole('radio', { name: /As logged/ }).check();
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText(/by equal prompt: 18 groups of 4/).waitFor();
    });

    test('a log of all rollouts is joined with the list of kept ones, and separated again', async () => {
      await library();
      await run(/^shells verl-trace|shells.*verl-trace/).click();
      await page.getByRole('grid', { name: /Steps of/ }).waitFor();
      await page.keyboard.press('s');
      const part = page.getByRole('region', { name: 'Pool and kept rollouts' });
      await part.getByRole('button', { name: 'Join with another log…' }).click();
      await part
        .getByLabel('The other log of this training')
        .selectOption({ label: 'shells-kept (verl, 5 rollouts in 1 step)' });
      expect(await part.getByRole('radio', { name: /^shells has all rollouts/ }).isChecked()).toBe(true);
      await part.getByRole('button', { name: 'Join', exact: true }).click();
      await part.getByText(/8 rollouts decided: 4 are in the list and kept \(50 %\)/).waitFor();
      await part.getByRole('row', { name: 'in the list, but not in the pool 1' }).waitFor();
      await part.getByRole('link', { name: 'step 3, #4' }).waitFor();
      await page.keyboard.press('s');
      await isLoaded(/Steps of/);
      await page.keyboard.press('Enter');
      await isLoaded('Groups of step 3');
      await page.keyboard.press('Enter');
      await page.getByText('decision: listed in shells-kept').waitFor();
      await page.getByRole('button', { name: 'discarded 4' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('grid', { name: 'Groups of step 3' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('grid', { name: /Steps of/ }).waitFor();
      await page.keyboard.press('s');
      await part.getByRole('button', { name: 'Separate…' }).click();
      await part.getByRole('button', { name: 'Separate', exact: true }).click();
      await part.getByRole('button', { name: 'Join with another log…' }).waitFor();
    });

    // Only the browser, because other shells use a system dialog.
    test.runIf(shell.name === 'browser')('ids get offsets from a tokenizer.json, and lose them', async () => {
      await library();
      await run(/ids nemo-gym|ids.*nemo-gym/).click();
      await page.getByText('no training steps in this log').waitFor();
      await page.keyboard.press('s');
      const part = page.getByRole('region', { name: 'Tokenizer' });
      await part.getByText('Of 2 rollouts with tokens: 2 with ids and no text.').waitFor();
      const field = part.getByLabel('Path of a tokenizer.json on the machine of the logs');
      await field.fill('/etc/hostname');
      await part.getByRole('button', { name: 'Place the ids' }).click();
      await part.getByText(/no permission to read \S+hostname/).waitFor();
      const path = join(logs, 'ids', 'tokenizer.json');
      writeFileSync(path, JSON.stringify(byteTokenizerJson()));
      await field.fill(path);
      await part.getByRole('button', { name: 'Place the ids' }).click();
      await part.getByText(/257 ids\. 1 of 2 rollouts placed on the text/).waitFor();
      await part.getByText(/from token 0 on the ids spell “Anotherway/).waitFor();
      await part.getByText('1 placed on the text by the tokenizer, 1 with ids and no text').waitFor();
      await part.getByRole('button', { name: 'Remove' }).click();
      await part.getByText('2 with ids and no text').waitFor();
    });

    test('a mapping is edited and deleted where all mappings are listed', async () => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('Go to mappings');
      await page.keyboard.press('Enter');
      const mapping = page.getByRole('listitem', { name: 'Mapping clips' });
      await mapping.getByText('Matches records with the fields ask, said').waitFor();
      await mapping.getByText('Used by 1 run: clips · 1 file').waitFor();
      await mapping.getByRole('link', { name: 'Edit clips' }).click();
      await page.getByLabel('prompt', { exact: true }).fill('said.in_the_end');
      await page.getByText('△ also used by response').waitFor();
      await page.getByRole('button', { name: 'Replace & read' }).click();
      await page.getByRole('heading', { level: 1, name: 'clips' }).waitFor();
      await page.getByRole('row', { name: /^There are 6\./ }).waitFor();
      await pressSequence(page, 'g', 'm');
      await mapping.getByRole('button', { name: 'Delete clips…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete the mapping clips?' });
      await dialog.getByText(/12 rollouts of 1 run, read with it from 1 file, stay in the library/).waitFor();
      await dialog.getByRole('button', { name: 'Delete the mapping' }).click();
      await mapping.waitFor({ state: 'detached' });
      await library();
    });

    test('a run is removed from the library, with a summary', async () => {
      await library();
      await run(/mapping:clips/)
        .getByRole('button', { name: /Actions for/ })
        .click();
      await page.getByRole('menuitem', { name: /Remove/ }).click();
      const dialog = page.getByRole('dialog', { name: /Remove .* from the library/ });
      await dialog.getByRole('button', { name: 'Remove 12 rollouts' }).click();
      await page
        .getByText(/removed: 12 rollouts from 1 file, .* freed\. Log files are not changed\./)
        .waitFor();
      await run(/mapping:clips/).waitFor({ state: 'detached' });
    });

    test('the page reported no error', () => {
      expect(errors).toEqual([]);
    });
  });
}
