import type { HostEvent, Method, ParamsOf, ResultOf } from './contract.ts';
import { ApiError } from './errors.ts';
import { HOME_LIBRARY } from './libraryRows.ts';
import type { Client, RequestOptions, Transport } from './transport.ts';

/** Events about the window or the application rather than one library. */
const APPLICATION_EVENTS: ReadonlySet<HostEvent['event']> = new Set(['shell.command', 'library.listChanged']);

/**
 * Wraps a transport: turns failures into `ApiError` and types results by the contract.
 *
 * @param library the library to ask and to receive events of; default: the one the application was started
 *   with
 */
export function createClient(transport: Transport, library: string = HOME_LIBRARY): Client {
  const asked = library === HOME_LIBRARY ? undefined : library;
  return {
    async request<M extends Method>(method: M, params: ParamsOf<M>, options: RequestOptions = {}) {
      const result = await transport.send(method, params, options.signal, asked);
      if (!result.ok) throw new ApiError(result.failure);
      // The host validated the params and produced the result from the same table.
      return result.value as ResultOf<M>;
    },
    subscribe: (listener) =>
      transport.subscribe((event) => {
        if (APPLICATION_EVENTS.has(event.event) || event.library === asked) listener(event);
      }),
  };
}
