import type { FailureClusters, FailureFeature, RunSummary } from '../../shared/api/contract.ts';
import { terminalJson, terminalLines } from '../../shared/domain/terminalText.ts';
import { chosenRuns } from './chosenRun.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';

const help = `usage: turnwise failures [--run R] [--filter F] [--from STEP] [--to STEP] [--library FILE] [--json]

Clusters incorrect rollouts by what they did: calls with outcome and error type, their order, stop reason, class of the
answer, flags, and number of turns and calls. Each run by itself.

  --run R          key, name or number of a run; default: every run
  --filter F       only matching rollouts, in the filter language
  --from, --to     first and last step
  --library FILE   library file; default: the user's library
  --json           one object per run and line: {run, rollouts, known, wrong, steps, silhouette, clusters: [{name, size,
                   medoid, rollout_ids, by_step, features: [{feature, inside, outside, odds_ratio, low, high}]}],
                   unlike: {size, rollout_ids, by_step}}

inside and outside count the rollouts with a feature in the cluster and among all other incorrect ones; the odds ratio
compares them, with a 95 % interval. unlike: far from every cluster.
Exit codes: 0 done, 1 no such run, 2 usage or invalid filter.`;

export const failuresCommand: Command = {
  name: 'failures',
  summary: 'cluster incorrect rollouts by what they did',
  help,
  async run(argv, context) {
    const args = readArguments('failures', argv, {
      run: { type: 'string' },
      filter: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      library: { type: 'string' },
      json: { type: 'boolean' },
    });
    if (args.positionals.length > 0)
      throw new UsageError(`failures: ${args.positionals[0]} is not an option`, help);
    const [from, to] = [step('from', args.string('from')), step('to', args.string('to'))];
    const filter = args.string('filter') ?? '';
    return await withLibraryHost(args.string('library'), context, async (host) => {
      for (const run of await chosenRuns(host, args.string('run'))) {
        const found = await host.ask('problem.failures', { runId: run.runId, filter, ...from, ...to });
        process.stdout.write(args.flag('json') ? jsonOf(run, found) : textOf(run, found));
      }
      return 0;
    });
  },
};

function step<Name extends string>(name: Name, text: string | undefined): { readonly [N in Name]?: number } {
  if (text === undefined) return {};
  if (!/^\d{1,15}$/.test(text))
    throw new UsageError(`failures: --${name} must be a whole number of 0 or more`);
  return { [name]: Number(text) } as { readonly [N in Name]?: number };
}

function jsonOf({ runKey }: RunSummary, found: FailureClusters): string {
  const { rollouts, known, wrong, steps, silhouette, clusters, unlike } = found;
  const members = ({ ids, byStep }: typeof unlike) => ({
    size: ids.length,
    rollout_ids: [...ids],
    by_step: [...byStep],
  });
  const json = {
    ...{ run: runKey, rollouts, known, wrong, steps, silhouette: silhouette ?? null },
    clusters: clusters.map(({ name, medoid, features, ...cluster }) => ({
      name,
      medoid: medoid.rolloutId,
      ...members(cluster),
      features: features.map(({ feature, inside, outside, odds }) => ({
        ...{ feature, inside, outside },
        ...{ odds_ratio: odds?.ratio ?? null, low: odds?.low ?? null, high: odds?.high ?? null },
      })),
    })),
    unlike: members(unlike),
  };
  return `${terminalJson(json)}\n`;
}

/** Features in the text of a cluster; --json has more. */
const MOST_SHOWN = 5;

function textOf({ runKey }: RunSummary, { wrong, known, clusters, unlike }: FailureClusters): string {
  const share = (size: number): string => `${size} (${((100 * size) / wrong).toFixed(1)} %)`;
  const lines = [`${runKey}: ${wrong} incorrect of ${known} rollouts whose correctness is known`];
  for (const { name, ids, medoid, features } of clusters) {
    lines.push('', `${share(ids.length)}  ${name}`, `  medoid: rollout ${medoid.rolloutId}`);
    for (const feature of features.slice(0, MOST_SHOWN)) lines.push(`  ${featureLine(feature)}`);
  }
  if (unlike.ids.length > 0) lines.push('', `${share(unlike.ids.length)}  unlike the others`);
  return terminalLines([...lines, '']);
}

function featureLine({ feature, inside, outside, odds }: FailureFeature): string {
  const counts = `${feature}: ${inside} inside, ${outside} outside`;
  if (odds === undefined) return counts;
  const [ratio, low, high] = [odds.ratio, odds.low, odds.high].map(figure);
  return `${counts}, odds ratio ${ratio} (${low}–${high})`;
}

const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
