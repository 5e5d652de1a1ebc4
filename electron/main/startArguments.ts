import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWarehouseAddress } from '../host/libraryPath.ts';

export interface StartArguments {
  /** Absolute paths. */
  readonly paths: readonly string[];
  /** Absolute path, or the address of a warehouse; absent: the user's default library. */
  readonly library?: string;
}

const LIBRARY = '--library=';

/**
 * Parses the arguments after the executable (and, unpackaged, the application's directory). Chromium's own
 * switches may occur anywhere before `--`. Everything after `--` is a path.
 */
export function startArguments(args: readonly string[], workingDirectory: string): StartArguments {
  const end = args.indexOf('--');
  const before = end === -1 ? args : args.slice(0, end);
  const after = end === -1 ? [] : args.slice(end + 1);
  const names = [...before.filter((arg) => !arg.startsWith('-')), ...after];
  const library = before.find((arg) => arg.startsWith(LIBRARY))?.slice(LIBRARY.length);
  return {
    paths: names.map((name) => absolutePath(name, workingDirectory)),
    ...(library === undefined
      ? {}
      : { library: isWarehouseAddress(library) ? library : resolve(workingDirectory, library) }),
  };
}

/** File managers on Linux may pass `file:` URLs. */
function absolutePath(name: string, workingDirectory: string): string {
  const isUrl = name.startsWith('file://') && URL.canParse(name);
  return isUrl ? fileURLToPath(name) : resolve(workingDirectory, name);
}

/** Arguments of another start: the first `kept` of `args` (the application's directory), its switches, the paths. */
export function argumentsForPaths(args: readonly string[], kept: number, paths: readonly string[]): string[] {
  const end = args.indexOf('--');
  const switches = args.slice(kept, end === -1 ? undefined : end).filter((arg) => arg.startsWith('-'));
  return [...args.slice(0, kept), ...switches, '--', ...paths];
}
