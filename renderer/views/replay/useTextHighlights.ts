/**
 * Highlights heat, overlays, search hits and the current token in the rendered text. The `data-start` elements give
 * each text node's offset in the rollout. Repaints when the transcript's content changes (folds, blocks rendered
 * late).
 */
import { type RefObject, useEffect } from 'react';
import type { TextRange } from '../../../shared/domain/model.ts';
import type { Hit } from './text/findModel.ts';
import {
  createMarkPainter,
  createNearSegments,
  FORMULAS,
  formulaRange,
  type PlacedText,
  placedTexts,
  rangeIn,
} from './text/markPainter.ts';
import { MARK_NAMES, type TextMarks } from './text/textMarks.ts';

interface Repainting {
  soon(): void;
  stop(): void;
}

/**
 * Runs `paint` now and after every frame in which the content changed, until it is done. It runs after the frame,
 * because measuring within one would force a second layout.
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

/** Both the hits and the texts are sorted by offset within a source. */
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

/** Uses live ranges, since the transcript reads their boxes. A range in a formula covers the whole formula. */
function currentHighlight(
  container: Element,
  texts: readonly PlacedText[],
  source: string,
  range: TextRange,
): Highlight {
  const highlight = new Highlight();
  for (const element of source === 'response' ? container.querySelectorAll<HTMLElement>(FORMULAS) : []) {
    const own = formulaRange(element);
    if (own === undefined || own.start >= range.end || own.end <= range.start) continue;
    const whole = new Range();
    whole.selectNodeContents(element);
    highlight.add(whole);
  }
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

/**
 * Outlines the first line of the current token, since a background would hide its heat. Leaves out leading white
 * space, as heat does.
 */
function placeOutline(container: Element, outline: HTMLElement | null, range: Range | undefined): void {
  if (outline === null) return;
  const box = range === undefined ? undefined : inkOf(range).getClientRects()[0];
  outline.hidden = box === undefined || box.height === 0;
  if (box === undefined || outline.hidden) return;
  const origin = container.getBoundingClientRect();
  outline.style.left = `${box.left - origin.left}px`;
  outline.style.top = `${box.top - origin.top + container.scrollTop}px`;
  outline.style.width = `${box.width}px`;
  outline.style.height = `${box.height}px`;
}

/** The range without its leading white space, unless it contains nothing else. */
function inkOf(range: Range): Range {
  if (!(range.startContainer instanceof Text) || range.startContainer !== range.endContainer) {
    const { commonAncestorContainer } = range;
    const whole = new Range();
    if (commonAncestorContainer instanceof Element) whole.selectNode(commonAncestorContainer);
    return commonAncestorContainer instanceof Element ? whole : range;
  }
  const text = range.startContainer.data.slice(range.startOffset, range.endOffset);
  const ink = range.cloneRange();
  const space = text.length - text.trimStart().length;
  if (space < text.length) ink.setStart(range.startContainer, range.startOffset + space);
  return ink;
}

export function useTextHighlights(
  container: RefObject<HTMLElement | null>,
  marks: TextMarks | undefined,
  hits: readonly Hit[],
  currentHit: Hit | undefined,
  currentToken: TextRange | undefined,
  outline: RefObject<HTMLElement | null>,
): void {
  useEffect(() => {
    const element = container.current;
    if (element === null || marks === undefined || !('highlights' in CSS)) return;
    const painter = createMarkPainter(marks);
    const near = createNearSegments(element, () => repainting.soon());
    const repainting = whileThere(element, () => {
      near.watch();
      return painter.paint(near.texts(), near.formulas());
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
        currentHit === undefined
          ? new Highlight()
          : currentHighlight(element, texts, currentHit.source, currentHit),
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
    const repainting = whileThere(element, () => {
      const current = currentHighlight(element, placedTexts(element), 'response', { start, end });
      setHighlight('token-current', current, 3);
      const [range] = current;
      placeOutline(element, outline.current, range instanceof Range ? range : undefined);
      return true;
    });
    // Content above may grow while it renders, without adding or removing nodes.
    const sizes = new ResizeObserver(() => repainting.soon());
    sizes.observe(element);
    element.addEventListener('scroll', repainting.soon, { passive: true });
    return () => {
      element.removeEventListener('scroll', repainting.soon);
      sizes.disconnect();
      repainting.stop();
      CSS.highlights.delete('token-current');
      placeOutline(element, outline.current, undefined);
    };
  }, [container, outline, start, end]);
}
