/**
 * Paints marks with the CSS Custom Highlight API, which needs ranges only and no element per token. A text is marked
 * once; scrolling adds only newly rendered texts. Long rollouts are marked over several frames, visible texts first,
 * so that no frame is blocked.
 */
import type { TextRange } from '../../../../shared/domain/model.ts';
import {
  formulaMark,
  labelMarksIn,
  MARK_NAMES,
  type MarkName,
  marksIn,
  type TextMarks,
} from './textMarks.ts';

/** The range of the response that a formula element represents. */
export function formulaRange(element: HTMLElement): TextRange | undefined {
  const { formulaStart, formulaEnd, source } = element.dataset;
  if (source !== 'response' || formulaStart === undefined || formulaEnd === undefined) return undefined;
  return { start: Number(formulaStart), end: Number(formulaEnd) };
}

export const FORMULAS = '[data-formula-start]';

export interface PlacedText extends TextRange {
  readonly node: Text;
  readonly source: string | undefined;
}

/** Only texts within about a screen of the viewport are marked, since every range slows down every frame. */
const NEAR: Pixels = 1000;
type Pixels = number;

export interface NearSegments {
  /** Observes segments that were added to the DOM. */
  watch(): void;
  /** Texts near the viewport, visible ones first. Measures elements, so call it when layout is up to date. */
  texts(): readonly PlacedText[];
  formulas(): readonly HTMLElement[];
  dispose(): void;
}

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
    { root: container, rootMargin: `${NEAR}px 0px` },
  );
  return {
    watch() {
      for (const segment of container.querySelectorAll('[data-segment]')) {
        if (watched.has(segment)) continue;
        watched.add(segment);
        observer.observe(segment);
      }
    },
    texts() {
      const { top, bottom } = container.getBoundingClientRect();
      const placed = [...near]
        .filter((segment) => segment.isConnected)
        .sort(inPageOrder)
        .flatMap(placedTexts);
      const inSight = textsBetween(placed, top, bottom);
      const isInSight = new Set(inSight);
      return [
        ...inSight,
        ...textsBetween(placed, top - NEAR, bottom + NEAR).filter((one) => !isInSight.has(one)),
      ];
    },
    formulas: () => [...near].flatMap((segment) => [...segment.querySelectorAll<HTMLElement>(FORMULAS)]),
    dispose: () => observer.disconnect(),
  };
}

/** Restores page order, since the observer reports segments in any order. */
function inPageOrder(a: Element, b: Element): number {
  return a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

/** Texts are in page order, so a binary search finds them and few need to be measured. */
function textsBetween(texts: readonly PlacedText[], top: Pixels, bottom: Pixels): readonly PlacedText[] {
  const boxOf = (at: number) => texts[at]?.node.parentElement?.getBoundingClientRect();
  const first = firstWhere(texts.length, (at) => (boxOf(at)?.bottom ?? top) >= top);
  const last = firstWhere(texts.length, (at) => (boxOf(at)?.top ?? bottom) > bottom);
  return texts.slice(first, last);
}

/** Binary search for the first index at which `isPast` holds. It must hold for all later indices. */
function firstWhere(length: number, isPast: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isPast(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Text nodes inside `data-start` elements, with their offsets. */
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

/** Milliseconds per frame. The browser needs the rest of its 16 ms. */
const SLICE_MS = 7;

export interface MarkPainter {
  /** Marks the given texts in order, until the time is up. Returns true when nothing is left to mark. */
  paint(texts: readonly PlacedText[], formulas: readonly HTMLElement[]): boolean;
  dispose(): void;
}

export function createMarkPainter(marks: TextMarks): MarkPainter {
  const highlights = new Map<MarkName, Highlight>();
  const painted = new Map<Text, readonly PaintedMark[]>();
  const marked = new Set<HTMLElement>();
  MARK_NAMES.forEach((name, priority) => {
    const highlight = new Highlight();
    highlight.priority = priority;
    highlights.set(name, highlight);
    CSS.highlights.set(name, highlight);
  });

  const mark = (placed: PlacedText) => {
    const own: PaintedMark[] = [];
    const onResponse = placed.source === 'response' ? marksIn(placed, marks) : [];
    for (const named of [...onResponse, ...labelMarksIn(placed, marks.labels)]) {
      const highlight = highlights.get(named.name);
      if (highlight === undefined) continue;
      const range = rangeIn(placed, named);
      highlight.add(range);
      own.push({ highlight, range });
    }
    painted.set(placed.node, own);
  };

  return {
    paint(texts, formulas) {
      for (const formula of marked) if (!formula.isConnected) marked.delete(formula);
      for (const formula of formulas) {
        if (marked.has(formula)) continue;
        const range = formulaRange(formula);
        const name = range === undefined ? undefined : formulaMark(range, marks);
        if (name !== undefined) formula.dataset.heat = name;
        marked.add(formula);
      }
      const present = new Set<Text>(texts.map((placed) => placed.node));
      for (const [node, own] of painted) {
        if (present.has(node)) continue;
        for (const { highlight, range } of own) highlight.delete(range);
        painted.delete(node);
      }
      const missing = texts.filter((placed) => !painted.has(placed.node));
      const until = performance.now() + SLICE_MS;
      for (const placed of missing) {
        mark(placed);
        if (performance.now() > until) break;
      }
      return missing.every((placed) => painted.has(placed.node));
    },
    dispose() {
      for (const formula of marked) delete formula.dataset.heat;
      for (const [name, highlight] of highlights) {
        // A later painter may have registered the same name.
        if (CSS.highlights.get(name) === highlight) CSS.highlights.delete(name);
      }
    },
  };
}
