/** The page's only interface to the desktop. A sandboxed preload has to be one CommonJS file. */
import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron';

const REQUEST = 'turnwise:request';
const EVENT = 'turnwise:event';

contextBridge.exposeInMainWorld('turnwise', {
  request: (id: number, method: string, params: unknown, library?: string): Promise<unknown> =>
    ipcRenderer.invoke(REQUEST, { kind: 'request', id, method, params, library }),
  cancel: (id: number): void => ipcRenderer.send(REQUEST, { kind: 'cancel', id }),
  /** Returns the unsubscribe function, because each listener crosses the bridge as a new function. */
  subscribe(listener: (event: unknown) => void): () => void {
    const forward = (_event: IpcRendererEvent, event: unknown): void => listener(event);
    ipcRenderer.on(EVENT, forward);
    return () => void ipcRenderer.removeListener(EVENT, forward);
  },
  /**
   * Only a file that the user dropped or picked has a path. This call grants it; the page cannot send
   * `grant`.
   */
  pathOf(file: File): string {
    const path = webUtils.getPathForFile(file);
    if (path !== '') ipcRenderer.send(REQUEST, { kind: 'grant', path });
    return path;
  },
});
