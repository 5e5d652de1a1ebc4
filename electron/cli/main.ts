/**
 * `turnwise <command>`: argv → host → stdout. Stdout holds the result and nothing else;
 * an error is one message on stderr, never a stack trace.
 *
 * Exit codes: 0 done · 1 failed or refused · 2 usage · 3 done, with issues.
 */
// As a whole: older versions of Node lack what is asked of it below, and are told so.
import * as modules from 'node:module';

// better-sqlite3 13 does not fail on an older Node: it crashes, without a word.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 14)) {
  console.error(
    `turnwise: needs Node 22.14 or newer, this is ${process.versions.node}; run it as: npm run -s turnwise --`,
  );
  process.exit(1);
}

// Compiled modules are kept between calls, in the system's temporary directory: it halves the start,
// of this process and, through the environment, of the threads it starts.
modules.enableCompileCache();
const cache = modules.getCompileCacheDir();
if (cache !== undefined) process.env['NODE_COMPILE_CACHE'] ??= cache;

// A reader that has seen enough (`| head`) closes the pipe; that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const { runCommand } = await import('./runCommand.ts');
process.exitCode = await runCommand(process.argv.slice(2));
