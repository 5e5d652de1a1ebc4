import { ANCHOR_STATES } from '../../shared/api/contract.ts';
import { annotationLine, annotationWords, labelNamed, runNamed } from './annotationText.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';

const STATES = [...ANCHOR_STATES, 'unattached'] as const;
/** The contract's limit per request. */
const PAGE = 500;

const help = `usage: turnwise annotations [--run R] [--filter FILTER] [--label LABEL]… [--author NAME] [--state ${STATES.join('|')}]… [--library FILE] [--json] [--count]

Lists what readers have said.

  --run R          key, name or number of a run; without it every run, and what is unattached
  --filter FILTER  of rollouts that match (turnwise rollouts --help)
  --label LABEL    its id or its name, whether or not the taxonomy still has it; may be repeated
  --author NAME    what this reader said
  --state STATE    moved: its text stands elsewhere; orphaned: it is gone; unattached: the rollout is not here
  --library FILE   the library; without it the one of this user
  --json           one line of a pack each: turnwise annotate --import takes them
  --count          only how many there are

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
      throw new UsageError(`annotations: ${args.positionals[0]} is not an option\n\n${help}`);
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
        ...(run === undefined ? {} : { runId: await runNamed(host, run) }),
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
          process.stdout.write(`${args.flag('json') ? annotationLine(row) : annotationWords(row)}\n`);
      }
      return 0;
    });
  },
};
