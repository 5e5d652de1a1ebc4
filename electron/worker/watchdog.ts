/** A worker thread of a child process. Kills the process when its parent has ended, or when it exceeds a limit. */
import { workerData } from 'node:worker_threads';
import { cpuMs, type WatchedProcess } from '../threads/parentProcess.ts';

const CHECK_MS = 25;

const { parent, mostMemory, longestTurnMs, beats } = workerData as WatchedProcess;

let lastBeat = Atomics.load(beats, 0);
let cpuAtBeat = cpuMs();

setInterval(() => {
  // The parent may have ended while this thread was loaded.
  if (process.ppid !== parent || process.memoryUsage.rss() > mostMemory || isStuck())
    process.kill(process.pid, 'SIGKILL');
}, CHECK_MS);

/** CPU time is that of the whole process, and grows on a busy machine as slowly as the work does. */
function isStuck(): boolean {
  if (longestTurnMs === undefined) return false;
  const beat = Atomics.load(beats, 0);
  if (beat !== lastBeat) {
    lastBeat = beat;
    cpuAtBeat = cpuMs();
  }
  return cpuMs() - cpuAtBeat > longestTurnMs;
}
