/**
 * Files and directories that get their name when they are complete. Until then the name ends in `.partial`. No existing
 * one is replaced, because another process may be writing it, or a user may have named it so.
 */
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { refused } from '../../shared/api/errors.ts';

export const unfinishedPath = (path: string): string => `${path}.partial`;

/**
 * Creates an unfinished file or directory.
 *
 * @param create must fail if the path exists, and follow no link there
 * @throws ApiError `refused` when the path exists; the system's error
 */
export function createUnfinished<T>(path: string, create: () => T): T {
  try {
    return create();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw refused(
      `${path} already exists: it is being written, or was left when that was interrupted. Delete it, or choose another name`,
    );
  }
}

/**
 * Gives a complete file its name. A hard link fails if the name exists. Without hard links, checks for it first.
 *
 * @throws ApiError `refused` when the name exists
 */
export function finishFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw refused(`${to} already exists`);
    refuseExisting(to);
    renameSync(from, to);
    return;
  }
  rmSync(from);
}

/** @throws ApiError `refused` */
export function refuseExisting(path: string): void {
  if (existsSync(path)) throw refused(`${path} already exists`);
}
