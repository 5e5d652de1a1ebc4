import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { PENALTY_KINDS, type RocBasis } from '../../shared/api/contract.ts';
import { ApiError } from '../../shared/api/errors.ts';
import {
  RESAMPLE_RULES,
  SETTING_NAMES,
  SettingError,
  type SettingName,
  settingOverride,
} from '../../shared/domain/downSampling.ts';
import { terminalLines, terminalText } from '../../shared/domain/terminalText.ts';
import { createHost } from '../host/createHost.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import {
  type Arguments,
  type Command,
  ExpectedError,
  readArguments,
  resolvePath,
  UsageError,
} from './command.ts';
import { jsonWriter, tableWriter } from './rocWriters.ts';

const help = `usage: turnwise roc [--library FILE] [--run R] [--step S] [--rule RULE] [--penalty KIND] [--set key=value …] [--group-size N] [--json]

Recomputes Resample-on-Correct for the stored rollouts of a run: which are kept or discarded, and why.

  --library FILE   library file; default: the user's library
  --run R          key, name or number of a run; default: the only run, or the only training run
  --step S         only this step
  --rule RULE      ${RESAMPLE_RULES.join(', ')}; default: the logged rule, else release
  --penalty KIND   source of p_err and p_format: ${PENALTY_KINDS.join(', ')}; default: text, the release's
                   rules; typed under the rule paper
  --set key=value  one setting, by name or by path below augmentation; may be repeated. Other settings
                   are logged by the run, else the release's defaults; stderr shows their source
  --group-size N   use only the first N rollouts of each group as the pool
  --json           one JSON array on stdout, one object per group, rejected groups included:
                   {group_id, step, problem_id, n, rule, rollouts: [{rollout_id, ordinal, reward, p_err,
                   p_format, penalty, kept, reason, inclusion, advantage}]}; default: a line per step

Settings: ${SETTING_NAMES.slice(0, 5).join(', ')},
${SETTING_NAMES.slice(5, 9).join(', ')},
${SETTING_NAMES.slice(9).join(', ')}.
A batch is a step: groups by first appearance, then ordinal. world_size is 1 unless it is logged or set, so
that nothing is truncated. The rule paper keeps and discards no rollout: inclusion is the probability of keeping it.

Exit codes: 0 done, 1 refused or failed, 2 usage.`;

export const rocCommand: Command = {
  name: 'roc',
  summary: 'recompute Resample-on-Correct: kept and discarded rollouts',
  help,
  async run(argv, context) {
    const args = readArguments('roc', argv, {
      library: { type: 'string' },
      run: { type: 'string' },
      step: { type: 'string' },
      rule: { type: 'string' },
      penalty: { type: 'string' },
      set: { type: 'string', multiple: true },
      'group-size': { type: 'string' },
      json: { type: 'boolean' },
    });
    if (args.positionals.length > 0) throw new UsageError('roc: takes no arguments', help);
    const request = requestOf(args);
    const named = args.string('library');
    const libraryPath = named === undefined ? defaultLibraryPath() : resolvePath(named);
    if (!existsSync(libraryPath)) throw new ExpectedError(`there is no library at ${libraryPath}`);
    const host = await createHost({ libraryPath, shell: 'browser', version: context.version });
    const controller = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => controller.abort());
    const print = async (text: string): Promise<void> => {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    };
    let writer = jsonWriter(print);
    let worldSize = 1;
    const undecided = new Map<string, number>();
    try {
      await host.decisions(
        request,
        {
          onRun: ({ runKey, runName, basis }) => {
            process.stderr.write(headOf(runKey, runName, basis));
            if (!args.flag('json')) writer = tableWriter(print, basis.rule === 'paper');
            worldSize = basis.settings.world_size;
          },
          onStep: ({ groups, undecided: reasons }) => {
            for (const why of reasons) undecided.set(why, (undecided.get(why) ?? 0) + 1);
            return writer.page(groups);
          },
        },
        controller.signal,
      );
      await writer.end();
      process.stderr.write(terminalText(undecidedText(undecided, worldSize)));
      return 0;
    } catch (error) {
      if (error instanceof ApiError) throw new ExpectedError(error.message);
      throw error;
    } finally {
      await host.close();
    }
  },
};

function requestOf(args: Arguments) {
  const run = args.string('run');
  const rule = oneOf('rule', RESAMPLE_RULES, args.string('rule'));
  const penalty = oneOf('penalty', PENALTY_KINDS, args.string('penalty'));
  const rawStep = args.string('step');
  if (rawStep !== undefined && !/^\d+$/.test(rawStep))
    throw new UsageError('roc: --step must be a whole number');
  const groupSize = args.string('group-size');
  if (groupSize !== undefined && !/^[1-9]\d*$/.test(groupSize))
    throw new UsageError('roc: --group-size must be a whole number of 1 or more');
  const settings: Partial<Record<SettingName, boolean | number | string>> = {};
  for (const assignment of args.strings('set')) {
    const { name, value } = override(assignment);
    settings[name] = value;
  }
  return {
    ...(run === undefined ? {} : { run }),
    ...(rawStep === undefined ? {} : { step: Number(rawStep) }),
    choice: {
      ...(rule === undefined ? {} : { rule }),
      ...(penalty === undefined ? {} : { penalty }),
      ...(groupSize === undefined ? {} : { groupSize: Number(groupSize) }),
      settings,
    },
  };
}

function override(assignment: string): ReturnType<typeof settingOverride> {
  try {
    return settingOverride(assignment);
  } catch (error) {
    if (error instanceof SettingError) throw new UsageError(`roc: --set ${assignment}: ${error.message}`);
    throw error;
  }
}

function oneOf<T extends string>(
  option: string,
  words: readonly T[],
  given: string | undefined,
): T | undefined {
  if (given === undefined) return undefined;
  const found = words.find((word) => word === given);
  if (found === undefined) throw new UsageError(`roc: --${option} must be one of ${words.join(', ')}`);
  return found;
}

function undecidedText(undecided: ReadonlyMap<string, number>, worldSize: number): string {
  const lines = [...undecided].map(
    ([why, groups]) => `undecided: ${groups} ${groups === 1 ? 'group' : 'groups'}: ${why}\n`,
  );
  if (lines.length > 0 && worldSize > 1) {
    lines.push(
      `truncating a batch to a multiple of ${worldSize} assumes that these groups keep the target number of rollouts\n`,
    );
  }
  return lines.join('');
}

/** The settings that the results depend on, with their sources. */
function headOf(runKey: string, runName: string, basis: RocBasis): string {
  const { settings, logged, chosen, unreadable } = basis;
  const sourceOf = (name: SettingName): string =>
    chosen.includes(name)
      ? 'set'
      : logged.includes(name)
        ? 'logged'
        : unreadable.includes(name)
          ? 'default: the logged value cannot be read'
          : name === 'do_down_sampling'
            ? 'assumed: the release’s default is false'
            : 'default';
  const named = SETTING_NAMES.filter((name) => basis.rule === 'paper' || !name.startsWith('paper_'));
  const lines = named.map((name) => `  ${name} = ${settings[name]} (${sourceOf(name)})`);
  const assertion =
    basis.assertion === undefined
      ? []
      : [`  the trainer would reject this configuration: ${basis.assertion}`];
  return terminalLines([
    `run ${runName} (${runKey}), rule ${basis.rule} (${basis.ruleSource === 'chosen' ? 'set' : basis.ruleSource}), penalties: ${basis.penalty}`,
    ...lines,
    ...assertion,
  ]);
}
