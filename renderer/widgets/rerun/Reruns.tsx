/**
 * Runs Python calls of a rollout again. A view provides the rollout (`RerunsOf`); each call has its buttons, and its
 * result beneath its code, where it is in sight. Nothing runs unless the user asks.
 */
import { Pencil, Play } from 'lucide-react';
import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { isPythonTool } from '../../../shared/domain/codeCells.ts';
import type { PythonAnswer } from '../../../shared/domain/pythonAnswer.ts';
import { type ProposedMode, proposedMode, type RerunMode } from '../../../shared/domain/rerun.ts';
import { type CodeCall, cellsOf, codeCalls, type RerunResult } from '../../../shared/domain/verifyCalls.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { verdictText } from './rerunModel.ts';
import './rerun.css';

export interface Rerun {
  readonly state: 'editing' | 'running' | 'ended';
  readonly code: string;
  readonly answer?: PythonAnswer;
  /** Why there is no answer. */
  readonly failure?: string;
}

interface RunOptions {
  readonly limitMs?: number;
  /** Records each line, so that one can step through the run. */
  readonly isTraced?: boolean;
}

interface Reruns {
  readonly calls: ReadonlyMap<number, CodeCall>;
  /** Results of verifying, by ordinal. */
  readonly stored: ReadonlyMap<number, RerunResult>;
  readonly proposed: ProposedMode;
  readonly mode: RerunMode;
  readonly of: ReadonlyMap<number, Rerun>;
  readonly setMode: (mode: RerunMode) => void;
  readonly run: (segment: number, code: string, how?: RunOptions) => void;
  readonly edit: (segment: number) => void;
  /** Goes back from the editor to what was shown before. */
  readonly cancelEdit: (segment: number) => void;
  readonly close: (segment: number) => void;
  readonly stop: () => void;
}

const RerunsContext = createContext<Reruns | undefined>(undefined);

/** Undefined outside `RerunsOf`. */
export const useReruns = (): Reruns | undefined => useContext(RerunsContext);

interface RerunsOfProps {
  readonly detail: RolloutDetail;
  readonly children: ReactNode;
}

/** Modes that the user has chosen, by run. They last as long as the window. */
const chosenModes = new Map<string, RerunMode>();

const NONE: ReadonlyMap<number, Rerun> = new Map();

export function RerunsOf({ detail, children }: RerunsOfProps) {
  const client = useClient();
  const [query] = useUrlQuery();
  const turn = Number(query.get('turn') ?? 0);
  const { runKey } = detail.run;
  const { calls, proposed } = useMemo(() => pythonCalls(detail), [detail]);
  const verified = useRequest('rerun.list', { rolloutIds: [detail.row.rolloutId] }).data;
  const stored = useMemo(
    () =>
      new Map(verified?.flatMap(({ calls: results }) => results.map((one) => [one.ordinal, one] as const))),
    [verified],
  );
  const [{ rolloutId, of }, setState] = useState({ rolloutId: detail.row.rolloutId, of: NONE });
  const [mode, setMode] = useState(chosenModes.get(runKey));
  const running = useRef<AbortController>(undefined);
  if (rolloutId !== detail.row.rolloutId) {
    running.current?.abort();
    setState({ rolloutId: detail.row.rolloutId, of: NONE });
    setMode(chosenModes.get(runKey));
  }
  const put = (segment: number, rerun: Rerun | undefined): void =>
    setState((before) => {
      if (before.rolloutId !== detail.row.rolloutId) return before;
      const next = new Map(before.of);
      if (rerun === undefined) next.delete(segment);
      else next.set(segment, rerun);
      return { ...before, of: next };
    });
  const current = mode ?? proposed.mode;
  const stop = (): void => running.current?.abort();
  const run = (segment: number, code: string, how: RunOptions = {}): void => {
    const call = calls.get(segment);
    if (call === undefined) return;
    stop();
    const abort = new AbortController();
    running.current = abort;
    const started: Rerun = { state: 'running', code };
    put(segment, started);
    // Not if the call was edited, closed or run again meanwhile.
    const end = (ended: Pick<Rerun, 'answer' | 'failure'>): void =>
      setState((before) =>
        before.of.get(segment) === started
          ? { ...before, of: new Map(before.of).set(segment, { state: 'ended', code, ...ended }) }
          : before,
      );
    const cells = [...cellsOf([...calls.values()], { ...call, code }, current)];
    client
      .request('python.run', { cells, ...how }, { signal: abort.signal })
      .then(
        (answer) => end({ answer }),
        (error: unknown) => {
          const failure = error instanceof Error ? error.message : String(error);
          end({ failure: abort.signal.aborted ? 'Stopped.' : failure });
        },
      )
      .finally(() => {
        if (running.current === abort) running.current = undefined;
      });
  };
  const edit = (segment: number): void => {
    const before = of.get(segment);
    if (before?.state === 'running') stop();
    put(segment, { code: calls.get(segment)?.code ?? '', ...before, state: 'editing' });
  };
  const cancelEdit = (segment: number): void => {
    const before = of.get(segment);
    const hasRun = before?.answer !== undefined || before?.failure !== undefined;
    put(segment, hasRun ? { ...before, state: 'ended' } : undefined);
  };
  // The command runs the first call from the current turn on.
  const next = [...calls.values()].find((call) => call.turn >= turn);
  const isRunning = [...of.values()].some(({ state }) => state === 'running');
  useCommands({
    'call.run': next === undefined ? undefined : () => run(next.segment, next.code),
    'call.edit': next === undefined ? undefined : () => edit(next.segment),
    'call.step': next === undefined ? undefined : () => run(next.segment, next.code, { isTraced: true }),
    'place.up': isRunning ? stop : undefined,
  });
  const value: Reruns = {
    calls,
    stored,
    proposed,
    mode: current,
    of,
    setMode: (chosen) => {
      chosenModes.set(runKey, chosen);
      setMode(chosen);
    },
    run,
    edit,
    cancelEdit,
    close: (segment) => put(segment, undefined),
    stop,
  };
  return <RerunsContext value={value}>{children}</RerunsContext>;
}

function pythonCalls(detail: RolloutDetail): {
  readonly calls: ReadonlyMap<number, CodeCall>;
  readonly proposed: ProposedMode;
} {
  const calls = codeCalls(detail).filter(({ tool }) => isPythonTool(tool));
  return { calls: new Map(calls.map((call) => [call.segment, call])), proposed: proposedMode(calls) };
}

/** Buttons of one tool call. Renders nothing if its code cannot be run. */
export function RerunButtons({ segment }: { readonly segment: number }) {
  const reruns = useReruns();
  const call = reruns?.calls.get(segment);
  const stored = call === undefined ? undefined : reruns?.stored.get(call.ordinal);
  if (reruns === undefined || call === undefined) return null;
  return (
    <span className="rerun-buttons">
      {stored?.class === 'different' && (
        <span className="is-wrong" title={`When it was verified: ${verdictText(stored)}`}>
          ≠ log
        </span>
      )}
      <button
        type="button"
        className="rerun-button"
        title={`Run this code again on this computer. ${reruns.mode === 'alone' ? 'Alone' : 'After the earlier calls'}.`}
        onClick={() => reruns.run(segment, call.code)}
      >
        <Play size={11} /> Run
      </button>
      <button
        type="button"
        className="rerun-button"
        title="Change the code of this call and run it"
        onClick={() => reruns.edit(segment)}
      >
        <Pencil size={11} /> Edit and run
      </button>
    </span>
  );
}
