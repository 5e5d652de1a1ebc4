/**
 * The security rules in the running application: the real electron/main and electron/preload on the double.
 * Every probe runs twice: on the application, and on a copy without the rules, where the attack must succeed. A
 * probe that cannot fail proves nothing.
 */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CONTENT_SECURITY_POLICY } from '../../shared/api/bundle.ts';
import type { Mutation } from '../support/electron-double/mutation.ts';
import { CHROMIUM_FLAGS, findChromium } from '../support/shells/chromium.ts';
import { openElectronDouble, type RunningElectron } from '../support/shells/electronShell.ts';
import { serveProcess } from '../support/shells/serveProcess.ts';
import type { TemporaryHome } from '../support/shells/shell.ts';
import { writeSmallLog } from '../support/shells/smallLog.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';

/** Requests that left the application and would have reached the network. */
function outside({ app }: RunningElectron): Promise<string[]> {
  return app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    const contents = window?.webContents as unknown as { outside: string[] } | undefined;
    return contents?.outside ?? ['no window'];
  });
}

/** Whether a listener hears anything of a peer connection that the page opens, over UDP or TCP. */
async function isHeardByPeer(page: Page): Promise<boolean> {
  let heard = 0;
  const udp = createSocket('udp4').on('message', () => heard++);
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const { port } = udp.address();
  const tcp = createServer((socket) => {
    heard++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => tcp.listen(port, '127.0.0.1', resolve));
  try {
    await page
      .evaluate(async (to) => {
        const frame = document.createElement('iframe');
        document.body.append(frame);
        // A frame has constructors of its own, so removing the page's would not help.
        for (const place of [window, frame.contentWindow as typeof window]) {
          const urls = [`stun:127.0.0.1:${to}`, `turn:127.0.0.1:${to}?transport=tcp`];
          const peer = new place.RTCPeerConnection({
            iceServers: [{ urls, username: 'a', credential: 'b' }],
          });
          peer.createDataChannel('out');
          await peer.setLocalDescription(await peer.createOffer());
        }
      }, port)
      // Chromium ends a page that connects to a host outside its allowlist.
      .catch(() => undefined);
    // Packets would be sent at once, so a short wait is enough.
    await soon();
    return heard > 0;
  } finally {
    udp.close();
    tcp.close();
  }
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 400));

interface Rule {
  readonly name: string;
  /** Edits that remove the rule. */
  readonly mutations: readonly Mutation[];
  /** Whether the attack succeeds. */
  attack(running: RunningElectron, attacker: string): Promise<boolean>;
}

const OF_SCRIPTS: readonly Rule[] = [
  {
    name: 'a script cannot navigate the window away',
    mutations: [
      { file: 'main/security.ts', from: 'if (!isOurUrl(details.url)) details.preventDefault();', to: '' },
    ],
    async attack(running, attacker) {
      await running.page.evaluate((url) => {
        window.location.href = url;
      }, attacker);
      await soon();
      return (await outside(running)).includes(attacker);
    },
  },
  {
    name: 'a page gets no permission',
    mutations: [{ file: 'main/main.ts', from: 'restrictPermissions(session.defaultSession);', to: '' }],
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
    async attack(running, attacker) {
      await running.page.evaluate((url) => fetch(url).catch(() => undefined), attacker);
      return (await outside(running)).includes(attacker);
    },
  },
  {
    name: 'an image cannot carry anything out',
    mutations: [{ file: 'api/bundle.ts', from: "img-src 'self' data:", to: 'img-src *' }],
    async attack(running, attacker) {
      await running.page.evaluate((url) => {
        new Image().src = url;
      }, attacker);
      await soon();
      return (await outside(running)).includes(attacker);
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
    // A script element from our own origin is allowed. Code in a timer's string must not be.
    attack: ({ page }) =>
      page.evaluate(async () => {
        setTimeout('window.stringRan = true', 0);
        await new Promise((resolve) => setTimeout(resolve, 50));
        return 'stringRan' in window;
      }),
  },
  // Must be last, because Chromium may not respond to a page whose new window closes while it opens.
  {
    name: 'a script cannot open a window',
    mutations: [{ file: 'main/security.ts', from: "action: 'deny'", to: "action: 'allow'" }],
    async attack({ page, app }, attacker) {
      const opening = app
        .context()
        .waitForEvent('page', { timeout: 5_000 })
        .catch(() => undefined);
      // Not awaited, because a window that closes while it opens may never let the call return.
      void page.evaluate((url) => void window.open(url), attacker).catch(() => undefined);
      const opened = await opening;
      if (opened === undefined || opened.isClosed()) return false;
      return opened.waitForEvent('close', { timeout: 2_000 }).then(
        () => false,
        () => true,
      );
    },
  },
];

/** A separate address for each rule, because requests of earlier attacks stay on record. */
const attackerOf = (rule: Rule): string => `https://attacker.example/${OF_SCRIPTS.indexOf(rule)}`;

const isAnswered = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const bridge = (
      window as unknown as { turnwise: { request(...args: unknown[]): Promise<{ ok: boolean }> } }
    ).turnwise;
    return (await bridge.request(9_000_000, 'host.info', {})).ok;
  });

/** Main expects another host for its page, so the page becomes foreign. */
const FOREIGN: Mutation = { file: 'main/security.ts', from: 'host === APP_HOST', to: "host === 'another'" };

async function openWithout(home: TemporaryHome, mutations: readonly Mutation[]): Promise<RunningElectron> {
  const running = await openElectronDouble({ home, paths: [writeSmallLog(home.directory)], mutations });
  // Main does not answer a foreign page, so that page has no heading.
  if (!mutations.includes(FOREIGN)) await running.page.getByRole('heading', { level: 1 }).waitFor();
  return running;
}

describe('the application', () => {
  const home = createTemporaryHome();
  let running: RunningElectron;
  beforeAll(async () => {
    running = await openWithout(home, []);
  });
  afterAll(async () => {
    await running?.close();
    home.remove();
  });

  test.each(OF_SCRIPTS)('$name', async (rule) => {
    // A fresh page, because leftovers of one attack must not affect the next.
    await running.page.reload();
    await running.page.getByRole('heading', { level: 1 }).waitFor();
    const before = running.page.url();
    expect(await rule.attack(running, attackerOf(rule))).toBe(false);
    expect(running.page.url()).toBe(before);
  });

  test('is sandboxed', async () => {
    expect(
      await running.app.evaluate(
        ({ app }) => (app as unknown as { isSandboxEnabled: boolean }).isSandboxEnabled,
      ),
    ).toBe(true);
  });
});

/** The rules do not replace one another, so one copy lacks all of them. */
describe('control: an application without the rules', () => {
  const home = createTemporaryHome();
  let running: RunningElectron;
  beforeAll(async () => {
    const mutations = OF_SCRIPTS.flatMap((rule) => rule.mutations);
    running = await openWithout(home, mutations);
  });
  afterAll(async () => {
    await running?.close();
    home.remove();
  });

  test.each(OF_SCRIPTS)('the probe notices that $name', async (rule) => {
    // The error page of an attack that left the window interrupts what is opened next.
    const isOpened = () =>
      running.page.goto(running.urlOf('/')).then(
        () => true,
        () => false,
      );
    await expect.poll(isOpened).toBe(true);
    await running.page.getByRole('heading', { level: 1 }).waitFor();
    expect(await rule.attack(running, attackerOf(rule))).toBe(true);
  });
});

describe('an application that expects another page', () => {
  let home: TemporaryHome;
  let running: RunningElectron;
  beforeEach(() => {
    home = createTemporaryHome();
  });
  afterEach(async () => {
    await running?.close();
    home.remove();
  });

  test('gives a page that is not ours no answer', async () => {
    running = await openWithout(home, [FOREIGN]);
    expect(await isAnswered(running.page)).toBe(false);
  });

  test('control: without the rule, the probe notices an answer', async () => {
    running = await openWithout(home, [
      FOREIGN,
      { file: 'main/ipc.ts', from: 'if (!isOurFrame(event.senderFrame)) return REFUSED;', to: '' },
    ]);
    expect(await isAnswered(running.page)).toBe(true);
  });
});

/**
 * The double starts one browser for all tests, so the settings of `stayOffline` and `guardContents` are tested in
 * separate browsers.
 */
test.each([
  ['the desktop’s network settings reach no peer', false],
  ['control: Chromium’s reach one', true],
])('%s', async (_name, isControl) => {
  const { executablePath, env } = findChromium();
  const args = isControl
    ? []
    : [
        '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--proxy-server=127.0.0.1:9',
        '--proxy-bypass-list=<-loopback>',
      ];
  const browser = await chromium.launch({
    ...{ executablePath, args: [...CHROMIUM_FLAGS, ...args], env: { ...process.env, ...env } },
  });
  try {
    const page = await browser.newPage();
    await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<p>page' }));
    await page.goto('http://localhost/');
    expect(await isHeardByPeer(page)).toBe(isControl);
  } finally {
    await browser.close();
  }
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

  test.each([
    ['cannot reach a peer when it is scripted', false],
    ['control: reaches a peer without the header', true],
  ])('%s', async (_name, isControl) => {
    const { browserShell } = await import('../support/shells/browserShell.ts');
    const home = createTemporaryHome();
    const running = await browserShell.open({ home, paths: [writeSmallLog(home.directory)] });
    try {
      if (isControl) {
        await running.page.route('**/*', async (route) => {
          if (route.request().resourceType() !== 'document') return route.continue();
          const body = await (await route.fetch()).text();
          const headers = { 'Content-Security-Policy': CONTENT_SECURITY_POLICY };
          return route.fulfill({ body, contentType: 'text/html', headers });
        });
        await running.page.reload();
      } else await running.page.getByRole('heading', { level: 1 }).waitFor();
      expect(await isHeardByPeer(running.page)).toBe(isControl);
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
