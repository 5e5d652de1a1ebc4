/** "Open logs…" where nothing can be opened, and the completion of paths. */
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DropTarget } from '../../renderer/shell/DropTarget.tsx';
import { OpenLogs } from '../../renderer/shell/dialogs/OpenLogs.tsx';
import { completedPath, shownPath } from '../../renderer/shell/dialogs/pathCompletion.ts';
import { useInterface } from '../../renderer/state/interface.ts';
import type { HostInfo, PathEntry } from '../../shared/api/contract.ts';
import { ApiError } from '../../shared/api/errors.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const INFO: HostInfo = {
  ...{
    version: '0',
    shell: 'browser',
    platform: 'linux',
    libraryPath: '/home/l.sqlite',
    uploads: '/home/uploads',
    wheels: '/home/wheels',
  },
  granted: [],
  warnings: [],
};

function show(info: Partial<HostInfo>, entries: readonly PathEntry[]): void {
  const client = createFakeClient({
    'host.info': () => ({ ...INFO, ...info }),
    'library.list': () => [],
    'path.list': () => ({ entries, isWhole: true }),
  });
  renderWithClient(client, <OpenLogs />);
}

beforeEach(() => useInterface.getState().showDialog({ kind: 'openLogs' }));
afterEach(() => {
  cleanup();
  useInterface.getState().showDialog(undefined);
});

it('names the command that allows a directory when none is allowed', async () => {
  show({}, []);
  await screen.findByText('npm start -- --browser --allow DIRECTORY');
  expect(screen.queryByRole('combobox')).toBeNull();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Choose files…' }).disabled).toBe(false);
});

it('refuses for a read-only library in one sentence', async () => {
  const readOnly = 'the library /home/l.sqlite is read-only, because its file system is mounted read-only';
  show({ readOnly }, [{ path: '/logs', kind: 'directory' }]);
  expect((await screen.findByRole('alert')).textContent).toBe(`✕ No logs can be opened here: ${readOnly}.`);
  expect(screen.getByRole<HTMLInputElement>('combobox').disabled).toBe(true);
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Choose files…' }).disabled).toBe(true);
});

it('forgets why a path was not opened once another path is typed', async () => {
  const client = createFakeClient({
    'host.info': () => INFO,
    'library.list': () => [],
    'path.list': () => ({ entries: [{ path: '/logs', kind: 'directory' }], isWhole: true }),
    'ingest.start': () => {
      throw new ApiError({ code: 'not_granted', message: 'Turnwise has no permission to read /x.md' });
    },
  });
  renderWithClient(client, <OpenLogs />);
  const box = await screen.findByRole('combobox');
  fireEvent.change(box, { target: { value: '/x.md' } });
  fireEvent.click(screen.getByRole('button', { name: 'Open' }));
  expect((await screen.findByRole('alert')).textContent).toMatch(/no permission to read/);
  fireEvent.change(box, { target: { value: '/l' } });
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

it('explains that a dropped folder cannot be uploaded, and offers dropped files', async () => {
  useInterface.getState().showDialog(undefined);
  renderWithClient(createFakeClient({ 'host.info': () => INFO, 'library.list': () => [] }), <DropTarget />);
  const drop = (isDirectory: boolean) => {
    const files = [new File([''], 'log')];
    const items = [{ webkitGetAsEntry: () => ({ isDirectory }) }];
    fireEvent(window, Object.assign(new Event('drop'), { dataTransfer: { types: ['Files'], files, items } }));
    return files;
  };
  drop(true);
  expect(useInterface.getState().notice).toMatch(/^A folder cannot be uploaded/);
  expect(useInterface.getState().dialog).toBeUndefined();
  const files = drop(false);
  expect(useInterface.getState().dialog).toEqual({ kind: 'openLogs', files });
});

it('completes what all paths share, and a single directory with its separator', () => {
  const entry = (path: string, kind: PathEntry['kind'] = 'file'): PathEntry => ({ path, kind });
  const two = [entry('/logs/run-a', 'directory'), entry('/logs/run-b')];
  expect(completedPath('/logs/r', two, '/')).toBe('/logs/run-');
  expect(completedPath('/logs/run-', two, '/')).toBe('/logs/run-');
  expect(completedPath('/logs/r', two.slice(0, 1), '/')).toBe('/logs/run-a/');
  expect(completedPath('', [entry('/', 'directory')], '/')).toBe('/');
  expect(completedPath('/logs/r', two.slice(1), '/')).toBe('/logs/run-b');
  expect(completedPath('/logs/x', [], '/')).toBe('/logs/x');
  expect(completedPath('/', [entry('/\u{1F600}'), entry('/\u{1F601}')], '/')).toBe('/');
  expect(shownPath('/logs/r', '/logs/run-a/', '/')).toBe('run-a/');
});
