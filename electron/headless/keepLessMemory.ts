/**
 * Makes the host of the browser keep less memory that it does not use.
 *
 * - glibc, the C library of Linux, returns freed memory to the system. By default, it raises its thresholds to 64 MiB
 *   for each thread once large blocks have been freed. After exporting packs from a library of 180 MB, the host then
 *   kept 700 MB of unused memory. With few arenas, threads can reuse memory that others have freed.
 * - V8's young generation in the main thread, which only passes on what other threads have read, stays small. By default,
 *   it grows to 130 MB.
 *
 * Both are read at process start, so the process replaces itself and keeps its id.
 */
import { setFlagsFromString } from 'node:v8';

const SETTINGS = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '65536',
};
/** In MiB. The young generation has three of them. */
const SEMI_SPACE = '--max-semi-space-size=8';

/** If a restart is needed, does not return. Call it before any file is opened or thread started. */
export function keepLessMemory(): void {
  if (process.platform !== 'linux' || process.execve === undefined) return;
  // A restart would lose the channel to the parent process.
  if (process.send !== undefined) return;
  const hasSettings = Object.keys(SETTINGS).some((name) => process.env[name] !== undefined);
  if (!hasSettings) {
    process.execve(
      process.execPath,
      [process.execPath, ...process.execArgv, SEMI_SPACE, ...process.argv.slice(1)],
      { ...process.env, ...SETTINGS },
    );
  }
  // Threads have limits of their own (`electron/threads/heapLimits.ts`), which this option would replace.
  if (process.execArgv.includes(SEMI_SPACE)) setFlagsFromString('--max-semi-space-size=0');
}
