/** Limits the time that one file may take. A small file can hold so many small parts that it would be read for minutes. */
import { CorruptContainerError, type RecordUnit } from './containers/container.ts';

/** Ends the reading of a file that takes too long. */
export class TookTooLongError extends CorruptContainerError {}

/**
 * Limit in ms of CPU time: 12 s, and 10 s more for each MiB beyond 3. Each MiB of a log takes less than 0.1 s, and if it
 * is packed, less than 3 s. The parser and the writer, which work at the same time, each have this limit.
 */
function mostComputingMs(fileBytes: number): number {
  return 12_000 + 10_000 * Math.max(0, fileBytes / 2 ** 20 - 3);
}

/** Whether the next call reads on. Parts of a rollout may be anywhere in a file, so it is always read from its beginning. */
export const canContinue = (unit: RecordUnit): boolean => unit !== 'part';

/** @returns why reading a file has to end there, if it has taken so much CPU time */
export function tooMuchComputing(
  ms: number,
  fileBytes: number,
  unit: RecordUnit = 'line',
): string | undefined {
  const most = mostComputingMs(fileBytes);
  if (ms <= most) return undefined;
  const seconds = Math.round(most / 1000);
  const size = `${(fileBytes / 1e6).toLocaleString('en', { maximumSignificantDigits: 2 })} MB`;
  return `it takes more than ${seconds} s of computing, too much for a file of ${size}${canContinue(unit) ? '' : '; unpack or split it, because its records can only be read together'}`;
}

/** CPU time of this thread. It grows on a busy machine as slowly as the work does. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
