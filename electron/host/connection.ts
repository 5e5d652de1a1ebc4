/**
 * One client's requests in flight, whatever wire they came over. Ids are the client's
 * own; cancelling and disconnecting abort what they name and nothing of anyone else's.
 */
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import type { ClientRequest } from '../../shared/api/transport.ts';
import type { LibraryManager } from './host.ts';

export interface Connection {
  /** Never rejects. An id that is still in flight is refused: its answer could not be told apart. */
  request(message: ClientRequest): Promise<Result<unknown>>;
  /** Unknown ids are fine: the answer may have crossed the cancellation on the wire. */
  cancel(id: number): void;
  /** The client is gone. */
  cancelAll(): void;
}

export function openConnection(host: Pick<LibraryManager, 'dispatch'>): Connection {
  const inFlight = new Map<number, AbortController>();
  return {
    async request({ id, method, params, library }) {
      if (inFlight.has(id)) {
        const failure: ApiFailure = { code: 'bad_request', message: `request ${id} is still in flight` };
        return { ok: false, failure };
      }
      const abort = new AbortController();
      inFlight.set(id, abort);
      try {
        return await host.dispatch(method, params, abort.signal, library);
      } finally {
        inFlight.delete(id);
      }
    },
    cancel(id) {
      inFlight.get(id)?.abort();
    },
    cancelAll() {
      for (const abort of inFlight.values()) abort.abort();
    },
  };
}
