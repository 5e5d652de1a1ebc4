import type { ResultOf } from '../../shared/api/contract.ts';
import { STATISTICS_BY, type StatisticsBy } from '../../shared/domain/signalStatistics.ts';
import { terminalJson, terminalLines } from '../../shared/domain/terminalText.ts';
import { SIGNALS } from '../../shared/domain/tokenSignal.ts';
import { chosenRun } from './chosenRun.ts';
import { type Command, ExpectedError, readArguments, UsageError } from './command.ts';
import { type LibraryHost, withLibraryHost } from './libraryHost.ts';
import { sourceFacts } from './sourceFacts.ts';

const help = `usage: turnwise entropy [--library FILE] [--run R] [--step S] [--by BY] [--signal NAME] [--json]

Prints means of a per-token signal over the policy tokens of a run, with token counts and sources.

  --library FILE     library file; default: the user's library
  --run R            key, name or number of a run; default: the only run, or the only training run
  --step S           only this step
  --by BY            ${STATISTICS_BY.join(', ')}; default: segment. position counts policy tokens since a
                     tool response, split by the outcome of the call
  --signal NAME      ${SIGNALS.join(', ')}; default: entropy. Rollouts without the signal
                     are counted on stderr; no other signal is substituted
  --vocabulary N     size of the vocabulary, for entropy bounds from listed alternatives
  --least-tokens N   with --by token: skip rarer tokens; default: 10
  --json             one JSON array on stdout: [{segment | step | token | position, after?, correctness?, tokens,
                     mean, deviation, signal, source: {kind, k, unit, temperature, policy}}]. If the values are a
                     lower bound from k listed alternatives, source also has bound: "lower"

Exit codes: 0 done, 1 no such run or nothing logged, 2 usage.`;

type Statistics = ResultOf<'token.statistics'>;

export const entropyCommand: Command = {
  name: 'entropy',
  summary: 'means of entropy or another signal by segment, step, token or position',
  help,
  async run(argv, context) {
    const args = readArguments('entropy', argv, {
      library: { type: 'string' },
      run: { type: 'string' },
      step: { type: 'string' },
      by: { type: 'string' },
      signal: { type: 'string' },
      vocabulary: { type: 'string' },
      'least-tokens': { type: 'string' },
      json: { type: 'boolean' },
    });
    if (args.positionals.length > 0) throw new UsageError('entropy: takes no arguments', help);
    const by = STATISTICS_BY.find((known) => known === (args.string('by') ?? 'segment'));
    if (by === undefined) throw new UsageError(`entropy: --by must be one of ${STATISTICS_BY.join(', ')}`);
    const signal = SIGNALS.find((known) => known === (args.string('signal') ?? 'entropy'));
    if (signal === undefined) throw new UsageError(`entropy: --signal must be one of ${SIGNALS.join(', ')}`);
    const wholeNumber = (name: string): number | undefined => {
      const text = args.string(name);
      if (text !== undefined && !/^\d+$/.test(text))
        throw new UsageError(`entropy: --${name} must be a whole number`);
      return text === undefined ? undefined : Number(text);
    };
    const step = wholeNumber('step');
    const vocabulary = wholeNumber('vocabulary');
    const leastTokens = wholeNumber('least-tokens') ?? 10;
    const controller = new AbortController();
    for (const stop of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(stop, () => controller.abort());
    const work = async (host: LibraryHost): Promise<number> => {
      const { runId } = await chosenRun(host, args.string('run'));
      const params = {
        runId,
        by: [by],
        signal,
        leastTokens: Math.max(1, leastTokens),
        ...(step === undefined ? {} : { step }),
        ...(vocabulary === undefined ? {} : { vocabulary }),
      };
      const found = await host.ask('token.statistics', params);
      if (found.withoutSignal > 0)
        process.stderr.write(
          `${found.withoutSignal} rollouts have tokens but no ${signal} or no loss mask\n`,
        );
      if (found.sources.length === 0)
        throw new ExpectedError(
          `no rollout of this ${step === undefined ? 'run' : 'step'} has a logged ${signal}`,
        );
      process.stdout.write(args.flag('json') ? jsonOf(found, by) : tableOf(found, by));
      return 0;
    };
    return await withLibraryHost(args.string('library'), context, work, controller.signal);
  },
};

function rowsOf({ sources, rows }: Statistics, by: StatisticsBy): readonly Record<string, unknown>[] {
  return (rows[by] ?? []).map(({ source: index, tokens, mean, deviation, ...labels }) => {
    const { signal, source } = sources[index] ?? { signal: undefined, source: { kind: 'unsaid' as const } };
    const { kind, k = null, bound, unit = null, temperature = null, policy = null } = source;
    return {
      ...labels,
      tokens,
      mean,
      deviation,
      signal,
      source: { kind, k, unit, temperature, policy },
      ...(bound === undefined ? {} : { bound }),
    };
  });
}

function jsonOf(found: Statistics, by: StatisticsBy): string {
  const lines = rowsOf(found, by).map((row) => terminalJson(row));
  return lines.length === 0 ? '[]\n' : `[\n${lines.join(',\n')}\n]\n`;
}

function tableOf({ sources, rows }: Statistics, by: StatisticsBy): string {
  const heads = sources.map(({ signal, source, rollouts, tokens, mean, percentile80 }) => {
    const percentile = percentile80 === undefined ? '' : `, 80th percentile ≈ ${percentile80.toFixed(3)}`;
    const numbers = `mean ${mean.toFixed(4)}${percentile}`;
    return `# ${signal}: ${sourceFacts(source)}; ${rollouts} rollouts, ${tokens} tokens, ${numbers}`;
  });
  const lines = (rows[by] ?? []).map(({ source, tokens, mean, deviation, ...labels }) => {
    const words = Object.values(labels).map((value) =>
      typeof value === 'string' ? terminalJson(value) : value,
    );
    const of = sources.length > 1 ? [String(source + 1)] : [];
    return [...of, ...words, tokens, mean.toFixed(4), `± ${deviation.toFixed(4)}`].join('\t');
  });
  return terminalLines([...heads, ...lines]);
}
