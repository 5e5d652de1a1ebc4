/** Which paths a page may name: those the user has opened, and what lies below them. */
import { realpathSync } from 'node:fs';
import { sep } from 'node:path';

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
