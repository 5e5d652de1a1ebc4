import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * The default library: one per user, shared by all shells, in `TURNWISE_HOME` or the system's directory for
 * application data.
 */
export function defaultLibraryPath(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home: string = homedir(),
): string {
  const file = 'library.sqlite';
  const own = env['TURNWISE_HOME'];
  if (own) return join(own, file);
  switch (platform) {
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'Turnwise', file);
    case 'win32':
      return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Turnwise', file);
    default:
      return join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'turnwise', file);
  }
}

/** Wheels that Python of tool calls may import in every shell, unless a command names another folder. */
export const defaultWheels = (): string => join(dirname(defaultLibraryPath()), 'wheels');
