import { ANCHOR_STATES } from '../../shared/api/contract.ts';
import { annotationLine, annotationText, labelNamed } from './annotationText.ts';
import { chosenRun } from './chosenRun.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';

const STATES = [...ANCHOR_STATES, 'unattached'] as const;
/** The contract's limit per request. */
const PAGE = 500;

const help = `usage: turnwise annotations [--run R] [--filter FILTER] [--label LABEL]… [--author NAME] [--state ${STATES.join('|')}]… [--library FILE] [--json] [--count]

Lists annotations.

  --run R          key, name or number of a run; default: every run, and unattached annotations
  --filter FILTER  only of matching rollouts (turnwise rollouts --help)
  --label LABEL    id or name of a label, also of a deleted one; may be repeated
  --author NAME    only annotations of this author
  --state STATE    moved: the text has moved; orphaned: the text is gone; unattached: the rollout is missing
  --library FILE   library file; default: the user's library
  --json           one pack line per annotation, for turnwise annotate --import
  --count          print only the number of annotations

Exit codes: 0 done, 1 failed, 2 usage.`;

export const annotationsCommand: Command = {
  name: 'annotations',
  summary: 'list labels and notes',
  help,
  async run(argv, context) {
    const args = readArguments('annotations', argv, {
      run: { type: 'string' },
      filter: { type: 'string' },
      label: { type: 'string', multiple: true },
      author: { type: 'string' },
      state: { type: 'string', multiple: true },
      library: { type: 'string' },
      json: { type: 'boolean' },
      count: { type: 'boolean' },
    });
    if (args.positionals.length > 0)
      throw new UsageError(`annotations: ${args.positionals[0]} is not an option`, help);
    const states = args.strings('state').map((text) => {
      const found = STATES.find((known) => known === text);
      if (found === undefined)
        throw new UsageError(`annotations: --state is one of ${STATES.join(', ')}; found ${text}`);
      return found;
    });
    const run = args.string('run');
    const author = args.string('author');
    return withLibraryHost(args.string('library'), context, async (host) => {
      const { taxonomy, counts } = await host.ask('taxonomy.get', {});
      const inUse = new Set(counts.map(({ label }) => label));
      const labels = args
        .strings('label')
        .map((text) => (inUse.has(text) ? text : labelNamed(taxonomy, text)));
      const { ids } = await host.ask('annotation.order', {
        ...(run === undefined ? {} : { runId: (await chosenRun(host, run)).runId }),
        ...(author === undefined ? {} : { author }),
        ...(labels.length === 0 ? {} : { labels }),
        ...(states.length === 0 ? {} : { states }),
        filter: args.string('filter') ?? '',
      });
      if (args.flag('count')) {
        process.stdout.write(`${ids.length}\n`);
        return 0;
      }
      for (let at = 0; at < ids.length; at += PAGE) {
        const annotationNos = Array.from(ids.subarray(at, at + PAGE));
        for (const row of await host.ask('annotation.rows', { annotationNos }))
          process.stdout.write(`${args.flag('json') ? annotationLine(row) : annotationText(row)}\n`);
      }
      return 0;
    });
  },
};
