import { isScoreSort, type RolloutSort } from '../../shared/api/contract.ts';
import { fieldNamed } from '../../shared/domain/filter/fields.ts';
import { camelCase, LISTED_FIELDS, SORT_FIELDS } from '../../shared/domain/rolloutFieldRecord.ts';
import { chosenRuns } from './chosenRun.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';
import { type RowFormat, rowWriter } from './rowWriters.ts';

const FORMATS: readonly RowFormat[] = ['jsonl', 'csv', 'table'];
/** The contract's limit per request. */
const PAGE = 500;

const SORT_NAMES = ['order', ...SORT_FIELDS].join(', ');

const help = `usage: turnwise rollouts [--library FILE] [--run R] [--step N] [--filter FILTER] [--sort COLUMNS] [--limit N] [--format jsonl|csv|table] [--count]

Lists rollouts like the lists of the app.

  --library FILE   library file; default: the user's library
  --run R          key, name or number of a run; default: every run
  --step N         only this step
  --filter FILTER  filter language: step:40..60 reward:0 kept:false tool_errors:>2 outcome:timeout
                   stop_reason:length policy_tokens:>8k "double-check" code:sympy, with and, or, not and brackets
  --sort COLUMNS   ${SORT_NAMES}, or scores.NAME for a score;
                   separate several by commas; append :desc to sort descending
  --limit N        most rollouts per run
  --format FORMAT  jsonl (default), csv or table
  --count          print only the number of rollouts

Exit codes: 0 done, 1 failed, 2 usage or invalid filter.`;

interface Sort {
  readonly by: RolloutSort;
  readonly direction: 'ascending' | 'descending';
}

function sortNamed(name: string): RolloutSort | undefined {
  if (name === 'order' || isScoreSort(name)) return name;
  const field = fieldNamed(name)?.name;
  const known = SORT_FIELDS.find((each) => each === field);
  return known === undefined ? undefined : camelCase(known);
}

function sortsOf(text: string): readonly Sort[] {
  return text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [name, way = 'asc', ...more] = part.trim().split(':');
      const by = sortNamed(name ?? '');
      if (by === undefined || more.length > 0 || (way !== 'asc' && way !== 'desc'))
        throw new UsageError(
          `rollouts: --sort must be one of ${SORT_NAMES} or scores.NAME, each with :asc or :desc; found ${part.trim()}`,
        );
      return { by, direction: way === 'desc' ? 'descending' : 'ascending' };
    });
}

export const rolloutsCommand: Command = {
  name: 'rollouts',
  summary: 'list rollouts by a filter',
  help,
  async run(argv, context) {
    const args = readArguments('rollouts', argv, {
      library: { type: 'string' },
      run: { type: 'string' },
      step: { type: 'string' },
      filter: { type: 'string' },
      sort: { type: 'string' },
      limit: { type: 'string' },
      format: { type: 'string' },
      count: { type: 'boolean' },
    });
    if (args.positionals.length > 0)
      throw new UsageError(`rollouts: ${args.positionals[0]} is not an option`, help);
    const format = FORMATS.find((known) => known === (args.string('format') ?? 'jsonl'));
    if (format === undefined) throw new UsageError(`rollouts: --format must be one of ${FORMATS.join(', ')}`);
    const step = wholeNumber('step', args.string('step'));
    const limit = wholeNumber('limit', args.string('limit')) ?? Number.POSITIVE_INFINITY;
    const sort = [...sortsOf(args.string('sort') ?? '')];
    const filter = args.string('filter') ?? '';
    return await withLibraryHost(args.string('library'), context, async (host) => {
      const runs = await chosenRuns(host, args.string('run'));
      const writer = rowWriter(format, process.stdout.isTTY, (text) => process.stdout.write(text));
      if (!args.flag('count')) writer.columns(LISTED_FIELDS);
      let total = 0;
      for (const { runId } of runs) {
        const scope = step === undefined ? {} : { step };
        const { ids } = await host.ask('rollout.order', { runId, ...scope, filter, sort });
        total += ids.length;
        if (args.flag('count')) continue;
        const wanted = Array.from(ids.subarray(0, Math.min(limit, ids.length)));
        for (let at = 0; at < wanted.length; at += PAGE) {
          const rows = await host.ask('rollout.rows', { rolloutIds: wanted.slice(at, at + PAGE) });
          writer.rows(rows.map((row) => LISTED_FIELDS.map((name) => row[camelCase(name)] ?? null)));
        }
      }
      if (args.flag('count')) process.stdout.write(`${total}\n`);
      else writer.end();
      return 0;
    });
  },
};

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0)
    throw new UsageError(`rollouts: --${name} must be a whole number`);
  return number;
}
