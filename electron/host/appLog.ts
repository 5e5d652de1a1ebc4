/**
 * The log file of the application: bugs with stacks, and slow requests. It is beside the library, is
 * created on demand, and never contains texts of rollouts.
 */
import { randomBytes } from 'node:crypto';
import { appendFileSync, closeSync, constants, fstatSync, openSync, renameSync, statSync } from 'node:fs';
import type { ApiFailure } from '../../shared/api/errors.ts';
import { printProblem } from './printProblem.ts';

/** Bytes. A longer file is renamed to `….1`, which replaces the previous one. */
const LONGEST_BYTES = 1_000_000;

/** Do not follow links or open pipes: a library may come with one of that name. Windows has neither flag. */
const APPENDED =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

export class AppLog {
  readonly path: string;

  constructor(libraryPath: string) {
    this.path = `${libraryPath}.log`;
  }

  /** Logs the stack of a bug under an id. @returns the failure for the user, which names the id */
  report(what: string, error: unknown): ApiFailure {
    const id = randomBytes(4).toString('hex');
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.write(`bug ${id}: ${what}\n${stack}`);
    return { code: 'internal', message: `${what} (error ${id}). Details: ${this.path}` };
  }

  write(entry: string): void {
    try {
      const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > LONGEST_BYTES) renameSync(this.path, `${this.path}.1`);
      const file = openSync(this.path, APPENDED, 0o600);
      try {
        if (!fstatSync(file).isFile()) throw new Error('it is not a regular file');
        appendFileSync(file, `${new Date().toISOString()} ${entry}\n`);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      // A full disk or read-only directory must not fail the request that is being logged.
      printProblem(`${this.path} cannot be written: ${String(error)}`);
    }
  }
}
