import { type Command, readArguments, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';
import { bytesText } from './libraryText.ts';

const help = `usage: turnwise compact [--library FILE] [--json]

Writes a library's file anew without its free pages. The disk needs room for a copy meanwhile. Other programs may
read the library; where one writes into it just now, nothing is done.

  --library FILE  the library; without it the one of this user
  --json          {before, after, elapsedMs} on stdout: bytes, milliseconds

Exit codes: 0 done, 1 no library there, no room, or somebody writes, 2 usage.`;

export const compactCommand: Command = {
  name: 'compact',
  summary: 'give the free pages of a library back to the disk',
  help,
  async run(argv, context) {
    const args = readArguments('compact', argv, { library: { type: 'string' }, json: { type: 'boolean' } });
    if (args.positionals.length > 0) throw new UsageError(`compact: takes no arguments\n\n${help}`);
    return withLibraryHost(args.string('library'), context, async (host) => {
      const done = await host.ask('library.compact', {});
      process.stdout.write(
        args.flag('json')
          ? `${JSON.stringify(done)}\n`
          : `${bytesText(done.before)} before, ${bytesText(done.after)} now\n`,
      );
      return 0;
    });
  },
};
