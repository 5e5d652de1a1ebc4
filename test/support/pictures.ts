/** `npm run pictures -- [NAME…]`: takes the screenshots of README.md from the demo run, into `fixtures/pictures/`. */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { comparePath } from '../../renderer/data/compareLink.ts';
import { CHROMIUM_FLAGS, findChromium } from './shells/chromium.ts';
import { serveProcess } from './shells/serveProcess.ts';
import { serveTableModel } from './tableModelServer.ts';

const DEMO = fileURLToPath(new URL('../../fixtures/demo/demo.jsonl', import.meta.url));
const PICTURES = fileURLToPath(new URL('../../fixtures/pictures', import.meta.url));
const RUN = '/run/synthetic-grpo-roc-demo';
const GROUP = `${RUN}/step/300/group/lattice-paths`;
/** Incorrect: its third call looks at the wrong paths. */
const LOST = `${RUN}/step/250/group/lattice-paths/rollout/4`;

/** Stands for a policy: how often it answers `LOST` correctly after each number of outputs. */
const RIGHT_AFTER_OUTPUTS = [0.7, 0.8, 0.75, 0.12, 0.05];
const policy = await serveTableModel((text) => {
  if (text.endsWith('</answer>')) return [];
  const right = RIGHT_AFTER_OUTPUTS[text.split('<tool_response>').length - 1] ?? 0;
  return [
    ['<answer>\\boxed{429}</answer>', right],
    ['<answer>\\boxed{7}</answer>', 1 - right],
  ];
});

interface Picture {
  readonly path: string;
  /** Selector of an element that exists once the page is rendered. */
  readonly drawn: string;
  readonly height?: number;
  /** What a user does before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
}

const PAGES: Readonly<Record<string, Picture>> = {
  run: { path: RUN, drawn: '[role=slider]', height: 680 },
  group: { path: GROUP, drawn: '[role=row][aria-selected=true]' },
  replay: { path: `${GROUP}/rollout/8?turn=2`, drawn: 'nav[aria-label=Outline]', height: 630 },
  compare: {
    path: comparePath([`${GROUP}/rollout/8`, `${GROUP}/rollout/9`]),
    drawn: '[aria-label="Panel"], .cmp-toolbar',
  },
  rerun: {
    path: `${GROUP}/rollout/8?turn=2`,
    drawn: 'nav[aria-label=Outline]',
    height: 650,
    act: editAndRun,
  },
  value: {
    path: `${LOST}?turn=3`,
    drawn: 'nav[aria-label=Outline]',
    height: 650,
    act: sampleValue,
  },
  tokens: { path: `${RUN}/tokens`, drawn: '[role=slider]', height: 500 },
};
/** Replaces the last number of the code by the next one. */
async function editAndRun(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit and run' }).nth(1).click();
  const code = page.getByRole('textbox', { name: 'Code to run' });
  await code.fill((await code.inputValue()).replace(/\d+(?=\D*$)/, (number) => String(Number(number) + 1)));
  await code.press('Control+Enter');
  const result = page.locator('.rerun');
  await result.getByText('not as logged').waitFor();
  await result.scrollIntoViewIfNeeded();
}

/** Samples the value by turn, unless it is stored. */
async function sampleValue(page: Page): Promise<void> {
  const losing = page.getByText(/losing turn: \d+ of \d+/);
  const open = page.getByRole('button', { name: 'Value by turn…' }).first();
  await open.waitFor();
  if ((await losing.count()) === 0) {
    await open.click();
    const dialog = page.getByRole('dialog', { name: /^Value by turn/ });
    await dialog.getByLabel('Most per turn').fill('32');
    await dialog.getByLabel('Max tokens').fill('20');
    await dialog.getByRole('button', { name: 'Start sampling' }).click();
    await dialog.getByText('Every turn has the most continuations.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
  }
  await losing.waitFor();
  await losing.evaluate((element) => element.scrollIntoView({ block: 'center' }));
}

const wanted = process.argv.slice(2);
const SIZE = { width: 1280, height: 720 };
const LARGEST_BYTES = 150_000;

const home = mkdtempSync(join(tmpdir(), 'turnwise-pictures-'));
mkdirSync(PICTURES, { recursive: true });
const { executablePath, env } = findChromium();
const browser = await chromium.launch({
  executablePath,
  args: [...CHROMIUM_FLAGS],
  env: { ...process.env, ...env },
});
const host = await serveProcess([DEMO, '--library', join(home, 'library.sqlite')], {
  TURNWISE_HOME: home,
  TURNWISE_ENDPOINT: policy.url,
  TURNWISE_ENDPOINT_MODEL: 'stand-in policy',
});
try {
  for (const theme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: theme, reducedMotion: 'reduce' });
    await page.goto(host.url);
    await page.getByRole('grid').or(page.getByRole('slider')).first().waitFor();
    // The notice of what was read comes with the end of the first read, and goes before the first picture.
    const notice = page.locator('.notice > span');
    if (theme === 'light') await notice.waitFor({ timeout: 20_000 }).catch(() => undefined);
    for (const [name, { path, drawn, height = SIZE.height, act }] of Object.entries(PAGES)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      await page.setViewportSize({ ...SIZE, height });
      await page.goto(new URL(path, host.url).href);
      await page.waitForSelector(drawn);
      await act?.(page);
      await page.waitForLoadState('networkidle');
      await page.evaluate(() => document.fonts.ready);
      // The demo has just been read: no picture of its notice, or of its texts being indexed.
      for (const passing of [notice, page.getByText('indexing texts')])
        await passing.waitFor({ state: 'detached' });
      // Charts and heat are drawn in the frames after the answer.
      for (let frame = 0; frame < 30; frame++)
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      const file = join(PICTURES, `${name}-${theme}.png`);
      await page.screenshot({ path: file });
      const bytes = statSync(file).size;
      if (bytes > LARGEST_BYTES) throw new Error(`${file} has ${bytes} bytes, more than ${LARGEST_BYTES}`);
      console.log(`${name}-${theme}.png ${Math.round(bytes / 1000)} kB`);
    }
    await page.close();
  }
} finally {
  await browser.close();
  await host.close();
  await policy.close();
  rmSync(home, { recursive: true, force: true });
}
