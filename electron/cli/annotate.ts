import { existsSync } from 'node:fs';
import type { MergeReport } from '../../shared/api/contract.ts';
import { terminalJson, terminalLine, terminalLines } from '../../shared/domain/terminalText.ts';
import { type Command, ExpectedError, readArguments, resolvePath, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';

const help = `usage: turnwise annotate --import PATH [--library FILE] [--json]

Imports annotations, review marks and labels from a failure pack, or from a file of annotations alone
(turnwise annotations --json). Rollouts of a pack are left out; turnwise ingest reads them, too. Nothing here is
overwritten: differing versions are kept as conflicts until they are resolved in the app.

  --import PATH   file to import; may be compressed with gzip or zstd
  --library FILE  library file; default: the user's library
  --json          print the report as JSON

Exit codes: 0 done, 1 failed, 2 usage, 3 done, with unreadable lines or with conflicts.`;

export const annotateCommand: Command = {
  name: 'annotate',
  summary: 'import annotations',
  help,
  async run(argv, context) {
    const args = readArguments('annotate', argv, {
      import: { type: 'string' },
      library: { type: 'string' },
      json: { type: 'boolean' },
    });
    const named = args.string('import');
    if (named === undefined || args.positionals.length > 0)
      throw new UsageError('annotate: give --import', help);
    const path = resolvePath(named);
    if (!existsSync(path)) throw new ExpectedError(`there is no file ${path}`);
    return withLibraryHost(args.string('library'), context, async (host) => {
      await host.grant(path);
      const report = await host.ask('annotation.import', { path });
      process.stdout.write(args.flag('json') ? `${terminalJson(report)}\n` : reportText(report));
      for (const { line, message } of report.issues)
        process.stderr.write(
          `${terminalLine(`${path}${line === undefined ? '' : `:${line}`}: ${message}`)}\n`,
        );
      return report.issues.length + report.conflicts > 0 ? 3 : 0;
    });
  },
};

function reportText(report: MergeReport): string {
  const lines = [
    `${report.added} added, ${report.present} unchanged, ${report.conflicts} in conflict; ${report.readings} review marks imported`,
    ...(report.unattached === 0
      ? []
      : [
          `${report.unattached} of the added annotations are unattached: their rollouts are not in this library`,
        ]),
    ...(report.labelsAdded.length === 0 ? [] : [`labels added: ${report.labelsAdded.join(', ')}`]),
    ...(report.labelsDiffering.length === 0
      ? []
      : [
          `labels with another name or description in this library, not changed: ${report.labelsDiffering.join(', ')}`,
        ]),
  ];
  return terminalLines(lines);
}
