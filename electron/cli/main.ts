/**
 * `turnwise <command>`: argv → host → stdout. Stdout only holds the result. An error is one message on
 * stderr, never a stack trace.
 *
 * Exit codes: electron/cli/README.md#rules.
 */
import { mkdirSync } from 'node:fs';
// Imported as a whole, because older versions of Node lack some exports and need a clear message.
import * as modules from 'node:module';
import { dirname, join } from 'node:path';
import { messageOfError } from '../../shared/domain/fileProblem.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { printProblem } from '../host/printProblem.ts';

// better-sqlite3 13 crashes silently on an older Node.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 14)) {
  console.error(
    `turnwise: needs Node 22.14 or newer, this is ${process.versions.node}; run it as: npm run -s turnwise --`,
  );
  process.exit(1);
}

// Caches compiled modules. It halves the start time of this process and, through the environment, of its
// threads. Node's default is a directory of a known name in /tmp, where another user could put code.
const cache = process.env['NODE_COMPILE_CACHE'] ?? join(dirname(defaultLibraryPath()), 'compiled');
try {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  modules.enableCompileCache(cache);
  process.env['NODE_COMPILE_CACHE'] = cache;
} catch {
  // Without the cache, the start only takes longer.
}

// A reader such as `head` may close the pipe early, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  printProblem(`cannot write the output: ${messageOfError(error)}`);
  process.exit(1);
});

const { runCommand } = await import('./runCommand.ts');
process.exitCode = await runCommand(process.argv.slice(2));
