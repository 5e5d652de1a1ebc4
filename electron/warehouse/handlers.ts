/** Handlers of the warehouse that the host names with each request. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import { ApiError, refused } from '../../shared/api/errors.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import { characterOf, readFilter } from '../../shared/domain/filter/parse.ts';
import { COPIES } from '../../shared/domain/warehouseCopies.ts';
import { partitionName } from '../export/dataSet.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { exportedRuns, placesOf } from '../storage/queries/exported.ts';
import { listFiles } from '../storage/queries/issues.ts';
import type { Task } from '../threads/task.ts';
import { type OnShare, Warehouse } from './connection.ts';
import { replacedSteps } from './copiedLoads.ts';
import type { OwnRollouts } from './filterSql.ts';
import { warehouseLatencies } from './latencies.ts';
import type { NamedWarehouse, WarehouseAddress } from './namedWarehouse.ts';
import { keyOfCopy, pull, refuseLinks, warehouseRuns } from './pull.ts';
import { warehouseRollouts } from './rollouts.ts';
import { warehouseSchema } from './statement.ts';
import { warehouseSteps } from './steps.ts';

/** Methods that ask the warehouse. */
export type WarehouseMethod =
  | 'warehouse.runs'
  | 'warehouse.steps'
  | 'warehouse.schema'
  | 'warehouse.rollouts'
  | 'warehouse.latencies'
  | 'warehouse.keep';
/** The host adds this to the parameters of these methods. */
export interface OfWarehouse {
  readonly named: NamedWarehouse;
}
type WarehouseHandlers = {
  [M in WarehouseMethod]: (params: ParsedParams<M> & OfWarehouse, task: Task) => Promise<ResultOf<M>>;
};

export function warehouseHandlers(db: ReadableLibrary, libraryPath: string): WarehouseHandlers {
  const beside = realOf(dirname(libraryPath));
  // Two warehouses may have runs of the same key.
  const copiesOf = (warehouse: string): string => join(beside, COPIES, partitionName(warehouse));
  const directoryOf = (named: NamedWarehouse, key: string): string =>
    join(copiesOf(nameOf(named.address)), partitionName(key));
  /** Labels, notes and calls run again are in the reader's library, which has the rollouts that were copied. */
  const ownOf = async (
    run: string,
    filter: FilterNode,
    { warehouse, signal, named }: Connected,
  ): Promise<OwnRollouts> => {
    if (filter.kind === 'all') return () => [];
    const replaced = await replacedSteps(warehouse, run, directoryOf(named, run), signal);
    return (node) => {
      const runId = exportedRuns(db).find(({ runKey }) => runKey === run)?.runId;
      const places = runId === undefined ? [] : placesOf(db, runId, node);
      // The rollouts may be numbered otherwise now.
      const old = places.find(({ step }) => replaced.has(step));
      if (old === undefined) return places;
      throw refused(
        `step ${old.step} was sent again after it was copied; open it, so that it is copied again, and then filter`,
      );
    };
  };
  return {
    'warehouse.runs': async ({ named }, task) => {
      const name = nameOf(named.address);
      const runs = await connected(named, task, ({ warehouse, signal }) => warehouseRuns(warehouse, signal));
      return {
        name,
        runs: runs.map((each) => (hasOwn(db, each.run, copiesOf(name)) ? { ...each, isOwn: true } : each)),
      };
    },
    'warehouse.steps': ({ named: of, run, filter }, task) =>
      connected(of, task, async (to) => {
        const { warehouse, signal, named } = to;
        const node = nodeOf(filter);
        const own = await ownOf(run, node, to);
        const steps = await warehouseSteps(warehouse, run, node, { own, signal, onShare: sharesTo(task) });
        if (node.kind !== 'all') return steps;
        const replaced = await replacedSteps(warehouse, run, directoryOf(named, run), signal);
        return steps.map((step) => {
          const replacedBy = replaced.get(step.summary.step);
          return replacedBy === undefined ? step : { ...step, replacedBy };
        });
      }),
    'warehouse.schema': ({ named }, task) =>
      connected(named, task, ({ warehouse, signal }) => warehouseSchema(warehouse, signal)),
    'warehouse.rollouts': ({ named, filter, ...question }, task) =>
      connected(named, task, async (to) => {
        const node = nodeOf(filter);
        const own = await ownOf(question.run, node, to);
        const asked = { ...question, filter: node, own };
        return warehouseRollouts(to.warehouse, asked, to.signal, sharesTo(task));
      }),
    'warehouse.latencies': ({ named, filter, ...question }, task) =>
      connected(named, task, async (to) => {
        const node = nodeOf(filter);
        const own = await ownOf(question.run, node, to);
        return warehouseLatencies(
          to.warehouse,
          { ...question, filter: node, own },
          to.signal,
          sharesTo(task),
        );
      }),
    'warehouse.keep': ({ named: of, run, steps, filter }, task) =>
      connected(of, task, async (to) => {
        const { warehouse, signal, named } = to;
        const node = nodeOf(filter);
        const key = keyOfCopy(run, node);
        const copies = copiesOf(nameOf(named.address));
        const directory = directoryOf(named, key);
        // A library takes what a copy says of an id for every run of that id.
        const check = (id: string): void => {
          if (hasOwn(db, id, copies))
            throw refused(
              `this library has run ${id} from its own logs or another warehouse; keep the copy in another library`,
            );
        };
        check(key);
        refuseLinks(directory, beside);
        const { rollouts, steps: taken } = await pull(warehouse, {
          ...{ run, directory, isAdded: true, filter: node, own: await ownOf(run, node, to), signal, check },
          ...(steps === undefined ? {} : { steps }),
          onProgress: (done, total) => task.progress(done, total, done / Math.max(1, total)),
        });
        return { path: directory, runKey: key, rollouts, steps: taken };
      }),
  };
}

const sharesTo =
  (task: Task): OnShare =>
  (share) =>
    task.progress(share, 1);

/** The library has files by their real paths. It may itself lie below a symbolic link. */
function realOf(path: string): string {
  return existsSync(path) ? realpathSync.native(path) : join(realOf(dirname(path)), basename(path));
}

const nameOf = ({ server, database }: WarehouseAddress): string => `${new URL(server).host}/${database}`;

interface Connected {
  readonly warehouse: Warehouse;
  readonly signal: AbortSignal;
  readonly named: NamedWarehouse;
}

async function connected<T>(
  named: NamedWarehouse,
  task: Task,
  work: (to: Connected) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  task.onCancel(() => controller.abort());
  const warehouse = new Warehouse(named.address, { ...named, isReadOnly: true });
  try {
    return await work({ warehouse, signal: controller.signal, named });
  } catch (error) {
    throw controller.signal.aborted ? new ApiError(CANCELLED) : error;
  } finally {
    await warehouse.close();
  }
}

/**
 * Whether the library has a run from its own logs, and not as a copy. A copy would add every rollout again.
 *
 * @param name key of the run, or its id as logged
 * @param copies directory of what was copied from this warehouse
 */
function hasOwn(db: ReadableLibrary, name: string, copies: string): boolean {
  return exportedRuns(db)
    .filter(({ runKey, loggedId }) => runKey === name || loggedId === name)
    .some(({ runId }) => listFiles(db, { runId }).some(({ path }) => !path.startsWith(copies + sep)));
}

function nodeOf(filter: string): FilterNode {
  const read = readFilter(filter);
  if (read.ok) return read.node;
  const message = `filter, character ${characterOf(filter, read.fault)}: ${read.fault.message}`;
  throw new ApiError({ code: 'bad_request', message });
}
