/** Two open libraries over one transport: results and events name their library. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyLibraryOf } from '../support/preparedLibrary.ts';

export const OTHER_LOG = fileURLToPath(new URL('../../fixtures/turnwise/messages', import.meta.url));

/**
 * A library with another run than the demo's, beside the home library.
 * @returns its path
 */
export async function makeOtherLibrary(directory: string): Promise<string> {
  const libraryPath = join(directory, 'other runs.sqlite');
  await copyLibraryOf(libraryPath, [OTHER_LOG]);
  return libraryPath;
}

/** The result of `idFor`, which appears in URLs. */
export const OTHER_ID = 'other-runs';
