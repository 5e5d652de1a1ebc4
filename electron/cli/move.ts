import { type Command, readArguments, resolvePath, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';
import { bytesText } from './libraryText.ts';

const help = `usage: turnwise move --run RUN_KEY --to FILE [--library FILE] [--json]

Moves a run with everything read for it into a library of its own: copied, compared row by row, and only then
removed here. Stopped at any moment, nothing is lost. The logs themselves are not touched.

  --run RUN_KEY   the run; its key stands in its URL and in the view "run" (turnwise query)
  --to FILE       the new library; .sqlite is added where it is missing. A file that is there is never touched
  --library FILE  the library the run is in; without it the one of this user
  --json          {path, rollouts, bytes, freed, rows} on stdout

Exit codes: 0 done, 1 no such run, or it cannot be moved there, 2 usage.`;

export const moveCommand: Command = {
  name: 'move',
  summary: 'move a run into a library of its own',
  help,
  async run(argv, context) {
    const args = readArguments('move', argv, {
      run: { type: 'string' },
      to: { type: 'string' },
      library: { type: 'string' },
      json: { type: 'boolean' },
    });
    const runKey = args.string('run');
    const to = args.string('to');
    if (runKey === undefined || to === undefined || args.positionals.length > 0)
      throw new UsageError(`move: give --run and --to\n\n${help}`);
    const path = resolvePath(to);
    return withLibraryHost(args.string('library'), context, async (host) => {
      host.mayWrite(path);
      const moved = await host.ask('run.move', { runKey, path });
      process.stdout.write(
        args.flag('json')
          ? `${JSON.stringify(moved)}\n`
          : `moved ${moved.rollouts.toLocaleString('en')} rollouts to ${moved.path} (${bytesText(moved.bytes)}); ${moved.rows.toLocaleString('en')} rows compared; the library is ${bytesText(moved.freed)} smaller\n`,
      );
      return 0;
    });
  },
};
