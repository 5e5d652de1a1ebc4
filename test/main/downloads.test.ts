/** Downloads on the desktop. The same in a running page: test/e2e/downloads.test.ts. */
import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { isOurBlob, saveDownloads } from '../../electron/main/downloads.ts';

function download(url: string, name: string) {
  const session = new EventEmitter();
  saveDownloads(session as unknown as Electron.Session, () => '/home/reader/Downloads');
  const preventDefault = vi.fn();
  const setSaveDialogOptions = vi.fn();
  session.emit(
    'will-download',
    { preventDefault },
    { getURL: () => url, getFilename: () => name, setSaveDialogOptions },
  );
  return {
    isRefused: preventDefault.mock.calls.length > 0,
    options: setSaveDialogOptions.mock.calls[0]?.[0],
  };
}

describe('a download', () => {
  it('of our own blob asks for a path, under its own name', () => {
    const { isRefused, options } = download('blob:app://bundle/1f2e', 'demo-3.ipynb');
    expect(isRefused).toBe(false);
    expect(options).toMatchObject({
      defaultPath: expect.stringMatching(/Downloads.demo-3\.ipynb$/),
      filters: [
        { name: 'Notebook', extensions: ['ipynb'] },
        { name: 'All files', extensions: ['*'] },
      ],
    });
  });

  it('of an unknown kind, or of none, is saved, too', () => {
    expect(download('blob:app://bundle/1', 'a.xyz').options.filters[0]).toEqual({
      name: 'XYZ',
      extensions: ['xyz'],
    });
    expect(download('blob:app://bundle/1', 'a').options.filters).toHaveLength(1);
  });

  it.each([
    'https://attacker.example/a.ipynb',
    'blob:https://attacker.example/1',
    'blob:null/1',
    'app://bundle/index.html',
    'data:text/plain,x',
    'file:///etc/passwd',
    '',
  ])('of %j is refused without a dialog', (url) => {
    expect(isOurBlob(url)).toBe(false);
    expect(download(url, 'a.txt')).toEqual({ isRefused: true, options: undefined });
  });
});
