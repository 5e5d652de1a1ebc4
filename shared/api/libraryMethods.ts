/** The open libraries of one application, and what can be done with a library as a whole. */
import { z } from 'zod';
import type { LibraryRow, LibrarySizes } from './libraryRows.ts';
import { defineMethod, resultOf } from './method.ts';

const progressKey = z.string().max(100).optional();

/**
 * Answered by the application, whichever library they are asked of. The other methods of this table are about the
 * library they are asked of.
 */
const MANAGER_METHODS = {
  /** Those that are open, the home library first, then those opened before, the latest first. */
  'library.list': defineMethod({
    params: z.object({}),
    result: resultOf<readonly LibraryRow[]>(),
    runsOn: 'libraries',
  }),
  /** By the path of a file that the user has opened, or by the id of one that is remembered. Open already: its row. */
  'library.open': defineMethod({
    params: z.union([z.strictObject({ path: z.string().min(1) }), z.strictObject({ id: z.string() })]),
    result: resultOf<LibraryRow>(),
    runsOn: 'libraries',
  }),
  /** Running jobs of it end after the batch being written. The home library stays open. */
  'library.close': defineMethod({
    params: z.object({ id: z.string() }),
    result: resultOf<{ readonly closed: boolean }>(),
    runsOn: 'libraries',
  }),
  /** A closed one is no longer listed. The file stays. */
  'library.forget': defineMethod({
    params: z.object({ id: z.string() }),
    result: resultOf<{ readonly forgotten: boolean }>(),
    runsOn: 'libraries',
  }),
} as const;

export const LIBRARY_METHODS = {
  ...MANAGER_METHODS,
  /** What takes how much of the file, by run. Reads every page of it: long, like `roc.report`. */
  'library.sizes': defineMethod({
    params: z.object({ progressKey }),
    result: resultOf<LibrarySizes>(),
    runsOn: 'analysis',
  }),
  /** Writes the file anew without its free pages. Refused while a job runs and where the disk has no room for a copy. */
  'library.compact': defineMethod({
    params: z.object({}),
    /** Bytes of the file and its write-ahead log. */
    result: resultOf<{ readonly before: number; readonly after: number; readonly elapsedMs: number }>(),
    runsOn: 'writer',
  }),
  /**
   * The run with everything that belongs to it into a new library file, then out of this one. A bare file name lies
   * beside this library. Cancelling before the removal leaves everything as it was.
   */
  'run.move': defineMethod({
    params: z.object({ runKey: z.string(), path: z.string().min(1).max(4096), progressKey }),
    result: resultOf<{
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
    }>(),
    runsOn: 'writer',
  }),
  /**
   * Rollouts as a data set in Parquet, partitioned by run and step (`electron/export`), into a new directory; a bare
   * name lies beside this library. Absent `runKeys`: every run. What a cancelled one has written whole stays.
   */
  'run.export': defineMethod({
    params: z.object({
      runKeys: z.array(z.string()).min(1).max(10_000).optional(),
      path: z.string().min(1).max(4096),
      progressKey,
    }),
    result: resultOf<{
      /** The directory, as it was made. */
      readonly directory: string;
      readonly runs: number;
      readonly files: number;
      readonly rollouts: number;
      readonly bytes: number;
    }>(),
    runsOn: 'exporting',
  }),
  /** Desktop only: where a new library is to lie; empty when dismissed. */
  'shell.saveDialog': defineMethod({
    params: z.object({ name: z.string().max(255) }),
    result: resultOf<{ readonly path?: string }>(),
    runsOn: 'host',
  }),
} as const;
