/**
 * The entry of all requests. Checks method and parameters against the contract, converts exceptions to
 * failures, and logs bugs and slow requests.
 */
import { CONTRACT, isMethod, type Method } from '../../shared/api/contract.ts';
import { type ApiFailure, failureOf, type Result } from '../../shared/api/errors.ts';
import type { AppLog } from './appLog.ts';

const SLOW_MS = 500;

/** A bug in a thread, with the stack from there. */
export class ThreadBug extends Error {
  constructor(message: string, stack: string) {
    super(message);
    this.name = 'ThreadBug';
    this.stack = stack;
  }
}

/**
 * @param answer returns the method's result or throws
 * @returns a promise that never rejects
 */
export async function dispatch(
  method: string,
  params: unknown,
  log: AppLog,
  answer: (method: Method, params: unknown) => unknown,
): Promise<Result<unknown>> {
  if (!isMethod(method))
    return failed({
      code: 'unknown_method',
      message: `the contract has no method ${JSON.stringify(method)}`,
    });
  const parsed = CONTRACT[method].params.safeParse(params);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue === undefined || issue.path.length === 0 ? 'params' : issue.path.join('.');
    const message = `${method}: ${where}: ${issue?.message ?? 'invalid value'}`;
    return failed({ code: 'bad_request', message });
  }
  const startedAt = performance.now();
  try {
    return { ok: true, value: await answer(method, parsed.data) };
  } catch (error) {
    return failed(failureOf(error) ?? log.report(`${method} failed because of a bug in Turnwise`, error));
  } finally {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs > SLOW_MS)
      log.write(`slow: ${method} took ${Math.round(elapsedMs)} ms; ${sizesOf(parsed.data)}`);
  }
}

/** Logs sizes only, because parameters contain texts and paths of the user. */
function sizesOf(params: unknown): string {
  if (typeof params !== 'object' || params === null) return 'no parameters';
  const sizes = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${sizeOf(value)}`);
  return sizes.length === 0 ? 'no parameters' : sizes.join(', ');
}

function sizeOf(value: unknown): string {
  if (typeof value === 'string') return `${value.length} characters`;
  if (Array.isArray(value)) return `${value.length} items`;
  return typeof value;
}

function failed(failure: ApiFailure): Result<never> {
  return { ok: false, failure };
}
