/** Handlers about a library as a whole: what takes its space, giving space back, a run that gets a library of its own. */
import { resolve } from 'node:path';
import type { Method, ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import type { AbortSignal } from '../../shared/api/transport.ts';
import type { WriterTask } from '../worker/messages.ts';
import type { AnalysisThread, OnProgress } from './analysisThread.ts';
import { stopFlag } from './analysisThread.ts';
import type { Follower } from './follower.ts';
import type { ShellActions } from './host.ts';
import { newPlace } from './newPlace.ts';

const LIBRARY_METHODS = [
  'library.sizes',
  'library.compact',
  'run.move',
  'run.export',
  'shell.saveDialog',
] as const satisfies readonly Method[];
type LibraryMethod = (typeof LIBRARY_METHODS)[number];
type LibraryHandlers = {
  [M in LibraryMethod]: (params: ParsedParams<M>, signal?: AbortSignal) => Promise<Result<ResultOf<M>>>;
};

export interface LibraryServices {
  readonly libraryPath: string;
  readonly actions: ShellActions | undefined;
  readonly analysis: AnalysisThread;
  /** A thread of its own: nothing waits behind a file. */
  readonly exporting: AnalysisThread;
  readonly follower: Follower;
  /** Paths of files that may be made: the user has named them. */
  readonly writable: Set<string>;
  task(task: WriterTask, onProgress?: (done: number, total: number) => void): Promise<Result<unknown>>;
  progressFor(progressKey: string | undefined): OnProgress;
  directoryOf(runKey: string): Promise<string | undefined>;
  isGranted(path: string): boolean;
  /** A job that the user has started reads into the library. */
  isReading(): boolean;
}

export const LIBRARY_ENDING = '.sqlite';

export function libraryHandlers(host: LibraryServices): LibraryHandlers {
  return {
    'library.sizes': ({ progressKey }, signal) => host.analysis.sizes(host.progressFor(progressKey), signal),
    'library.compact': async () => {
      if (host.isReading()) return refused('logs are being read into this library; wait for them, or cancel');
      const startedAt = performance.now();
      const done = (await host.task({ kind: 'compact' })) as Result<{ before: number; after: number }>;
      if (!done.ok) return done;
      return { ok: true, value: { ...done.value, elapsedMs: Math.round(performance.now() - startedAt) } };
    },
    'run.move': async ({ runKey, path: asked, progressKey }, signal) => {
      if (host.isReading()) return refused('logs are being read into this library; wait for them, or cancel');
      const place = newPlace(host, asked, LIBRARY_ENDING);
      if ('failure' in place) return { ok: false, failure: place.failure };
      const directory = await host.directoryOf(runKey);
      const progress = host.progressFor(progressKey);
      const stop = stopFlag(signal);
      const moved = await host.task({ kind: 'moveRun', runKey, path: place.path, stop }, (done, total) =>
        progress({ stepsDone: done, steps: total, share: done / Math.max(1, total) }),
      );
      // Else the next line that is logged would bring it back.
      if (moved.ok && directory !== undefined) host.follower.stopBelow(directory);
      return moved as Result<ResultOf<'run.move'>>;
    },
    'run.export': ({ path: asked, progressKey, runKeys }, signal) => {
      const place = newPlace(host, asked, '');
      if ('failure' in place) return Promise.resolve({ ok: false, failure: place.failure });
      const request = { directory: place.path, ...(runKeys === undefined ? {} : { runKeys }) };
      return host.exporting.exportDataSet(request, host.progressFor(progressKey), signal);
    },
    'shell.saveDialog': async ({ name }) => {
      if (host.actions === undefined) return refused('this shell has no file dialog');
      const chosen = await host.actions.saveDialog(name);
      if (chosen.path !== undefined) host.writable.add(resolve(chosen.path));
      return { ok: true, value: chosen };
    },
  };
}

function refused(message: string): { readonly ok: false; readonly failure: ApiFailure } {
  return { ok: false, failure: { code: 'refused', message } };
}
