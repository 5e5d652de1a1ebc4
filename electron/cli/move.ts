import { terminalJson, terminalLine } from '../../shared/domain/terminalText.ts';
import { type Command, readArguments, resolvePath, UsageError } from './command.ts';
import { withCancellableHost } from './libraryHost.ts';
import { bytesText } from './libraryText.ts';

const help = `usage: turnwise move --run RUN_KEY --to FILE [--library FILE] [--json]

Moves a run with all its data into a new library. The copy is compared row by row before the run is removed here,
so an interruption loses nothing. The logs are not changed.

  --run RUN_KEY   key of the run, from its URL or the view "run" (turnwise query)
  --to FILE       new library; .turnwise is appended unless it ends in that or .sqlite. An existing file is never changed
  --library FILE  library of the run; default: the user's library
  --json          {path, rollouts, bytes, freed, rows} on stdout

Exit codes: 0 done, 1 no such run, or the move is not possible, 2 usage.`;

export const moveCommand: Command = {
  name: 'move',
  summary: 'move a run to a new library',
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
      throw new UsageError('move: give --run and --to', help);
    const path = resolvePath(to);
    return withCancellableHost(args.string('library'), context, async (host) => {
      host.mayWrite(path);
      const moved = await host.ask('run.move', { runKey, path });
      process.stdout.write(
        args.flag('json')
          ? `${terminalJson(moved)}\n`
          : `moved ${moved.rollouts.toLocaleString('en')} rollouts to ${terminalLine(moved.path)} (${bytesText(moved.bytes)}); ${moved.rows.toLocaleString('en')} rows compared; the library is ${bytesText(moved.freed)} smaller\n`,
      );
      return 0;
    });
  },
};
