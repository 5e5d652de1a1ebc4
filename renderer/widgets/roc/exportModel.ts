/** A what-if as trainer overrides and as a `roc` command, with notes on what these cannot express. */
import type { RocBasis } from '../../../shared/api/contract.ts';
import { overridesOf, RELEASE_DEFAULTS, SETTING_NAMES } from '../../../shared/domain/downSampling.ts';

export interface TrainerOverrides {
  readonly text: string;
  /** Settings that the overrides cannot express. */
  readonly notes: readonly string[];
}

export function trainerOverrides(basis: RocBasis): TrainerOverrides {
  const { trainer, extras } = overridesOf(basis.settings);
  const size = basis.groupSize === undefined ? [] : [`actor_rollout_ref.rollout.n=${basis.groupSize}`];
  const notes: string[] = [];
  if (basis.rule === 'paper')
    notes.push('The released trainer has no paper rule: these settings run the release’s.');
  if (basis.rule === 'release-first-week')
    notes.push('The first-week rule is older code (before 5 September 2025), not a setting.');
  if (basis.penalty !== 'text')
    notes.push('The trainer penalises by its own rules on the text, regardless of the choice here.');
  for (const extra of extras) {
    const [name = ''] = extra.split('=');
    if (name === 'world_size') notes.push(`${extra} is trainer.nnodes × trainer.n_gpus_per_node there.`);
    else if (!name.startsWith('paper_')) notes.push(`${extra}: the trainer has no such setting.`);
  }
  return { text: [...trainer, ...size].join(' \\\n  '), notes };
}

/** Quotes for a POSIX shell, since a key may contain any character. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

interface CommandPlace {
  readonly library: string;
  readonly runKey: string;
  readonly step: number | undefined;
}

export interface CommandLine {
  readonly text: string;
  readonly notes: readonly string[];
}

/** Names all settings, including defaults and logged ones, so that the command means the same for another run. */
export function rocCommand(basis: RocBasis, { library, runKey, step }: CommandPlace): CommandLine {
  const words = [
    'npm',
    'run',
    '-s',
    'turnwise',
    '--',
    'roc',
    '--library',
    quoted(library),
    '--run',
    quoted(runKey),
  ];
  if (step !== undefined) words.push('--step', String(step));
  words.push('--rule', basis.rule, '--penalty', basis.penalty);
  for (const name of SETTING_NAMES) {
    const value = basis.settings[name];
    const isNamed = basis.logged.includes(name) || value !== RELEASE_DEFAULTS[name];
    if (isNamed) words.push('--set', quoted(`${name}=${value}`));
  }
  const notes =
    basis.groupSize === undefined
      ? []
      : ['The command line has no group size: it takes every rollout of a group.'];
  return { text: `${words.join(' ')} --json`, notes };
}
