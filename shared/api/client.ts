import type { Method, ParamsOf, ResultOf } from './contract.ts';
import { ApiError } from './errors.ts';
import type { Client, RequestOptions, Transport } from './transport.ts';

/** Wraps a transport: failures become `ApiError`, results get their types from the contract. */
export function createClient(transport: Transport): Client {
  return {
    async request<M extends Method>(method: M, params: ParamsOf<M>, options: RequestOptions = {}) {
      const result = await transport.send(method, params, options.signal);
      if (!result.ok) throw new ApiError(result.failure);
      // The host validated the params and produced the result from the same table.
      return result.value as ResultOf<M>;
    },
    subscribe: (listener) => transport.subscribe(listener),
  };
}
