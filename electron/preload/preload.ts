/** All that the page sees of the desktop. Sandboxed, so it is built into one CommonJS file. */
import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron';

const REQUEST = 'turnwise:request';
const EVENT = 'turnwise:event';

contextBridge.exposeInMainWorld('turnwise', {
  request: (id: number, method: string, params: unknown, library?: string): Promise<unknown> =>
    ipcRenderer.invoke(REQUEST, { kind: 'request', id, method, params, library }),
  cancel: (id: number): void => ipcRenderer.send(REQUEST, { kind: 'cancel', id }),
  /** Returns its own undo: a listener crosses the bridge as a new function each time. */
  subscribe(listener: (event: unknown) => void): () => void {
    const forward = (_event: IpcRendererEvent, event: unknown): void => listener(event);
    ipcRenderer.on(EVENT, forward);
    return () => void ipcRenderer.removeListener(EVENT, forward);
  },
  /** Only a file the user dropped or picked has a path; that act grants it, and no request can say `grant`. */
  pathOf(file: File): string {
    const path = webUtils.getPathForFile(file);
    if (path !== '') ipcRenderer.send(REQUEST, { kind: 'grant', path });
    return path;
  },
});
