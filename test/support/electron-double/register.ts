/**
 * `node --import register.ts electron/main/main.ts`: resolves 'electron' to the double in that process. The
 * inspector opens last, because Playwright then calls `require('electron')` at once. Before the hook, that
 * would be the npm package, which downloads the real Electron.
 */
import { open } from 'node:inspector';
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import type { Mutation } from './mutation.ts';

const DOUBLE = new URL('electron.ts', import.meta.url).href;
/** Changes to the application's source, with which a test proves that it detects them. */
const mutations = JSON.parse(process.env.TURNWISE_DOUBLE_MUTATIONS ?? '[]') as readonly Mutation[];

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: DOUBLE, shortCircuit: true } : next(specifier, context),
  load(url, context, next) {
    const loaded = next(url, context);
    const wanted = mutations.filter(({ file }) => url.endsWith(`/${file}`));
    if (wanted.length === 0) return loaded;
    let source = Buffer.from(loaded.source as Uint8Array).toString('utf8');
    for (const { file, from, to } of wanted) {
      // A mutation that no longer applies would let its test pass for no reason.
      if (!source.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)} to change`);
      source = source.replaceAll(from, to);
    }
    return { ...loaded, source };
  },
});

// Worker threads inherit `--import`; only the main thread is Electron's main process.
if (isMainThread) {
  await import(DOUBLE);
  open(0, '127.0.0.1');
}
