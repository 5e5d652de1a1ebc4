/** Continuing a rollout from its replay, on every target, at a server over a table model. */
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import type { RunningShell, Shell } from '../support/shells/shell.ts';
import { serveTableModel, type TableModel, type TableModelServer } from '../support/tableModelServer.ts';
import { onDemo } from './onDemo.ts';

const RUN = '/run/synthetic-grpo-roc-demo';
const ROLLOUT = `${RUN}/step/0/group/pairs-of-divisors/rollout/3`;
/** A hostile end: markup, and a character that reverses what follows. */
const HOSTILE = '<img src=x onerror=alert(1)>\u202e';

/** Answers after "Wait", and otherwise goes on for ever. */
const model: TableModel = (text) => {
  if (text.endsWith('</answer>')) return [];
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
  });
}
