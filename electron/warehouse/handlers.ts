/** Handlers of the warehouse that the environment names. */
import { dirname, join, sep } from 'node:path';
import type { ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import { ApiError, refused } from '../../shared/api/errors.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import { characterOf, readFilter } from '../../shared/domain/filter/parse.ts';
import { partitionName } from '../export/dataSet.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { exportedRuns } from '../storage/queries/exported.ts';
import { listFiles } from '../storage/queries/issues.ts';
import type { Task } from '../threads/task.ts';
import { type NamedWarehouse, namedWarehouse, Warehouse, type WarehouseAddress } from './connection.ts';
import { keyOfCopy, pull, warehouseRuns } from './pull.ts';
import { warehouseRollouts } from './rollouts.ts';
import { warehouseSteps } from './steps.ts';

type WarehouseMethod = 'warehouse.runs' | 'warehouse.steps' | 'warehouse.rollouts' | 'warehouse.keep';
type WarehouseHandlers = {
  [M in WarehouseMethod]: (params: ParsedParams<M>, task: Task) => Promise<ResultOf<M>>;
};

export function warehouseHandlers(db: ReadableLibrary, libraryPath: string): WarehouseHandlers {
  // Two warehouses may have runs of the same key.
  const directoryOf = (warehouse: string, key: string): string =>
    join(dirname(libraryPath), 'from-warehouse', partitionName(warehouse), partitionName(key));
  return {
    'warehouse.runs': async (_params, task) => {
      const named = namedWarehouse(process.env);
      if (named === undefined) return { runs: [] };
      const name = nameOf(named.address);
      const runs = await connected(task, (warehouse, signal) => warehouseRuns(warehouse, signal));
      return {
        name,
        runs: runs.map((each) =>
          hasOwn(db, each.run, directoryOf(name, each.run)) ? { ...each, isOwn: true } : each,
        ),
      };
    },
    'warehouse.steps': ({ run, filter }, task) =>
      connected(task, (warehouse, signal) => warehouseSteps(warehouse, run, nodeOf(filter), signal)),
    'warehouse.rollouts': ({ filter, ...question }, task) =>
      connected(task, (warehouse, signal) =>
        warehouseRollouts(warehouse, { ...question, filter: nodeOf(filter) }, signal),
      ),
    'warehouse.keep': ({ run, steps, filter }, task) =>
      connected(task, async (warehouse, signal, named) => {
        const key = keyOfCopy(run, nodeOf(filter));
        const directory = directoryOf(nameOf(named.address), key);
        if (hasOwn(db, key, directory))
          throw refused(
            `this library has run ${key} from its own logs or another warehouse; keep the copy in another library`,
          );
        const { rollouts, steps: taken } = await pull(warehouse, {
          ...{ run, directory, isAdded: true, filter: nodeOf(filter), signal },
          ...(steps === undefined ? {} : { steps }),
          onProgress: (done, total) => task.progress(done, total, done / Math.max(1, total)),
        });
        return { path: directory, runKey: key, rollouts, steps: taken };
      }),
  };
}

const nameOf = ({ server, database }: WarehouseAddress): string => `${new URL(server).host}/${database}`;

async function connected<T>(
  task: Task,
  work: (warehouse: Warehouse, signal: AbortSignal, named: NamedWarehouse) => Promise<T>,
): Promise<T> {
  const named = namedWarehouse(process.env);
  if (named === undefined) throw refused('no warehouse was named when Turnwise was started');
  const controller = new AbortController();
  task.onCancel(() => controller.abort());
  const warehouse = new Warehouse(named.address, { ...named, isReadOnly: true });
  try {
    return await work(warehouse, controller.signal, named);
  } catch (error) {
    throw controller.signal.aborted ? new ApiError(CANCELLED) : error;
  } finally {
    await warehouse.close();
  }
}

/** Whether the library has a run from its own logs, and not as a copy. A copy would add every rollout again. */
function hasOwn(db: ReadableLibrary, runKey: string, directory: string): boolean {
  const runId = exportedRuns(db).find((run) => run.runKey === runKey)?.runId;
  if (runId === undefined) return false;
  return listFiles(db, { runId }).some(({ path }) => !path.startsWith(directory + sep));
}

function nodeOf(filter: string): FilterNode {
  const read = readFilter(filter);
  if (read.ok) return read.node;
  const message = `filter, character ${characterOf(filter, read.fault)}: ${read.fault.message}`;
  throw new ApiError({ code: 'bad_request', message });
}
