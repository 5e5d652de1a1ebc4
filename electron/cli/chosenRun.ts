import type { RunSummary } from '../../shared/api/contract.ts';
import { runNamed } from '../../shared/domain/runNamed.ts';
import { ExpectedError } from './command.ts';
import type { LibraryHost } from './libraryHost.ts';

/** As `runNamed`. @throws ExpectedError that lists the runs */
export async function chosenRun(
  { ask }: Pick<LibraryHost, 'ask'>,
  named: string | undefined,
): Promise<RunSummary> {
  const found = runNamed(await ask('run.list', {}), named);
  if (typeof found === 'string') throw new ExpectedError(found);
  return found;
}

/** Every run, or the one that is named. @throws ExpectedError that lists the runs */
export async function chosenRuns(
  host: Pick<LibraryHost, 'ask'>,
  named: string | undefined,
): Promise<readonly RunSummary[]> {
  return named === undefined ? await host.ask('run.list', {}) : [await chosenRun(host, named)];
}
