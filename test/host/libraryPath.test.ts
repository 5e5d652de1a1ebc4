/** Where the user's library and grants are, on every system. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultLibraryPath } from '../../electron/host/libraryPath.ts';

describe('the library of the user', () => {
  it.each(['linux', 'darwin', 'win32'] as const)('is in TURNWISE_HOME if that is set, on %s', (platform) => {
    const env = { XDG_DATA_HOME: '/data', LOCALAPPDATA: '/local' };
    const path = defaultLibraryPath(platform, { ...env, TURNWISE_HOME: '/mine' }, '/home/ann');
    expect(path).toBe(join('/mine', 'library.sqlite'));
    expect(defaultLibraryPath(platform, { ...env, TURNWISE_HOME: '' }, '/home/ann')).not.toContain('mine');
  });

  it('is in a temporary directory for every test', () => {
    expect(defaultLibraryPath()).toBe(join(process.env['TURNWISE_PREPARED'] ?? '', 'data', 'library.sqlite'));
  });
});
