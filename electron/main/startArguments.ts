import { resolve } from 'node:path';

export interface StartArguments {
  /** Absolute. */
  readonly paths: readonly string[];
  /** Absolute; absent: the user's own library. */
  readonly libraryPath?: string;
}

const LIBRARY = '--library=';

/**
 * What follows the executable (and, unpackaged, the application's directory). Switches of
 * Chromium's own may stand anywhere before `--`; after it everything is a path.
 */
export function startArguments(args: readonly string[], workingDirectory: string): StartArguments {
  const end = args.indexOf('--');
  const before = end === -1 ? args : args.slice(0, end);
  const after = end === -1 ? [] : args.slice(end + 1);
  const names = [...before.filter((arg) => !arg.startsWith('-')), ...after];
  const library = before.find((arg) => arg.startsWith(LIBRARY))?.slice(LIBRARY.length);
  return {
    paths: names.map((name) => resolve(workingDirectory, name)),
    ...(library === undefined ? {} : { libraryPath: resolve(workingDirectory, library) }),
  };
}
