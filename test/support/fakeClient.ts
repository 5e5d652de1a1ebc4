/**
 * A client whose methods throw unless the test defines them. The contract types each one, so call sites need
 * no casts.
 */
import type { HostEvent, Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import type { Client } from '../../shared/api/transport.ts';

export type FakeMethods = {
  readonly [M in Method]?: (params: ParamsOf<M>) => ResultOf<M> | Promise<ResultOf<M>>;
};

export interface FakeClient extends Client {
  emit(event: HostEvent): void;
}

export function createFakeClient(methods: FakeMethods): FakeClient {
  const listeners = new Set<(event: HostEvent) => void>();
  return {
    async request(method, params) {
      const answer = methods[method];
      if (answer === undefined) throw new Error(`the test did not expect ${method}`);
      return answer(params);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit(event) {
      for (const listener of listeners) listener(event);
    },
  };
}
