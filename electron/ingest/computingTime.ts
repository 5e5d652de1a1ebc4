/** Limits the time that one file may take. A small file can hold so many small parts that it would be read for minutes. */
import { CorruptContainerError } from './containers/container.ts';

/** Ends the reading of a file that takes too long. The next call continues there. */
export class TookTooLongError extends CorruptContainerError {}

/**
 * Limit in ms of CPU time: 12 s, and 10 s more for each MiB beyond 3. Each MiB of a log takes less than 0.1 s, and if it
 * is packed, less than 3 s. The parser and the writer, which work at the same time, each have this limit.
 */
function mostComputingMs(fileBytes: number): number {
  return 12_000 + 10_000 * Math.max(0, fileBytes / 2 ** 20 - 3);
}

/** @returns why reading a file has to end there, if it has taken so much CPU time */
export function tooMuchComputing(ms: number, fileBytes: number): string | undefined {
  const most = mostComputingMs(fileBytes);
  if (ms <= most) return undefined;
  const seconds = Math.round(most / 1000);
  const size = `${(fileBytes / 1e6).toLocaleString('en', { maximumSignificantDigits: 2 })} MB`;
  return `it takes more than ${seconds} s of computing, too much for a file of ${size}`;
}
