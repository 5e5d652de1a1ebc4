/** Brings places of the rollout into sight: a segment, a search hit, a token. */
import { type RefObject, useCallback, useMemo, useRef } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { readableText, type TurnView } from '../../data/segmentViews.ts';
import { foldKey, useInterface } from '../../state/interface.ts';
import { foldOf } from './foldModel.ts';
import type { CurrentMark, TranscriptHandle } from './Transcript.tsx';
import type { Hit } from './text/findModel.ts';

/** React commits an unfolded segment and the painter its highlights before a mark can be shown. */
const AFTER_PAINT_MS = 60;
/** Prose comes near, is observed and set. */
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
      // After the turn's own scrolling, which the new URL sets off.
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
      const { isRaw, flippedFolds, flipFold } = useInterface.getState();
      const kind = view.segment.turn === 0 && view.segment.kind !== 'system' ? 'prompt' : view.segment.kind;
      const { isFoldable } = foldOf(isRaw ? view.outer : readableText(view), kind);
      if (isFoldable && !flippedFolds.has(foldKey(rolloutId, index))) flipFold(rolloutId, index);
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
      // What was far away was not there at all, and is marked only now.
      setTimeout(() => {
        if (transcript.current?.isInSight(mark) === false) transcript.current.showMark(mark);
      }, AFTER_RENDER_MS);
    }, AFTER_PAINT_MS);
  };

  /** The URL has the token already. What can be read where it stands is not moved. */
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
        // Text that was far away is rendered only now, and may have moved it.
        setTimeout(() => {
          if (transcript.current?.isInSight(mark) === false) transcript.current.showMark(mark);
        }, AFTER_RENDER_MS);
      }, AFTER_PAINT_MS);
    },
    [unfold, detail, fractionOf, transcript],
  );

  return { lastSegment, showSegment, showHit, showToken };
}
