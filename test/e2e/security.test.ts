/**
 * The security rules in the running application: the real electron/main and electron/preload on the double.
 * Every probe runs twice: on the application, and on a copy with that rule removed, where the attack must
 * succeed. A probe that cannot fail proves nothing.
 */
import { afterEach, describe, expect, test } from 'vitest';
import type { Mutation } from '../support/electron-double/mutation.ts';
import { serveProcess } from '../support/shells/browserShell.ts';
import { openElectronDouble, type RunningElectron } from '../support/shells/electronShell.ts';
import type { TemporaryHome } from '../support/shells/shell.ts';
import { writeSmallLog } from '../support/shells/smallLog.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';

const ATTACKER = 'https://attacker.example/';

/** Requests that left the application and would have reached the network. */
function outside({ app }: RunningElectron): Promise<string[]> {
  return app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    const contents = window?.webContents as unknown as { outside: string[] } | undefined;
    return contents?.outside ?? ['no window'];
  });
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 400));

interface Rule {
  readonly name: string;
  /** Edits that remove the rule. */
  readonly mutations: readonly Mutation[];
  /** Whether the attack succeeds. */
  attack(running: RunningElectron): Promise<boolean>;
}

const RULES: readonly Rule[] = [
  {
    name: 'a script cannot navigate the window away',
    mutations: [
      { file: 'main/security.ts', from: 'if (!isOurUrl(details.url)) details.preventDefault();', to: '' },
    ],
    async attack(running) {
      await running.page.evaluate((url) => {
        window.location.href = url;
      }, ATTACKER);
      await soon();
      return (await outside(running)).includes(ATTACKER);
    },
  },
  {
    name: 'a script cannot open a window',
    mutations: [{ file: 'main/security.ts', from: "action: 'deny'", to: "action: 'allow'" }],
    async attack({ page, app }) {
      const opening = app
        .context()
        .waitForEvent('page', { timeout: 5_000 })
        .catch(() => undefined);
      // Not awaited, because a window that closes while it opens may never let the call return.
      void page.evaluate((url) => void window.open(url), ATTACKER).catch(() => undefined);
      const opened = await opening;
      if (opened === undefined || opened.isClosed()) return false;
      return opened.waitForEvent('close', { timeout: 2_000 }).then(
        () => false,
        () => true,
      );
    },
  },
  {
    name: 'a page gets no permission',
    mutations: [{ file: 'main/main.ts', from: 'denyPermissions(session.defaultSession);', to: '' }],
    async attack({ page }) {
      const state = await page.evaluate(
        async () => (await navigator.permissions.query({ name: 'geolocation' })).state,
      );
      return state === 'granted';
    },
  },
  {
    name: 'a script cannot fetch from elsewhere',
    mutations: [{ file: 'api/bundle.ts', from: "connect-src 'self'", to: 'connect-src *' }],
    async attack(running) {
      await running.page.evaluate((url) => fetch(url).catch(() => undefined), ATTACKER);
      return (await outside(running)).includes(ATTACKER);
    },
  },
  {
    name: 'an image cannot carry anything out',
    mutations: [{ file: 'api/bundle.ts', from: "img-src 'self' data:", to: 'img-src *' }],
    async attack(running) {
      await running.page.evaluate((url) => {
        new Image().src = url;
      }, ATTACKER);
      await soon();
      return (await outside(running)).includes(ATTACKER);
    },
  },
  {
    name: 'an inline script does not run',
    mutations: [
      { file: 'api/bundle.ts', from: "script-src 'self'", to: "script-src 'self' 'unsafe-inline'" },
    ],
    attack: ({ page }) =>
      page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'window.inlineRan = true';
        document.body.append(script);
        return 'inlineRan' in window;
      }),
  },
  {
    name: 'a string is never code',
    mutations: [{ file: 'api/bundle.ts', from: "script-src 'self'", to: "script-src 'self' 'unsafe-eval'" }],
    // A script element of our own origin is no attack; a timer's string is.
    attack: ({ page }) =>
      page.evaluate(async () => {
        setTimeout('window.stringRan = true', 0);
        await new Promise((resolve) => setTimeout(resolve, 50));
        return 'stringRan' in window;
      }),
  },
  {
    name: 'a page that is not ours gets no answer from the host',
    mutations: [{ file: 'main/ipc.ts', from: 'if (!isOurFrame(event.senderFrame)) return REFUSED;', to: '' }],
    // The page becomes foreign by changing the host that main accepts.
    attack: ({ page }) =>
      page.evaluate(async () => {
        const bridge = (
          window as unknown as { turnwise: { request(...args: unknown[]): Promise<{ ok: boolean }> } }
        ).turnwise;
        return (await bridge.request(9_000_000, 'host.info', {})).ok;
      }),
  },
];

/** For the last rule: main expects another host for its page. */
const FOREIGN: Mutation = { file: 'main/security.ts', from: 'host === APP_HOST', to: "host === 'another'" };
const isAboutSender = (rule: Rule): boolean => rule.mutations.some(({ file }) => file === 'main/ipc.ts');

/** A fresh page per attack, because leftovers of one must not affect the next. */
describe.each([
  ['the application', false],
  ['control: without the rule, the probe notices that', true],
])('%s', (_name, isControl) => {
  let home: TemporaryHome;
  let running: RunningElectron;
  afterEach(async () => {
    await running?.close();
    home.remove();
  });

  async function open(mutations: readonly Mutation[]): Promise<void> {
    home = createTemporaryHome();
    running = await openElectronDouble({ home, paths: [writeSmallLog(home.directory)], mutations });
    // Main does not answer a foreign page, so that page has no heading.
    if (!mutations.includes(FOREIGN)) await running.page.getByRole('heading', { level: 1 }).waitFor();
  }

  for (const rule of RULES) {
    test(rule.name, async () => {
      await open([...(isControl ? rule.mutations : []), ...(isAboutSender(rule) ? [FOREIGN] : [])]);
      const before = running.page.url();
      expect(await rule.attack(running)).toBe(isControl);
      if (!isControl) expect(running.page.url()).toBe(before);
    });
  }
});

test('the sandbox is on', async () => {
  const home = createTemporaryHome();
  const { app, close } = await openElectronDouble({ home, paths: [writeSmallLog(home.directory)] });
  expect(
    await app.evaluate(({ app }) => (app as unknown as { isSandboxEnabled: boolean }).isSandboxEnabled),
  ).toBe(true);
  await close();
  home.remove();
});

describe('the page on loopback', () => {
  test('keeps its token out of the URL, of cookies and of persistent storage', async () => {
    const { browserShell } = await import('../support/shells/browserShell.ts');
    const home = createTemporaryHome();
    const running = await browserShell.open({ home });
    try {
      await running.page.getByRole('heading', { level: 1 }).waitFor();
      expect(running.page.url()).not.toContain('token');
      expect(await running.page.context().cookies()).toEqual([]);
      expect(await running.page.evaluate(() => JSON.stringify(localStorage))).not.toMatch(/[\w-]{43}/);
      // Without the token, another tab gets only the bundle.
      const stranger = await running.page.context().browser()?.newPage();
      await stranger?.goto(running.urlOf('/'));
      await stranger?.waitForTimeout(500);
      expect(await stranger?.getByRole('row').count()).toBe(0);
    } finally {
      await running.close();
      home.remove();
    }
  });

  test('the host prints one line, the URL, and exits cleanly on a signal', async () => {
    const home = createTemporaryHome();
    const host = await serveProcess(['--library', home.libraryPath], home.env);
    expect(host.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
    await host.close();
    home.remove();
  });
});
