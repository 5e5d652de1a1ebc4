/**
 * The pending requests of one client, on any wire. Ids are the client's own. Cancelling and disconnecting
 * only affect this client's requests.
 */
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import type { ClientRequest } from '../../shared/api/transport.ts';
import type { LibraryManager } from './host.ts';

/** Far more than a page sends. Limited because pages share threads, so one page could delay all others. */
const MOST_PENDING = 500;

export interface Connection {
  /**
   * Never rejects. Refuses an id that is still pending, because the responses would be ambiguous. Also refuses more
   * than `MOST_PENDING` requests.
   */
  request(message: ClientRequest): Promise<Result<unknown>>;
  /** Ignores unknown ids, because the response may already be on its way. */
  cancel(id: number): void;
  /** Cancels all requests of a disconnected client. */
  cancelAll(): void;
}

export function openConnection(host: Pick<LibraryManager, 'dispatch'>): Connection {
  const inFlight = new Map<number, AbortController>();
  return {
    async request({ id, method, params, library }) {
      if (inFlight.has(id)) {
        const failure: ApiFailure = { code: 'bad_request', message: `request ${id} is still pending` };
        return { ok: false, failure };
      }
      if (inFlight.size >= MOST_PENDING) {
        const message = `${MOST_PENDING} requests of this page are pending; wait for one of them`;
        return { ok: false, failure: { code: 'refused', message } };
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
