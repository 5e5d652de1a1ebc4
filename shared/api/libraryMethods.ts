/** The open libraries of one application, and what can be done with a library as a whole. */
import { z } from 'zod';
import type { LibraryRow, LibrarySizes } from './libraryRows.ts';

const progressKey = z.string().max(100).optional();

/**
 * Answered by the application, whichever library they are asked of. The other methods of this table are about the
 * library they are asked of.
 */
export const SHELF_PARAMS = {
  /** Those that are open, the home library first, then those opened before, the latest first. */
  'library.list': z.object({}),
  /** By the path of a file that the user has opened, or by the id of one that is remembered. Open already: its row. */
  'library.open': z.union([z.strictObject({ path: z.string().min(1) }), z.strictObject({ id: z.string() })]),
  /** Running jobs of it end after the batch being written. The home library stays open. */
  'library.close': z.object({ id: z.string() }),
  /** A closed one is no longer listed. The file stays. */
  'library.forget': z.object({ id: z.string() }),
} as const;

export const LIBRARY_PARAMS = {
  ...SHELF_PARAMS,
  /** What takes how much of the file, by run. Reads every page of it: long, like `roc.report`. */
  'library.sizes': z.object({ progressKey }),
  /** Writes the file anew without its free pages. Refused while a job runs and where the disk has no room for a copy. */
  'library.compact': z.object({}),
  /**
   * The run with everything that belongs to it into a new library file, then out of this one. A bare file name lies
   * beside this library. Cancelling before the removal leaves everything as it was.
   */
  'run.move': z.object({ runKey: z.string(), path: z.string().min(1).max(4096), progressKey }),
  /**
   * Rollouts as a data set in Parquet, partitioned by run and step (`electron/export`), into a new directory; a bare
   * name lies beside this library. Absent `runKeys`: every run. What a cancelled one has written whole stays.
   */
  'run.export': z.object({
    runKeys: z.array(z.string()).min(1).max(10_000).optional(),
    path: z.string().min(1).max(4096),
    progressKey,
  }),
  /** Desktop only: where a new library is to lie; empty when dismissed. */
  'shell.saveDialog': z.object({ name: z.string().max(255) }),
} as const;

export interface LibraryResults {
  'library.list': readonly LibraryRow[];
  'library.open': LibraryRow;
  'library.close': { readonly closed: boolean };
  'library.forget': { readonly forgotten: boolean };
  'library.sizes': LibrarySizes;
  /** Bytes of the file and its write-ahead log. */
  'library.compact': { readonly before: number; readonly after: number; readonly elapsedMs: number };
  'run.move': {
    /** The new file, as it was made. */
    readonly path: string;
    readonly rollouts: number;
    /** Bytes of the new file. */
    readonly bytes: number;
    /** By which this library has become smaller. */
    readonly freed: number;
    /** Rows compared one by one by their keys, on both sides. */
    readonly rows: number;
    /** Of the new library, where it has been opened at once. */
    readonly library?: string;
  };
  'run.export': {
    /** The directory, as it was made. */
    readonly directory: string;
    readonly runs: number;
    readonly files: number;
    readonly rollouts: number;
    readonly bytes: number;
  };
  'shell.saveDialog': { readonly path?: string };
}
