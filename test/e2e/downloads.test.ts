/** Saving a file on the desktop: from the button to the system dialog, on the double. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openElectronDouble, type RunningElectron } from '../support/shells/electronShell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';

const DEMO = fileURLToPath(new URL('../../fixtures/demo/demo.jsonl', import.meta.url));
const ROLLOUT = '/run/synthetic-grpo-roc-demo/step/0/group/pairs-of-divisors/rollout/3';

interface Noted {
  readonly url: string;
  readonly isRefused: boolean;
  readonly options?: { readonly defaultPath: string; readonly filters: readonly { name: string }[] };
}

const home = createTemporaryHome();
let running: RunningElectron;

beforeAll(async () => {
  running = await openElectronDouble({ home, paths: [DEMO] });
  await running.page.getByText('demo (synthetic)').first().waitFor();
});
afterAll(async () => {
  await running?.close();
  home.remove();
});

/** Calls to the session, in order. */
const downloads = (): Promise<readonly Noted[]> =>
  running.app.evaluate(
    ({ session }) => (session.defaultSession as unknown as { downloads: readonly Noted[] }).downloads,
  );

test('a notebook is saved where the user chooses', async () => {
  await running.page.goto(running.urlOf(ROLLOUT));
  await running.page.getByRole('button', { name: 'Code: 3 cells' }).click();
  await running.page.getByRole('menuitem', { name: 'Save as notebook (.ipynb)' }).click();
  await expect.poll(async () => (await downloads()).length).toBe(1);
  const [saved] = await downloads();
  expect(saved).toMatchObject({
    url: expect.stringMatching(/^blob:app:\/\/bundle\//),
    isRefused: false,
    options: {
      defaultPath: expect.stringMatching(/demo-synthetic-step-0-pairs-of-divisors-3\.ipynb$/),
      filters: [{ name: 'Notebook' }, { name: 'All files' }],
    },
  });
  // The page did not change: a download is no navigation.
  expect(running.place()).toBe(ROLLOUT);
});

test('downloads from elsewhere are not saved', async () => {
  await running.page.evaluate(() => {
    const link = document.createElement('a');
    link.href = 'data:text/plain,from%20a%20rollout';
    link.download = 'rollout.txt';
    link.click();
  });
  await expect.poll(async () => (await downloads()).length).toBe(2);
  expect((await downloads())[1]).toMatchObject({ isRefused: true });
});
