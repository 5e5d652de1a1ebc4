import { existsSync, rmSync } from 'node:fs';
import { shellWord } from '../../shared/domain/shellWord.ts';
import { terminalJson, terminalLines } from '../../shared/domain/terminalText.ts';
import { createHost } from '../host/createHost.ts';
import type { RescueReport } from '../host/host.ts';
import { checkLibrary, type DamagedTable } from '../host/libraryCheck.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { printWarnings } from '../host/printProblem.ts';
import { readableLibrary } from '../host/readOnlyCopy.ts';
import { copyWithHeader } from '../storage/rescue.ts';
import {
  type Command,
  type CommandContext,
  ExpectedError,
  readArguments,
  resolvePath,
  UsageError,
} from './command.ts';

const help = `usage: turnwise doctor [LIBRARY] [LOGS…] [--into NEW] [--json]

Checks every page of a library and names the damaged tables. The library is not changed.

  LIBRARY     library file; default: the user's library
  LOGS        files and directories that may be read again, besides those that you have opened in this library
  --into NEW  if the library is damaged: saves labels, notes, review marks, taxonomy, views, queries, mappings and
              settings into a new library at NEW, and reads the logs into it again. Annotations find their rollouts
  --json      {path, damaged: [{table, problem}], saved?} on stdout

Exit codes: 0 not damaged, or everything was saved; 1 failed; 2 usage; 3 damaged, or not everything was saved.`;

interface Saved extends RescueReport {
  readonly path: string;
  readonly rollouts: number;
  /** Annotations whose rollout was not found in the logs. */
  readonly unattached: number;
  /** Logs that no longer exist. */
  readonly missing: readonly string[];
  /** Logs that need an adapter. */
  readonly adapted: readonly string[];
  /** Logs that the user has not opened on this machine. */
  readonly notOpened: readonly string[];
  /** Logs that could not be read, or no longer have rollouts. */
  readonly refused: readonly string[];
}

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check a library for damage, and save it into a new one',
  help,
  async run(argv, context) {
    const args = readArguments('doctor', argv, { into: { type: 'string' }, json: { type: 'boolean' } });
    const [named, ...logs] = args.positionals;
    if (logs.length > 0 && args.string('into') === undefined)
      throw new UsageError('doctor: logs are read into a new library; give --into', help);
    const path = named === undefined ? defaultLibraryPath() : resolvePath(named);
    if (!existsSync(path)) throw new ExpectedError(`there is no library at ${path}`);
    const into = args.string('into');
    const target = into === undefined ? undefined : resolvePath(into);
    if (target !== undefined && existsSync(target)) throw new ExpectedError(`${target} already exists`);
    const readable = await readableLibrary(path);
    const repaired = await copyWithHeader(readable.path);
    const library = repaired ?? readable;
    let damaged: readonly DamagedTable[];
    let saved: Saved | undefined;
    try {
      const found = await checkLibrary({ libraryPath: library.path });
      if ('failure' in found) throw new ExpectedError(found.failure.message);
      damaged = repaired === undefined ? found.tables : [DAMAGED_HEADER, ...found.tables];
      if (target !== undefined && damaged.length > 0)
        saved = await saveInto(target, { named: path, path: library.path, logs }, context);
    } finally {
      repaired?.remove();
      readable.remove();
    }
    const text = args.flag('json')
      ? `${terminalJson({ path, damaged, ...(saved === undefined ? {} : { saved }) })}\n`
      : terminalLines([
          ...damageReport(path, damaged, saved !== undefined),
          ...(saved === undefined ? [] : savedReport(saved)),
        ]);
    process.stdout.write(text);
    if (damaged.length === 0) return 0;
    return saved !== undefined && isComplete(saved) ? 0 : 3;
  },
};

const DAMAGED_HEADER: DamagedTable = {
  table: 'header',
  problem: 'the first 100 bytes are damaged; a copy with new ones is read',
};

interface DamagedLibrary {
  readonly named: string;
  /** The library, or its copy. */
  readonly path: string;
  /** Log paths that the user gave in addition. */
  readonly logs: readonly string[];
}

async function saveInto(
  target: string,
  damaged: DamagedLibrary,
  { version }: CommandContext,
): Promise<Saved> {
  const host = await createHost({ libraryPath: target, shell: 'browser', version });
  let isSaved = false;
  try {
    const report = await host.rescue(damaged.path);
    host.grantAsFor(damaged.named);
    for (const path of damaged.logs) await host.grant(resolvePath(path));
    const adapted = report.logs.filter(({ hasAdapter }) => hasAdapter).map(({ path }) => path);
    const direct = report.logs.filter(({ hasAdapter }) => !hasAdapter).map(({ path }) => path);
    const wasLog = new Set(report.logs.filter((log) => log.wasLog).map(({ path }) => path));
    const opened = direct.filter((path) => host.isGranted(path));
    const missing = opened.filter((path) => !existsSync(path));
    const there = opened.filter((path) => existsSync(path));
    const { rollouts, files } = await host.ingest(there, { areKnown: true });
    const unattached = await host.dispatch('annotation.order', { states: ['unattached'], filter: '' });
    const saved: Saved = {
      ...report,
      path: target,
      rollouts,
      unattached: unattached.ok ? (unattached.value as { readonly ids: ArrayLike<number> }).ids.length : 0,
      missing,
      adapted,
      notOpened: direct.filter((path) => !host.isGranted(path)),
      refused: files
        .filter(
          ({ path, status, rollouts: read }) => wasLog.has(path) && (status === 'refused' || read === 0),
        )
        .map(({ path }) => path),
    };
    await printWarnings(host);
    isSaved = true;
    return saved;
  } finally {
    await host.close();
    // Remove the unfinished library, because the next attempt may use the same name.
    if (!isSaved) for (const suffix of ['', '-wal', '-shm']) rmSync(target + suffix, { force: true });
  }
}

function isComplete({ tables, lacksLogs, unattached, missing, adapted, notOpened, refused }: Saved): boolean {
  const isWhole = !tables.some(({ isDamaged }) => isDamaged) && !lacksLogs;
  return isWhole && unattached + missing.length + adapted.length + notOpened.length + refused.length === 0;
}

function damageReport(path: string, damaged: readonly DamagedTable[], isSaved: boolean): readonly string[] {
  if (damaged.length === 0) return [`${path} is not damaged`];
  return [
    `${path} is damaged:`,
    ...damaged.map(({ table, problem }) => `  ${table}: ${problem}`),
    ...(isSaved
      ? []
      : [`It was not changed. To save it: turnwise doctor ${shellWord(path)} --into NEW.turnwise`]),
  ];
}

function savedReport(saved: Saved): readonly string[] {
  const lines = [`saved into ${saved.path}:`];
  for (const { name, saved: rows, isDamaged } of saved.tables)
    if (rows > 0 || isDamaged)
      lines.push(`  ${rows.toLocaleString('en')} ${name}${isDamaged ? '; some could not be read' : ''}`);
  if (saved.restored > 0)
    lines.push(
      `  ${saved.restored.toLocaleString('en')} labels, notes and review marks more, from the undo history`,
    );
  lines.push(`  ${saved.rollouts.toLocaleString('en')} rollouts, read from the logs again`);
  if (saved.unattached > 0)
    lines.push(`  ${saved.unattached.toLocaleString('en')} annotations wait for rollouts that were not read`);
  const list = (what: string, paths: readonly string[]): void => {
    if (paths.length > 0) lines.push(what, ...paths.map((path) => `  ${path}`));
  };
  list('logs that are gone; their rollouts are only in the damaged library:', saved.missing);
  list('logs that could not be read, or have no rollouts now:', saved.refused);
  list(
    `logs that you have not opened here, so they were not read; to read them: turnwise ingest PATH --library ${shellWord(saved.path)}`,
    saved.notOpened,
  );
  list('logs to read again with turnwise ingest --adapter:', saved.adapted);
  if (saved.lacksLogs)
    lines.push('A part of the list of logs could not be read: open their directories again.');
  return lines;
}
