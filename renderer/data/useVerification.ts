/**
 * Runs the Python calls of rollouts again, compares each with the log, and stores the results. It goes on while the
 * window shows other pages. A library has one verification at a time.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { Client } from '../../shared/api/transport.ts';
import { isPythonTool } from '../../shared/domain/codeCells.ts';
import { proposedMode } from '../../shared/domain/rerun.ts';
import {
  codeCalls,
  onceForEqualCells,
  type RerunResult,
  verifyCalls,
} from '../../shared/domain/verifyCalls.ts';
import { useClient } from './DataProvider.tsx';
import { presentHref } from './useRoute.ts';

export interface Verification {
  /** Results of all calls of the verified rollouts, those stored before included. */
  readonly results: readonly RerunResult[];
  /** The number of `results` that were stored before. Their calls were not run. */
  readonly stored: number;
  /** The rollouts to verify, of which `verified` are done. */
  readonly rollouts: number;
  readonly verified: number;
  readonly state: 'running' | 'stopped' | 'done';
  readonly error?: string;
  /** Path and query of the page that started it. */
  readonly from: string;
}

interface StartOptions {
  readonly rollouts: number;
  readonly rolloutIds: () => Promise<readonly number[]>;
  /** Also runs calls that have a stored result. */
  readonly isAgain?: boolean;
}

interface VerificationHandle {
  readonly verification: Verification | undefined;
  /** Resolves with the end of the verification, also if it is stopped or fails. */
  readonly start: (options: StartOptions) => Promise<Verification>;
  readonly stop: () => void;
}

/** Whether a page shows the list that started the verification. @param href path and query of the page */
export function isStartedAt({ from }: Verification, href: string): boolean {
  return listOf(from) === listOf(href);
}

function listOf(href: string): string {
  const [path, query] = href.split('?');
  return `${path} ${new URLSearchParams(query).get('tab') ?? ''}`;
}

export function useVerification(): VerificationHandle {
  const client = useClient();
  const store = storeOf(useQueryClient());
  const verification = useSyncExternalStore(store.subscribe, store.current);
  return { verification, start: (options) => store.start(client, options), stop: store.stop };
}

/** By the cache of the library, which lasts as long as its window. */
const stores = new WeakMap<QueryClient, VerificationStore>();

function storeOf(library: QueryClient): VerificationStore {
  const known = stores.get(library);
  if (known !== undefined) return known;
  const made = new VerificationStore();
  stores.set(library, made);
  return made;
}

/** Rollouts at a time. The host has as many processes as the machine has cores, and the user may run a call meanwhile. */
const AT_ONCE = 2;
/** The contract's limit of one request. */
const MOST_ROWS = 500;

class VerificationStore {
  private verification: Verification | undefined;
  private running: AbortController | undefined;
  private readonly listeners = new Set<() => void>();

  readonly current = (): Verification | undefined => this.verification;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  readonly stop = (): void => this.running?.abort();

  async start(
    client: Client,
    { rollouts, rolloutIds, isAgain = false }: StartOptions,
  ): Promise<Verification> {
    this.stop();
    const own = new AbortController();
    this.running = own;
    const { signal } = own;
    const from = presentHref();
    let latest: Verification = { results: [], stored: 0, rollouts, verified: 0, state: 'running', from };
    const set = (change: Partial<Verification>): void => {
      latest = { ...latest, ...change };
      // A later verification may have taken this one's place.
      if (this.running === own) this.show(latest);
    };
    set({});
    const run = onceForEqualCells((cells, seed) =>
      client.request('python.run', { cells: [...cells], seed }, { signal }),
    );
    const verify = async (rolloutId: number, known: readonly RerunResult[]): Promise<void> => {
      const detail = await client.request('rollout.get', { rolloutId }, { signal });
      const calls = codeCalls(detail).filter(({ tool }) => isPythonTool(tool));
      const { mode } = proposedMode(calls);
      const stored = new Map(known.filter((one) => one.mode === mode).map((one) => [one.ordinal, one]));
      const results = await verifyCalls({ calls, mode, stored, run });
      const fresh = results.filter(({ ordinal }) => !stored.has(ordinal));
      if (fresh.length > 0) await client.request('rerun.save', { rolloutId, calls: fresh });
      set({
        results: [...latest.results, ...results],
        stored: latest.stored + results.length - fresh.length,
        verified: latest.verified + 1,
      });
    };
    try {
      const ids = await rolloutIds();
      for (let at = 0; at < ids.length; at += MOST_ROWS) {
        const part = ids.slice(at, at + MOST_ROWS);
        const known = new Map(
          isAgain
            ? []
            : (await client.request('rerun.list', { rolloutIds: part }, { signal })).map(
                ({ rolloutId, calls }) => [rolloutId, calls],
              ),
        );
        let next = 0;
        const work = async (): Promise<void> => {
          while (!signal.aborted) {
            const id = part[next++];
            if (id === undefined) return;
            await verify(id, known.get(id) ?? []);
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, work));
      }
      set({ state: signal.aborted ? 'stopped' : 'done' });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      set(signal.aborted ? { state: 'stopped' } : { state: 'done', error: message });
      // The other rollout at work ends, too.
      own.abort();
    }
    return latest;
  }

  private show(verification: Verification): void {
    this.verification = verification;
    for (const listener of this.listeners) listener();
  }
}
