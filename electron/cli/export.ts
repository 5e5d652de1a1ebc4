import { conversationsText, PACK_FORMATS, type PackFormat } from '../../shared/api/contract.ts';
import { terminalText } from '../../shared/domain/terminalText.ts';
import { labelNamed, runNamed } from './annotationText.ts';
import { type Arguments, type Command, readArguments, resolvePath, UsageError } from './command.ts';
import { type LibraryHost, withLibraryHost } from './libraryHost.ts';
import { bytesText } from './libraryText.ts';

const help = `usage: turnwise export --out DIRECTORY [--run RUN_KEY]… [--library FILE] [--json]
       turnwise export --format FORMAT --out PATH [--filter FILTER | --label LABEL… | --ids N,N… | --all]
                       [--run RUN] [--siblings] [--tokens] [--raw] [--redact PATTERN]… [--keep-credentials]
                       [--library FILE] [--json]

The first form writes rollouts with all their data as a Parquet data set, one row per rollout, with Hive
partitions: DIRECTORY/rollouts/run=…/step=…/part-0.parquet. DuckDB, ClickHouse, Spark and pandas read it
directly. Its README.md describes the columns. Turnwise can read it back: turnwise ingest DIRECTORY.

The second form writes a failure pack: rollouts with their annotations. It applies if --format is not parquet,
or if one of --filter, --label, --ids, --all, --siblings, --tokens, --redact and
--keep-credentials is given.

  --format FORMAT   html     one page, without network access or scripts
                    md       a report in Markdown
                    jsonl    all data; Turnwise can read it back: turnwise ingest PATH
                    csv, tsv a row per annotation, with PATH.manifest.json
                    chat     training conversations: correct rollouts unchanged, others with their suggested
                             correction, the rest skipped and counted; with PATH.manifest.json
                    parquet  a directory: rollouts and annotations
  --out PATH        new file or directory; existing ones are never overwritten

Selection; default: all rollouts with a label or a note:
  --filter FILTER   matching rollouts, labelled or not; turnwise rollouts --help shows the language
  --label LABEL     rollouts with this label (id or name); may be repeated; --filter narrows them
  --ids N,N…        rollouts with these numbers
  --all             all
  --run RUN         only this run: key, name or number; a data set accepts several, by key

Content:
  --siblings        the other rollouts of their groups, marked as such
  --tokens          token ids and signals (jsonl, parquet), heat (html)
  --raw             the raw log record (jsonl)
  --redact PATTERN  a regular expression; its matches are masked in every text; may be repeated
  --keep-credentials
                    leaves keys, tokens and passwords in the texts; otherwise they are masked and counted
  --library FILE    library file; default: the user's library
  --json            print the report as JSON

Exit codes: 0 done, 1 no such run, or the output cannot be written, 2 usage.`;

const PACK_OPTIONS = [
  'filter',
  'label',
  'ids',
  'all',
  'siblings',
  'tokens',
  'raw',
  'redact',
  'keep-credentials',
] as const;

export const exportCommand: Command = {
  name: 'export',
  summary: 'write rollouts as a Parquet data set or a failure pack',
  help,
  async run(argv, context) {
    const args = readArguments('export', argv, {
      out: { type: 'string' },
      format: { type: 'string' },
      run: { type: 'string', multiple: true },
      library: { type: 'string' },
      json: { type: 'boolean' },
      filter: { type: 'string' },
      label: { type: 'string', multiple: true },
      ids: { type: 'string' },
      all: { type: 'boolean' },
      siblings: { type: 'boolean' },
      tokens: { type: 'boolean' },
      raw: { type: 'boolean' },
      redact: { type: 'string', multiple: true },
      'keep-credentials': { type: 'boolean' },
    });
    const out = args.string('out');
    if (out === undefined || args.positionals.length > 0)
      throw new UsageError(`export: give --out\n\n${help}`);
    const format = PACK_FORMATS.find((known) => known === (args.string('format') ?? 'parquet'));
    if (format === undefined)
      throw new UsageError(`export: --format must be one of ${PACK_FORMATS.join(', ')}`);
    const path = resolvePath(out);
    const isPack = format !== 'parquet' || PACK_OPTIONS.some((name) => isGiven(args, name));
    return withLibraryHost(args.string('library'), context, async (host) => {
      host.mayWrite(path);
      const text = isPack ? await pack(host, args, format, path) : await dataSet(host, args, path);
      process.stdout.write(args.flag('json') ? text : terminalText(text));
      return 0;
    });
  },
};

function isGiven(args: Arguments, name: string): boolean {
  return args.string(name) !== undefined || args.flag(name) || args.strings(name).length > 0;
}

async function dataSet(host: LibraryHost, args: Arguments, path: string): Promise<string> {
  const runKeys = args.strings('run');
  const params = { path, ...(runKeys.length === 0 ? {} : { runKeys: [...runKeys] }) };
  const written = await host.ask('run.export', params);
  return args.flag('json')
    ? `${JSON.stringify(written)}\n`
    : `${written.rollouts.toLocaleString('en')} rollouts of ${written.runs} ${written.runs === 1 ? 'run' : 'runs'} in ${written.files} files at ${written.directory} (${bytesText(written.bytes)})\n`;
}

async function pack(host: LibraryHost, args: Arguments, format: PackFormat, path: string): Promise<string> {
  const [run, ...more] = args.strings('run');
  if (more.length > 0)
    throw new UsageError('export: a failure pack covers one run or all runs; give --run once');
  const filter = args.string('filter');
  const labels = args.strings('label');
  const ids = args.string('ids');
  const ways = [filter !== undefined || labels.length > 0, ids !== undefined, args.flag('all')];
  if (ways.filter((isGivenWay) => isGivenWay).length > 1)
    throw new UsageError('export: give only one of --filter/--label, --ids and --all');
  const named = labels.length === 0 ? [] : (await host.ask('taxonomy.get', {})).taxonomy;
  const written = await host.ask('pack.export', {
    ...(run === undefined ? {} : { runId: await runNamed(host, run) }),
    ...(filter === undefined ? {} : { filter }),
    ...(Array.isArray(named) ? {} : { labels: labels.map((label) => labelNamed(named, label)) }),
    ...(ids === undefined ? {} : { rolloutIds: numbersOf(ids) }),
    isAll: args.flag('all') || (filter !== undefined && labels.length === 0),
    ...{ format, path, siblings: args.flag('siblings'), tokens: args.flag('tokens'), raw: args.flag('raw') },
    redact: [...args.strings('redact')],
    keepsCredentials: args.flag('keep-credentials'),
  });
  if (args.flag('json')) return `${JSON.stringify(written)}\n`;
  const { cases, siblings, annotations, redactions, bytes, conversations } = written;
  const counts = [
    counted(cases, 'case'),
    counted(annotations, 'annotation'),
    ...(siblings === 0 ? [] : [counted(siblings, 'sibling')]),
    ...(redactions === 0 ? [] : [counted(redactions, 'redaction')]),
  ];
  const chats = conversations === undefined ? '' : `${conversationsText(conversations)}\n`;
  return `${counts.join(', ')} at ${written.path} (${bytesText(bytes)})\n${chats}`;
}

const counted = (n: number, word: string): string => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;

function numbersOf(text: string): number[] {
  return text.split(',').map((part) => {
    const number = Number(part.trim());
    if (!/^\d+$/.test(part.trim()) || !Number.isSafeInteger(number))
      throw new UsageError(`export: --ids must be whole numbers separated by commas; found ${part}`);
    return number;
  });
}
