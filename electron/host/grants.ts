/** Which paths a page may name: those the user has opened, and what lies below them. */
import { existsSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import type { ApiFailure } from '../../shared/api/errors.ts';

/** @param granted real paths */
export function isBelowAny(path: string, granted: ReadonlySet<string>): boolean {
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    // No such file: nothing to protect, and whoever reads it will say that it is missing.
    real = path;
  }
  return [...granted].some(
    (root) => real === root || real.startsWith(root.endsWith(sep) ? root : root + sep),
  );
}

/** Why a path that is below none of them is not read: nothing lies there, or the user has not opened it. */
export function refusalOfPath(path: string): ApiFailure {
  return existsSync(path)
    ? { code: 'not_granted', message: `${path} has not been opened by the user` }
    : { code: 'not_found', message: `there is no file or directory ${path}` };
}
