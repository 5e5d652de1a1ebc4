/**
 * Paints heat and search hits with the CSS Custom Highlight API: ranges over the text that is
 * there, no element per token. The `data-start` elements say where each text node stands in the
 * rollout. Repainted when the transcript's content changes (folds, blocks rendered late).
 */
import { type RefObject, useEffect } from 'react';
import type { TextRange } from '../../../shared/domain/model.ts';
import type { Hit } from './findModel.ts';
import { HEAT_LEVELS, markedTokens } from './heatModel.ts';
import type { Heat } from './useHeat.ts';

interface Placed extends TextRange {
  readonly node: Text;
  readonly source: string | undefined;
}

function placedTexts(container: Element): readonly Placed[] {
  const placed: Placed[] = [];
  for (const element of container.querySelectorAll<HTMLElement>('[data-start]')) {
    const node = element.firstChild;
    if (!(node instanceof Text)) continue;
    const start = Number(element.dataset.start);
    placed.push({ node, start, end: start + node.data.length, source: element.dataset.source });
  }
  return placed;
}

function rangeIn(placed: Placed, range: TextRange): AbstractRange {
  return new StaticRange({
    startContainer: placed.node,
    startOffset: Math.max(range.start, placed.start) - placed.start,
    endContainer: placed.node,
    endOffset: Math.min(range.end, placed.end) - placed.start,
  });
}

interface HeatMark {
  readonly highlight: Highlight;
  readonly range: AbstractRange;
}

/** Heat of the texts that are there. A text is marked once; scrolling only adds what was rendered since. */
function createHeatPainter(heat: Heat) {
  const highlights = Array.from({ length: HEAT_LEVELS }, () => new Highlight());
  const painted = new Map<Text, readonly HeatMark[]>();
  highlights.forEach((highlight, i) => {
    CSS.highlights.set(`heat-${i + 1}`, highlight);
  });

  const marksOf = (placed: Placed): readonly HeatMark[] => {
    if (placed.source !== 'response') return [];
    return markedTokens(placed, heat.response, heat.ends, heat.levels).flatMap((mark) => {
      const highlight = highlights[mark.level - 1];
      return highlight === undefined ? [] : [{ highlight, range: rangeIn(placed, mark) }];
    });
  };
  return (texts: readonly Placed[]) => {
    const present = new Set<Text>();
    for (const placed of texts) {
      present.add(placed.node);
      if (painted.has(placed.node)) continue;
      const marks = marksOf(placed);
      for (const { highlight, range } of marks) highlight.add(range);
      painted.set(placed.node, marks);
    }
    for (const [node, marks] of painted) {
      if (present.has(node)) continue;
      for (const { highlight, range } of marks) highlight.delete(range);
      painted.delete(node);
    }
  };
}

function overlaps(placed: Placed, hit: Hit): boolean {
  return placed.source === hit.source && hit.start < placed.end && hit.end > placed.start;
}

/** Hits are sorted within a source; texts are, too. */
function hitHighlight(texts: readonly Placed[], hits: readonly Hit[]): Highlight {
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

function currentHighlight(texts: readonly Placed[], hit: Hit): Highlight {
  const highlight = new Highlight();
  highlight.priority = 2;
  for (const placed of texts) {
    if (!overlaps(placed, hit)) continue;
    const part = rangeIn(placed, hit);
    // A live range: the transcript asks it where it stands.
    const range = new Range();
    range.setStart(part.startContainer, part.startOffset);
    range.setEnd(part.endContainer, part.endOffset);
    highlight.add(range);
  }
  return highlight;
}

export function useTextHighlights(
  container: RefObject<HTMLElement | null>,
  heat: Heat | undefined,
  hits: readonly Hit[],
  currentHit: Hit | undefined,
): void {
  useEffect(() => {
    const element = container.current;
    if (element === null || !('highlights' in CSS)) return;
    let frame = 0;
    const paintHeat = heat === undefined ? undefined : createHeatPainter(heat);
    const paint = () => {
      frame = 0;
      const texts = placedTexts(element);
      paintHeat?.(texts);
      const found = hitHighlight(texts, hits);
      found.priority = 1;
      CSS.highlights.set('find', found);
      CSS.highlights.set(
        'find-current',
        currentHit === undefined ? new Highlight() : currentHighlight(texts, currentHit),
      );
    };
    const paintSoon = () => {
      if (frame === 0) frame = requestAnimationFrame(paint);
    };
    paint();
    const observer = new MutationObserver(paintSoon);
    observer.observe(element, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      for (let i = 0; i < HEAT_LEVELS; i += 1) CSS.highlights.delete(`heat-${i + 1}`);
      CSS.highlights.delete('find');
      CSS.highlights.delete('find-current');
    };
  }, [container, heat, hits, currentHit]);
}
