/** The browser's shell with a warehouse in place of a library, all of whose steps are copied at the start. */
import { openReader } from '../../../electron/storage/open.ts';
import { exportedRuns, exportedSteps } from '../../../electron/storage/queries/exported.ts';

import { Warehouse } from '../../../electron/warehouse/connection.ts';
import { readAddress, readCredentials } from '../../../electron/warehouse/namedWarehouse.ts';
import { Push } from '../../../electron/warehouse/push.ts';
import { makeTables } from '../../../electron/warehouse/tables.ts';
import { type Engine, openEngine } from '../../warehouse/engine.ts';
import { ingestHere } from '../library.ts';
import { browserShell } from './browserShell.ts';
import type { OpenOptions, RunningShell, Shell } from './shell.ts';

let engine: Promise<Engine> | undefined;
let databases = 0;

export async function closeEngine(): Promise<void> {
  await (await engine)?.remove();
  engine = undefined;
}

/** @returns the address of a new warehouse with the runs of a library */
export async function warehouseOf(libraryPath: string): Promise<string> {
  engine ??= openEngine();
  databases += 1;
  const url = `${(await engine).server}/turnwise_e2e_${databases}`;
  const credentials = readCredentials(process.env, undefined);
  // The database does not exist yet.
  const made = new Warehouse(readAddress(url), { credentials, isNew: true });
  const warehouse = new Warehouse(readAddress(url), { credentials });
  const push = new Push(libraryPath, warehouse);
  try {
    await makeTables(made);
    await push.send();
  } finally {
    push.close();
    await Promise.all([made.close(), warehouse.close()]);
  }
  return url;
}

/** Copies every step by the buttons of the run's page. */
async function copyRun(running: RunningShell, { runKey, steps }: RunIn): Promise<void> {
  const { page } = running;
  await page.goto(running.urlOf(`/run/${encodeURIComponent(runKey)}`));
  await page.getByRole('group', { name: 'View' }).waitFor();
  if (steps < 2) return;
  const note = page.getByText(/^\d+ of \d+ steps are here/);
  await note.waitFor();
  await page.getByRole('grid', { name: /^Steps of / }).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.getByRole('button', { name: `Copy ${steps} steps here` }).click();
  await note.waitFor({ state: 'detached' });
}

interface RunIn {
  readonly runKey: string;
  readonly steps: number;
}

function runsIn(libraryPath: string): readonly RunIn[] {
  const db = openReader(libraryPath);
  try {
    return exportedRuns(db)
      .filter(({ rollouts }) => rollouts > 0)
      .map(({ runId, runKey }) => ({ runKey, steps: exportedSteps(db, runId).length }));
  } finally {
    db.close();
  }
}

export const warehouseShell: Shell = {
  name: 'warehouse',
  async open({ home, paths = [], ...options }: OpenOptions): Promise<RunningShell> {
    await ingestHere(home.libraryPath, paths);
    const url = await warehouseOf(home.libraryPath);
    const running = await browserShell.open({ ...options, home: { ...home, libraryPath: url } });
    const runs = runsIn(home.libraryPath);
    for (const run of runs.toReversed()) await copyRun(running, run);
    const openFirst = () => running.page.goto(running.urlOf(`/run/${runs[0]?.runKey}`));
    await openFirst();
    return {
      get page() {
        return running.page;
      },
      urlOf: (path) => running.urlOf(path),
      place: () => running.place(),
      async startAgain() {
        await running.startAgain();
        await openFirst();
      },
      close: () => running.close(),
    };
  },
};
