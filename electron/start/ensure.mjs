/**
 * The first step of every npm script: installs locked dependencies and, with `--build [TARGET…]`, builds the given
 * targets of build.mjs. Default: all targets. Takes milliseconds if nothing changed. Writes only to stderr, because
 * stdout of `npm run -s turnwise -- …` is the result.
 */
import { fileURLToPath } from 'node:url';
import { install, isInstalled, nodeBinary } from './install.mjs';
import { withLock } from './lock.mjs';
import { run, StartFailure, say } from './run.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

try {
  if (!isInstalled(root)) {
    await withLock(
      root,
      async () => {
        // Another process may have installed while this one waited.
        if (!isInstalled(root)) await install(root);
      },
      { onWait: () => say('waiting for another install of this checkout …') },
    );
  }
  const [option, ...targets] = process.argv.slice(2);
  if (option === '--build') {
    // A separate process on the installed Node, because the current one may be too old for Vite.
    const script = fileURLToPath(new URL('build.mjs', import.meta.url));
    if ((await run(nodeBinary(root), [script, ...targets], { cwd: root })) !== undefined)
      process.exitCode = 1;
  }
} catch (error) {
  if (!(error instanceof StartFailure)) throw error;
  say(error.message);
  process.exitCode = 1;
}
