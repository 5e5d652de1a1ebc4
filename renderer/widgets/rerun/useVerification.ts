/** Runs the Python calls of rollouts again, compares each with the log, and stores the results. */
import { useEffect, useRef, useState } from 'react';
import { isPythonTool } from '../../../shared/domain/codeCells.ts';
import { proposedMode } from '../../../shared/domain/rerun.ts';
import { codeCalls, type RerunResult, verifyCalls } from '../../../shared/domain/verifyCalls.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useCommands } from '../../shell/keys/commands.ts';

export interface Verification {
  readonly results: readonly RerunResult[];
  /** The rollouts to verify, of which `verified` are done. */
  readonly rollouts: number;
  readonly verified: number;
  readonly state: 'running' | 'stopped' | 'done';
  readonly error?: string;
}

interface VerificationHandle {
  readonly verification: Verification | undefined;
  /** Resolves with the end of the verification, also if it is stopped or fails. */
  readonly start: (rollouts: number, rolloutIds: () => Promise<readonly number[]>) => Promise<Verification>;
  readonly stop: () => void;
}

/** Escape stops it, and so does leaving the page. */
export function useVerification(): VerificationHandle {
  const client = useClient();
  const [verification, setVerification] = useState<Verification>();
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  useCommands({ 'place.up': verification?.state === 'running' ? stop : undefined });
  const start: VerificationHandle['start'] = async (rollouts, rolloutIds) => {
    const own = new AbortController();
    running.current = own;
    let latest: Verification = { results: [], rollouts, verified: 0, state: 'running' };
    const set = (change: Partial<Verification>) => {
      latest = { ...latest, ...change };
      setVerification(latest);
    };
    set({});
    try {
      for (const rolloutId of await rolloutIds()) {
        if (own.signal.aborted) break;
        const results = await verifyRollout(client, rolloutId, own.signal);
        set({ results: [...latest.results, ...results], verified: latest.verified + 1 });
      }
      set({ state: own.signal.aborted ? 'stopped' : 'done' });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      set(own.signal.aborted ? { state: 'stopped' } : { state: 'done', error: message });
    }
    return latest;
  };
  return { verification, start, stop };
}

async function verifyRollout(
  client: ReturnType<typeof useClient>,
  rolloutId: number,
  signal: AbortSignal,
): Promise<readonly RerunResult[]> {
  const detail = await client.request('rollout.get', { rolloutId }, { signal });
  const calls = codeCalls(detail).filter(({ tool }) => isPythonTool(tool));
  const results = await verifyCalls({
    calls,
    mode: proposedMode(calls).mode,
    run: (cells, seed) => client.request('python.run', { cells: [...cells], seed }, { signal }),
  });
  if (results.length > 0) await client.request('rerun.save', { rolloutId, calls: [...results] });
  return results;
}
