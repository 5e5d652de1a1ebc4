/**
 * Resolves the paths a user names to files. Directories are walked recursively. Names sort in natural order
 * (2.jsonl before 10.jsonl), so that runs are equal on every machine.
 */

import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { messageOfError } from '../../shared/domain/fileProblem.ts';
import { filesOfLibrary } from '../storage/databaseFiles.ts';
import { LINKED, NOT_A_FILE } from './containers/openFile.ts';
import { MOST_LEVELS } from './granted.ts';

/** A tokenizer in a directory of logs belongs to them (`ingest.ts`). A named one is refused with a hint. */
export const TOKENIZER_FILE = 'tokenizer.json';

export type Discovered =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'unreadable'; readonly path: string; readonly code: string; readonly message: string };

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'variant' });

/**
 * @param library path of the library, whose files are skipped
 * @param mayRead called for each path, because a path may have become a link since the user opened it
 */
export function discover(
  paths: readonly string[],
  library: string,
  mayRead: (path: string) => boolean,
): readonly Discovered[] {
  const found: Discovered[] = [];
  const own = filesOfLibrary(library).flatMap((path) => realOf(path) ?? []);
  const seen = new Set<string>(own);
  // A link may lead from one of the paths to another, but not outside all of them.
  const roots = paths.flatMap((path) => realOf(path) ?? []).filter(mayRead);
  for (const path of paths) {
    const before = found.length;
    const wasSeen = seen.has(realOf(path) ?? path);
    walk(path, found, seen, roots);
    if (found.length > before || wasSeen) continue;
    found.push({ kind: 'unreadable', path, code: 'empty_directory', message: 'no files in this directory' });
  }
  return found;
}

/** @returns undefined if there is no file. No path can refer to a library that does not exist yet */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function walk(path: string, found: Discovered[], seen: Set<string>, roots: readonly string[]): void {
  let real: string;
  let isDirectory: boolean;
  try {
    real = realpathSync.native(path);
    if (!roots.some((root) => real === root || real.startsWith(join(root, sep)))) {
      const message = `a link to ${real}, which is outside the opened directory; open that itself to read it`;
      found.push({ kind: 'unreadable', path, code: 'link_outside', message });
      return;
    }
    const stat = statSync(real);
    isDirectory = stat.isDirectory();
    if (!isDirectory && !stat.isFile()) {
      found.push({ kind: 'unreadable', path, code: 'not_a_file', message: 'neither a file nor a directory' });
      return;
    }
  } catch (error) {
    found.push({ kind: 'unreadable', path, ...reasonOf(error) });
    return;
  }
  // Symbolic links may form cycles, and a file may be named twice.
  if (seen.has(real)) return;
  seen.add(real);
  if (!isDirectory) {
    found.push({ kind: 'file', path: real });
    return;
  }
  // The system resolves each path level by level, and nothing below is granted.
  if (real.split(sep).length >= MOST_LEVELS) {
    const message = `nothing below it is read, since it has ${MOST_LEVELS} levels or more`;
    found.push({ kind: 'unreadable', path, code: 'too_deep', message });
    return;
  }
  let names: string[];
  try {
    names = readdirSync(real);
  } catch (error) {
    found.push({ kind: 'unreadable', path, ...reasonOf(error) });
    return;
  }
  // Dot entries are version control and editor state, not logs.
  const logs = names.filter(
    (entry) => !entry.startsWith('.') && entry !== TOKENIZER_FILE && !isOwnReadme(entry, names),
  );
  for (const name of logs.sort(byName.compare)) {
    walk(join(real, name), found, seen, roots);
  }
}

/** Whether the file is the README of an exported data set (`electron/export`). */
function isOwnReadme(name: string, beside: readonly string[]): boolean {
  return name === 'README.md' && beside.includes('rollouts') && beside.includes('runs');
}

/** Whether the content nests so deeply that it exhausts the stack. V8's message does not explain that. */
export function isNestedTooDeeply(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

export function reasonOf(error: unknown): { readonly code: string; readonly message: string } {
  if (isNestedTooDeeply(error)) return { code: 'unreadable', message: 'a record is nested too deeply' };
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  switch (code) {
    case 'ENOENT':
      return { code: 'not_found', message: 'no such file or directory' };
    case 'EACCES':
    case 'EPERM':
      return { code: 'no_permission', message: 'no permission to read it' };
    case NOT_A_FILE:
      return { code: 'not_a_file', message: 'neither a file nor a directory' };
    case LINKED:
      return { code: 'link_outside', message: 'it became a link after it was found; read it again' };
    case 'PARSER_ENDED':
      return { code: 'parser_ended', message: error instanceof Error ? error.message : '' };
    case 'EISDIR':
      return { code: 'is_directory', message: 'is a directory, not a file' };
    default:
      return { code: 'unreadable', message: messageOfError(error) };
  }
}
