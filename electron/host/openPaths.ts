import type { HostEvent, LibraryRow, ResultOf } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import { isLibraryName } from '../../shared/api/libraryRows.ts';
import type { LibraryManager } from './host.ts';

type OpenableHost = Pick<LibraryManager, 'grant' | 'dispatch' | 'subscribe'>;

/** Long enough to read the first record of a log, and short enough not to look like a hang. */
const RUN_KNOWN_WITHIN_MS = 1_000;

export interface Opened {
  /** Id of the library that was opened last. Absent: none of the paths is a library. */
  readonly library?: string;
}

/** Path of the page that shows an open library; see renderer/data/libraryLink.ts. */
export const libraryPage = (id: string): string => `/in/${encodeURIComponent(id)}`;

/**
 * Opens paths from the command line, a second instance or the system. Libraries open beside the current one, all
 * other paths are ingested as logs. Returns while ingest continues. The failure names missing paths; the others are
 * opened.
 */
export async function openPaths(host: OpenableHost, paths: readonly string[]): Promise<Result<Opened>> {
  const there: string[] = [];
  const missing: string[] = [];
  for (const path of paths) {
    try {
      await host.grant(path);
      there.push(path);
    } catch {
      // A path that cannot be resolved for any reason cannot be read.
      missing.push(path);
    }
  }
  const { logs, library, failure } = await openLibraries(host, there);
  const started: Result<unknown> =
    logs.length === 0
      ? { ok: true, value: undefined }
      : await startAndAwaitRun(host, 'ingest.start', { paths: logs });
  if (!started.ok) return started;
  if (failure !== undefined) return failure;
  if (missing.length === 0) return { ok: true, value: library === undefined ? {} : { library } };
  return {
    ok: false,
    failure: { code: 'not_found', message: `no such file or directory: ${missing.join(', ')}` },
  };
}

/** @returns the paths that are not libraries, and the first failure to open a library */
async function openLibraries(
  host: OpenableHost,
  paths: readonly string[],
): Promise<{ logs: readonly string[]; library?: string; failure?: Result<never> }> {
  const logs: string[] = [];
  let library: string | undefined;
  let failure: Result<never> | undefined;
  for (const path of paths) {
    const opened = isLibraryName(path) ? await host.dispatch('library.open', { path }) : undefined;
    if (opened?.ok) library = (opened.value as LibraryRow).id;
    // It is an SQLite file but not a library, such as a pack or a trainer's database.
    else if (opened === undefined || opened.failure.code === 'refused') logs.push(path);
    else failure ??= opened;
  }
  return {
    logs,
    ...(library === undefined ? {} : { library }),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** Without paths, an empty library gets the demo run. A library with runs is opened unchanged. */
export async function openAtStart(host: OpenableHost, paths: readonly string[]): Promise<Result<Opened>> {
  if (paths.length > 0) return openPaths(host, paths);
  const listed = await host.dispatch('run.list', {});
  if (!listed.ok) return listed;
  const isEmpty = (listed.value as ResultOf<'run.list'>).length === 0;
  const started = isEmpty ? await startAndAwaitRun(host, 'ingest.demo', {}) : listed;
  return started.ok ? { ok: true, value: {} } : started;
}

/** Waits until the job knows its first run, so that the page can navigate to it. */
async function startAndAwaitRun(
  host: OpenableHost,
  method: string,
  params: unknown,
): Promise<Result<unknown>> {
  let unsubscribe = (): void => undefined;
  const known = new Promise<void>((resolve) => {
    unsubscribe = host.subscribe((event) => {
      if (hasRun(event)) resolve();
    });
  });
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, RUN_KNOWN_WITHIN_MS);
  });
  try {
    const result = await host.dispatch(method, params);
    if (result.ok) await Promise.race([known, tooLong]);
    return result;
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}

function hasRun({ event, payload }: HostEvent): boolean {
  return event === 'ingest.progress' && (payload.runKey !== undefined || payload.state !== 'running');
}
