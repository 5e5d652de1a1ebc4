/**
 * A handler that refuses a request throws an error with a failure code. Every other error is a bug.
 *
 * Failures cross threads, IPC and sockets as values, because Electron's IPC strips an exception to a bare
 * Error without its fields. The client turns a failure back into an `ApiError`.
 */

const FAILURE_CODES = [
  'bad_request', // params do not match the contract
  'unknown_method',
  'not_found', // no such run, step, group or rollout
  'not_granted', // a path outside the directories the user has opened
  'source_gone', // the log file is gone, or is no longer the file that was read
  'refused', // a statement or an input that Turnwise does not accept
  'cancelled',
  'timed_out',
  'newer_database', // written by a later Turnwise
  'closed', // the connection or the host is gone
  'internal', // a bug in Turnwise
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** States facts (found, expected, where); the view adds advice. */
export interface ApiFailure {
  readonly code: FailureCode;
  readonly message: string;
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: ApiFailure };

export class ApiError extends Error {
  readonly code: FailureCode;
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.name = 'ApiError';
    this.code = failure.code;
  }
}

/** Whether the user, or a newer request, ended it. */
export const isCancelled = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'cancelled';

export const notFound = (message: string): ApiError => new ApiError({ code: 'not_found', message });
export const refused = (message: string): ApiError => new ApiError({ code: 'refused', message });

/** @returns the failure an error represents; undefined for a bug */
export function failureOf(error: unknown): ApiFailure | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const code = FAILURE_CODES.find((each) => each === error.code);
  return code === undefined ? undefined : { code, message: error.message };
}

/** @throws ApiError `not_found` if the value is undefined */
export function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw notFound(`the library has no ${what}`);
  return value;
}
