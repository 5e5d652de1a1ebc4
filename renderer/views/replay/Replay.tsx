import { useCallback, useMemo, useRef, useState } from 'react';
import { Group, Panel, Separator } from 'react-resizable-panels';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { useCommands } from '../../app/commands.ts';
import { type Place, parentPlace, pathOfPlace } from '../../data/place.ts';
import { goTo, useUrlQuery } from '../../data/usePlace.ts';
import { foldKey, useInterface } from '../../state/interface.ts';
import { queryLeftAt } from '../../state/placeMemory.ts';
import { useIsDark } from '../../theme/useIsDark.ts';
import { readableText } from './callModel.ts';
import { FindBar } from './FindBar.tsx';
import type { Hit } from './findModel.ts';
import { foldOf } from './foldModel.ts';
import { Inspector } from './Inspector.tsx';
import { Outline } from './Outline.tsx';
import { layoutFor } from './paneLayout.ts';
import { RawRecord } from './RawRecord.tsx';
import { ReplayToolbar } from './ReplayToolbar.tsx';
import { nextCallSegment, nextTurn, type SegmentView, segmentAt, turnsOf } from './replayModel.ts';
import { Scrubber } from './Scrubber.tsx';
import { TokenReadout } from './TokenReadout.tsx';
import { Transcript, type TranscriptHandle } from './Transcript.tsx';
import { Transport } from './Transport.tsx';
import { useFind } from './useFind.ts';
import { useHeat } from './useHeat.ts';
import { usePlayback } from './usePlayback.ts';
import { useSiblings } from './useSiblings.ts';

interface ReplayProps {
  readonly place: Extract<Place, { view: 'rollout' }>;
  readonly detail: RolloutDetail;
}

/** React commits an unfolded segment and the painter its highlights before a hit can be shown. */
const AFTER_PAINT_MS = 60;

export function Replay({ place, detail }: ReplayProps) {
  const [query, setQuery] = useUrlQuery();
  const transcript = useRef<TranscriptHandle>(null);
  const pane = useRef<HTMLDivElement>(null);
  const lastSegment = useRef(0);
  const [isRecordOpen, setRecordOpen] = useState(false);
  const isFocused = useInterface((state) => state.isFocused);
  const isRaw = useInterface((state) => state.isRaw);
  const isHeatOn = useInterface((state) => state.isHeatOn);
  const isOutlineOpen = useInterface((state) => state.isOutlineOpen) && !isFocused;
  const isInspectorOpen = useInterface((state) => state.isInspectorOpen) && !isFocused;
  const layout = useInterface((state) => state.replayLayout);
  const setLayout = useInterface((state) => state.setReplayLayout);
  const { flip, flipFold } = useInterface.getState();
  const isDark = useIsDark();

  const turns = useMemo(() => turnsOf(detail), [detail]);
  const heat = useHeat(detail);
  const siblings = useSiblings(place, detail.row, detail.run);
  const { rolloutId } = detail.row;

  const asked = Number(query.get('turn') ?? Number.NaN);
  const turn = turns.some((view) => view.turn === asked) ? asked : (turns[0]?.turn ?? 0);
  const lastTurn = turns.at(-1)?.turn ?? 0;
  const readTurn = useCallback((next: number) => setQuery({ turn: String(next) }), [setQuery]);
  const goToTurn = (next: number) => {
    lastSegment.current = turns.find((view) => view.turn === next)?.segments[0]?.index ?? 0;
    setQuery({ turn: String(next) });
  };
  const step = (by: number) => goToTurn(nextTurn(turns, turn, by));
  const playback = usePlayback(turns, turn, () => step(1));

  const showSegment = (index: number, fraction = 0) => {
    const segment = detail.segments[index];
    if (segment === undefined) return;
    lastSegment.current = index;
    setQuery({ turn: String(segment.turn) });
    // After the turn's own scrolling, which the new URL sets off.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => transcript.current?.showSegment(index, fraction)),
    );
  };
  const goToCall = (direction: 1 | -1) => {
    const inTurn = detail.segments[lastSegment.current]?.turn === turn;
    const first = turns.find((view) => view.turn === turn)?.segments[0]?.index ?? 0;
    const from = inTurn ? lastSegment.current : direction === 1 ? first - 1 : first;
    const next = nextCallSegment(detail.toolCalls, from, direction);
    if (next !== undefined) showSegment(next);
  };
  const seek = (fraction: number) => {
    const offset = Math.floor(fraction * detail.response.length);
    const index = segmentAt(detail.segments, offset);
    const segment = index === undefined ? undefined : detail.segments[index];
    if (index === undefined || segment === undefined) return;
    const { start, end } = segment.outer;
    showSegment(index, end > start ? (offset - start) / (end - start) : 0);
  };
  const showHit = (hit: Hit) => {
    const view = turns.flatMap((one) => one.segments).find((one) => one.index === hit.segment);
    if (view === undefined) return;
    const kind = view.segment.turn === 0 && view.segment.kind !== 'system' ? 'prompt' : view.segment.kind;
    const isFolded =
      foldOf(isRaw ? view.outer : readableText(view), kind).isFoldable &&
      !useInterface.getState().flippedFolds.has(foldKey(rolloutId, hit.segment));
    if (isFolded) flipFold(rolloutId, hit.segment);
    const { start, end } = view.segment.outer;
    showSegment(hit.segment, (hit.start - start) / Math.max(1, end - start));
    setTimeout(() => transcript.current?.showCurrentHit(), AFTER_PAINT_MS);
  };
  const find = useFind(turns, showHit);

  const flipPlaying = () => {
    if (playback.isAtEnd) goToTurn(turns[0]?.turn ?? 0);
    playback.flip();
  };
  useCommands({
    'turn.next': () => step(1),
    'turn.previous': () => step(-1),
    'turn.first': () => goToTurn(turns[0]?.turn ?? 0),
    'turn.last': () => goToTurn(lastTurn),
    'call.next': () => goToCall(1),
    'call.previous': () => goToCall(-1),
    'sibling.next': () => siblings.go(1),
    'sibling.previous': () => siblings.go(-1),
    'hit.next': find.isOpen ? () => find.step(1) : undefined,
    'hit.previous': find.isOpen ? () => find.step(-1) : undefined,
    'search.focus': find.open,
    'play.flip': flipPlaying,
    'raw.flip': () => flip('isRaw'),
    'heat.flip': heat === undefined ? undefined : () => flip('isHeatOn'),
    'outline.flip': () => flip('isOutlineOpen'),
    'inspector.flip': () => flip('isInspectorOpen'),
    'record.show': () => setRecordOpen(true),
    'place.up': () => {
      const parent = parentPlace(place);
      if (find.isOpen) find.close();
      else if (playback.isPlaying) playback.pause();
      else if (isFocused) flip('isFocused');
      else if (parent !== undefined) goTo(parent, queryLeftAt(pathOfPlace(parent)));
    },
  });

  return (
    <div className="replay">
      <ReplayToolbar
        detail={detail}
        heat={heat}
        siblings={siblings}
        onFind={find.open}
        onShowRecord={() => setRecordOpen(true)}
      />
      <Group
        className="replay-panes"
        defaultLayout={layoutFor(layout, isOutlineOpen, isInspectorOpen)}
        onLayoutChanged={(next, meta) => meta.isUserInteraction && setLayout(next)}
      >
        {isOutlineOpen && (
          <>
            <Panel
              id="outline"
              defaultSize={232}
              minSize={150}
              maxSize={380}
              groupResizeBehavior="preserve-pixel-size"
            >
              <Outline
                turns={turns}
                turn={turn}
                onTurn={goToTurn}
                onSegment={(view: SegmentView) => showSegment(view.index)}
              />
            </Panel>
            <Separator className="pane-edge" />
          </>
        )}
        <Panel id="transcript" minSize={360}>
          <div className="transcript-pane" ref={pane}>
            {find.isOpen && (
              <FindBar
                query={find.query}
                hits={find.hits.length}
                current={find.index}
                field={find.field}
                onQuery={find.search}
                onStep={find.step}
                onClose={find.close}
              />
            )}
            <Transcript
              key={rolloutId}
              handle={transcript}
              turns={turns}
              rolloutId={rolloutId}
              turn={turn}
              isRaw={isRaw}
              answerSource={detail.answerSource}
              heat={isHeatOn ? heat : undefined}
              hits={find.hits}
              currentHit={find.currentHit}
              onReadTurn={readTurn}
            />
            {isHeatOn && heat !== undefined && <TokenReadout pane={pane} heat={heat} />}
          </div>
        </Panel>
        {isInspectorOpen && (
          <>
            <Separator className="pane-edge" />
            <Panel
              id="inspector"
              defaultSize={264}
              minSize={200}
              maxSize={460}
              groupResizeBehavior="preserve-pixel-size"
            >
              <Inspector detail={detail} heat={heat} onShowRecord={() => setRecordOpen(true)} />
            </Panel>
          </>
        )}
      </Group>
      <div className="dock">
        <Transport
          turn={turn}
          lastTurn={lastTurn}
          isPlaying={playback.isPlaying}
          onFirst={() => goToTurn(turns[0]?.turn ?? 0)}
          onLast={() => goToTurn(lastTurn)}
          onStep={step}
          onFlipPlaying={flipPlaying}
        />
        <Scrubber
          detail={detail}
          heat={heat}
          turn={turn}
          lastTurn={lastTurn}
          themeKey={isDark ? 'dark' : 'light'}
          onSeek={seek}
          onStep={step}
        />
      </div>
      {isRecordOpen && <RawRecord row={detail.row} isDark={isDark} onClose={() => setRecordOpen(false)} />}
    </div>
  );
}
