import type { RunSummary } from '../../shared/api/contract.ts';
import { ExpectedError } from './command.ts';

/** @throws ExpectedError when no run has the key, name or number, or several have the name */
export function runNamed(runs: readonly RunSummary[], named: string): RunSummary {
  const byName = runs.filter(({ name }) => name === named);
  const found =
    runs.find(({ runKey }) => runKey === named) ??
    (byName.length === 1 ? byName[0] : undefined) ??
    runs.find(({ runId }) => String(runId) === named);
  if (found !== undefined) return found;
  const known = runs.map(({ runKey }) => runKey).join(', ');
  throw new ExpectedError(
    byName.length > 1
      ? `${byName.length} runs have the name ${named}; use a key: ${byName.map(({ runKey }) => runKey).join(', ')}`
      : `no run ${named}; ${known === '' ? 'the library has no runs' : `known runs: ${known}`}`,
  );
}
