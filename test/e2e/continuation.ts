/** Continuing a rollout from its replay, on every target, at a server over a table model. */
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { isDouble, type RunningShell, type Shell } from '../support/shells/shell.ts';
import { serveTableModel, type TableModel, type TableModelServer } from '../support/tableModelServer.ts';
import { onDemo } from './onDemo.ts';

const RUN = '/run/synthetic-grpo-roc-demo';
const ROLLOUT = `${RUN}/step/0/group/pairs-of-divisors/rollout/3`;
/** Incorrect, with four calls and an answer. */
const LOST = `${RUN}/step/250/group/lattice-paths/rollout/4`;
/** A hostile end: markup, and a character that reverses what follows. */
const HOSTILE = '<img src=x onerror=alert(1)>\u202e';

/** Of a right answer to the problem of `LOST`, after each number of outputs. The third turn loses it. */
const RIGHT_AFTER_OUTPUTS = [1, 1, 1, 0, 0];

/** Answers the problem of `LOST`, answers another after "Wait", and otherwise goes on for ever. */
const model: TableModel = (text) => {
  if (text.endsWith('</answer>')) return [];
  if (text.includes('y = x + 2')) {
    const outputs = text.split('<tool_response>').length - 1;
    const right = RIGHT_AFTER_OUTPUTS[outputs] ?? 0;
    return [
      ['<answer>\\boxed{429}</answer>', right],
      ['<answer>\\boxed{7}</answer>', 1 - right],
    ];
  }
  if (text.endsWith(HOSTILE)) return [['</reason>\n<answer>\\boxed{18}</answer>', 1]];
  return text.endsWith('Wait,') ? [[` I know it. ${HOSTILE}`, 1]] : [['so ', 1]];
};

export function describeContinuation(shell: Shell): void {
  describe(`${shell.name}: a rollout continued`, () => {
    let running: RunningShell;
    let page: Page;
    let errors: string[];
    let server: TableModelServer;

    onDemo(
      shell,
      (demo) => {
        ({ running, page, errors } = demo);
        for (const name of ['', '_MODEL', '_KEY']) delete process.env[`TURNWISE_ENDPOINT${name}`];
      },
      async () => {
        server = await serveTableModel(model);
        process.env['TURNWISE_ENDPOINT'] = server.url;
        process.env['TURNWISE_ENDPOINT_MODEL'] = 'table';
        process.env['TURNWISE_ENDPOINT_KEY'] = 'secret-key';
      },
    );
    afterAll(() => server?.close());

    const dialog = () => page.getByRole('dialog', { name: 'Continue rollout #3' });
    const field = (name: string) => dialog().getByLabel(name);
    const start = () => dialog().getByRole('button', { name: 'Start sampling' });
    const lines = () => dialog().getByRole('list', { name: 'Continuations' }).getByRole('listitem');

    test('says what would be sent, and sends nothing until it is started', async () => {
      await page.goto(running.urlOf(`${ROLLOUT}?turn=2`));
      const turn = page.getByRole('region', { name: 'Turn 2' });
      await turn.getByRole('button', { name: 'Continue from here…' }).press('Enter');
      await field('Write here first (optional)').fill('<reason>Wait,');
      await field('Continuations').fill('2');
      await field('Max tokens').fill('50');
      await dialog()
        .getByText(/2 requests to .*\/v1\/completions, model .* At most 100 tokens/)
        .waitFor();
      await dialog().getByText('The first request, word for word').click();
      await dialog().getByText('<reason>Wait,').last().waitFor();
      expect(server.seen).toEqual([]);
    });

    test('streams continuations, grades them, and shows their text as text', async () => {
      await start().click();
      await dialog()
        .getByText(/^\d of 2 correct$/)
        .waitFor();
      expect(await lines().count()).toBe(2);
      await lines().getByText('<img src=x onerror=alert(1)>').first().waitFor();
      expect(await dialog().locator('img').count()).toBe(0);
      expect(server.seen).toMatchObject(Array(2).fill({ authorization: 'Bearer secret-key' }));
      expect(server.seen[0]?.body['prompt']).toMatch(/<reason>Wait,$/);
    });

    test('compares one with the original, and the run has its label', async () => {
      await lines().first().getByRole('link', { name: 'Compare with the original' }).click();
      await expect.poll(() => running.place()).toContain('counterfactual/step/0/group');
      await page.getByText('I know it.').first().waitFor();
      await page.goto(running.urlOf(`${RUN}~counterfactual`));
      await page.getByText('counterfactual', { exact: true }).first().waitFor();
      const filter = encodeURIComponent('origin:"synthetic-grpo-roc-demo/0/pairs-of-divisors/3"');
      await page.goto(running.urlOf(`${RUN}~counterfactual/step/0?tab=rollouts&q=${filter}`));
      // The head and two continuations.
      await expect.poll(() => page.getByRole('grid').getByRole('row').count()).toBe(3);
    });

    test('stops when it is asked to, and keeps what has ended', async () => {
      server.faults.push('hang', 'hang', 'hang', 'hang');
      server.seen.length = 0;
      await page.goto(running.urlOf(`${ROLLOUT}?turn=1`));
      await page.getByRole('button', { name: 'Continue from here…' }).first().click();
      await field('Max tokens').fill('20');
      await start().click();
      await expect.poll(() => server.seen).toHaveLength(4);
      // The dialog stays while it samples.
      await page.keyboard.press('Escape');
      await dialog().getByRole('button', { name: 'Stop' }).click();
      await dialog().getByText('Stopped. 0 continuations stored.').waitFor();
      await dialog().getByRole('button', { name: 'Close' }).click();
      await dialog().waitFor({ state: 'detached' });
      expect(errors).toEqual([]);
    });

    // Processes and settings depend on the shell, what follows does not.
    if (isDouble(shell)) return;

    test('resumes the stopped request, and reads answers from a file', async () => {
      server.seen.length = 0;
      await page.reload();
      await page.getByRole('button', { name: 'Continue from here…' }).first().click();
      const interrupted = dialog().getByRole('region', { name: 'Interrupted requests' });
      await interrupted
        .getByText('0 of 4 stored: continuations of this rollout, from the start of turn 1')
        .waitFor();
      expect(server.seen).toEqual([]);
      await interrupted.getByRole('button', { name: 'Resume' }).click();
      await dialog().getByText('0 of 4 correct').waitFor();
      const link = await lines().first().getByRole('link', { name: 'Open' }).getAttribute('href');
      const id = /group\/([\w-]+)\/rollout/.exec(link ?? '')?.[1] ?? '';
      await dialog().getByRole('button', { name: 'Close' }).click();
      await page.keyboard.press('ControlOrMeta+k');
      await page.keyboard.type('read a batch');
      await page.keyboard.press('Enter');
      const stored = page.getByRole('dialog', { name: 'Continuations' });
      await stored.getByText('No request for continuations was interrupted.').waitFor();
      const body = { choices: [{ text: 'so', finish_reason: 'length' }] };
      const answers = [
        { custom_id: `${id}:0:0`, response: { status_code: 200, body } },
        { custom_id: `${id}:1:0`, response: null, error: { message: 'expired' } },
      ];
      await stored.getByLabel('Read batch…').setInputFiles({
        ...{ name: 'answers.jsonl', mimeType: 'application/jsonl' },
        buffer: Buffer.from(answers.map((line) => `${JSON.stringify(line)}\n`).join('')),
      });
      await stored.getByText('1 answer read from answers.jsonl').waitFor();
      await stored.getByText('✕ Line 2: expired').waitFor();
      await stored.getByRole('link', { name: /^rollout #3 of group pairs-of-divisors, step 0/ }).click();
      await expect.poll(() => running.place()).toMatch(/pairs-of-divisors\/rollout\/3$/);
      expect(errors).toEqual([]);
    });

    const valueDialog = () => page.getByRole('dialog', { name: 'Value by turn of rollout #4' });
    const valueAfter = (turn: number) => page.getByRole('region', { name: `Value after turn ${turn}` });

    test('sends nothing for a value by turn until it is started, and stops when it is asked to', async () => {
      server.seen.length = 0;
      server.before = () => (server.seen.length <= 4 ? Promise.resolve() : new Promise(() => undefined));
      await page.goto(running.urlOf(`${LOST}?turn=1`));
      const turn = page.getByRole('region', { name: 'Turn 1', exact: true });
      await turn.getByRole('button', { name: 'Value by turn…' }).press('Enter');
      await valueDialog().getByLabel('Most per turn').fill('8');
      await valueDialog().getByLabel('Max tokens').fill('20');
      await valueDialog().getByLabel('Token budget').fill('10');
      await valueDialog().getByText('Token budget must be at least max tokens.').waitFor();
      await valueDialog().getByLabel('Token budget').fill('500');
      await valueDialog()
        .getByText(/Requests to .*\/v1\/completions, model .* At most 500 tokens/)
        .waitFor();
      expect(server.seen).toEqual([]);
      await valueDialog().getByRole('button', { name: 'Start sampling' }).click();
      await expect.poll(() => server.seen.length).toBe(8);
      // The dialog stays while it samples, and shows what has ended.
      await page.keyboard.press('Escape');
      await valueDialog().getByRole('row', { name: 'Prompt 4 of 4' }).waitFor();
      await valueDialog().getByRole('row', { name: 'Turn 1 unknown' }).waitFor();
      await valueDialog().getByRole('button', { name: 'Stop' }).click();
      await valueDialog().getByText('Stopped. 4 continuations stored.').waitFor();
    });

    test('goes on with a value by turn, and names the losing turn', async () => {
      server.before = () => Promise.resolve();
      server.seen.length = 0;
      await valueDialog().getByRole('button', { name: 'Sample more' }).click();
      await valueDialog().getByText('Every turn has the most continuations.').waitFor();
      expect(server.seen).toHaveLength(8 * 5 - 4);
      await valueDialog()
        .getByText(/Largest drop: turn 3, 8 of 8 → 0 of 8 correct/)
        .waitFor();
      await valueDialog().getByRole('button', { name: 'Close' }).click();
      await valueDialog().waitFor({ state: 'detached' });
    });

    test('draws the value by turn under the transcript and on the scrubber', async () => {
      await page.goto(running.urlOf(`${LOST}?turn=3`));
      await valueAfter(3).getByText('↓ losing turn: 8 of 8 → 0 of 8').waitFor();
      await valueAfter(3).getByRole('img', { name: '0 of 8 correct, 95 % interval 0.00 to 0.32' }).waitFor();
      const scrubber = page.getByRole('slider', { name: 'Position in the rollout, by turn' });
      expect(await scrubber.getAttribute('title')).toContain('largest drop: turn 3, 8 of 8 → 0 of 8');
      // The prompt, four turns, and the outcome.
      expect(await scrubber.locator('circle').count()).toBe(6);
      expect(await scrubber.locator('line.is-losing').count()).toBe(1);
      await page.goto(running.urlOf(LOST.replace('/rollout/4', '')));
      await page.getByText('Lost at turn 3 (median of 1 of the 1 incorrect rollouts').click();
      await page.getByRole('row', { name: 'succeeded 1 3' }).waitFor();
      expect(errors).toEqual([]);
    });
  });
}
