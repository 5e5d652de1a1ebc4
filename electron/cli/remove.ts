import { existsSync } from 'node:fs';
import type { ResultOf } from '../../shared/api/contract.ts';
import { terminalJson } from '../../shared/domain/terminalText.ts';
import { createHost } from '../host/createHost.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { type Command, ExpectedError, readArguments, resolvePath, UsageError } from './command.ts';

const help = `usage: turnwise remove RUN_KEY [--library FILE] [--json]

Removes a run with all its data from a library. The logs are not changed; opening them reads them
again. A run's key is in its URL and in the view "run" (turnwise query).

  --library FILE  library file; default: the user's library
  --json          {rollouts, files, bytes} on stdout

Exit codes: 0 done, 1 no such run, 2 usage.`;

export const removeCommand: Command = {
  name: 'remove',
  summary: 'remove a run from a library',
  help,
  async run(argv, context) {
    const args = readArguments('remove', argv, { library: { type: 'string' }, json: { type: 'boolean' } });
    const [runKey, ...more] = args.positionals;
    if (runKey === undefined || more.length > 0) throw new UsageError('remove: give one RUN_KEY', help);
    const named = args.string('library');
    const libraryPath = named === undefined ? defaultLibraryPath() : resolvePath(named);
    if (!existsSync(libraryPath)) throw new ExpectedError(`there is no library at ${libraryPath}`);
    const host = await createHost({ libraryPath, shell: 'browser', version: context.version });
    try {
      const result = await host.dispatch('run.remove', { runKey });
      if (!result.ok) throw new ExpectedError(result.failure.message);
      const { rollouts, files, bytes } = result.value as ResultOf<'run.remove'>;
      const size = `${(bytes / 2 ** 20).toFixed(1)} MiB`;
      process.stdout.write(
        args.flag('json')
          ? `${terminalJson({ rollouts, files, bytes })}\n`
          : `removed ${rollouts.toLocaleString('en')} rollouts; the library is ${size} smaller; the logs were not changed\n`,
      );
      return 0;
    } finally {
      await host.close();
    }
  },
};
