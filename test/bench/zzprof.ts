import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { startServer } from '../../electron/headless/startServer.ts';
import { createHost } from '../../electron/host/createHost.ts';
import { writeLongRollouts } from '../../fixtures/generate/longRollouts.ts';
import { CHROMIUM_FLAGS, findChromium } from '../support/shells/chromium.ts';
const RENDERER = process.env['DIST'] ?? '/work/main/dist/renderer';
const dir = mkdtempSync('/tmp/s7/cmp/p-');
const log = writeLongRollouts(join(dir, 'long'), { rollouts: 12, turns: 2000, seed: 3 });
const host = await createHost({ libraryPath: join(dir, 'c.sqlite'), shell: 'browser', version: 'b' });
await host.ingest([log]);
const orig = host.dispatch.bind(host);
let t0 = 0; const marks: string[] = [];
host.dispatch = async (m: string, p: unknown, s?: never) => { const a = performance.now(); const r = await orig(m, p, s); marks.push(`${m} ${(a - t0).toFixed(0)}→${(performance.now() - t0).toFixed(0)}`); return r; };
const server = await startServer({ host, rendererDirectory: RENDERER });
const { executablePath, env } = findChromium();
const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS], env: { ...process.env, ...env } });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.goto(server.url); await page.waitForSelector('[role=grid], [role=table]');
const GROUP = '/run/long-rollouts/step/1/group/long';
const lane = (o: number) => `lane=${encodeURIComponent(`${GROUP}/rollout/${o}`)}`;
const cdp = await page.context().newCDPSession(page);
const timeTo = (place: string, sel: string) => page.evaluate(([l, w]) => new Promise<number>((res) => { const s = performance.now(); const look = () => { if (location.pathname + location.search === l && document.querySelector(w!) !== null) requestAnimationFrame(() => res(performance.now() - s)); else requestAnimationFrame(look); }; history.pushState(undefined, '', l!); dispatchEvent(new PopStateEvent('popstate')); requestAnimationFrame(look); }), [place, sel]);
const all: any[] = [];
for (let r = 0; r < 6; r++) {
  const f = await timeTo(GROUP, '[role=row][aria-selected=true]');
  marks.length = 0; 
  if (r > 1 && process.env['PROF']) { await cdp.send('Profiler.enable'); await cdp.send('Profiler.setSamplingInterval', { interval: 300 }); await cdp.send('Profiler.start'); }
  t0 = performance.now();
  const took = await timeTo(`/compare?${lane(2 * r)}&${lane(2 * r + 1)}`, '[data-row]');
  console.log(r, f.toFixed(0), took.toFixed(0), marks.join(' | '));
  if (r > 1 && process.env['PROF']) { const { profile } = await cdp.send('Profiler.stop'); all.push(profile); }
  await page.waitForTimeout(500);
}
writeFileSync('/tmp/s7/cmp/prof.json', JSON.stringify(all));
await browser.close(); await server.close(); await host.close();
