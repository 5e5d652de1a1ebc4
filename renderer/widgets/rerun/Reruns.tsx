/**
 * Runs Python calls of rollouts again. A view provides the rollouts (`RerunsOf`); each call has its buttons, and its
 * result beneath its code, where it is in sight. Nothing runs unless the user asks.
 */
import { Pencil, Play } from 'lucide-react';
import { createContext, type ReactNode, useContext, useRef, useState } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { isPythonTool } from '../../../shared/domain/codeCells.ts';
import type { PythonAnswer } from '../../../shared/domain/pythonAnswer.ts';
import { type ProposedMode, proposedMode, type RerunMode } from '../../../shared/domain/rerun.ts';
import { type CodeCall, cellsOf, codeCalls, type RerunResult } from '../../../shared/domain/verifyCalls.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useRequest } from '../../data/useRequest.ts';
import { presentHref } from '../../data/useRoute.ts';
import { isStartedAt, useVerification } from '../../data/useVerification.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { verdictText, verificationText } from './rerunModel.ts';
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

/** By rollout. */
const RerunsContext = createContext<ReadonlyMap<number, Reruns>>(new Map());

/** Undefined outside `RerunsOf`. */
export const useReruns = (rolloutId: number): Reruns | undefined => useContext(RerunsContext).get(rolloutId);

interface RerunsOfProps {
  readonly details: readonly RolloutDetail[];
  readonly children: ReactNode;
}

/** Modes that the user has chosen, by run. They last as long as the window. */
const chosenModes = new Map<string, RerunMode>();

const NONE: ReadonlyMap<number, Rerun> = new Map();
const NO_ROLLOUTS: ReadonlyMap<number, typeof NONE> = new Map();

/** One call runs at a time, whichever rollout it is of. */
export function RerunsOf({ details, children }: RerunsOfProps) {
  const client = useClient();
  const ids = details.map(({ row }) => row.rolloutId);
  const verified = useRequest('rerun.list', ids.length === 0 ? undefined : { rolloutIds: ids }).data;
  const [all, setAll] = useState(NO_ROLLOUTS);
  const [, setModes] = useState(0);
  const running = useRef<{ readonly rolloutId: number; readonly abort: AbortController }>(undefined);
  const stop = (): void => running.current?.abort.abort();
  if ([...all.keys()].some((rolloutId) => !ids.includes(rolloutId))) {
    if (running.current !== undefined && !ids.includes(running.current.rolloutId)) stop();
    setAll(new Map([...all].filter(([rolloutId]) => ids.includes(rolloutId))));
  }
  const rerunsOf = (detail: RolloutDetail): Reruns => {
    const { rolloutId } = detail.row;
    const { runKey } = detail.run;
    const { calls, proposed } = pythonCalls(detail);
    const results = verified?.find((one) => one.rolloutId === rolloutId)?.calls ?? [];
    const of = all.get(rolloutId) ?? NONE;
    const mode = chosenModes.get(runKey) ?? proposed.mode;
    const put = (segment: number, change: (before: Rerun | undefined) => Rerun | undefined): void =>
      setAll((before) => {
        const own = before.get(rolloutId) ?? NONE;
        const rerun = change(own.get(segment));
        if (rerun === own.get(segment)) return before;
        const next = new Map(own);
        if (rerun === undefined) next.delete(segment);
        else next.set(segment, rerun);
        return new Map(before).set(rolloutId, next);
      });
    return {
      ...{ calls, proposed, mode, of, stop },
      stored: new Map(results.map((one) => [one.ordinal, one])),
      setMode: (chosen) => {
        chosenModes.set(runKey, chosen);
        setModes((changes) => changes + 1);
      },
      run: (segment, code, how = {}) => {
        const call = calls.get(segment);
        if (call === undefined) return;
        stop();
        const abort = new AbortController();
        running.current = { rolloutId, abort };
        const started: Rerun = { state: 'running', code };
        put(segment, () => started);
        // Not if the call was edited, closed or run again meanwhile.
        const end = (ended: Pick<Rerun, 'answer' | 'failure'>): void =>
          put(segment, (before) => (before === started ? { state: 'ended', code, ...ended } : before));
        const cells = [...cellsOf([...calls.values()], { ...call, code }, mode)];
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
            if (running.current?.abort === abort) running.current = undefined;
          });
      },
      edit: (segment) => {
        if (of.get(segment)?.state === 'running') stop();
        put(segment, (before) => ({ code: calls.get(segment)?.code ?? '', ...before, state: 'editing' }));
      },
      cancelEdit: (segment) =>
        put(segment, (before) =>
          before?.answer !== undefined || before?.failure !== undefined
            ? { ...before, state: 'ended' }
            : undefined,
        ),
      close: (segment) => put(segment, () => undefined),
    };
  };
  const isRunning = [...all.values()].some((of) => [...of.values()].some(({ state }) => state === 'running'));
  useCommands({ 'place.up': isRunning ? stop : undefined });
  const value = new Map(details.map((detail) => [detail.row.rolloutId, rerunsOf(detail)]));
  return <RerunsContext value={value}>{children}</RerunsContext>;
}

/** The commands run the first call from this turn on, or verify all calls of the rollout. */
export function useRerunCommands(rolloutId: number | undefined, turn: number): void {
  const reruns = useContext(RerunsContext).get(rolloutId ?? -1);
  const next = reruns && [...reruns.calls.values()].find((call) => call.turn >= turn);
  const isOffered = reruns !== undefined && next !== undefined;
  const { verification, start, stop } = useVerification();
  const isVerifying = verification?.state === 'running';
  const setNotice = useInterface((state) => state.setNotice);
  const verify = async (id: number) => {
    setNotice(keyed('Verifying the calls of this rollout…', 'place.up'));
    setNotice(verificationText(await start({ rollouts: 1, rolloutIds: async () => [id], isAgain: true })));
  };
  const canVerify = reruns !== undefined && reruns.calls.size > 0 && !isVerifying;
  useCommands({
    'place.up': isVerifying && isStartedAt(verification, presentHref()) ? stop : undefined,
    'calls.verify': rolloutId !== undefined && canVerify ? () => void verify(rolloutId) : undefined,
    'call.run': isOffered ? () => reruns.run(next.segment, next.code) : undefined,
    'call.edit': isOffered ? () => reruns.edit(next.segment) : undefined,
    'call.step': isOffered ? () => reruns.run(next.segment, next.code, { isTraced: true }) : undefined,
  });
}

interface PythonCalls {
  readonly calls: ReadonlyMap<number, CodeCall>;
  readonly proposed: ProposedMode;
}

const knownCalls = new WeakMap<RolloutDetail, PythonCalls>();

function pythonCalls(detail: RolloutDetail): PythonCalls {
  const known = knownCalls.get(detail);
  if (known !== undefined) return known;
  const calls = codeCalls(detail).filter(({ tool }) => isPythonTool(tool));
  const made = { calls: new Map(calls.map((call) => [call.segment, call])), proposed: proposedMode(calls) };
  knownCalls.set(detail, made);
  return made;
}

interface CallProps {
  readonly rolloutId: number;
  readonly segment: number;
}

/** Buttons of one tool call. Renders nothing if its code cannot be run. */
export function RerunButtons({ rolloutId, segment }: CallProps) {
  const reruns = useReruns(rolloutId);
  const call = reruns?.calls.get(segment);
  const stored = call === undefined ? undefined : reruns?.stored.get(call.ordinal);
  if (reruns === undefined || call === undefined) return null;
  return (
    <span className="rerun-buttons">
      {stored?.class === 'different' && (
        <button
          type="button"
          className="rerun-button is-wrong"
          title={`When it was verified: ${verdictText(stored)}. Runs it again, to show the difference`}
          onClick={() => reruns.run(segment, call.code)}
        >
          ≠ log
        </button>
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
