/** Libraries as the application lists them, and how their space is used. */

import type { RunKind } from '../domain/model.ts';

/** Id of the library the application was started with. On the wire, no id means the same. */
export const HOME_LIBRARY = 'home';

/** Extensions of library files; new ones get the first. Logs and packs may have them too: content decides. */
export const LIBRARY_EXTENSIONS = ['turnwise', 'sqlite'] as const;

/** Whether the name is one of a library file. */
export function isLibraryName(path: string): boolean {
  const name = path.toLowerCase();
  return LIBRARY_EXTENSIONS.some((extension) => name.endsWith(`.${extension}`));
}

export interface LibraryRow {
  /**
   * Names the library in links and requests: `home`, or the file's name made unique. Stable as long as the
   * library is remembered.
   */
  readonly id: string;
  /** File name without its extension. */
  readonly name: string;
  readonly path: string;
  readonly isHome: boolean;
  readonly isOpen: boolean;
  /** The file no longer exists at the path. */
  readonly isGone?: boolean;
  /** Bytes of the file and its write-ahead log. Absent if there is no file. */
  readonly sizeBytes?: number;
  /** Only for open libraries. */
  readonly runs?: number;
  readonly rollouts?: number;
}

/** Categories of a run's bytes. */
const SIZE_PARTS = ['texts', 'tokens', 'search', 'rows', 'columns'] as const;
export type SizePart = (typeof SIZE_PARTS)[number];

export interface RunSize {
  readonly runKey: string;
  readonly name: string;
  readonly kind: RunKind;
  readonly rollouts: number;
  /** Sum of the parts. */
  readonly bytes: number;
  readonly parts: Readonly<Record<SizePart, number>>;
}

/** In bytes. `runs` + `shared` + `free` is `file`, to the byte. */
export interface LibrarySizes {
  readonly runs: readonly RunSize[];
  /**
   * Prompts, problems, files, issues, saved views and queries, and the schema, which belong to no single run.
   */
  readonly shared: number;
  /** Free pages, which `library.compact` releases. */
  readonly free: number;
  readonly file: number;
  /** Bytes of the write-ahead log. `file` + `wal` is the size on disk, as in `LibraryRow.sizeBytes`. */
  readonly wal: number;
  /**
   * `pages`: pages of each table and index were counted and divided among runs by their rows or bytes.
   * `lengths`: only the row lengths were added up; the rest of each page is in `shared`.
   */
  readonly method: 'pages' | 'lengths';
}
