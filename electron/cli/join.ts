import { existsSync } from 'node:fs';
import type { ResultOf } from '../../shared/api/contract.ts';
import { terminalJson, terminalLines } from '../../shared/domain/terminalText.ts';
import { createHost } from '../host/createHost.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { type Command, ExpectedError, readArguments, resolvePath, UsageError } from './command.ts';

const help = `usage: turnwise join POOL_RUN KEPT_RUN [--library FILE] [--undo] [--json]

Joins two logs of one training: POOL_RUN has every rollout (for example a Weave or MLflow trace), KEPT_RUN only
the kept ones (verl dumps of a run with RoC). Rollouts match by step, question and text. Matched rollouts count as
kept and get the reward of the second log; other rollouts of those steps count as discarded. Values logged in the
pool are not changed. The join also applies to files read later. A run's key is in its URL and in the view "run"
(turnwise query).

  --library FILE  library file; default: the user's library
  --undo          remove the join
  --json          {steps, pool, matched, discarded, conflicts, ambiguous, leftovers, firstLeftovers} on stdout

Exit codes: 0 done, 3 done but some kept rollouts are not in the pool, 1 no such run or nothing in common, 2 usage.`;

export const joinCommand: Command = {
  name: 'join',
  summary: 'join a log of all rollouts with a log of the kept ones',
  help,
  async run(argv, context) {
    const args = readArguments('join', argv, {
      library: { type: 'string' },
      undo: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    const [poolKey, keptKey, ...more] = args.positionals;
    if (poolKey === undefined || keptKey === undefined || more.length > 0)
      throw new UsageError('join: give POOL_RUN and KEPT_RUN', help);
    const named = args.string('library');
    const libraryPath = named === undefined ? defaultLibraryPath() : resolvePath(named);
    if (!existsSync(libraryPath)) throw new ExpectedError(`there is no library at ${libraryPath}`);
    const host = await createHost({ libraryPath, shell: 'browser', version: context.version });
    try {
      if (args.flag('undo')) {
        const result = await host.dispatch('run.leavePool', { poolKey, keptKey });
        if (!result.ok) throw new ExpectedError(result.failure.message);
        const { left } = result.value as ResultOf<'run.leavePool'>;
        if (!left) throw new ExpectedError(`${poolKey} is not joined with ${keptKey}`);
        process.stdout.write(args.flag('json') ? `${terminalJson({ left })}\n` : 'the join was removed\n');
        return 0;
      }
      const result = await host.dispatch('run.joinPool', { poolKey, keptKey });
      if (!result.ok) throw new ExpectedError(result.failure.message);
      const report = result.value as ResultOf<'run.joinPool'>;
      process.stdout.write(args.flag('json') ? `${terminalJson(report)}\n` : wordsOf(report));
      return report.leftovers > 0 ? 3 : 0;
    } finally {
      await host.close();
    }
  },
};

function wordsOf(report: ResultOf<'run.joinPool'>): string {
  const { steps, pool, matched, discarded, conflicts, ambiguous, leftovers, firstLeftovers } = report;
  const lines = [
    `${steps} steps in common: ${matched} of ${pool} rollouts of the pool are kept, ${discarded} are discarded`,
  ];
  if (conflicts > 0) lines.push(`${conflicts} have another decision in the pool log, which was not changed`);
  if (ambiguous > 0)
    lines.push(`${ambiguous} match several rollouts with the same text, so their pairing is a guess`);
  if (leftovers > 0) {
    lines.push(`${leftovers} kept rollouts are not in the pool:`);
    for (const { step, groupKey, ordinal } of firstLeftovers)
      lines.push(`  step ${step}, group ${groupKey}, rollout ${ordinal}`);
    if (leftovers > firstLeftovers.length) lines.push(`  … and ${leftovers - firstLeftovers.length} more`);
  }
  return terminalLines(lines);
}
