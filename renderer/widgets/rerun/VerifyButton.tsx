/** Verifies the calls of selected rollouts: runs them again, compares each with the log, and stores the results. */
import { useEffect, useRef, useState } from 'react';
import { isPythonTool } from '../../../shared/domain/codeCells.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { proposedMode } from '../../../shared/domain/rerun.ts';
import { codeCalls, type RerunResult, verifyCalls } from '../../../shared/domain/verifyCalls.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useFilterLink } from '../../data/filterLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { count } from '../../ui/numbers.ts';
import { differentCalls, notRunReasons, verifiedParts, verifiedText } from './rerunModel.ts';
import './rerun.css';

interface VerifyButtonProps {
  readonly runKey: string;
  readonly selected: number;
  readonly rolloutIds: () => Promise<readonly number[]>;
}

interface Verification {
  readonly results: readonly RerunResult[];
  readonly rollouts: number;
  readonly state: 'running' | 'stopped' | 'done';
  readonly error?: string;
}

const NOTHING_YET: Verification = { results: [], rollouts: 0, state: 'running' };

export function VerifyButton({ runKey, selected, rolloutIds }: VerifyButtonProps) {
  const client = useClient();
  const [verification, setVerification] = useState<Verification>();
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const isRunning = verification?.state === 'running';
  useCommands({ 'place.up': isRunning ? stop : undefined });
  const verify = async () => {
    const own = new AbortController();
    running.current = own;
    let latest = NOTHING_YET;
    const set = (change: Partial<Verification>) => {
      latest = { ...latest, ...change };
      setVerification(latest);
    };
    set({});
    try {
      for (const rolloutId of await rolloutIds()) {
        if (own.signal.aborted) break;
        const results = await verifyRollout(client, rolloutId, own.signal);
        set({ results: [...latest.results, ...results], rollouts: latest.rollouts + 1 });
      }
      set({ state: own.signal.aborted ? 'stopped' : 'done' });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      set(own.signal.aborted ? { state: 'stopped' } : { state: 'done', error: message });
    }
  };
  if (isRunning) {
    const different = differentCalls(verification.results);
    return (
      <Button onClick={stop}>
        {keyed('Stop', 'place.up')} · {count(verification.rollouts)} of {count(selected)} verified
        {different > 0 && ` · ${count(different)} different so far`}
      </Button>
    );
  }
  return (
    <>
      <Button
        title="Run the Python calls again on this computer, each for at most 10 s, and compare their outputs with the log. The library keeps the results; the log stays as it is."
        onClick={() => void verify()}
      >
        Verify calls
      </Button>
      <span className="verified" role="status">
        {verification !== undefined && <Verified {...{ runKey, verification }} />}
      </span>
    </>
  );
}

interface VerifiedProps {
  readonly runKey: string;
  readonly verification: Verification;
}

function Verified({ runKey, verification: { results, state, error } }: VerifiedProps) {
  const { text, applied } = useFilterLink();
  const [, setQuery] = useUrlQuery();
  const reasons = notRunReasons(results);
  // A filter that cannot be parsed is replaced: nothing could be added to it.
  const narrowed = text.includes(DIFFERENT) ? text : bothFilters(applied, DIFFERENT);
  return (
    <>
      {error !== undefined && <span className="is-wrong">✕ {error} · </span>}
      {state === 'stopped' && 'Stopped; what was verified is stored · '}
      {verifiedText(results)}
      {verifiedParts(results).map(({ found, text: part }, i) => (
        <span key={found}>
          {i === 0 ? ': ' : ', '}
          {found === 'different' ? (
            <button
              type="button"
              className="is-link"
              title={`Filter the list: ${DIFFERENT}`}
              onClick={() => setQuery({ q: narrowed })}
            >
              {part}
            </button>
          ) : (
            <span title={found === 'not_run' ? reasons : undefined}>{part}</span>
          )}
        </span>
      ))}
      {results.length > 0 && (
        <>
          {' · '}
          <Link
            className="is-link"
            href={`${pathOfRoute({ view: 'run', runKey })}?${new URLSearchParams({ split: 'rerun', q: 'rerun:any' })}`}
            title="Of the rollouts whose calls were run again"
          >
            chart over steps
          </Link>
        </>
      )}
      {reasons !== '' && <small>Not run: {reasons}</small>}
    </>
  );
}

const DIFFERENT = 'rerun:different';

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
