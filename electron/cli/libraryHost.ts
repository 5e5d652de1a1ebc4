/** Opens a host over an existing library for one command. */
import { existsSync } from 'node:fs';
import type { Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import { createHost } from '../host/createHost.ts';
import type { Host } from '../host/host.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { type CommandContext, ExpectedError, resolvePath, UsageError } from './command.ts';

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
): Promise<number> {
  const libraryPath = named === undefined ? defaultLibraryPath() : resolvePath(named);
  if (!existsSync(libraryPath)) throw new ExpectedError(`there is no library at ${libraryPath}`);
  const host = await createHost({ libraryPath, shell: 'browser', version: context.version });
  try {
    return await work({
      known: (change) => host.known(change),
      mayWrite: (path) => host.mayWrite(path),
      grant: (path) => host.grant(path),
      async ask<M extends Method>(method: M, params: ParamsOf<M>) {
        const result = await host.dispatch(method, params);
        if (result.ok) return result.value as ResultOf<M>;
        const { code, message } = result.failure;
        throw code === 'bad_request' ? new UsageError(message) : new ExpectedError(message);
      },
    });
  } finally {
    await host.close();
  }
}
