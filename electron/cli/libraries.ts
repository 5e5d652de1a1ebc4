import { resolve } from 'node:path';
import { terminalJson, terminalLine } from '../../shared/domain/terminalText.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { bytesOnDisk } from '../storage/bytesOnDisk.ts';
import { type Command, readArguments, resolvePath, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';
import { bytesText } from './libraryText.ts';

const help = `usage: turnwise libraries [--library FILE] [--json]

Prints the disk space of a library by run, and the other libraries that were opened.

  --library FILE  library file; default: the user's library
  --json          {path, sizes, known} on stdout; bytes throughout

The pages of every table and index are divided among the runs by their rows and bytes. A run's share is an
estimate; the sums are exact. turnwise compact releases free pages.

Exit codes: 0 done, 1 no such library, 2 usage.`;

export const librariesCommand: Command = {
  name: 'libraries',
  summary: 'show the disk space of a library and the known libraries',
  help,
  async run(argv, context) {
    const args = readArguments('libraries', argv, { library: { type: 'string' }, json: { type: 'boolean' } });
    if (args.positionals.length > 0) throw new UsageError('libraries: takes no arguments', help);
    const named = args.string('library');
    const path = named === undefined ? resolve(defaultLibraryPath()) : resolvePath(named);
    return withLibraryHost(named, context, async (host) => {
      const sizes = await host.ask('library.sizes', {});
      const known = (await host.known()).map((library) => {
        const bytes = bytesOnDisk(library.path);
        return { id: library.id, path: library.path, ...(bytes === undefined ? {} : { bytes }) };
      });
      if (args.flag('json')) {
        process.stdout.write(`${terminalJson({ path, sizes, known })}\n`);
        return 0;
      }
      const rows: (readonly [string, string, string])[] = [
        ...sizes.runs.map(
          (run) =>
            [
              bytesText(run.bytes),
              `${run.rollouts.toLocaleString('en')} rollouts`,
              terminalLine(`${run.name}  (${run.runKey})`),
            ] as const,
        ),
        [bytesText(sizes.shared), '', 'shared by all runs'],
        [bytesText(sizes.free), '', 'free pages'],
        [bytesText(sizes.wal), '', 'write-ahead log'],
        [bytesText(sizes.file + sizes.wal), '', terminalLine(`total on disk: ${path}`)],
      ];
      const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
      for (const [size, rollouts, what] of rows)
        process.stdout.write(
          `${size.padStart(widths[0] ?? 0)}  ${rollouts.padStart(widths[1] ?? 0)}  ${what}\n`,
        );
      for (const { id, path: other, bytes } of known)
        process.stdout.write(
          `other library: ${terminalLine(`${id}  ${other}`)}  ${bytes === undefined ? '(missing)' : bytesText(bytes)}\n`,
        );
      return 0;
    });
  },
};
