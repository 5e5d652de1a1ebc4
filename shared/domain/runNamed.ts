import type { RunKind } from './model.ts';

interface NamedRun {
  readonly runId: number;
  readonly runKey: string;
  readonly name: string;
  readonly kind: RunKind;
}

const MOST_LISTED = 20;

/**
 * @param named key, name or number of a run. Absent: the only run, or the only training run
 * @returns the run, or a sentence that says why none is meant and which there are
 */
export function runNamed<Run extends NamedRun>(
  runs: readonly Run[],
  named: string | undefined,
): Run | string {
  const byName = runs.filter(({ name }) => name === named);
  const found =
    named === undefined
      ? (only(runs) ?? only(runs.filter(({ kind }) => kind === 'train')))
      : (runs.find(({ runKey }) => runKey === named) ??
        only(byName) ??
        runs.find(({ runId }) => String(runId) === named));
  if (found !== undefined) return found;
  if (runs.length === 0) return 'the library has no runs';
  if (named === undefined) return `name a run with --run; known runs: ${listed(runs)}`;
  return byName.length === 0
    ? `no run ${named}; known runs: ${listed(runs)}`
    : `${byName.length} runs have the name ${named}; use a key: ${listed(byName)}`;
}

const only = <T>(values: readonly T[]): T | undefined => (values.length === 1 ? values[0] : undefined);

function listed(runs: readonly NamedRun[]): string {
  const names = runs.slice(0, MOST_LISTED).map(({ runKey, name, kind }) => `${runKey} (${name}, ${kind})`);
  return names.join(', ') + (runs.length > MOST_LISTED ? ', …' : '');
}
