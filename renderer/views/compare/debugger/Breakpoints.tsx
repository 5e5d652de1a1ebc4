/** Breakpoints, at which playback stops: the list of them, their hits per lane, and all hits in order. */

import { X } from 'lucide-react';
import { useMemo } from 'react';
import type { RolloutSignal } from '../../../../shared/api/contract.ts';
import { KeyOf } from '../../../shell/keys/Keys.tsx';
import { IconButton } from '../../../ui/Controls.tsx';
import { plainLogText } from '../../../ui/LogText.tsx';
import { count, counted } from '../../../ui/numbers.ts';
import { sourceLabel } from '../../../ui/signalSource.ts';
import type { PlayheadProps } from '../lanes/laneModel.ts';
import { BreakpointReasons } from './BreakpointReasons.tsx';
import { type Break, breakOf, toolNames } from './breakModel.ts';
import { FaultText, NewBreakpoint } from './NewBreakpoint.tsx';
import { type StopState, useStops } from './useStops.ts';
import './debugger.css';

/** Hits listed around the current row. A condition may match in every turn. */
const SHOWN = 60;
const BEFORE = 6;

export function Breakpoints(props: PlayheadProps) {
  const { lanes, row, onSelectRow } = props;
  const state = useStops(props);
  const { breaks, setBreaks, stops, running, leftOut } = state;
  const add = (text: string) => {
    const added = breakOf(text);
    setBreaks([...breaks.filter((one) => one.text !== added.text), added]);
  };
  const change = (text: string, next: Break | undefined) =>
    setBreaks(breaks.flatMap((one) => (one.text === text ? (next ?? []) : one)));
  const tools = useMemo(() => toolNames(lanes.map(({ detail }) => detail)), [lanes]);
  // Counted once for all rows, since every turn of every lane may have a hit.
  const counts = useMemo(() => {
    const found = new Map<string, number>();
    for (const { hit, lane } of stops) {
      const key = `${hit.breakpoint} ${lane}`;
      found.set(key, (found.get(key) ?? 0) + 1);
    }
    return found;
  }, [stops]);
  const inBreak = (index: number, lane: number) => counts.get(`${index} ${lane}`) ?? 0;
  return (
    <div className="debug-panel">
      <NewBreakpoint tools={tools} onAdd={add} />
      {breaks.length === 0 ? (
        <p className="muted debug-note">
          Playback stops where a breakpoint matches. <KeyOf command="stop.next" /> and{' '}
          <KeyOf command="stop.previous" /> go to the next and previous hit. Conditions joined by{' '}
          <code>&</code> must match in the same turn of a lane.
        </p>
      ) : (
        <ul className="break-list" aria-label="Breakpoints">
          {breaks.map((one, index) => (
            <li key={one.text} className={one.isOn ? undefined : 'is-off'}>
              <input
                type="checkbox"
                checked={one.isOn}
                aria-label={`${one.text} is on`}
                onChange={(event) => change(one.text, { ...one, isOn: event.target.checked })}
                // A keyboard click has `detail` 0 and keeps the focus.
                onClick={(event) => event.detail > 0 && event.currentTarget.blur()}
              />
              <span className="break-text mono" title={plainLogText(one.text)}>
                {plainLogText(one.text)}
              </span>
              {one.fault === undefined && !leftOut.has(one.text) ? (
                <span className="break-hits">
                  {lanes.map(({ letter, index: at }, lane) =>
                    running.has(one.text) ? (
                      <span key={at} title={`Searching ${letter}`}>
                        {letter} <b>…</b>
                      </span>
                    ) : (
                      <span key={at} title={`${counted(inBreak(index, lane), 'hit')} in ${letter}`}>
                        {letter} <b>{one.isOn ? count(inBreak(index, lane)) : '–'}</b>
                      </span>
                    ),
                  )}
                </span>
              ) : (
                <span />
              )}
              <IconButton label={`Remove ${one.text}`} onClick={() => change(one.text, undefined)}>
                <X size={13} />
              </IconButton>
              {one.fault !== undefined && <FaultText text={one.text} fault={one.fault} />}
              {leftOut.has(one.text) && (
                <p className="break-fault is-wrong" role="alert">
                  ✕ {leftOut.get(one.text)}
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      {state.needsValues && <ValueSources {...state} lanes={lanes} />}
      {breaks.some(({ isOn, fault }) => isOn && fault === undefined) && (
        <Hits {...state} lanes={lanes} row={row} onSelectRow={onSelectRow} />
      )}
    </div>
  );
}

/** Percentiles are taken over each rollout's own policy tokens. This names the signal they refer to. */
function ValueSources({
  lanes,
  signals,
  isWaiting,
  error,
}: Pick<StopState, 'signals' | 'isWaiting' | 'error'> & Pick<PlayheadProps, 'lanes'>) {
  if (error !== null)
    return <p className="is-wrong debug-note">✕ Token values could not be read: {error.message}</p>;
  if (isWaiting) return <p className="muted debug-note">Reading token values…</p>;
  const said = new Map<string, string[]>();
  lanes.forEach(({ letter }, lane) => {
    const words = valueLabel(signals[lane]);
    said.set(words, [...(said.get(words) ?? []), letter]);
  });
  return (
    <ul className="debug-note muted break-sources" aria-label="Signal of the percentiles">
      {[...said].map(([words, letters]) => (
        <li key={words}>
          <b>{letters.join(', ')}</b> {words}
        </li>
      ))}
    </ul>
  );
}

function valueLabel({ signal, source, ends }: Partial<RolloutSignal> = {}): string {
  if (signal === undefined || source === undefined)
    return 'no token values are logged, so value: never matches';
  if (ends === undefined) return 'tokens are not placed on the text, so value: never matches';
  return `percentiles of ${sourceLabel({ signal, source })}, over the policy tokens of the rollout itself`;
}

type HitsProps = Pick<PlayheadProps, 'lanes' | 'row' | 'onSelectRow'> &
  Pick<StopState, 'stops' | 'breaks' | 'running' | 'leftOut'>;

function Hits({ stops, lanes, breaks, running, leftOut, row, onSelectRow }: HitsProps) {
  const isRunning = running.size > 0;
  if (stops.length === 0) {
    if (isRunning) return <p className="muted debug-note">Searching…</p>;
    const looked = breaks.filter(
      ({ isOn, fault, text }) => isOn && fault === undefined && !leftOut.has(text),
    ).length;
    if (looked === 0) return null;
    return (
      <p className="muted debug-note">
        {leftOut.size === 0 ? 'No breakpoint matches.' : 'No other breakpoint matches.'}
      </p>
    );
  }
  const at = stops.findIndex((stop) => stop.row >= row);
  const first = Math.max(0, Math.min((at < 0 ? stops.length : at) - BEFORE, stops.length - SHOWN));
  const shown = stops.slice(first, first + SHOWN);
  const after = stops.length - first - shown.length;
  return (
    <section aria-label="Hits" className="break-found">
      <h2>
        {counted(stops.length, 'hit')}
        {isRunning && '…'} <KeyOf command="stop.next" /> <KeyOf command="stop.previous" />
      </h2>
      {first > 0 && <p className="dim debug-note">{counted(first, 'hit')} before these</p>}
      <ol>
        {shown.map((stop) => (
          <li key={`${stop.row} ${stop.lane} ${stop.hit.breakpoint}`}>
            <button
              type="button"
              aria-current={stop.row === row ? 'true' : undefined}
              onClick={() => onSelectRow(stop.row)}
              title={plainLogText(stop.hit.found ?? '')}
            >
              <BreakpointReasons stop={stop} lanes={lanes} breaks={breaks} />
            </button>
          </li>
        ))}
      </ol>
      {after > 0 && <p className="dim debug-note">{counted(after, 'hit')} after these</p>}
    </section>
  );
}
