import {
  conversationsText,
  DIRECTIONS,
  PACK_FORMATS,
  type PackFormat,
  type PackPairs,
} from '../../shared/api/contract.ts';
import { terminalJson, terminalLine } from '../../shared/domain/terminalText.ts';
import { labelNamed } from './annotationText.ts';
import { type ComparedStep, comparedSteps } from './changes.ts';
import { chosenRun } from './chosenRun.ts';
import { type Arguments, type Command, readArguments, resolvePath, UsageError } from './command.ts';
import { type LibraryHost, withCancellableHost } from './libraryHost.ts';
import { bytesText } from './libraryText.ts';

const help = `usage: turnwise export --out DIRECTORY [--run RUN_KEY]… [--library FILE] [--json]
       turnwise export --format FORMAT --out PATH [--filter FILTER | --label LABEL… | --ids N,N… | --all]
                       [--run RUN] [--siblings] [--tokens] [--raw] [--redact PATTERN]… [--keep-credentials]
                       [--library FILE] [--json]
       turnwise export --format html|jsonl --out PATH --became incorrect|correct [--run RUN] [--with RUN]
                       [--from STEP] [--to STEP] [--label LABEL…]
                       [--tokens] [--raw] [--redact PATTERN]… [--keep-credentials] [--library FILE] [--json]
       turnwise export --format html|jsonl --out PATH --pair N,N [--tokens] …

The first form writes rollouts with all their data as a Parquet data set, one row per rollout, with Hive
partitions: DIRECTORY/rollouts/run=…/step=…/part-0.parquet. DuckDB, ClickHouse, Spark and pandas read it
directly. Its README.md describes the columns. Turnwise can read it back: turnwise ingest DIRECTORY.

The second form writes a failure pack: rollouts with their annotations. It applies if --format is not parquet,
or if one of --filter, --label, --ids, --all, --siblings, --tokens, --redact and
--keep-credentials is given.

The third form writes pairs of rollouts side by side: the problems that became incorrect, or correct, from
one step to another, each by a rollout from before and one from after. The fourth writes one pair.

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

Pairs; --label narrows them to those with the label on either rollout:
  --became WHAT     problems that became incorrect, or correct
  --from, --to STEP default: the first and the last step with rollouts of known correctness
  --run RUN         the run before; default: the only run, or the only training run
  --with RUN        the run after; default: the same run
  --pair N,N        two rollouts with these numbers, the one before first

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

/** They need --became. */
const CHANGE_OPTIONS = ['with', 'from', 'to'] as const;

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
  'became',
  'pair',
  ...CHANGE_OPTIONS,
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
      became: { type: 'string' },
      pair: { type: 'string' },
      with: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      siblings: { type: 'boolean' },
      tokens: { type: 'boolean' },
      raw: { type: 'boolean' },
      redact: { type: 'string', multiple: true },
      'keep-credentials': { type: 'boolean' },
    });
    const out = args.string('out');
    if (out === undefined || args.positionals.length > 0) throw new UsageError('export: give --out', help);
    const format = PACK_FORMATS.find((known) => known === (args.string('format') ?? 'parquet'));
    if (format === undefined)
      throw new UsageError(`export: --format must be one of ${PACK_FORMATS.join(', ')}`);
    const path = resolvePath(out);
    const isPack = format !== 'parquet' || PACK_OPTIONS.some((name) => isGiven(args, name));
    return withCancellableHost(args.string('library'), context, async (host) => {
      host.mayWrite(path);
      const text = isPack ? await pack(host, args, format, path) : await dataSet(host, args, path);
      process.stdout.write(text);
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
    ? `${terminalJson(written)}\n`
    : `${written.rollouts.toLocaleString('en')} rollouts of ${written.runs} ${written.runs === 1 ? 'run' : 'runs'} in ${written.files} files at ${terminalLine(written.directory)} (${bytesText(written.bytes)})\n`;
}

async function pack(host: LibraryHost, args: Arguments, format: PackFormat, path: string): Promise<string> {
  const pairs = await pairsOf(host, args);
  const [run, ...more] = args.strings('run');
  if (more.length > 0)
    throw new UsageError('export: a failure pack covers one run or all runs; give --run once');
  const filter = args.string('filter');
  const labels = args.strings('label');
  const ids = args.string('ids');
  const ways = [filter !== undefined || labels.length > 0, ids !== undefined, args.flag('all')];
  if (pairs !== undefined && (filter !== undefined || ids !== undefined || args.flag('all')))
    throw new UsageError(
      'export: --became and --pair go with --label only, not with --filter, --ids or --all',
    );
  if (ways.filter((isGivenWay) => isGivenWay).length > 1)
    throw new UsageError('export: give only one of --filter/--label, --ids and --all');
  const named = labels.length === 0 ? [] : (await host.ask('taxonomy.get', {})).taxonomy;
  const written = await host.ask('pack.export', {
    ...(run === undefined || pairs !== undefined ? {} : { runId: (await chosenRun(host, run)).runId }),
    ...(pairs === undefined ? {} : { pairs }),
    ...(filter === undefined ? {} : { filter }),
    ...(Array.isArray(named) ? {} : { labels: labels.map((label) => labelNamed(named, label)) }),
    ...(ids === undefined ? {} : { rolloutIds: numbersOf(ids, 'ids') }),
    isAll: args.flag('all') || ((filter !== undefined || pairs !== undefined) && labels.length === 0),
    ...{ format, path, siblings: args.flag('siblings'), tokens: args.flag('tokens'), raw: args.flag('raw') },
    redact: [...args.strings('redact')],
    keepsCredentials: args.flag('keep-credentials'),
  });
  if (args.flag('json')) return `${terminalJson(written)}\n`;
  const { cases, siblings, annotations, redactions, bytes, conversations } = written;
  const counts = [
    written.pairs === undefined ? counted(cases, 'case') : counted(written.pairs, 'pair'),
    counted(annotations, 'annotation'),
    ...(siblings === 0 ? [] : [counted(siblings, 'sibling')]),
    ...(redactions === 0 ? [] : [counted(redactions, 'redaction')]),
  ];
  const chats = conversations === undefined ? '' : `${conversationsText(conversations)}\n`;
  return `${counts.join(', ')} at ${terminalLine(written.path)} (${bytesText(bytes)})\n${chats}`;
}

/** @throws UsageError; ExpectedError when a run or its steps are missing */
async function pairsOf(host: LibraryHost, args: Arguments): Promise<PackPairs | undefined> {
  const [word, pair] = [args.string('became'), args.string('pair')];
  const lone = CHANGE_OPTIONS.find((name) => args.string(name) !== undefined);
  if (lone !== undefined && word === undefined) throw new UsageError(`export: --${lone} needs --became`);
  if (word !== undefined && pair !== undefined)
    throw new UsageError('export: give only one of --became and --pair');
  if (pair !== undefined) {
    const [from, to, ...more] = numbersOf(pair, 'pair');
    if (from === undefined || to === undefined || more.length > 0)
      throw new UsageError(`export: --pair takes the numbers of two rollouts; found ${pair}`);
    return { rolloutIds: [from, to] };
  }
  if (word === undefined) return undefined;
  const became = DIRECTIONS.find((known) => known === word);
  if (became === undefined) throw new UsageError(`export: --became must be one of ${DIRECTIONS.join(', ')}`);
  const [run] = args.strings('run');
  const named = { run, with: args.string('with'), from: args.string('from'), to: args.string('to') };
  const { from, to } = await comparedSteps(host, named);
  return { from: placeOf(from), to: placeOf(to), became };
}

const placeOf = ({ run: { runId }, step }: ComparedStep) => ({ runId, step });

const counted = (n: number, word: string): string => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;

function numbersOf(text: string, option: string): number[] {
  return text.split(',').map((part) => {
    const number = Number(part.trim());
    if (!/^\d+$/.test(part.trim()) || !Number.isSafeInteger(number))
      throw new UsageError(`export: --${option} must be whole numbers separated by commas; found ${part}`);
    return number;
  });
}
