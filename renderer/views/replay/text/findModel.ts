import type { TextRange } from '../../../../shared/domain/model.ts';
import type { SegmentView, TextSource, TurnView } from '../../../data/segmentViews.ts';

export interface Hit extends TextRange {
  readonly source: TextSource;
  readonly segment: number;
  readonly turn: number;
}

/** Upper limit, since a list of every `e` of a long rollout is useless. Beyond it the count says "at least". */
export const MAX_HITS = 5_000;

/** Ignores case unless the query has a capital letter, as most editors do. */
export function findHits(turns: readonly TurnView[], query: string): readonly Hit[] {
  if (query === '') return [];
  const isCased = query !== query.toLowerCase();
  const hits: Hit[] = [];
  for (const turn of turns) {
    for (const view of turn.segments) {
      collect(view, isCased ? query : query.toLowerCase(), isCased, hits);
      if (hits.length >= MAX_HITS) return hits;
    }
  }
  return hits;
}

function collect(view: SegmentView, wanted: string, isCased: boolean, hits: Hit[]): void {
  const lower = view.outer.toLowerCase();
  // `İ` and a few others change length when lower-cased, which would shift every later offset.
  const text = isCased || lower.length !== view.outer.length ? view.outer : lower;
  const base = view.segment.outer.start;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    hits.push({
      source: view.source,
      segment: view.index,
      turn: view.segment.turn,
      start: base + at,
      end: base + at + wanted.length,
    });
    if (hits.length >= MAX_HITS) return;
  }
}
