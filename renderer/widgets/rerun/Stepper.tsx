/**
 * A recorded call, line by line: forward, back, to a breakpoint, or to a line that is clicked, with the variables
 * there. The code has already run, so going back runs nothing.
 */
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { PythonReport, PythonStep, PythonTrace } from '../../../shared/domain/pythonAnswer.ts';
import { Button } from '../../ui/Controls.tsx';
import { LogText, plainLogText } from '../../ui/LogText.tsx';
import { count } from '../../ui/numbers.ts';
import { SourceText } from '../../ui/SourceText.tsx';
import { useAutoFocus } from '../../ui/useAutoFocus.ts';
import {
  firstPosition,
  framesAt,
  nextPass,
  nextStop,
  passesByLine,
  positionText,
  type StepPosition,
  valuesBefore,
} from './stepModel.ts';
import { Variables } from './Variables.tsx';

/** Lines of code in the page, around the current one. */
const MOST_LINES = 400;

interface StepperProps {
  readonly code: string;
  readonly trace: PythonTrace;
  readonly report: PythonReport;
  /** Earlier calls ran before, so the end shows what this one has changed. */
  readonly isSession: boolean;
}

export function Stepper({ code, trace, report, isSession }: StepperProps) {
  const { steps, isCut } = trace;
  const section = useRef<HTMLElement>(null);
  useAutoFocus(section);
  const [at, setAt] = useState(() => firstPosition(trace, report.error !== undefined));
  const [breakpoints, setBreakpoints] = useState<ReadonlySet<number>>(new Set());
  const passes = useMemo(() => passesByLine(trace), [trace]);
  const go = (to: StepPosition): void => setAt(Math.max(0, Math.min(steps.length, to)));
  const flip = (line: number): void =>
    setBreakpoints(
      (before) => new Set(before.has(line) ? [...before].filter((one) => one !== line) : [...before, line]),
    );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = targetOf(event, trace, at, breakpoints);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(to);
  };
  return (
    <section
      className="stepper"
      aria-label="Steps of this run"
      ref={section}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <div className="stepper-bar">
        <span className="rerun-actions">
          <Button disabled={at === 0} onClick={() => go(at - 1)}>
            Back (←)
          </Button>
          <Button disabled={at === steps.length} onClick={() => go(at + 1)}>
            Next line (→)
          </Button>
          <Button
            disabled={at === steps.length}
            title="Click a line number to set a breakpoint"
            onClick={() => go(nextStop(trace, at, breakpoints))}
          >
            {breakpoints.size === 0 ? 'To the end' : 'To the next breakpoint'} (Shift →)
          </Button>
        </span>
        <input
          type="range"
          aria-label="Step"
          min={0}
          max={steps.length}
          value={at}
          onChange={({ target }) => go(Number(target.value))}
        />
        <span role="status">{positionText(trace, at, passes)}</span>
      </div>
      {isCut && (
        <p className="muted">
          The first {count(steps.length)} steps were recorded; the code then ran on to its end.
        </p>
      )}
      <Lines
        code={code}
        step={steps[at]}
        passes={passes}
        breakpoints={breakpoints}
        onLine={(line) => go(nextPass(passes.get(line) ?? [], at) ?? at)}
        onBreakpoint={flip}
      />
      {steps[at] === undefined ? (
        <Variables
          title="at the end"
          variables={report.variables}
          {...(isSession ? { before: valuesBefore(trace) } : {})}
        />
      ) : (
        framesAt(trace, at).map(({ function: name, variables }) => (
          <Variables
            key={name ?? ''}
            title={name === undefined ? 'of the program here' : `of ${plainLogText(name)} here`}
            variables={variables}
          />
        ))
      )}
    </section>
  );
}

function targetOf(
  { key, shiftKey }: KeyboardEvent,
  trace: PythonTrace,
  at: StepPosition,
  breakpoints: ReadonlySet<number>,
): StepPosition | undefined {
  switch (key) {
    case 'ArrowRight':
      return shiftKey ? nextStop(trace, at, breakpoints) : at + 1;
    case 'ArrowLeft':
      return at - 1;
    case 'Home':
      return 0;
    case 'End':
      return trace.steps.length;
    default:
      return undefined;
  }
}

interface LinesProps {
  readonly code: string;
  readonly step: PythonStep | undefined;
  readonly passes: ReadonlyMap<number, readonly StepPosition[]>;
  readonly breakpoints: ReadonlySet<number>;
  readonly onLine: (line: number) => void;
  readonly onBreakpoint: (line: number) => void;
}

function Lines({ code, step, passes, breakpoints, onLine, onBreakpoint }: LinesProps) {
  const lines = useMemo(() => code.split('\n'), [code]);
  const list = useRef<HTMLOListElement>(null);
  const current = step?.line;
  useEffect(() => {
    if (current !== undefined)
      list.current?.querySelector('.is-current')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const first = Math.max(0, Math.min(lines.length - MOST_LINES, (current ?? 1) - MOST_LINES / 2));
  return (
    <ol className="stepper-lines" ref={list} aria-label="Code">
      {lines.slice(first, first + MOST_LINES).map((text, i) => {
        const line = first + i + 1;
        const times = passes.get(line)?.length ?? 0;
        const hasBreakpoint = breakpoints.has(line);
        return (
          <li
            key={line}
            className={`${line === current ? `is-current is-${step?.event}` : ''}${times === 0 ? ' has-not-run' : ''}`}
          >
            <button
              type="button"
              className="stepper-number"
              aria-pressed={hasBreakpoint}
              aria-label={`Breakpoint at line ${line}`}
              title={hasBreakpoint ? 'Remove the breakpoint' : 'Set a breakpoint'}
              disabled={times === 0}
              onClick={() => onBreakpoint(line)}
            >
              {hasBreakpoint ? '● ' : ''}
              {line}
            </button>
            <button
              type="button"
              className="stepper-line"
              title={times === 0 ? 'No step was recorded here' : 'Show the variables before this line'}
              disabled={times === 0}
              onClick={() => onLine(line)}
            >
              <SourceText text={text === '' ? ' ' : text} />
            </button>
            {line === current && step?.value !== undefined && (
              <span className={step.event === 'exception' ? 'is-wrong' : 'muted'}>
                {step.event === 'exception' ? '✕' : '→'} <LogText text={step.value} longest={400} />
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
