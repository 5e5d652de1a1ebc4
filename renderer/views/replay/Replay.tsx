import { useCallback, useMemo, useRef, useState } from 'react';
import { Group, Panel, Separator } from 'react-resizable-panels';
import type { RolloutDetail, StoredContinuations } from '../../../shared/api/contract.ts';
import type { ToolCall } from '../../../shared/domain/model.ts';
import { type PolicyValue, valuesByPolicy } from '../../../shared/domain/valueByTurn.ts';
import { readList } from '../../data/rolloutListLink.ts';
import { pathOfRoute, type Route } from '../../data/route.ts';
import { type SegmentView, turnsOf } from '../../data/segmentViews.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { useCompareCommand } from '../../shell/compareSet.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { foldKey, useInterface } from '../../state/interface.ts';
import { useIsDark } from '../../theme/theme.ts';
import { useRerunCommands } from '../../widgets/rerun/Reruns.tsx';
import { ContextPane } from './ContextPane.tsx';
import { failedResponses } from './foldModel.ts';
import { InspectorPane } from './InspectorPane.tsx';
import { QueueBar } from './labels/QueueBar.tsx';
import { leaveRollout, siblingSearch, useReview } from './labels/useReview.ts';
import { Outline } from './Outline.tsx';
import { RawRecord } from './RawRecord.tsx';
import { ReplayText } from './ReplayText.tsx';
import { ReplayToolbar } from './ReplayToolbar.tsx';
import { Scrubber, stripLegend } from './Scrubber.tsx';
import type { TranscriptHandle } from './Transcript.tsx';
import { Transport, usePlayback } from './Transport.tsx';
import type { Hit } from './text/findModel.ts';
import { isFailedCall, nextCallSegment, nextTurn, segmentAt } from './text/replayModel.ts';
import { PositionBar } from './tokens/PositionBar.tsx';
import { useSegmentMeans } from './tokens/segmentMeans.ts';
import { TokenBar } from './tokens/TokenBar.tsx';
import { useHeat } from './tokens/useHeat.ts';
import { useLexicon } from './tokens/useLexicon.ts';
import { usePositions } from './tokens/usePositions.ts';
import { useTokenCursor } from './tokens/useTokenCursor.ts';
import { useFind } from './useFind.ts';
import { layoutFor, usePanes } from './usePanes.ts';
import { useReveal } from './useReveal.ts';
import { useSearchHits } from './useSearchHits.ts';
import { useSiblings } from './useSiblings.ts';
import './labels/labels.css';

interface ReplayProps {
  readonly route: Extract<Route, { view: 'rollout' }>;
  readonly detail: RolloutDetail;
}

export function Replay({ route, detail }: ReplayProps) {
  const [query, setQuery] = useUrlQuery();
  const transcript = useRef<TranscriptHandle>(null);
  const [isRecordOpen, setRecordOpen] = useState(false);
  const isFocused = useInterface((state) => state.isFocused);
  const isContextOpen = query.has('context') && !isFocused;
  const { isOutlineOpen, isInspectorOpen, flipOutline } = usePanes(isContextOpen);
  const layout = useInterface((state) => state.replayLayout);
  const setLayout = useInterface((state) => state.setReplayLayout);
  const { flip } = useInterface.getState();
  const isRaw = useInterface((state) => state.isRaw);
  const isDark = useIsDark();

  const turns = useMemo(() => turnsOf(detail), [detail]);
  const heatState = useHeat(detail);
  const { heat } = heatState;
  const siblings = useSiblings(route, detail.row, detail.run, {
    search: siblingSearch(query),
    // The list's filter may reveal how the rollout was judged, so a blind review ignores it.
    list: query.has('queue') ? undefined : readList(query.get('list')),
  });

  const asked = Number(query.get('turn') ?? Number.NaN);
  const turn = turns.some((view) => view.turn === asked) ? asked : (turns[0]?.turn ?? 0);
  const lastTurn = turns.at(-1)?.turn ?? 0;
  const readTurn = useCallback((next: number) => setQuery({ turn: String(next) }), [setQuery]);
  const { lastSegment, showSegment, showHit, showToken } = useReveal({ detail, turns, transcript, setQuery });
  const goToTurn = (next: number) => {
    lastSegment.current = turns.find((view) => view.turn === next)?.segments[0]?.index ?? 0;
    setQuery({ turn: String(next) });
  };
  /** The inspector takes the place of the context. */
  const flipInspector = () => {
    if (isContextOpen) setQuery({ context: undefined });
    if (!isContextOpen || !useInterface.getState().isInspectorOpen) flip('isInspectorOpen');
  };
  const step = (by: number) => goToTurn(nextTurn(turns, turn, by));
  const playback = usePlayback(turns, turn, () => step(1));

  const goToCall = (direction: 1 | -1, calls: readonly ToolCall[] = detail.toolCalls) => {
    const inTurn = detail.segments[lastSegment.current]?.turn === turn;
    const first = turns.find((view) => view.turn === turn)?.segments[0]?.index ?? 0;
    const from = inTurn ? lastSegment.current : direction === 1 ? first - 1 : first;
    const next = nextCallSegment(calls, from, direction);
    if (next !== undefined) showSegment(next);
    return next !== undefined;
  };
  const goToFailure = (direction: 1 | -1) => {
    const failed = detail.toolCalls.filter(isFailedCall);
    if (goToCall(direction, failed)) return;
    const where = failed.length === 0 ? '' : direction === 1 ? ' below' : ' above';
    useInterface.getState().setNotice(`No failed tool call${where}`);
  };
  const seek = (fraction: number) => {
    const offset = Math.floor(fraction * detail.response.length);
    const index = segmentAt(detail.segments, offset);
    const segment = index === undefined ? undefined : detail.segments[index];
    if (index === undefined || segment === undefined) return;
    const { start, end } = segment.outer;
    showSegment(index, end > start ? (offset - start) / (end - start) : 0);
  };
  const linked = useSearchHits({ detail, turns, query, setQuery, onHit: showHit });
  const find = useFind(turns, showHit, linked);
  const { pointed, point, unpoint } = usePointed(detail.row.rolloutId, showHit);
  const means = useSegmentMeans(detail, heat);
  const cursor = useTokenCursor({ detail, heat, means, turn, query, setQuery, onShow: showToken });
  const { labelling, queue, isBlind } = useReview(detail, turn, query.get('queue'), cursor.spanRange);
  const { stored, value } = useValue(isBlind ? undefined : detail.row.rolloutId);
  const listed = usePositions({ route, detail, query, setQuery, onToken: cursor.go });
  // A review queue has an order of its own.
  const positions = queue === undefined ? listed : undefined;
  const lexicon = useLexicon(detail, heat);
  const flipContext = () => setQuery({ context: isContextOpen ? undefined : '1' });
  const { length } = detail.response;
  const isOnText = heat?.ends !== undefined;
  const hasTokens = heat !== undefined && !heat.isConstant;
  const fractionOf = (token: number) => (length === 0 ? 0 : (heat?.ends?.[token] ?? 0) / length);

  const stepHit = (direction: 1 | -1) => {
    if (find.isOpen) return () => find.step(direction);
    if (positions !== undefined) return () => positions.step(direction);
    return hasTokens ? () => cursor.stepHigh(direction) : undefined;
  };
  const flipErrors = () => {
    const { flippedFolds, flipFold, setNotice } = useInterface.getState();
    const { rolloutId } = detail.row;
    const failed = failedResponses(
      turns.find((view) => view.turn === turn),
      isRaw,
    );
    const folded = failed.filter(({ index }) => !flippedFolds.has(foldKey(rolloutId, index)));
    if (failed.length === 0) setNotice('No error is shortened in this turn');
    for (const { index } of folded.length > 0 ? folded : failed) flipFold(rolloutId, index);
    const [first] = folded;
    if (first !== undefined) showSegment(first.index);
  };
  const flipPlaying = () => {
    if (playback.isAtEnd) goToTurn(turns[0]?.turn ?? 0);
    playback.flip();
  };
  useRerunCommands(detail.row.rolloutId, turn);
  useCompareCommand(() => (isBlind ? undefined : pathOfRoute(route)));
  useCommands({
    'turn.next': () => step(1),
    'turn.previous': () => step(-1),
    'turn.continue':
      turn === 0
        ? undefined
        : () =>
            useInterface.getState().showDialog({
              ...{ kind: 'continue', rolloutId: detail.row.rolloutId },
              position: { kind: 'turn', turn, at: 'start' },
            }),
    'rollout.value': isBlind
      ? undefined
      : () => useInterface.getState().showDialog({ kind: 'value', rolloutId: detail.row.rolloutId }),
    'turn.first': () => goToTurn(turns[0]?.turn ?? 0),
    'turn.last': () => goToTurn(lastTurn),
    'call.next': () => void goToCall(1),
    'call.previous': () => void goToCall(-1),
    'failure.next': () => goToFailure(1),
    'failure.previous': () => goToFailure(-1),
    'sibling.next': () => siblings.go(1),
    'sibling.previous': () => siblings.go(-1),
    'hit.next': stepHit(1),
    'hit.previous': stepHit(-1),
    'reflection.next': isOnText ? () => cursor.stepReflection(1) : undefined,
    'reflection.previous': isOnText ? () => cursor.stepReflection(-1) : undefined,
    'token.next': hasTokens ? () => cursor.stepToken(1) : undefined,
    'token.previous': hasTokens ? () => cursor.stepToken(-1) : undefined,
    'search.focus': find.open,
    'error.flip': flipErrors,
    'play.flip': flipPlaying,
    'raw.flip': () => flip('isRaw'),
    'heat.flip': heat === undefined ? undefined : () => flip('isHeatOn'),
    'outline.flip': flipOutline,
    'inspector.flip': flipInspector,
    'context.flip': flipContext,
    'record.show': isBlind ? undefined : () => setRecordOpen(true),
    'place.up': () => {
      if (find.isOpen) find.close();
      else if (pointed !== undefined) unpoint();
      else if (playback.isPlaying) playback.pause();
      else if (cursor.span !== undefined) cursor.setSpan(undefined);
      else if (cursor.token !== undefined) cursor.clear();
      else if (isFocused) flip('isFocused');
      else if (isContextOpen) flipContext();
      else leaveRollout(route, queue?.link);
    },
  });

  return (
    <div className="replay">
      <ReplayToolbar
        detail={detail}
        siblings={siblings}
        isBlind={isBlind}
        onFind={find.open}
        isContextOpen={isContextOpen}
        onFlipContext={flipContext}
        onFlipInspector={flipInspector}
        onShowRecord={() => setRecordOpen(true)}
      />
      {queue !== undefined && <QueueBar queue={queue} onLeave={() => setQuery({ queue: undefined })} />}
      {positions !== undefined && <PositionBar positions={positions} />}
      <TokenBar detail={detail} state={heatState} means={means} lexicon={lexicon} cursor={cursor} />
      <Group
        className="replay-panes"
        defaultLayout={layoutFor(layout, {
          outline: isOutlineOpen,
          context: isContextOpen,
          inspector: isInspectorOpen,
        })}
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
            <Separator className="pane-edge" aria-label="Width of the outline" />
          </>
        )}
        <Panel id="transcript" minSize={360}>
          <ReplayText
            detail={detail}
            turns={turns}
            turn={turn}
            heat={heat}
            value={value}
            sampled={stored?.positions}
            isBlind={isBlind}
            means={means}
            lexicon={lexicon}
            labelling={labelling}
            find={find}
            pointed={pointed}
            cursor={cursor}
            transcript={transcript}
            onReadTurn={readTurn}
          />
        </Panel>
        {isContextOpen && (
          <>
            <Separator className="pane-edge" aria-label="Width of the context" />
            <Panel
              id="context"
              defaultSize={440}
              minSize={300}
              maxSize={760}
              groupResizeBehavior="preserve-pixel-size"
            >
              <ContextPane detail={detail} heat={heat} turn={turn} onShow={showHit} onClose={flipContext} />
            </Panel>
          </>
        )}
        {isInspectorOpen && (
          <>
            <Separator className="pane-edge" aria-label="Width of the inspector" />
            <Panel
              id="inspector"
              defaultSize={264}
              minSize={200}
              maxSize={460}
              groupResizeBehavior="preserve-pixel-size"
            >
              <InspectorPane
                detail={detail}
                heat={heat}
                cursor={cursor}
                means={means}
                labelling={labelling}
                isBlind={isBlind}
                onShow={point}
                onShowRecord={() => setRecordOpen(true)}
              />
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
          legend={stripLegend(heat, value)}
        />
        <Scrubber
          detail={detail}
          heat={heat}
          value={value}
          turn={turn}
          lastTurn={lastTurn}
          themeKey={isDark ? 'dark' : 'light'}
          onSeek={seek}
          onStep={step}
          onBrush={cursor.brush}
          selected={
            cursor.span === undefined
              ? undefined
              : { from: fractionOf(cursor.span.from - 1), to: fractionOf(cursor.span.to) }
          }
          labels={labelling.marks}
          tokenAt={cursor.range === undefined || length === 0 ? undefined : cursor.range.start / length}
        />
      </div>
      {isRecordOpen && (
        <RawRecord
          row={detail.row}
          unit={detail.record.unit}
          isDark={isDark}
          onClose={() => setRecordOpen(false)}
        />
      )}
    </div>
  );
}

/** The span that the inspector last pointed at: evidence of a flag, a finding, the outcome. Marked until Escape. */
function usePointed(rolloutId: number, show: (hit: Hit) => void) {
  const [last, setLast] = useState<{ readonly rolloutId: number; readonly hit: Hit }>();
  return {
    pointed: last?.rolloutId === rolloutId ? last.hit : undefined,
    point: (hit: Hit) => {
      setLast({ rolloutId, hit });
      show(hit);
    },
    unpoint: () => setLast(undefined),
  };
}

interface StoredValue {
  readonly stored: StoredContinuations | undefined;
  /** The value by the policy with the most continuations. Absent: nothing was sampled from the ends of turns. */
  readonly value: PolicyValue | undefined;
}

/**
 * The stored continuations of a rollout, and its value by turn.
 * @param rolloutId undefined in a blind review, because the values show how the rollout ended
 */
function useValue(rolloutId: number | undefined): StoredValue {
  const params = rolloutId === undefined ? undefined : { rolloutIds: [rolloutId] };
  const stored = useRequest('sampling.stored', params).data?.[0];
  const value = useMemo(() => (stored === undefined ? undefined : valuesByPolicy(stored)[0]), [stored]);
  return { stored, value };
}
