/** Play, step and scrub. All lanes share the current row. */

import {
  ChevronLeft,
  ChevronRight,
  ChevronsLeft,
  ChevronsRight,
  CircleDot,
  GitFork,
  Pause,
  Play,
  Terminal,
} from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { readingMs } from '../../../data/pace.ts';
import { useUrlQuery } from '../../../data/useRoute.ts';
import { runCommand, useCommands } from '../../../shell/keys/commands.ts';
import { keyOf } from '../../../shell/keys/keysInForce.ts';
import { PLAY_SPEEDS, useInterface } from '../../../state/interface.ts';
import { IconButton } from '../../../ui/Controls.tsx';
import { plainLogText } from '../../../ui/LogText.tsx';
import type { PlayheadProps } from '../lanes/laneModel.ts';
import { BreakpointReasons } from './BreakpointReasons.tsx';
import { charsOfRow, nextCallRow, nextStopRow, noStopReason } from './breakModel.ts';
import { RowScrubber } from './RowScrubber.tsx';
import { useSide } from './useSide.ts';
import { useStops } from './useStops.ts';
import './debugger.css';

export function DebugTransport(props: PlayheadProps) {
  const { lanes, rows, row, forks, onSelectRow } = props;
  const [query] = useUrlQuery();
  const side = useSide();
  const speed = useInterface((state) => state.playSpeed);
  const { setPlaySpeed, setNotice } = useInterface.getState();
  const state = useStops(props);
  const { stops, breaks } = state;
  const stopRows = useMemo(() => new Set(stops.map((stop) => stop.row)), [stops]);
  const details = useMemo(() => lanes.map(({ detail }) => detail), [lanes]);
  const lastRow = Math.max(0, rows.length - 1);
  const here = stops.filter((stop) => stop.row === row);
  // The strip has room for one reason only. The panel lists them all, and d steps through them.
  const [walked, setWalked] = useState<{ readonly row: number; readonly at: number }>();
  const shownAt = walked?.row === row ? Math.min(walked.at, here.length - 1) : 0;
  const first = here[shownAt];
  const hasOneLane = lanes.length === 1;
  const isEqualRead = hasOneLane || query.get('equal') === 'show';

  const playing = usePlaying({
    row,
    lastRow,
    chars: useMemo(() => charsOfRow(rows[row], details), [rows, row, details]),
    isPassed: rows[row]?.isEqual === true && !isEqualRead,
    onRow: onSelectRow,
    hasStop: (next) => stopRows.has(next),
  });
  const goTo = (to: number | undefined, nothing: string) => {
    if (to === undefined) setNotice(nothing);
    else onSelectRow(to);
  };
  const toStop = (direction: 1 | -1) => {
    if (here[shownAt + direction] !== undefined) return setWalked({ row, at: shownAt + direction });
    const next = nextStopRow(stops, row, direction);
    if (next !== undefined)
      setWalked({
        row: next,
        at: direction === 1 ? 0 : stops.filter((stop) => stop.row === next).length - 1,
      });
    goTo(next, noStopReason(state, row, direction));
  };
  const toCall = (direction: 1 | -1) =>
    goTo(
      nextCallRow(rows, details, row, direction),
      `No tool is called ${direction === 1 ? 'below' : 'above'}`,
    );
  const step = (by: number) => onSelectRow(Math.max(0, Math.min(lastRow, row + by)));
  const hasRows = rows.length > 0;
  useCommands(
    hasRows
      ? {
          'play.flip': playing.flip,
          'call.next': () => toCall(1),
          'call.previous': () => toCall(-1),
          'stop.next': () => toStop(1),
          'stop.previous': () => toStop(-1),
          'stop.add': () => {
            side.choose('breakpoints');
            // Focus the field after the panel has rendered.
            setTimeout(() => document.getElementById('new-breakpoint')?.focus());
          },
        }
      : {},
  );
  const nextSpeed = PLAY_SPEEDS[(PLAY_SPEEDS.indexOf(speed) + 1) % PLAY_SPEEDS.length] ?? 1;
  if (!hasRows) return null;
  return (
    <div className="debug-dock">
      <div className="debug-buttons">
        <IconButton label="First row" keys={keyOf('aligned.first')} onClick={() => onSelectRow(0)}>
          <ChevronsLeft size={15} />
        </IconButton>
        <IconButton label="Previous row" keys={keyOf('aligned.previous')} onClick={() => step(-1)}>
          <ChevronLeft size={15} />
        </IconButton>
        <IconButton
          isOutlined
          label={playing.isPlaying ? 'Pause' : 'Play, row by row'}
          keys={keyOf('play.flip')}
          onClick={playing.flip}
        >
          {playing.isPlaying ? <Pause size={14} /> : <Play size={14} />}
        </IconButton>
        <IconButton label="Next row" keys={keyOf('aligned.next')} onClick={() => step(1)}>
          <ChevronRight size={15} />
        </IconButton>
        <IconButton label="Last row" keys={keyOf('aligned.last')} onClick={() => onSelectRow(lastRow)}>
          <ChevronsRight size={15} />
        </IconButton>
        <IconButton label="Next tool call" keys={keyOf('call.next')} onClick={() => toCall(1)}>
          <Terminal size={14} />
        </IconButton>
        {!hasOneLane && (
          <IconButton
            label="Go to the fork, then to the next lane’s"
            keys={keyOf('fork.show')}
            disabled={forks.size === 0}
            onClick={() => runCommand('fork.show')}
          >
            <GitFork size={14} />
          </IconButton>
        )}
        <IconButton
          label={`Next of ${stops.length}${state.running.size > 0 ? '…' : ''} breakpoint hits`}
          keys={keyOf('stop.next')}
          disabled={breaks.length === 0}
          onClick={() => toStop(1)}
        >
          <CircleDot size={14} />
        </IconButton>
        <button
          type="button"
          className="debug-speed"
          title="Playback speed"
          onClick={() => setPlaySpeed(nextSpeed)}
        >
          {speed}×
        </button>
      </div>
      <RowScrubber
        rows={rows}
        row={row}
        forks={forks}
        stopRows={stopRows}
        hasOneLane={hasOneLane}
        onRow={onSelectRow}
      />
      <div className="debug-here" role="status">
        {first !== undefined && (
          <span
            className="debug-stop"
            title={plainLogText(here.map(({ hit }) => breaks[hit.breakpoint]?.text).join('\n'))}
          >
            <i aria-hidden="true">●</i> <BreakpointReasons stop={first} lanes={lanes} breaks={breaks} />
          </span>
        )}
        {here.length > 1 && (
          <span className="dim">
            {shownAt + 1} of {here.length} here
          </span>
        )}
      </div>
    </div>
  );
}

/** Time for a folded row, which nobody reads. */
const PASSING_MS = 350;

interface Playing {
  readonly row: number;
  readonly lastRow: number;
  /** Characters to read in the current row. */
  readonly chars: number;
  /** Whether the row is folded because it is equal in all lanes. */
  readonly isPassed: boolean;
  readonly onRow: (row: number) => void;
  /** Whether playback stops at the row. */
  readonly hasStop: (row: number) => boolean;
}

/** Plays row by row at a reading pace. Stops at a breakpoint and at the end. */
function usePlaying({ row, lastRow, chars, isPassed, onRow, hasStop }: Playing) {
  const [isPlaying, setPlaying] = useState(false);
  const speed = useInterface((state) => state.playSpeed);
  const isAtEnd = row >= lastRow;
  const isRunning = isPlaying && !isAtEnd;
  const step = useRef(() => {});
  useEffect(() => {
    step.current = () => {
      onRow(row + 1);
      if (hasStop(row + 1)) setPlaying(false);
    };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: restarts the timer for each row, even if it has the same length
  useEffect(() => {
    if (!isRunning) return;
    const wait = isPassed ? PASSING_MS / speed : readingMs(chars, speed);
    const timer = setTimeout(() => step.current(), wait);
    return () => clearTimeout(timer);
  }, [isRunning, row, chars, isPassed, speed]);
  return {
    isPlaying: isRunning,
    /** Starts again from the first row if playback is at the end. */
    flip: () => {
      if (isAtEnd && lastRow > 0) {
        onRow(0);
        setPlaying(true);
      } else setPlaying(!isRunning);
    },
  };
}
