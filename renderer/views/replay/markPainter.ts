/**
 * Paints marks with the CSS Custom Highlight API: ranges over the text that is there, never an element per
 * token. A text is marked once; scrolling only adds what was rendered since. Long rollouts are marked over
 * several frames, what is in sight first, so that no frame is blocked.
 */
import type { TextRange } from '../../../shared/domain/model.ts';
import { MARK_NAMES, type MarkName, marksIn, type TextMarks } from './textMarks.ts';

export interface PlacedText extends TextRange {
  readonly node: Text;
  readonly source: string | undefined;
}

/** What may be marked: a screen or two around what is in sight. */
const NEAR = '1000px 0px';

export interface NearSegments {
  /** Finds segments that have come into the page. */
  watch(): void;
  /** Texts of the segments that are near. */
  texts(): readonly PlacedText[];
  dispose(): void;
}

/** Thousands of ranges out of sight would slow down every frame, so segments are marked when one comes near them. */
export function createNearSegments(container: Element, onChange: () => void): NearSegments {
  const near = new Set<Element>();
  const watched = new WeakSet<Element>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) near.add(target);
        else near.delete(target);
      }
      onChange();
    },
    { root: container, rootMargin: NEAR },
  );
  return {
    watch() {
      for (const segment of container.querySelectorAll('[data-segment]')) {
        if (watched.has(segment)) continue;
        watched.add(segment);
        observer.observe(segment);
      }
    },
    texts: () => [...near].filter((segment) => segment.isConnected).flatMap(placedTexts),
    dispose: () => observer.disconnect(),
  };
}

/** Text nodes with the offsets of the `data-start` elements that hold them. */
export function placedTexts(container: Element): readonly PlacedText[] {
  const placed: PlacedText[] = [];
  for (const element of container.querySelectorAll<HTMLElement>('[data-start]')) {
    const node = element.firstChild;
    if (!(node instanceof Text)) continue;
    const start = Number(element.dataset.start);
    placed.push({ node, start, end: start + node.data.length, source: element.dataset.source });
  }
  return placed;
}

export function rangeIn(placed: PlacedText, range: TextRange): StaticRange {
  return new StaticRange({
    startContainer: placed.node,
    startOffset: Math.max(range.start, placed.start) - placed.start,
    endContainer: placed.node,
    endOffset: Math.min(range.end, placed.end) - placed.start,
  });
}

interface PaintedMark {
  readonly highlight: Highlight;
  readonly range: AbstractRange;
}

/** Of a frame; the browser needs the rest of its 16 ms. */
const SLICE_MS = 7;

export interface MarkPainter {
  /** Marks what is there; true when nothing is left to be marked. */
  paint(texts: readonly PlacedText[], whatIsInSight: () => number | undefined): boolean;
  dispose(): void;
}

export function createMarkPainter(marks: TextMarks): MarkPainter {
  const highlights = new Map<MarkName, Highlight>();
  const painted = new Map<Text, readonly PaintedMark[]>();
  MARK_NAMES.forEach((name, priority) => {
    const highlight = new Highlight();
    highlight.priority = priority;
    highlights.set(name, highlight);
    CSS.highlights.set(name, highlight);
  });

  const mark = (placed: PlacedText) => {
    const own: PaintedMark[] = [];
    if (placed.source === 'response') {
      for (const named of marksIn(placed, marks)) {
        const highlight = highlights.get(named.name);
        if (highlight === undefined) continue;
        const range = rangeIn(placed, named);
        highlight.add(range);
        own.push({ highlight, range });
      }
    }
    painted.set(placed.node, own);
  };

  return {
    paint(texts, whatIsInSight) {
      const present = new Set<Text>(texts.map((placed) => placed.node));
      for (const [node, own] of painted) {
        if (present.has(node)) continue;
        for (const { highlight, range } of own) highlight.delete(range);
        painted.delete(node);
      }
      const missing = texts.filter((placed) => !painted.has(placed.node));
      // Asking forces a layout, so it is asked only when there is something to mark.
      const near = missing.length > 1 ? whatIsInSight() : undefined;
      if (near !== undefined) {
        const distance = (placed: PlacedText) => Math.abs((placed.start + placed.end) / 2 - near);
        missing.sort((a, b) => distance(a) - distance(b));
      }
      const until = performance.now() + SLICE_MS;
      for (const placed of missing) {
        mark(placed);
        if (performance.now() > until) break;
      }
      return missing.every((placed) => painted.has(placed.node));
    },
    dispose() {
      for (const [name, highlight] of highlights) {
        // A later painter may have taken the name over.
        if (CSS.highlights.get(name) === highlight) CSS.highlights.delete(name);
      }
    },
  };
}
