/** The outline as rows of one height, so that only those in sight are in the page. */
import type { SegmentView, TurnView } from '../../data/segmentViews.ts';

export type OutlineEntry =
  | { readonly what: 'turn'; readonly view: TurnView }
  | { readonly what: 'segment'; readonly turn: number; readonly view: SegmentView };

/** A response belongs to its call's row; alone it gets one of its own. */
export function outlineRows(turns: readonly TurnView[]): readonly OutlineEntry[] {
  return turns.flatMap((view): readonly OutlineEntry[] => [
    { what: 'turn', view },
    ...view.segments
      .filter(
        (segment) =>
          segment.inner.trim() !== '' &&
          !(segment.segment.kind === 'tool-response' && segment.answeredCall !== undefined),
      )
      .map((segment) => ({ what: 'segment', turn: view.turn, view: segment }) as const),
  ]);
}

export const turnOf = (entry: OutlineEntry): number => (entry.what === 'turn' ? entry.view.turn : entry.turn);
