import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { readableLibrary } from '../host/readOnlyCopy.ts';
import { runSql } from '../host/runSql.ts';
import { type Command, ExpectedError, readArguments, resolvePath, UsageError } from './command.ts';
import { type RowFormat, rowWriter } from './rowWriters.ts';

const FORMATS: readonly RowFormat[] = ['jsonl', 'csv', 'table'];

const help = `usage: turnwise query [--library FILE] [--format jsonl|csv|table] [--timeout SECONDS] "SELECT …"

Queries a library with SQL: one statement that begins with SELECT, WITH, VALUES or EXPLAIN.
electron/storage/VIEWS.md describes the views.

  --library FILE     library file; default: the user's library
  --format FORMAT    jsonl (default), csv or table: see Values
  --timeout SECONDS  time limit of the statement; default: 30

Values: integers have all their digits, also beyond 2^53. In jsonl NULL is null, an infinite number is 1e999
or -1e999, bytes are {"base64":"…"}; in csv and table these are an empty cell, Infinity or -Infinity, base64:….

Exit codes: 0 done, 1 refused, failed or out of time, 2 usage.`;

export const queryCommand: Command = {
  name: 'query',
  summary: 'query a library with SQL',
  help,
  async run(argv) {
    const args = readArguments('query', argv, {
      library: { type: 'string' },
      format: { type: 'string' },
      timeout: { type: 'string' },
    });
    const [sql, ...more] = args.positionals;
    if (sql === undefined || more.length > 0)
      throw new UsageError('query: give one statement, in quotes', help);
    const format = FORMATS.find((known) => known === (args.string('format') ?? 'jsonl'));
    if (format === undefined) throw new UsageError(`query: --format must be one of ${FORMATS.join(', ')}`);
    const seconds = Number(args.string('timeout') ?? '30');
    if (!(seconds > 0)) throw new UsageError('query: --timeout must be a number of seconds');
    const named = args.string('library');
    const libraryPath = named === undefined ? defaultLibraryPath() : resolvePath(named);
    if (!existsSync(libraryPath)) throw new ExpectedError(`there is no library at ${libraryPath}`);
    const controller = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => controller.abort());
    const writer = rowWriter(format, process.stdout.isTTY, (text) => process.stdout.write(text));
    const library = await readableLibrary(libraryPath);
    try {
      const failure = await runSql({
        libraryPath: library.path,
        sql,
        timeoutMs: seconds * 1000,
        values: 'exact',
        signal: controller.signal,
        onColumns: (columns) => writer.columns(columns),
        onRows: async (rows) => {
          writer.rows(rows);
          if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
        },
      });
      if (failure !== undefined) throw new ExpectedError(failure.message);
    } finally {
      library.remove();
    }
    writer.end();
    return 0;
  },
};
