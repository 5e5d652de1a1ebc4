/**
 * The menu sends stable command ids to the page, which implements them. Keys that the page handles are
 * displayed but not registered, since they would run twice.
 */
import type { MenuItemConstructorOptions } from 'electron';

export interface MenuOptions {
  readonly isMac: boolean;
  readonly hasDevTools: boolean;
  run(command: string): void;
}

export function menuTemplate({ isMac, hasDevTools, run }: MenuOptions): MenuItemConstructorOptions[] {
  const command = (label: string, id: string, accelerator?: string): MenuItemConstructorOptions => ({
    id,
    label,
    click: () => run(id),
    ...(accelerator === undefined ? {} : { accelerator }),
  });
  const shown = (label: string, id: string, accelerator: string): MenuItemConstructorOptions => ({
    // macOS registers every accelerator, so it would take `?` from text fields.
    ...command(label, id, isMac ? undefined : accelerator),
    registerAccelerator: false,
  });
  /** Only macOS fills this menu. */
  const recent: MenuItemConstructorOptions = {
    role: 'recentDocuments',
    submenu: [{ role: 'clearRecentDocuments' }],
  };
  const separator: MenuItemConstructorOptions = { type: 'separator' };

  return [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    {
      label: '&File',
      submenu: [
        command('Open Files…', 'ingest.openFiles', 'CmdOrCtrl+O'),
        command('Open Folder…', 'ingest.openDirectory', 'CmdOrCtrl+Shift+O'),
        command('Open Library…', 'library.open'),
        command('Open Warehouse…', 'warehouse.open'),
        ...(isMac ? [recent] : []),
        command('Open Demo Run', 'ingest.demo'),
        separator,
        command('Settings', 'place.settings', 'CmdOrCtrl+,'),
        separator,
        { role: isMac ? 'close' : 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        shown('Command Palette', 'palette.show', 'CmdOrCtrl+K'),
        command('Library', 'place.library'),
        command('Issues', 'place.issues'),
        separator,
        command('Next Theme', 'theme.next'),
        command('Focus Mode', 'focus.flip'),
        separator,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
        ...(hasDevTools ? [separator, { role: 'toggleDevTools' } as const] : []),
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [shown('Keyboard Shortcuts', 'keys.show', '?'), command('Copy Link', 'place.copyLink')],
    },
  ];
}
