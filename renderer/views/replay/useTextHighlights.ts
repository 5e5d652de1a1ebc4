/**
 * Heat, overlays, search hits and the current token on the text that is there. The `data-start` elements
 * say where each text node stands in the rollout. Repainted when the transcript's content changes (folds,
 * blocks rendered late).
 */
import { type RefObject, useEffect } from 'react';
import type { TextRange } from '../../../shared/domain/model.ts';
import type { Hit } from './findModel.ts';
import {
  createMarkPainter,
  createNearSegments,
  type PlacedText,
  placedTexts,
  rangeIn,
} from './markPainter.ts';
import { MARK_NAMES, type TextMarks } from './textMarks.ts';

interface Repainting {
  soon(): void;
  stop(): void;
}

/**
 * Runs `paint` now and after every frame in which the content changed, until it is done. After a frame the layout
 * stands; within one, to ask where something is would lay everything out twice.
 */
function whileThere(element: Element, paint: () => boolean): Repainting {
  let frame = 0;
  let task: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    task = undefined;
    if (!paint()) soon();
  };
  const soon = () => {
    if (frame !== 0 || task !== undefined) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      task = setTimeout(run);
    });
  };
  run();
  const observer = new MutationObserver(soon);
  observer.observe(element, { childList: true, subtree: true });
  return {
    soon,
    stop() {
      observer.disconnect();
      cancelAnimationFrame(frame);
      clearTimeout(task);
    },
  };
}

function overlaps(placed: PlacedText, source: string, range: TextRange): boolean {
  return placed.source === source && range.start < placed.end && range.end > placed.start;
}

/** Hits are sorted within a source; texts are, too. */
function hitHighlight(texts: readonly PlacedText[], hits: readonly Hit[]): Highlight {
  const highlight = new Highlight();
  for (const source of ['prompt', 'response']) {
    const wanted = hits.filter((hit) => hit.source === source);
    let first = 0;
    for (const placed of texts) {
      if (placed.source !== source) continue;
      while ((wanted[first]?.end ?? Number.POSITIVE_INFINITY) <= placed.start) first += 1;
      for (let i = first; i < wanted.length; i += 1) {
        const hit = wanted[i];
        if (hit === undefined || hit.start >= placed.end) break;
        highlight.add(rangeIn(placed, hit));
      }
    }
  }
  return highlight;
}

/** Live ranges: the transcript asks them where they stand. */
function currentHighlight(texts: readonly PlacedText[], source: string, range: TextRange): Highlight {
  const highlight = new Highlight();
  for (const placed of texts) {
    if (!overlaps(placed, source, range)) continue;
    const part = rangeIn(placed, range);
    const live = new Range();
    live.setStart(part.startContainer, part.startOffset);
    live.setEnd(part.endContainer, part.endOffset);
    highlight.add(live);
  }
  return highlight;
}

function setHighlight(name: string, highlight: Highlight, priority: number): void {
  highlight.priority = MARK_NAMES.length + priority;
  CSS.highlights.set(name, highlight);
}

export function useTextHighlights(
  container: RefObject<HTMLElement | null>,
  marks: TextMarks | undefined,
  hits: readonly Hit[],
  currentHit: Hit | undefined,
  currentToken: TextRange | undefined,
): void {
  useEffect(() => {
    const element = container.current;
    if (element === null || marks === undefined || !('highlights' in CSS)) return;
    const painter = createMarkPainter(marks);
    const near = createNearSegments(element, () => repainting.soon());
    const repainting = whileThere(element, () => {
      near.watch();
      return painter.paint(near.texts());
    });
    const onScroll = () => repainting.soon();
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      element.removeEventListener('scroll', onScroll);
      near.dispose();
      repainting.stop();
      painter.dispose();
    };
  }, [container, marks]);

  useEffect(() => {
    const element = container.current;
    if (element === null || hits.length === 0 || !('highlights' in CSS)) return;
    const { stop } = whileThere(element, () => {
      const texts = placedTexts(element);
      setHighlight('find', hitHighlight(texts, hits), 1);
      setHighlight(
        'find-current',
        currentHit === undefined ? new Highlight() : currentHighlight(texts, currentHit.source, currentHit),
        2,
      );
      return true;
    });
    return () => {
      stop();
      CSS.highlights.delete('find');
      CSS.highlights.delete('find-current');
    };
  }, [container, hits, currentHit]);

  const start = currentToken?.start;
  const end = currentToken?.end;
  useEffect(() => {
    const element = container.current;
    if (element === null || start === undefined || end === undefined || !('highlights' in CSS)) return;
    const { stop } = whileThere(element, () => {
      setHighlight('token-current', currentHighlight(placedTexts(element), 'response', { start, end }), 3);
      return true;
    });
    return () => {
      stop();
      CSS.highlights.delete('token-current');
    };
  }, [container, start, end]);
}
