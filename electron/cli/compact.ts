import { terminalJson } from '../../shared/domain/terminalText.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';
import { bytesText } from './libraryText.ts';

const help = `usage: turnwise compact [--library FILE] [--json]

Rewrites the library file without its free pages. The disk needs room for a temporary copy. Other programs may
read the library meanwhile. The command fails while another program writes to it.

  --library FILE  library file; default: the user's library
  --json          {before, after, elapsedMs} on stdout: bytes, milliseconds

Exit codes: 0 done, 1 no such library, no room, or another program writes, 2 usage.`;

export const compactCommand: Command = {
  name: 'compact',
  summary: 'shrink a library file by its free pages',
  help,
  async run(argv, context) {
    const args = readArguments('compact', argv, { library: { type: 'string' }, json: { type: 'boolean' } });
    if (args.positionals.length > 0) throw new UsageError('compact: takes no arguments', help);
    return withLibraryHost(args.string('library'), context, async (host) => {
      const done = await host.ask('library.compact', {});
      process.stdout.write(
        args.flag('json')
          ? `${terminalJson(done)}\n`
          : `${bytesText(done.before)} before, ${bytesText(done.after)} after\n`,
      );
      return 0;
    });
  },
};
