import { terminalJson } from '../../shared/domain/terminalText.ts';
import { FORMATS } from '../../shared/format/index.ts';
import { type Command, readArguments, UsageError } from './command.ts';

const help = `usage: turnwise formats [--json]

Lists the log formats in detection order, with the rule of each and the version of its producer. Every format may be in a container
(plain, gzip, zstd, zip, Parquet, Arrow, SQLite). A mapping can read files that no format recognizes.

  --json  an array of {name, title, source, rule, reads, ignores} on stdout`;

export const formatsCommand: Command = {
  name: 'formats',
  summary: 'list the log formats, their detection rules and versions',
  help,
  async run(argv) {
    const args = readArguments('formats', argv, { json: { type: 'boolean' } });
    if (args.positionals.length > 0) throw new UsageError('formats: takes no arguments', help);
    const rows = FORMATS.map(({ name, title, source, rule, reads, ignores }) => ({
      ...{ name, title, source, rule, reads, ignores },
    }));
    if (args.flag('json')) process.stdout.write(`${terminalJson(rows)}\n`);
    else {
      const width = Math.max(...rows.map((row) => row.name.length));
      const indent = ' '.repeat(width + 2);
      for (const row of rows) {
        process.stdout.write(
          `${row.name.padEnd(width)}  ${row.title}\n${indent}recognized by ${row.rule}\n${indent}from ${row.source}\n`,
        );
      }
    }
    return 0;
  },
};
