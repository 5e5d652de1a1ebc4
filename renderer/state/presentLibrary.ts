/**
 * The library that is looked at, for what is remembered by path: the same path is another place in another library.
 * Paths of the first library are their own keys.
 */
let prefix = '';

/** @param library undefined: the one Turnwise was started with */
export function enterLibrary(library: string | undefined): void {
  prefix = library === undefined ? '' : `/in/${encodeURIComponent(library)}`;
}

export function keyIn(path: string): string {
  return prefix + path;
}

/** The path that `key` stands for; undefined where it is of another library. */
export function pathOfKey(key: string): string | undefined {
  if (prefix === '') return key.startsWith('/in/') ? undefined : key;
  return key.startsWith(`${prefix}/`) ? key.slice(prefix.length) : undefined;
}
