import { CANCELLED, type Transport } from '../../shared/api/transport.ts';
import type { DesktopBridge } from './desktopBridge.ts';
import { ApiError, CLOSED } from './failures.ts';

/** Electron's IPC: structured clone carries typed arrays, so there is nothing to encode. */
export function createDesktopTransport(bridge: DesktopBridge): Transport {
  let lastId = 0;
  return {
    async send(method, params, signal, library) {
      if (signal?.aborted) return { ok: false, failure: CANCELLED };
      lastId += 1;
      const id = lastId;
      const cancel = () => bridge.cancel(id);
      signal?.addEventListener('abort', cancel);
      try {
        return await bridge.request(id, method, params, library);
      } catch (cause) {
        // Expected failures are values; a rejection means that the main process is gone.
        throw new ApiError({ ...CLOSED, message: `${CLOSED.message} (${String(cause)})` });
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
    subscribe: (listener) => bridge.subscribe(listener),
  };
}
