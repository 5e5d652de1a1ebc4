/** The open libraries of one application, and operations on a library as a whole. */
import { z } from 'zod';
import type { LibraryRow, LibrarySizes } from './libraryRows.ts';
import { defineMethod, resultOf } from './method.ts';
import { isDownload, path, progressKey } from './paramTypes.ts';

/**
 * Answered by the application, whichever library the request names. The other methods of this file act on the
 * library the request names.
 */
const MANAGER_METHODS = {
  /** Open libraries with the home library first, then remembered ones, last opened first. */
  'library.list': defineMethod({
    params: z.object({}),
    result: resultOf<readonly LibraryRow[]>(),
    runsOn: 'libraries',
  }),
  /**
   * Opens by the path of a file that the user has opened, or by the id of a remembered library. Returns the
   * existing row if it is open already.
   */
  'library.open': defineMethod({
    params: z.union([z.strictObject({ path }), z.strictObject({ id: z.string() })]),
    result: resultOf<LibraryRow>(),
    runsOn: 'libraries',
  }),
  /** Running jobs end after the current batch. The home library cannot be closed. */
  'library.close': defineMethod({
    params: z.object({ id: z.string() }),
    result: resultOf<{ readonly closed: boolean }>(),
    runsOn: 'libraries',
  }),
  /** Removes a closed library from the list. The file is kept. */
  'library.forget': defineMethod({
    params: z.object({ id: z.string() }),
    result: resultOf<{ readonly forgotten: boolean }>(),
    runsOn: 'libraries',
  }),
} as const;

export const LIBRARY_METHODS = {
  ...MANAGER_METHODS,
  /** Bytes of the file by run and part. Reads every page, so it is long-running like `roc.report`. */
  'library.sizes': defineMethod({
    params: z.object({ progressKey }),
    result: resultOf<LibrarySizes>(),
    runsOn: 'analysis',
  }),
  /**
   * Rewrites the file without its free pages. Refused while a job runs and if the disk has no room for a
   * copy.
   */
  'library.compact': defineMethod({
    params: z.object({}),
    /** Bytes of the file and its write-ahead log. */
    result: resultOf<{ readonly before: number; readonly after: number; readonly elapsedMs: number }>(),
    runsOn: 'writer',
  }),
  /**
   * Copies the run with all its data into a new library file, then removes it from this one. A bare file name
   * is placed beside this library. Cancelling before the removal changes nothing.
   */
  'run.move': defineMethod({
    params: z.object({ runKey: z.string(), path, progressKey }),
    result: resultOf<{
      /** Path of the new file. */
      readonly path: string;
      readonly rollouts: number;
      /** Bytes of the new file. */
      readonly bytes: number;
      /** Bytes by which this library has shrunk. */
      readonly freed: number;
      /** Rows compared one by one by key in both libraries. */
      readonly rows: number;
      /** Id of the new library, if it was opened at once. */
      readonly library?: string;
    }>(),
    runsOn: 'writer',
  }),
  /**
   * Exports rollouts as a Parquet data set, partitioned by run and step (`electron/export`), into a new
   * directory. A bare name is placed beside this library. Absent `runKeys`: every run. Cancelling keeps the
   * partitions that are complete. With `isDownload` as in `pack.export`; the directory is sent as a zip.
   */
  'run.export': defineMethod({
    params: z.object({
      runKeys: z.array(z.string()).min(1).max(10_000).optional(),
      path,
      isDownload,
      progressKey,
    }),
    result: resultOf<{
      /** Path of the new directory; of a download only the name of the zip. */
      readonly directory: string;
      /** Id of the download. It can be used once. */
      readonly download?: string;
      readonly runs: number;
      readonly files: number;
      readonly rollouts: number;
      readonly bytes: number;
    }>(),
    runsOn: 'exporting',
  }),
  /** Desktop only: asks where to create a new library. Empty when dismissed. */
  'shell.saveDialog': defineMethod({
    params: z.object({ name: z.string().max(255) }),
    result: resultOf<{ readonly path?: string }>(),
    runsOn: 'host',
  }),
} as const;
