/** Two open libraries over one wire, whichever it is: answers and events say which library they are of. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyLibraryOf } from '../support/preparedLibrary.ts';

export const OTHER_LOG = fileURLToPath(new URL('../../fixtures/turnwise/messages', import.meta.url));

/** A library with another run than the demo's, beside the home library. @returns its path */
export async function makeOtherLibrary(directory: string): Promise<string> {
  const libraryPath = join(directory, 'other runs.sqlite');
  await copyLibraryOf(libraryPath, [OTHER_LOG]);
  return libraryPath;
}

/** What `idFor` makes of the name: it stands in a URL as it is. */
export const OTHER_ID = 'other-runs';
