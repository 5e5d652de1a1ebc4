/** Long enough for the transaction of a batch. */
const END_MS = 20_000;

/**
 * Kills this process if it does not end in time. A thread inside a system call cannot be terminated, and a regular exit
 * would wait for it.
 */
export function endWithin(milliseconds: number = END_MS): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), milliseconds).unref();
}
