/** Scrolls to positions in the rollout: a segment, a search hit, a token. */
import { type RefObject, useCallback, useMemo, useRef } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { replayText, type TurnView } from '../../data/segmentViews.ts';
import { foldKey, useInterface } from '../../state/interface.ts';
import { foldOf, isQuicklyDrawn } from './foldModel.ts';
import type { CurrentMark, TranscriptHandle } from './Transcript.tsx';
import type { Hit } from './text/findModel.ts';

/** Before a mark can be shown, React must commit an unfolded segment and the painter must set its highlights. */
const AFTER_PAINT_MS = 60;
/** Time for prose to come near the viewport, be observed and be rendered. */
const AFTER_RENDER_MS = 160;

interface RevealInput {
  readonly detail: RolloutDetail;
  readonly turns: readonly TurnView[];
  readonly transcript: RefObject<TranscriptHandle | null>;
  readonly setQuery: (changes: Readonly<Record<string, string | undefined>>) => void;
}

export function useReveal({ detail, turns, transcript, setQuery }: RevealInput) {
  const lastSegment = useRef(0);
  const { rolloutId } = detail.row;
  const views = useMemo(() => turns.flatMap((turn) => turn.segments), [turns]);

  const showSegment = useCallback(
    (index: number, fraction = 0) => {
      const segment = detail.segments[index];
      if (segment === undefined) return;
      lastSegment.current = index;
      setQuery({ turn: String(segment.turn) });
      // Waits until the turn has scrolled, which the URL change triggers.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => transcript.current?.showSegment(index, fraction)),
      );
    },
    [detail, setQuery, transcript],
  );

  const unfold = useCallback(
    (index: number) => {
      const view = views.find((one) => one.index === index);
      if (view === undefined) return;
      const { isRaw, flippedFolds, flipFold, setNotice } = useInterface.getState();
      const kind = view.segment.turn === 0 && view.segment.kind !== 'system' ? 'prompt' : view.segment.kind;
      const text = replayText(view, isRaw);
      if (!foldOf(text, kind).isFoldable || flippedFolds.has(foldKey(rolloutId, index))) return;
      if (isQuicklyDrawn(text)) flipFold(rolloutId, index);
      else setNotice('This part takes long to draw, so it stays folded. “Show all” draws it.');
    },
    [views, rolloutId],
  );

  const fractionOf = useCallback(
    (index: number, offset: number) => {
      const range = detail.segments[index]?.outer;
      return range === undefined ? 0 : (offset - range.start) / Math.max(1, range.end - range.start);
    },
    [detail],
  );

  const showHit = (hit: Hit) => {
    unfold(hit.segment);
    showSegment(hit.segment, fractionOf(hit.segment, hit.start));
    const mark: CurrentMark = 'find-current';
    setTimeout(() => {
      transcript.current?.showMark(mark);
      // Text that was far from the viewport is rendered and marked only now.
      setTimeout(() => {
        if (transcript.current?.isInSight(mark) === false) transcript.current.showMark(mark);
      }, AFTER_RENDER_MS);
    }, AFTER_PAINT_MS);
  };

  /** Called when the URL already has the token. Does not scroll if the token is visible. */
  const showToken = useCallback(
    (index: number, start: number) => {
      const mark: CurrentMark = 'token-current';
      unfold(index);
      lastSegment.current = index;
      transcript.current?.expectTurn(detail.segments[index]?.turn ?? 0);
      setTimeout(() => {
        const shown = transcript.current;
        if (shown === null || shown.isInSight(mark)) return;
        if (!shown.showMark(mark)) shown.showSegment(index, fractionOf(index, start));
        // Text that was far from the viewport is rendered only now, and may have moved the token.
        setTimeout(() => {
          if (transcript.current?.isInSight(mark) === false) transcript.current.showMark(mark);
        }, AFTER_RENDER_MS);
      }, AFTER_PAINT_MS);
    },
    [unfold, detail, fractionOf, transcript],
  );

  return { lastSegment, showSegment, showHit, showToken };
}
