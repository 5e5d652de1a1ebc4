/** The result of a tool call that was run again, beneath its code. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { PythonReport } from '../../../shared/domain/pythonAnswer.ts';
import { judgeRerun, outputsBeside } from '../../../shared/domain/rerun.ts';
import type { CodeCall } from '../../../shared/domain/verifyCalls.ts';
import { outcomeMark } from '../../data/segmentViews.ts';
import { useRequest } from '../../data/useRequest.ts';
import { MarkedCode } from '../../editor/MarkedCode.tsx';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { Button, Segmented } from '../../ui/Controls.tsx';
import { LogText, plainLogText } from '../../ui/LogText.tsx';
import { counted, seconds } from '../../ui/numbers.ts';
import { useAutoFocus } from '../../ui/useAutoFocus.ts';
import { type Rerun, useReruns } from './Reruns.tsx';
import { diffLines, MOST_DIFF_LINES, outcomeOf, verdictText } from './rerunModel.ts';
import { Stepper } from './Stepper.tsx';
import { Variables } from './Variables.tsx';

/** UTF-16 units of a text that is shown. */
const LONGEST = 20_000;
/** Milliseconds that a run gets after it has run out of time. */
const LONGER_MS = 60_000;

interface RerunResultProps {
  readonly rolloutId: number;
  readonly segment: number;
  /** Names the rollout, where there are several: `B`. */
  readonly lane?: string | undefined;
}

/** Renders nothing until the call is run or edited. */
export function RerunResult({ rolloutId, segment, lane }: RerunResultProps) {
  const reruns = useReruns(rolloutId);
  const rerun = reruns?.of.get(segment);
  const call = reruns?.calls.get(segment);
  const section = useRef<HTMLElement>(null);
  const before = useRef(rerun);
  // The buttons are above the code, and the result may be below what is in sight. Not when a far segment is rendered
  // again, and not when the user has scrolled away from a run.
  useEffect(() => {
    if (before.current === rerun) return;
    before.current = rerun;
    const { top = 0, bottom = 0 } = section.current?.getBoundingClientRect() ?? {};
    const isInSight = bottom > 0 && top < innerHeight;
    if (isInSight || rerun?.state !== 'ended') section.current?.scrollIntoView({ block: 'nearest' });
  }, [rerun]);
  if (reruns === undefined || rerun === undefined || call === undefined) return null;
  return (
    <section
      className="rerun"
      ref={section}
      aria-label={`Call ${call.ordinal + 1}${lane === undefined ? '' : ` of ${lane}`} run again`}
    >
      {rerun.state === 'editing' ? (
        <CodeForm
          code={rerun.code}
          onRun={(code) => reruns.run(segment, code)}
          onCancel={() => reruns.cancelEdit(segment)}
        />
      ) : (
        <>
          <header className="rerun-head">
            <b>
              {lane !== undefined && `${lane} · `}
              {rerun.code === call.code ? 'run again' : 'edited and run'}
            </b>
            <RunState call={call} rerun={rerun} />
            <span className="rerun-actions">
              {rerun.state === 'running' ? (
                <Button onClick={reruns.stop}>{keyed('Stop', 'place.up')}</Button>
              ) : (
                <>
                  {rerun.answer?.kind === 'timed_out' && (
                    <Button onClick={() => reruns.run(segment, rerun.code, { limitMs: LONGER_MS })}>
                      Run for up to {LONGER_MS / 1000} s
                    </Button>
                  )}
                  <Button onClick={() => reruns.run(segment, rerun.code)}>Run</Button>
                  <Button
                    title="Run it and record each line with its variables. Such code runs many times slower."
                    onClick={() => reruns.run(segment, rerun.code, { isTraced: true })}
                  >
                    Step through
                  </Button>
                  <Button onClick={() => reruns.edit(segment)}>Edit</Button>
                  <Button onClick={() => reruns.close(segment)}>Close</Button>
                </>
              )}
            </span>
          </header>
          {/* The code above is that of the log. Steps have the code themselves. */}
          {rerun.code !== call.code && !isTraced(rerun) && (
            <LineDiff
              before={call.code}
              after={rerun.code}
              caption="− code as logged, + code as run"
              isPython
            />
          )}
          {rerun.answer?.kind === 'done' && (
            <Report
              call={call}
              code={rerun.code}
              report={rerun.answer}
              isSession={reruns.mode === 'session'}
            />
          )}
        </>
      )}
      <footer className="rerun-foot">
        <Segmented
          label="What runs before"
          chosen={reruns.mode}
          onChoose={reruns.setMode}
          choices={[
            { id: 'alone', label: 'Alone', title: 'In a new interpreter' },
            { id: 'session', label: 'Session', title: 'After the earlier Python calls of this rollout' },
          ]}
        />
        <span title={reruns.proposed.because}>proposed: {reruns.proposed.mode}</span>
        <span>Run on this computer in a sandbox: no network, no files. The log stays as it is.</span>
      </footer>
    </section>
  );
}

const isTraced = ({ answer }: Rerun): boolean => answer?.kind === 'done' && answer.trace !== undefined;

function RunState({ call, rerun }: { readonly call: CodeCall; readonly rerun: Rerun }) {
  if (rerun.state === 'running') return <span role="status">Running…</span>;
  const { answer, failure } = rerun;
  if (answer === undefined)
    return (
      <span role="status" className="is-wrong">
        {failure}
      </span>
    );
  const mark = outcomeMark(outcomeOf(answer));
  const verdict = judgeRerun(call, answer);
  return (
    <>
      <span className={mark.isError ? 'is-wrong' : 'muted'}>
        {mark.glyph} {answer.kind === 'done' ? plainLogText(answer.error?.type ?? mark.label) : mark.label}
      </span>
      {answer.kind === 'done' && <span className="dim">{seconds(answer.milliseconds)}</span>}
      <span role="status" className={`rerun-verdict is-${verdict.class}`}>
        {verdictText(verdict)}
      </span>
    </>
  );
}

interface ReportProps {
  readonly call: CodeCall;
  /** The code that was run. */
  readonly code: string;
  readonly report: PythonReport;
  readonly isSession: boolean;
}

function Report({ call, code, report, isSession }: ReportProps) {
  const { error, lastValue, stderr, variables, isCut, trace } = report;
  return (
    <>
      <Output call={call} report={report} />
      {isCut && <p className="muted">Only the first 1 MB of the output is kept.</p>}
      {lastValue !== undefined && (
        <p className="rerun-value">
          <span className="muted">last value</span> <LogText text={lastValue} longest={LONGEST} />
        </p>
      )}
      {error !== undefined && (
        <pre className="output is-error">
          <LogText text={error.traceback} longest={LONGEST} />
        </pre>
      )}
      {error?.type === 'ModuleNotFoundError' && <MissingModule />}
      {stderr !== '' && (
        <details>
          <summary>stderr</summary>
          <pre className="output">
            <LogText text={stderr} longest={LONGEST} />
          </pre>
        </details>
      )}
      {trace !== undefined ? (
        <Stepper code={code} trace={trace} report={report} isSession={isSession} />
      ) : (
        variables.length > 0 && <Variables title="at the end" variables={variables} />
      )}
    </>
  );
}

function MissingModule() {
  const info = useRequest('host.info', {}).data;
  if (info === undefined) return null;
  return (
    <p className="muted">
      The standard library is there. To add a module, put its wheel, and those of the modules that it needs,
      into <code>{info.wheels}</code> and start Turnwise again. Wheels of compiled modules such as numpy must
      be from Pyodide’s distribution.
    </p>
  );
}

function Output({ call, report }: { readonly call: CodeCall; readonly report: PythonReport }) {
  const { logged, here } = outputsBeside(call, report);
  const verdict = judgeRerun(call, report);
  if (verdict.class === 'same' || logged === here) return null;
  if (logged === '')
    return (
      <pre className="output">
        <LogText text={here} longest={LONGEST} />
      </pre>
    );
  return <LineDiff before={logged} after={here} caption="− output as logged, + output of this run" />;
}

interface LineDiffProps {
  readonly before: string;
  readonly after: string;
  readonly caption: string;
  readonly isPython?: boolean;
}

function LineDiff({ before, after, caption, isPython = false }: LineDiffProps) {
  const lines = diffLines(before, after);
  return (
    <figure className="rerun-diff">
      <figcaption className="muted">{caption}</figcaption>
      <pre className={isPython ? 'code' : 'output'}>
        <MarkedCode texts={[before, after]} lines={lines.slice(0, MOST_DIFF_LINES)} isPython={isPython} />
      </pre>
      {lines.length > MOST_DIFF_LINES && (
        <p className="muted">{counted(lines.length - MOST_DIFF_LINES, 'further line')}</p>
      )}
    </figure>
  );
}

interface CodeFormProps {
  readonly code: string;
  readonly onRun: (code: string) => void;
  readonly onCancel: () => void;
}

function CodeForm({ code, onRun, onCancel }: CodeFormProps) {
  const [text, setText] = useState(code);
  const area = useRef<HTMLTextAreaElement>(null);
  useAutoFocus(area);
  const id = useId();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onRun(text);
    }
  };
  return (
    <div className="rerun-form">
      <label htmlFor={id}>Code to run</label>
      <textarea
        id={id}
        ref={area}
        value={text}
        spellCheck={false}
        rows={Math.min(24, Math.max(4, text.split('\n').length + 1))}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="rerun-actions">
        <Button isPrimary onClick={() => onRun(text)}>
          Run (Ctrl Enter)
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </span>
    </div>
  );
}
