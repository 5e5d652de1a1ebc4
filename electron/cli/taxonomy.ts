import { writeFileSync } from 'node:fs';
import type { ResultOf } from '../../shared/api/contract.ts';
import type { Taxonomy } from '../../shared/domain/annotate/taxonomy.ts';
import { terminalJson, terminalLines } from '../../shared/domain/terminalText.ts';
import { PACK_VERSION } from '../../shared/format/pack.ts';
import { parseTaxonomyFile } from '../../shared/format/taxonomy.ts';
import {
  type Command,
  ExpectedError,
  readArguments,
  resolvePath,
  textOfFile,
  UsageError,
} from './command.ts';
import { withLibraryHost } from './libraryHost.ts';

const help = `usage: turnwise taxonomy [--export FILE | --import FILE] [--library FILE] [--json]

Shows, exports or imports the labels of a library.

  --export FILE   write the labels as JSON into a new file
  --import FILE   replace the labels of the library. Annotations are not changed, even if their label is
                  removed
  --library FILE  library file; default: the user's library
  --json          print the labels as JSON

Exit codes: 0 done, 1 failed, 2 usage.`;

export const taxonomyCommand: Command = {
  name: 'taxonomy',
  summary: 'show, export or import the labels',
  help,
  async run(argv, context) {
    const args = readArguments('taxonomy', argv, {
      export: { type: 'string' },
      import: { type: 'string' },
      library: { type: 'string' },
      json: { type: 'boolean' },
    });
    const to = args.string('export');
    const from = args.string('import');
    if (args.positionals.length > 0 || (to !== undefined && from !== undefined))
      throw new UsageError('taxonomy: give at most one of --export and --import', help);
    return withLibraryHost(args.string('library'), context, async (host) => {
      const state =
        from === undefined
          ? await host.ask('taxonomy.get', {})
          : await host.ask('taxonomy.set', { taxonomy: taxonomyIn(resolvePath(from)) });
      if (to !== undefined) writeNew(resolvePath(to), jsonOf(state));
      else process.stdout.write(args.flag('json') ? jsonOf(state) : tableOf(state));
      return 0;
    });
  },
};

/** Follows no link. */
function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ExpectedError(code === 'EEXIST' ? `${path} already exists` : message);
  }
}

/** A taxonomy line of a pack, formatted for editing. */
function jsonOf({ taxonomy: { name, choice, labels } }: ResultOf<'taxonomy.get'>): string {
  // Fixed key order, so that two exports of equal labels are equal files.
  const listed = labels.map(({ id, name: called, key, colour, description }) => ({
    ...{ id, name: called },
    ...(key === undefined ? {} : { key }),
    ...{ colour, description },
  }));
  const taxonomy = { name, choice, labels: listed };
  return `${terminalJson({ pack: PACK_VERSION, type: 'taxonomy', taxonomy }, 2)}\n`;
}

function tableOf({ taxonomy, counts }: ResultOf<'taxonomy.get'>): string {
  const used = new Map(counts.map(({ label, annotations }) => [label, annotations]));
  const choice = taxonomy.choice === 'one' ? 'one label per place' : 'several labels per place';
  const lines = taxonomy.labels.map(
    ({ id, name, key, colour, description }) =>
      `${key ?? ' '}  ${id.padEnd(24)} ${String(used.get(id) ?? 0).padStart(6)}  ${name} (${colour})${description === '' ? '' : `: ${description}`}`,
  );
  const removedLabels = counts
    .filter(({ label }) => !taxonomy.labels.some(({ id }) => id === label))
    .map(
      ({ label, annotations }) => `   ${label.padEnd(24)} ${String(annotations).padStart(6)}  removed label`,
    );
  return terminalLines([`${taxonomy.name}; ${choice}`, ...lines, ...removedLabels]);
}

/** @throws ExpectedError */
function taxonomyIn(path: string): Taxonomy {
  const parsed = parseTaxonomyFile(textOfFile(path));
  if (!parsed.ok) throw new ExpectedError(`${path}: ${parsed.message}`);
  return parsed.value;
}
