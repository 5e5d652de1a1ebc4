import { readFileSync, writeFileSync } from 'node:fs';
import type { ResultOf } from '../../shared/api/contract.ts';
import type { Taxonomy } from '../../shared/domain/annotate/taxonomy.ts';
import { PACK_VERSION } from '../../shared/format/pack.ts';
import { parseTaxonomyFile } from '../../shared/format/taxonomy.ts';
import { type Command, ExpectedError, readArguments, resolvePath, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';

const help = `usage: turnwise taxonomy [--export FILE | --import FILE] [--library FILE] [--json]

Shows the labels of a library, or takes them elsewhere.

  --export FILE   writes them as JSON; a file that is there is replaced
  --import FILE   these are the labels from now on, in place of those there are. Annotations stay as they are, those
                  with a label that is gone too
  --library FILE  the library; without it the one of this user
  --json          on stdout, as --export writes them

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
      throw new UsageError(`taxonomy: give --export or --import, or neither\n\n${help}`);
    return withLibraryHost(args.string('library'), context, async (host) => {
      const state =
        from === undefined
          ? await host.ask('taxonomy.get', {})
          : await host.ask('taxonomy.set', { taxonomy: taxonomyIn(resolvePath(from)) });
      if (to !== undefined) writeFileSync(resolvePath(to), jsonOf(state));
      else process.stdout.write(args.flag('json') ? jsonOf(state) : tableOf(state));
      return 0;
    });
  },
};

/** As a line of a pack, so that it reads as one, but laid out to be edited. */
function jsonOf({ taxonomy: { name, choice, labels } }: ResultOf<'taxonomy.get'>): string {
  // In one order, so that two exports of the same labels are the same file.
  const listed = labels.map(({ id, name: called, key, colour, description }) => ({
    ...{ id, name: called },
    ...(key === undefined ? {} : { key }),
    ...{ colour, description },
  }));
  const taxonomy = { name, choice, labels: listed };
  return `${JSON.stringify({ pack: PACK_VERSION, type: 'taxonomy', taxonomy }, undefined, 2)}\n`;
}

function tableOf({ taxonomy, counts }: ResultOf<'taxonomy.get'>): string {
  const used = new Map(counts.map(({ label, annotations }) => [label, annotations]));
  const choice = taxonomy.choice === 'one' ? 'one label for a place' : 'several labels for a place';
  const lines = taxonomy.labels.map(
    ({ id, name, key, colour, description }) =>
      `${key ?? ' '}  ${id.padEnd(24)} ${String(used.get(id) ?? 0).padStart(6)}  ${name} (${colour})${description === '' ? '' : `: ${description}`}`,
  );
  const gone = counts
    .filter(({ label }) => !taxonomy.labels.some(({ id }) => id === label))
    .map(
      ({ label, annotations }) =>
        `   ${label.padEnd(24)} ${String(annotations).padStart(6)}  no longer among the labels`,
    );
  return `${[`${taxonomy.name}; ${choice}`, ...lines, ...gone].join('\n')}\n`;
}

/** @throws ExpectedError */
function taxonomyIn(path: string): Taxonomy {
  const parsed = parseTaxonomyFile(textIn(path));
  if (!parsed.ok) throw new ExpectedError(`${path}: ${parsed.message}`);
  return parsed.taxonomy;
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new ExpectedError(`${path}: ${error.message}`);
    throw error;
  }
}
