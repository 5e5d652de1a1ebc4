import { setTimeout as wait } from 'node:timers/promises';
import { terminalJson } from '../../shared/domain/terminalText.ts';
import { type Command, ExpectedError, readArguments, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';

/** Interval between two progress checks. */
const POLL_INTERVAL_MS = 100;
/** Without progress for this long, another process holds the library. */
const STALL_TIMEOUT_MS = 30_000;

const help = `usage: turnwise index [--library FILE] [--json]

Completes the full-text index of a library. Turnwise also builds it in the background while it is open; use this
command for libraries filled by a script. Ctrl-C stops it; the next call continues.

  --library FILE   library file; default: the user's library
  --json           {"rollouts": …, "indexed": …, "seconds": …} on stdout

Exit codes: 0 the index is complete, 1 failed, 2 usage, 130 stopped.`;

export const indexCommand: Command = {
  name: 'index',
  summary: 'complete the full-text index',
  help,
  async run(argv, context) {
    const args = readArguments('index', argv, { library: { type: 'string' }, json: { type: 'boolean' } });
    if (args.positionals.length > 0)
      throw new UsageError(`index: ${args.positionals[0]} is not an option`, help);
    let isStopped = false;
    const onSignal = (): void => {
      isStopped = true;
    };
    process.once('SIGINT', onSignal);
    try {
      // The host's writer indexes while it has no requests.
      return await withLibraryHost(args.string('library'), context, async ({ ask }) => {
        const startedAt = performance.now();
        let before = -1;
        let movedAt = startedAt;
        for (;;) {
          const { rollouts, indexed } = await ask('search.state', {});
          const isWhole = indexed >= rollouts;
          if (process.stderr.isTTY) process.stderr.write(`\r${indexed} of ${rollouts} rollouts`);
          if (indexed !== before) movedAt = performance.now();
          before = indexed;
          if (!isWhole && !isStopped) {
            if (performance.now() - movedAt > STALL_TIMEOUT_MS)
              throw new ExpectedError(
                `the index stopped at ${indexed} of ${rollouts} rollouts: another program is writing to the library, or the disk is full`,
              );
            await wait(POLL_INTERVAL_MS);
            continue;
          }
          if (process.stderr.isTTY) process.stderr.write('\n');
          const seconds = (performance.now() - startedAt) / 1000;
          process.stdout.write(
            args.flag('json')
              ? `${terminalJson({ rollouts, indexed, seconds })}\n`
              : `${indexed} of ${rollouts} rollouts are indexed${isWhole ? '' : '; the next call continues from there'}\n`,
          );
          return isWhole ? 0 : 130;
        }
      });
    } finally {
      process.off('SIGINT', onSignal);
    }
  },
};
