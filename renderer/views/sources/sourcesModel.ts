import type { RunSources, SourceFileRow } from '../../../shared/api/contract.ts';
import { groupRuleLabel } from '../../data/domainLabels.ts';
import { counted, decimal } from '../../ui/numbers.ts';

export type GroupRuleChoice = 'log' | 'prompt' | 'order';

/** `128 groups of 16`, or the mean size if sizes differ. */
export function groupsText(groups: number, rollouts: number): string {
  if (groups === 0) return 'no groups';
  const size = rollouts / groups;
  if (Number.isInteger(size)) return `${counted(groups, 'group')} of ${counted(size, 'rollout')}`;
  return `${counted(groups, 'group')}, ${decimal(size, 1)} rollouts in the mean`;
}

/** How the run's groups were formed, with one clause per rule. */
export function groupSentence(groups: RunSources['groups']): string {
  if (groups.length === 0) return 'No groups yet.';
  const clauses = groups.map(
    (one) => `${groupRuleLabel(one.rule).words}: ${groupsText(one.groups, one.rollouts)}`,
  );
  return `Groups ${clauses.join('; ')}.`;
}

/** The effect of grouping every N rollouts. */
export function orderEffect(rollouts: number, size: number): string {
  if (!Number.isInteger(size) || size < 1) return 'a whole number of rollouts';
  const whole = Math.floor(rollouts / size);
  const rest = rollouts % size;
  const text = `${counted(rollouts, 'rollout')} ${rollouts === 1 ? 'makes' : 'make'}`;
  if (whole === 0) return `${text} one group`;
  if (rest === 0) return `${text} ${groupsText(whole, rollouts)}`;
  return `${text} ${counted(whole, 'group')} of ${size} and one of ${rest}`;
}

/** The most frequent group size, as a first guess at N. */
export function usualSize(groups: RunSources['groups']): number {
  const total = groups.reduce((sum, one) => sum + one.groups, 0);
  const rollouts = groups.reduce((sum, one) => sum + one.rollouts, 0);
  const size = total === 0 ? 0 : Math.round(rollouts / total);
  return size > 1 && size < rollouts ? size : 16;
}

const directoryOf = (path: string): string => path.replace(/[/\\][^/\\]*$/, '');

export function directoriesOf(files: readonly SourceFileRow[]): readonly string[] {
  return [...new Set(files.map(({ path }) => directoryOf(path)))];
}

export interface NeighbourPlace {
  readonly directory: string;
  readonly runs: RunSources['neighbours'];
}

/** Lists neighbouring runs by directory. A name is given to a directory, so all runs in it are merged together. */
export function neighbourPlaces(neighbours: RunSources['neighbours']): readonly NeighbourPlace[] {
  return [...new Set(neighbours.map(({ directory }) => directory))].map((directory) => ({
    directory,
    runs: neighbours.filter((one) => one.directory === directory),
  }));
}
