import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readAddress } from '../warehouse/namedWarehouse.ts';

/**
 * The default library: one per user, shared by all shells, in `TURNWISE_HOME` or the system's directory for
 * application data.
 */
export function defaultLibraryPath(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home: string = homedir(),
): string {
  const file = 'library.sqlite';
  const own = env['TURNWISE_HOME'];
  if (own) return join(own, file);
  switch (platform) {
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'Turnwise', file);
    case 'win32':
      return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Turnwise', file);
    default:
      return join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'turnwise', file);
  }
}

/** Whether `--library` names a warehouse instead of a file. */
export const isWarehouseAddress = (named: string): boolean => /^(?:clickhouse|https?):\/\//i.test(named);

export interface NamedLibrary {
  readonly libraryPath: string;
  /** Address of the warehouse. What is copied from it is in a library of its own. */
  readonly warehouse?: string;
}

/** @param named what `--library` names: an absolute path or an address. Absent: the user's library */
export function namedLibrary(named: string | undefined): NamedLibrary {
  if (named === undefined) return { libraryPath: defaultLibraryPath() };
  if (!isWarehouseAddress(named)) return { libraryPath: named };
  return { libraryPath: libraryOfWarehouse(named), warehouse: named };
}

/** The library for what is copied from a warehouse. It is the same however the address is written. */
export const libraryOfWarehouse = (address: string): string =>
  join(dirname(defaultLibraryPath()), 'warehouses', `${nameOfWarehouse(address)}.sqlite`);

function nameOfWarehouse(address: string): string {
  try {
    const { server, database } = readAddress(address);
    const { hostname, port } = new URL(server.replace(/^https?/, 'clickhouse'));
    return [hostname, port, database].join('-').replaceAll(/[^\w.-]/g, '_');
  } catch {
    // An address with a password is refused later. It must not become a name.
    return 'unknown';
  }
}

/** Wheels that Python of tool calls may import in every shell, unless a command names another folder. */
export const defaultWheels = (): string => join(dirname(defaultLibraryPath()), 'wheels');
