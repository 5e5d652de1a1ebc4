/** Per lane: what it knows and has used up to the current row. Read from the log; nothing is executed. */
import { memo, type ReactNode, useMemo, useState } from 'react';
import { isInsidePair } from '../../../../shared/domain/textUnits.ts';
import { type Watch as Watched, type WatchRow, watchOf } from '../../../../shared/domain/watch.ts';
import { keyed } from '../../../shell/keys/keysInForce.ts';
import { useInterface } from '../../../state/interface.ts';
import { count, counted } from '../../../ui/numbers.ts';
import type { Lane, PlayheadProps } from '../lanes/laneModel.ts';
import { turnAt, watchErrorKey } from './breakModel.ts';
import { useLaneSignals } from './useStops.ts';
import './debugger.css';
import { SourceText } from '../../../ui/SourceText.tsx';
import { useStages } from '../../../ui/useStages.ts';

/** With more lanes than this the values are stacked, since columns would be too narrow. */
const MOST_COLUMNS = 2;

export function Watch(props: PlayheadProps) {
  const { lanes, rows, row } = props;
  const { signals } = useLaneSignals(
    lanes,
    lanes.some(({ detail }) => detail.tokens?.isAligned === true),
  );
  const watched = useMemo(
    () => lanes.map((lane, i) => watchedLane(lane, signals[i]?.ends)),
    [lanes, signals],
  );
  if (lanes.length === 0) return <p className="muted debug-note">Nothing to watch.</p>;
  const states = lanes.map((lane, i) => {
    const turn = turnAt(rows, i, row);
    const watch = watched[i];
    const isHere = turn !== undefined && rows[row]?.turns[i] === turn;
    return { lane, turn, isHere, watch, now: watch?.rows.find((one) => one.turn === turn) };
  });
  const isStacked = lanes.length > MOST_COLUMNS;
  return (
    <div className="debug-panel">
      <table className={isStacked ? 'watch is-stacked' : 'watch'} aria-label="Watch">
        {!isStacked && (
          <thead>
            <tr>
              <th scope="col">
                <span className="visually-hidden">what</span>
              </th>
              {states.map((state) => (
                <th key={state.lane.index} scope="col">
                  <LaneTurn {...state} />
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {isStacked && (
            <Fact label="turn" hint="Current turn of each lane" states={states}>
              {(state) => <LaneTurn {...state} isBare />}
            </Fact>
          )}
          <Fact label="answer" hint="The last \boxed{…} the policy has written so far" states={states}>
            {({ now }) =>
              now?.answer !== undefined && (
                <>
                  <Short text={now.answer} />
                  {now.isAnswerNew && <em className="watch-new">new</em>}
                </>
              )
            }
          </Fact>
          <Fact label="printed" hint="Last tool output, as logged" states={states}>
            {({ now }) =>
              now?.printed !== undefined && (
                <>
                  <Short text={now.printed} />
                  {now.isPrintedNew && <em className="watch-new">new</em>}
                </>
              )
            }
          </Fact>
          <Fact
            label="errors"
            hint={keyed('What the failed calls of this turn answered, as logged', 'error.flip')}
            states={states}
          >
            {({ lane, now }) =>
              now !== undefined &&
              now.errors.length > 0 && (
                <ul className="watch-names">
                  {now.errors.map((text, i) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the errors of a turn never reorder
                    <li key={i}>
                      <ErrorText text={text} stretch={watchErrorKey(lane.path, now.turn)} />
                    </li>
                  ))}
                </ul>
              )
            }
          </Fact>
          <Fact label="assigned" hint="Names assigned by code cells of this turn, as written" states={states}>
            {({ now }) =>
              now !== undefined &&
              now.assigned.length > 0 && (
                <ul className="watch-names">
                  {now.assigned.map(({ name, source }, i) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the names of a turn never reorder
                    <li key={i}>
                      <Short text={source === undefined ? name : `${name} = ${source}`} />
                    </li>
                  ))}
                </ul>
              )
            }
          </Fact>
          <Fact label="failed calls" hint="Tool calls that failed, of all so far" states={states}>
            {({ now }) =>
              now !== undefined && (
                <span title={`${counted(now.toolErrors, 'failed call')} of ${now.toolCalls} so far`}>
                  <b className={now.toolErrors > 0 ? 'is-wrong' : undefined}>{count(now.toolErrors)}</b> of{' '}
                  {count(now.toolCalls)}
                </span>
              )
            }
          </Fact>
          <Fact
            label="length so far"
            hint="Length of the response by the end of this turn, with tool responses, and the configured limit"
            states={states}
          >
            {({ now, watch }) => now !== undefined && <Spent now={now} limit={watch?.maxResponseTokens} />}
          </Fact>
        </tbody>
      </table>
      <p className="dim debug-note">
        Values are read from the log at the end of each turn. Turnwise runs no code.
      </p>
    </div>
  );
}

function watchedLane({ detail }: Lane, tokenEnds: Uint32Array | undefined): Watched {
  const { response, segments, toolCalls, turns, maxResponseTokens } = detail;
  return watchOf({
    response,
    segments,
    toolCalls,
    turns: turns.length,
    ...(tokenEnds === undefined ? {} : { tokenEnds }),
    ...(maxResponseTokens === undefined ? {} : { maxResponseTokens }),
  });
}

interface LaneState {
  /** Whether the value is from the current row. Otherwise it is from the last turn before it. */
  readonly isHere: boolean;
  readonly lane: Lane;
  readonly turn: number | undefined;
  readonly watch: Watched | undefined;
  readonly now: WatchRow | undefined;
}

interface FactProps {
  readonly label: string;
  readonly hint: string;
  readonly states: readonly LaneState[];
  readonly children: (state: LaneState) => ReactNode;
}

function Fact({ label, hint, states, children }: FactProps) {
  if (states.length <= MOST_COLUMNS)
    return (
      <tr>
        <th scope="row" title={hint}>
          {label}
        </th>
        {states.map((state) => (
          <td key={state.lane.index}>{children(state)}</td>
        ))}
      </tr>
    );
  const contents = states.map(children);
  // Four empty cells need only one blank line.
  const isBlank = contents.every((content) => content === undefined || content === false);
  if (isBlank)
    return (
      <tr className="is-last">
        <th scope="row" title={hint}>
          {label}
        </th>
        <td />
      </tr>
    );
  return states.map((state, i) => (
    <tr key={state.lane.index} className={i === states.length - 1 ? 'is-last' : undefined}>
      <th scope="row" title={hint}>
        {i === 0 ? label : <span className="visually-hidden">{label}</span>} <b>{state.lane.letter}</b>
      </th>
      <td>{contents[i]}</td>
    </tr>
  ));
}

interface LaneTurnProps extends LaneState {
  readonly isBare?: boolean;
}

function LaneTurn({ lane, turn, isHere, isBare }: LaneTurnProps) {
  return (
    <>
      {!isBare && <b>{lane.letter} </b>}
      <span
        className={isHere ? undefined : 'dim'}
        title={isHere ? undefined : 'Its last turn before this row'}
      >
        {turn === undefined ? 'not started' : `${isHere ? '' : 'after '}turn ${turn}`}
      </span>
    </>
  );
}

/** Length of a shortened value, UTF-16 units. */
const SHORT = 90;

function Short({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  return <ShortText text={text} isWhole={isWhole} onFlip={() => setWhole(!isWhole)} />;
}

/** @param stretch key in the store, which a command flips, too */
function ErrorText({ text, stretch }: { readonly text: string; readonly stretch: string }) {
  const isWhole = useInterface((state) => state.flippedStretches.has(stretch));
  const flip = useInterface((state) => state.flipStretch);
  return <ShortText text={text} isWhole={isWhole} onFlip={() => flip(stretch)} />;
}

interface ShortTextProps {
  readonly text: string;
  readonly isWhole: boolean;
  readonly onFlip: () => void;
}

/** Shortens a long text and shows its length. A click expands it. */
function ShortText({ text, isWhole, onFlip }: ShortTextProps) {
  if (text.length <= SHORT)
    return (
      <span className="watch-value mono">
        <bdi>
          <SourceText text={text} />
        </bdi>
      </span>
    );
  return (
    <button
      type="button"
      className="watch-value mono"
      aria-expanded={isWhole}
      title={isWhole ? 'Show less' : 'Show all'}
      onClick={onFlip}
    >
      <bdi>{isWhole ? <WholeText text={text} /> : <SourceText text={text.slice(0, SHORT)} />}</bdi>
      {!isWhole && <span className="dim"> … {count(text.length)} chars</span>}
    </button>
  );
}

/** UTF-16 units of a part. */
const PART = 3_000;
const TextPart = memo(SourceText);

/** Parts are cut at line ends if there are any, and rendered one after the other. */
function WholeText({ text }: { readonly text: string }) {
  const parts = useMemo(() => {
    const found: string[] = [];
    for (let start = 0; start < text.length; ) {
      const limit = start + PART;
      const newline = limit < text.length ? text.lastIndexOf('\n', limit) : -1;
      const end = newline > start ? newline + 1 : isInsidePair(text, limit) ? limit + 1 : limit;
      found.push(text.slice(start, end));
      start = end;
    }
    return found;
  }, [text]);
  const stage = useStages(parts.length);
  return parts.slice(0, stage).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one immutable text never reorder
    <span key={i} className="watch-part">
      <TextPart text={part} />
    </span>
  ));
}

function Spent({ now, limit }: { readonly now: WatchRow; readonly limit: number | undefined }) {
  const { tokensSpent, charsSpent } = now;
  if (tokensSpent === undefined)
    return (
      <span title="Tokens are not logged or not placed on the text, so characters are shown">
        {count(charsSpent)} <span className="dim">chars, tokens unknown</span>
      </span>
    );
  if (limit === undefined)
    return (
      <span title="No limit is known">
        {count(tokensSpent)} <span className="dim">tokens</span>
      </span>
    );
  const share = Math.min(1, tokensSpent / Math.max(1, limit));
  return (
    <span title={`${count(tokensSpent)} of ${counted(limit, 'token')} at most, as configured`}>
      {count(tokensSpent)} <span className="dim">of {count(limit)} tokens</span>
      <span className="spent-bar" aria-hidden="true">
        <i style={{ width: `${share * 100}%` }} />
      </span>
    </span>
  );
}
