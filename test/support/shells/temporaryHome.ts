import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TemporaryHome } from './shell.ts';

export function createTemporaryHome(): TemporaryHome {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-e2e-'));
  return {
    directory,
    libraryPath: join(directory, 'library.sqlite'),
    env: {
      TURNWISE_HOME: join(directory, 'data'),
      XDG_CONFIG_HOME: join(directory, 'config'),
      XDG_CACHE_HOME: join(directory, 'cache'),
    },
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}
