/** Libraries as the application lists them, and what takes up their space. */

/** Id of the library the application was started with. On the wire, no id means the same. */
export const HOME_LIBRARY = 'home';

export interface LibraryRow {
  /** Names the library in links and requests: `home`, or the file's name made unique. Stays while it is remembered. */
  readonly id: string;
  /** Of the file, without its ending. */
  readonly name: string;
  readonly path: string;
  readonly isHome: boolean;
  readonly isOpen: boolean;
  /** No file lies at the path any more. */
  readonly isGone?: boolean;
  /** Of the file and its write-ahead log; absent where there is no file. */
  readonly sizeBytes?: number;
  /** Known of an open one. */
  readonly runs?: number;
  readonly rollouts?: number;
}

/** What the bytes of a run are spent on. */
const SIZE_PARTS = ['texts', 'tokens', 'search', 'rows', 'columns'] as const;
export type SizePart = (typeof SIZE_PARTS)[number];

export interface RunSize {
  readonly runKey: string;
  readonly name: string;
  readonly kind: 'train' | 'eval';
  readonly rollouts: number;
  /** Sum of the parts. */
  readonly bytes: number;
  readonly parts: Readonly<Record<SizePart, number>>;
}

/** In bytes. `runs` + `shared` + `free` is `file`, to the byte. */
export interface LibrarySizes {
  readonly runs: readonly RunSize[];
  /** Prompts, problems, files, issues, what the user saved, and the schema: of no single run. */
  readonly shared: number;
  /** Pages without content, which `library.compact` gives back. */
  readonly free: number;
  readonly file: number;
  /** What the write-ahead log takes besides: `file` + `wal` is on the disk, and what `LibraryRow.sizeBytes` says. */
  readonly wal: number;
  /**
   * `pages`: the pages of each table and index were counted and shared out among the runs by their rows or bytes.
   * `lengths`: the lengths of the rows alone were added; what else a page holds is in `shared`.
   */
  readonly method: 'pages' | 'lengths';
}
