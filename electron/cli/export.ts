import { type Command, readArguments, resolvePath, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';
import { bytesText } from './libraryText.ts';

const help = `usage: turnwise export --out DIRECTORY [--format parquet] [--run RUN_KEY]… [--library FILE] [--json]

Writes rollouts with everything that is known of them as a data set in Parquet, one row per rollout, partitioned as Hive
does: DIRECTORY/rollouts/run=…/step=…/part-0.parquet. DuckDB, ClickHouse, Spark and pandas read it as it is; README.md in it
describes the columns. Turnwise reads it again: turnwise ingest DIRECTORY.

  --out DIRECTORY  a directory that is empty, or not there yet
  --format FORMAT  parquet (default)
  --run RUN_KEY    this run alone; may be given again; without it every run
  --library FILE   the library; without it the one of this user
  --json           {directory, runs, files, rollouts, bytes} on stdout

Exit codes: 0 done, 1 no such run, or it cannot be written there, 2 usage.`;

export const exportCommand: Command = {
  name: 'export',
  summary: 'write rollouts as a data set in Parquet',
  help,
  async run(argv, context) {
    const args = readArguments('export', argv, {
      out: { type: 'string' },
      format: { type: 'string' },
      run: { type: 'string', multiple: true },
      library: { type: 'string' },
      json: { type: 'boolean' },
    });
    const out = args.string('out');
    if (out === undefined || args.positionals.length > 0)
      throw new UsageError(`export: give --out\n\n${help}`);
    if ((args.string('format') ?? 'parquet') !== 'parquet')
      throw new UsageError('export: --format is parquet');
    const path = resolvePath(out);
    const runKeys = args.strings('run');
    return withLibraryHost(args.string('library'), context, async (host) => {
      host.mayWrite(path);
      const params = { path, ...(runKeys.length === 0 ? {} : { runKeys: [...runKeys] }) };
      const written = await host.ask('run.export', params);
      process.stdout.write(
        args.flag('json')
          ? `${JSON.stringify(written)}\n`
          : `${written.rollouts.toLocaleString('en')} rollouts of ${written.runs} ${written.runs === 1 ? 'run' : 'runs'} in ${written.files} files at ${written.directory} (${bytesText(written.bytes)})\n`,
      );
      return 0;
    });
  },
};
