/** Verifies the calls of selected rollouts: runs them again, compares each with the log, and stores the results. */
import { useEffect, useRef, useState } from 'react';
import { isPythonTool } from '../../../shared/domain/codeCells.ts';
import { proposedMode, RERUN_CLASSES } from '../../../shared/domain/rerun.ts';
import { codeCalls, type RerunResult, verifyCalls } from '../../../shared/domain/verifyCalls.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { count, counted } from '../../ui/numbers.ts';

const CLASS_WORDS = { same: 'same', noise: 'same but for noise', different: 'different', not_run: 'not run' };

interface VerifyButtonProps {
  readonly selected: number;
  readonly rolloutIds: () => Promise<readonly number[]>;
}

export function VerifyButton({ selected, rolloutIds }: VerifyButtonProps) {
  const client = useClient();
  const [done, setDone] = useState<number>();
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  useCommands({ 'place.up': done === undefined ? undefined : stop });
  const verify = async () => {
    const own = new AbortController();
    running.current = own;
    const results: RerunResult[] = [];
    setDone(0);
    try {
      for (const [i, rolloutId] of (await rolloutIds()).entries()) {
        if (own.signal.aborted) break;
        results.push(...(await verifyRollout(client, rolloutId, own.signal)));
        setDone(i + 1);
      }
      useInterface
        .getState()
        .setNotice(own.signal.aborted ? 'Stopped. What was verified is stored.' : summary(results));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      useInterface
        .getState()
        .setNotice(own.signal.aborted ? 'Stopped. What was verified is stored.' : message);
    } finally {
      setDone(undefined);
    }
  };
  if (done === undefined)
    return (
      <Button
        title="Run the Python calls again on this computer, each for at most 10 s, and compare their outputs with the log. The library keeps the results; the log stays as it is."
        onClick={() => void verify()}
      >
        Verify calls
      </Button>
    );
  return (
    <Button onClick={stop}>
      {keyed('Stop', 'place.up')} · {count(done)} of {count(selected)} verified
    </Button>
  );
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

function summary(results: readonly RerunResult[]): string {
  const parts = RERUN_CLASSES.flatMap((found) => {
    const those = results.filter((result) => result.class === found).length;
    return those === 0 ? [] : [`${count(those)} ${CLASS_WORDS[found]}`];
  });
  const differ = results.some((result) => result.class === 'different');
  return `${counted(results.length, 'call')} verified: ${parts.join(', ') || 'none with code'}.${differ ? ' Filter with rerun:different.' : ''}`;
}
