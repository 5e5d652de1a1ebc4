import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { terminalJson, terminalLine } from '../../shared/domain/terminalText.ts';
import { createHost } from '../host/createHost.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { Warehouse } from '../warehouse/connection.ts';
import { loadDataSet } from '../warehouse/loadDataSet.ts';
import { readAddress, readCredentials } from '../warehouse/namedWarehouse.ts';
import { type PullReport, pull, warehouseRuns } from '../warehouse/pull.ts';
import { LARGEST_STEP, Push, type PushReport } from '../warehouse/push.ts';
import { makeTables, removeRun, removeUnseen, tableStatements } from '../warehouse/tables.ts';
import {
  type Arguments,
  type Command,
  ExpectedError,
  readArguments,
  resolvePath,
  UsageError,
} from './command.ts';
import { untilStopped } from './libraryHost.ts';
import { bytesText } from './libraryText.ts';
import { rowWriter } from './rowWriters.ts';

const help = `usage: turnwise warehouse init URL [--cluster NAME] [--print]
       turnwise warehouse push PATH… --to URL [--as NAME] [--follow]
       turnwise warehouse push --library FILE --to URL [--run RUN_KEY]… [--as NAME] [--follow]
       turnwise warehouse load DATA_SET --to URL [--collection NAME] [--json]
       turnwise warehouse runs URL [--json]
       turnwise warehouse pull URL --run RUN --out DIRECTORY [--steps N|N..N] [--filter FILTER] [--json]
       turnwise warehouse remove URL --run RUN
       turnwise warehouse clean URL

A warehouse is a ClickHouse database that holds the rollouts of a team: every node sends its logs while it runs,
and everyone takes the steps they want to look at into a library.

  init      makes the tables, or leaves them as they are; --print shows the statements and does not run them
  push      reads logs into a library beside your own, and sends what the warehouse does not have. It may be
            interrupted or repeated, and several may run at once; readers see a step only when it is whole.
            Copies of a warehouse's steps (from-warehouse beside a library) are left out
  load      lets the server read a data set that turnwise export --out wrote: a directory below its user_files,
            s3://BUCKET/PATH or https://…; --collection NAME has the keys of S3. What is there already is left out
  runs      lists the runs
  pull      writes rollouts of a run as a data set; turnwise ingest DIRECTORY, or npm start -- DIRECTORY, opens it
  remove    removes a run from the warehouse
  clean     removes what was replaced or left by interrupted pushes

  URL            http://HOST:8123/DATABASE or https://HOST:8443/DATABASE
  --to URL       the warehouse that is sent to
  --cluster NAME replicated tables on every node of this cluster, and distributed tables over them
  --as NAME      name of the run in the warehouse, instead of its key; for a single run, with its evaluation
  --follow       keeps reading and sending until interrupted; a step is sent when it no longer grows
  --steps N..N   first and last step
  --filter       filter language: reward:0 tool_errors:>2 text:"double-check"; labels only in a library
  --credentials FILE   {"user": "…", "password": "…"}, readable by you alone; otherwise the environment's
                 TURNWISE_WAREHOUSE_USER and TURNWISE_WAREHOUSE_PASSWORD
  --ca FILE      certificate authority of the server (PEM)

Exit codes: 0 done, 3 pushed with issues in the logs, 1 failed, 2 usage.`;

const ACTIONS = { init, push, load, runs, pull: pullRun, remove, clean } as const;

export const warehouseCommand: Command = {
  name: 'warehouse',
  summary: 'send runs to a ClickHouse database, and take steps from it',
  help,
  async run(argv, { version }) {
    const args = readArguments('warehouse', argv, {
      ...{ to: { type: 'string' }, as: { type: 'string' }, cluster: { type: 'string' } },
      ...{ library: { type: 'string' }, out: { type: 'string' }, steps: { type: 'string' } },
      ...{
        filter: { type: 'string' },
        collection: { type: 'string' },
        credentials: { type: 'string' },
        ca: { type: 'string' },
      },
      ...{ print: { type: 'boolean' }, follow: { type: 'boolean' }, json: { type: 'boolean' } },
      run: { type: 'string', multiple: true },
    });
    const [name = '', ...given] = args.positionals;
    if (!Object.hasOwn(ACTIONS, name)) throw new UsageError('warehouse: say what to do', help);
    const action = ACTIONS[name as keyof typeof ACTIONS];
    return untilStopped('stopped; the same command continues', (signal) =>
      action({ args, given, version, signal }),
    );
  },
};

interface Call {
  readonly args: Arguments;
  /** The arguments after the name of the action. */
  readonly given: readonly string[];
  readonly version: string;
  readonly signal: AbortSignal;
}

/** Opens the warehouse for as long as the work takes. */
async function withWarehouse(
  { args, signal }: Call,
  address: string,
  is: { readonly isReadOnly?: boolean; readonly isNew?: boolean },
  work: (warehouse: Warehouse) => Promise<number>,
): Promise<number> {
  const [credentials, ca] = [args.string('credentials'), args.string('ca')];
  const warehouse = new Warehouse(readAddress(address), {
    credentials: readCredentials(
      process.env,
      credentials === undefined ? undefined : resolvePath(credentials),
    ),
    ...(ca === undefined ? {} : { ca: readFileSync(resolvePath(ca), 'utf8') }),
    ...{ ...is, signal },
  });
  try {
    return await work(warehouse);
  } finally {
    await warehouse.close();
  }
}

function addressOf(action: string, given: readonly string[]): string {
  const [address, ...more] = given;
  if (address === undefined || more.length > 0)
    throw new UsageError(`warehouse ${action}: give the URL of one warehouse`, help);
  return address;
}

function runOf(action: string, args: Arguments): string {
  const [run, ...more] = args.strings('run');
  if (run === undefined || more.length > 0) throw new UsageError(`warehouse ${action}: give --run once`);
  return run;
}

async function init(call: Call): Promise<number> {
  const { args, given } = call;
  const address = addressOf('init', given);
  const cluster = args.string('cluster');
  if (args.flag('print')) {
    const statements = tableStatements(readAddress(address).database, cluster);
    process.stdout.write(`${statements.map((statement) => `${statement};`).join('\n\n')}\n`);
    return 0;
  }
  return withWarehouse(call, address, { isNew: true }, async (warehouse) => {
    await makeTables(warehouse, cluster);
    process.stdout.write(`the warehouse ${warehouse.database} is ready\n`);
    return 0;
  });
}

async function push(call: Call): Promise<number> {
  const { args, given, version, signal } = call;
  const to = args.string('to');
  if (to === undefined) throw new UsageError('warehouse push: give --to URL');
  const paths = given.map(resolvePath);
  const named = args.string('library');
  if (paths.length === 0 && named === undefined)
    throw new UsageError('warehouse push: give PATHs, or --library FILE');
  const library = named === undefined ? ownLibrary(to, paths) : resolvePath(named);
  if (paths.length === 0 && !existsSync(library))
    throw new ExpectedError(`there is no library at ${library}`);
  const runKeys = args.strings('run');
  const as = args.string('as');
  return withWarehouse(call, to, {}, async (warehouse) => {
    const isFollowing = args.flag('follow');
    // A host also makes the index for searching, which a push does not need.
    const host =
      paths.length === 0 ? undefined : await createHost({ libraryPath: library, shell: 'browser', version });
    let unsent = 0;
    try {
      const issues = (await host?.ingest(paths, { signal }))?.issues ?? 0;
      signal.throwIfAborted();
      if (!isFollowing) await host?.close();
      const sender = new Push(library, warehouse, {
        ...(runKeys.length === 0 ? {} : { runKeys }),
        ...(as === undefined ? {} : { as }),
        signal,
      });
      try {
        const report = await sender.send(isFollowing ? 'settled' : 'all');
        print(args, report);
        unsent = report.tooLarge.length;
        if (isFollowing) {
          await host?.dispatch('follow.start', { paths });
          await sendUntilStopped(sender, signal);
        }
      } finally {
        sender.close();
      }
      if (issues === 0) return unsent === 0 ? 0 : 3;
      process.stderr.write(
        `turnwise: ${issues.toLocaleString('en')} ${issues === 1 ? 'issue' : 'issues'} in the logs; turnwise ingest PATH… names them, and so does the view issue of the warehouse\n`,
      );
      return 3;
    } finally {
      await host?.close();
    }
  });
}

/** One for each warehouse and list of paths, so that a repeated push reads only what is new. */
function ownLibrary(to: string, paths: readonly string[]): string {
  const directory = join(dirname(defaultLibraryPath()), 'pushed');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const name = createHash('sha256')
    .update([to, ...paths].join('\n'))
    .digest('hex')
    .slice(0, 16);
  return join(directory, `${name}.sqlite`);
}

/** Between two looks at a growing library. */
const LOOK_EVERY_MS = 10_000;

async function sendUntilStopped(sender: Push, signal: AbortSignal): Promise<void> {
  process.stderr.write('following; press Ctrl-C to stop\n');
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LOOK_EVERY_MS);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    if (signal.aborted) return;
    try {
      const { sent, rollouts } = await sender.send('settled');
      if (sent > 0) process.stdout.write(`${new Date().toISOString()}  ${rollouts} rollouts sent\n`);
    } catch (error) {
      if (signal.aborted) return;
      // A server that is restarted is no reason to end: the next look sends what is missing.
      process.stderr.write(
        `turnwise: ${terminalLine(error instanceof Error ? error.message : String(error))}\n`,
      );
    }
  }
}

function print(args: Arguments, report: PushReport): void {
  const { runs, sent, known, rollouts, bytes, copies, tooLarge } = report;
  for (const { run, step, path } of tooLarge)
    process.stderr.write(
      `turnwise: ${terminalLine(`step ${step} of run ${run} (${path}) is not sent: a warehouse takes steps and indexes up to ${LARGEST_STEP}`)}\n`,
    );
  process.stdout.write(
    args.flag('json')
      ? `${terminalJson(report)}\n`
      : `${rollouts.toLocaleString('en')} rollouts of ${runs} ${runs === 1 ? 'run' : 'runs'} sent in ${sent} loads (${bytesText(bytes)}); ${known} were there already${copies === 0 ? '' : `; ${copies.toLocaleString('en')} rollouts were left out, because they are copies from a warehouse`}\n`,
  );
}

async function load(call: Call): Promise<number> {
  const { args, given, signal } = call;
  const [to, collection] = [args.string('to'), args.string('collection')];
  const [from, ...more] = given;
  if (to === undefined || from === undefined || more.length > 0)
    throw new UsageError('warehouse load: give one DATA_SET, and --to URL', help);
  return withWarehouse(call, to, {}, async (warehouse) => {
    const place = { from, ...(collection === undefined ? {} : { collection }) };
    const report = await loadDataSet(warehouse, place, signal);
    const { rollouts, runs, loaded, known, tooLarge } = report;
    for (const path of tooLarge)
      process.stderr.write(
        `turnwise: ${terminalLine(`${path} is not loaded: a warehouse takes steps up to ${LARGEST_STEP}`)}\n`,
      );
    process.stdout.write(
      args.flag('json')
        ? `${terminalJson(report)}\n`
        : `${rollouts.toLocaleString('en')} rollouts of ${runs} ${runs === 1 ? 'run' : 'runs'} loaded from ${loaded} ${loaded === 1 ? 'file' : 'files'}; ${known} were there already\n`,
    );
    return tooLarge.length === 0 ? 0 : 3;
  });
}

async function runs(call: Call): Promise<number> {
  const { args, given } = call;
  return withWarehouse(call, addressOf('runs', given), { isReadOnly: true }, async (warehouse) => {
    const list = await warehouseRuns(warehouse);
    if (args.flag('json')) {
      process.stdout.write(`${terminalJson(list)}\n`);
      return 0;
    }
    const writer = rowWriter('table', true, (text) => process.stdout.write(text));
    writer.columns(['run', 'split', 'steps', 'first', 'last', 'rollouts', 'sources', 'last load']);
    writer.rows(
      list.map((run) => [
        ...[run.run, run.split, run.steps, run.first_step, run.last_step, run.rollouts, run.sources],
        run.loaded_at,
      ]),
    );
    writer.end();
    return 0;
  });
}

async function pullRun(call: Call): Promise<number> {
  const { args, given, signal } = call;
  const out = args.string('out');
  if (out === undefined) throw new UsageError('warehouse pull: give --out DIRECTORY');
  const run = runOf('pull', args);
  const steps = stepsOf(args.string('steps'));
  const text = args.string('filter');
  const filter = text === undefined ? undefined : readFilter(text);
  if (filter?.ok === false) throw new UsageError(`warehouse pull: --filter: ${filter.fault.message}`);
  return withWarehouse(call, addressOf('pull', given), { isReadOnly: true }, async (warehouse) => {
    const report: PullReport = await pull(warehouse, {
      ...{ run, directory: resolvePath(out), signal },
      ...(steps === undefined ? {} : { steps }),
      ...(filter === undefined ? {} : { filter: filter.node }),
    });
    const { directory, rollouts, bytes } = report;
    process.stdout.write(
      args.flag('json')
        ? `${terminalJson(report)}\n`
        : `${rollouts.toLocaleString('en')} rollouts of ${report.steps} ${report.steps === 1 ? 'step' : 'steps'} at ${terminalLine(directory)} (${bytesText(bytes)})\n`,
    );
    return 0;
  });
}

function stepsOf(text: string | undefined): { readonly first: number; readonly last: number } | undefined {
  if (text === undefined) return undefined;
  const [, first, last] = /^(\d+)(?:\.\.(\d+))?$/.exec(text) ?? [];
  if (first === undefined)
    throw new UsageError(`warehouse pull: --steps takes a step or first..last; found ${text}`);
  const steps = { first: Number(first), last: Number(last ?? first) };
  if (!Number.isSafeInteger(steps.last) || steps.last < steps.first)
    throw new UsageError(`warehouse pull: --steps has its first step first; found ${text}`);
  return steps;
}

async function remove(call: Call): Promise<number> {
  const { args, given } = call;
  const run = runOf('remove', args);
  return withWarehouse(call, addressOf('remove', given), {}, async (warehouse) => {
    if (!(await warehouseRuns(warehouse)).some((each) => each.run === run))
      throw new ExpectedError(`the warehouse has no run ${run}; turnwise warehouse runs lists them`);
    await removeRun(warehouse, run);
    process.stdout.write(`${terminalLine(`run ${run} is removed`)}\n`);
    return 0;
  });
}

async function clean(call: Call): Promise<number> {
  const { given } = call;
  return withWarehouse(call, addressOf('clean', given), {}, async (warehouse) => {
    const rollouts = await removeUnseen(warehouse);
    process.stdout.write(`${rollouts.toLocaleString('en')} rollouts that nobody saw are removed\n`);
    return 0;
  });
}
