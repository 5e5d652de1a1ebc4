/** Opens a host over an existing library for one command. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import { createHost } from '../host/createHost.ts';
import { endWithin } from '../host/endWithin.ts';
import type { Host, HostOptions } from '../host/host.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import type { IngestReport } from '../worker/messages.ts';
import { type CommandContext, ExpectedError, resolvePath, UsageError } from './command.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface LibraryHost {
  /** @throws UsageError when a parameter is invalid; ExpectedError */
  ask<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>>;
  readonly known: Host['known'];
  readonly mayWrite: Host['mayWrite'];
  readonly grant: Host['grant'];
}

/** @param named the given library; absent: the user's default library */
export async function withLibraryHost(
  named: string | undefined,
  context: CommandContext,
  work: (host: LibraryHost) => Promise<number>,
  signal?: AbortSignal,
  options: Pick<HostOptions, 'pythonPackages'> = {},
): Promise<number> {
  const libraryPath = named === undefined ? defaultLibraryPath() : resolvePath(named);
  if (!existsSync(libraryPath)) throw new ExpectedError(`there is no library at ${libraryPath}`);
  const host = await createHost({ libraryPath, shell: 'browser', version: context.version, ...options });
  try {
    return await work(libraryHost(host, signal));
  } finally {
    await host.close();
  }
}

function libraryHost(host: Host, signal: AbortSignal | undefined): LibraryHost {
  return {
    known: (change) => host.known(change),
    mayWrite: (path) => host.mayWrite(path),
    grant: (path) => host.grant(path),
    async ask<M extends Method>(method: M, params: ParamsOf<M>) {
      const result = await host.dispatch(method, params, signal);
      if (result.ok) return result.value as ResultOf<M>;
      const { code, message } = result.failure;
      throw code === 'bad_request' ? new UsageError(message) : new ExpectedError(message);
    },
  };
}

/**
 * Reads logs, then opens a host over them.
 *
 * @param named a library, which is made if it does not exist and keeps what was read; absent: a temporary one
 * @throws ExpectedError when nothing can be read
 */
export async function withLogs(
  paths: readonly string[],
  named: string | undefined,
  context: CommandContext,
  work: (host: LibraryHost, report: IngestReport) => Promise<number>,
): Promise<number> {
  const directory = named === undefined ? mkdtempSync(join(tmpdir(), 'turnwise-')) : undefined;
  const libraryPath = directory === undefined ? resolvePath(named ?? '') : join(directory, 'library.sqlite');
  try {
    return await untilStopped('stopped', async (signal) => {
      const host = await createHost({ libraryPath, shell: 'browser', version: context.version });
      try {
        const report = await host.ingest(paths, { signal });
        signal.throwIfAborted();
        return await work(libraryHost(host, signal), report);
      } finally {
        await host.close();
      }
    });
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Like `withLibraryHost`, for commands that write files: a signal cancels the request, which removes what it has
 * written. The exit code is then 130, and `afterStop` says what is left.
 */
export async function withCancellableHost(
  named: string | undefined,
  context: CommandContext,
  work: (host: LibraryHost) => Promise<number>,
  {
    afterStop = 'what was written is removed',
    ...options
  }: Pick<HostOptions, 'pythonPackages'> & { readonly afterStop?: string } = {},
): Promise<number> {
  return untilStopped(`stopped; ${afterStop}`, (signal) =>
    withLibraryHost(named, context, work, signal, options),
  );
}

/**
 * Gives the work a signal that is aborted when the process is asked to end.
 *
 * @param stopped printed when the work ended early because of it
 * @returns its exit code; 130 when it ended early
 */
export async function untilStopped(
  stopped: string,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
    endWithin();
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    process.stderr.write(`turnwise: ${stopped}\n`);
    return 130;
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}
