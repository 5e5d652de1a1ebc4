/** The Chromium under the double, started once. Its endpoint is printed for every driver. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CHROMIUM_FLAGS, findChromium } from '../shells/chromium.ts';
import { Cdp } from './cdp.ts';

export interface Browser {
  readonly cdp: Cdp;
  close(): void;
}

const FLAGS = [
  ...CHROMIUM_FLAGS,
  '--headless',
  '--remote-debugging-port=0',
  '--no-startup-window',
  '--no-first-run',
  '--hide-scrollbars',
  '--disable-background-networking',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
  // Frames stay in the page's process, where one CDP session sees them.
  '--disable-site-isolation-trials',
  // Gives the control of the permission test a device to grant.
  '--use-fake-device-for-media-stream',
];

export async function startBrowser(): Promise<Browser> {
  const { executablePath, env } = findChromium();
  const profile = mkdtempSync(join(tmpdir(), 'turnwise-double-'));
  const child = spawn(executablePath, [...FLAGS, `--user-data-dir=${profile}`], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const endpoint = await devToolsEndpoint(child);
  const cdp = await Cdp.connect(endpoint);
  // Playwright reads this line from an Electron's stderr and connects there.
  process.stderr.write(`DevTools listening on ${endpoint}\n`);
  const close = (): void => {
    process.off('exit', close);
    cdp.close();
    child.kill('SIGKILL');
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  process.on('exit', close);
  return { cdp, close };
}

function devToolsEndpoint(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`Chromium ended (${code}):\n${said.slice(-20).join('\n')}`)),
    );
    if (child.stderr === null) return reject(new Error('Chromium has no stderr'));
    createInterface(child.stderr).on('line', (line) => {
      said.push(line);
      const match = /DevTools listening on (ws:\S+)/.exec(line);
      if (match?.[1] !== undefined) resolve(match[1]);
    });
  });
}
