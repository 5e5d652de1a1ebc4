/** From places in a segment as it is searched to places in the prompt or response, which can be marked. */
import type { RolloutHits } from '../../../shared/api/contract.ts';
import { readCallPayload } from '../../../shared/domain/toolCallPayload.ts';
import type { HitAddress } from '../../data/searchLink.ts';
import type { SegmentView, TurnView } from '../../data/segmentViews.ts';
import { codePlaces } from '../../editor/codePlaces.ts';
import type { PlacedStretch } from '../../editor/placedCode.ts';
import type { Hit } from './findModel.ts';

export interface PlacedHit extends Hit {
  readonly address: HitAddress;
}

type Found = RolloutHits['hits'][number];

/** @returns in the same order; a hit in a segment that is not there is left out */
export function placedHits(turns: readonly TurnView[], found: readonly Found[]): readonly PlacedHit[] {
  const views = new Map(turns.flatMap((turn) => turn.segments.map((view) => [view.index, view] as const)));
  const stretches = new Map<number, readonly PlacedStretch[] | undefined>();
  return found.flatMap((hit) => {
    const view = views.get(hit.segment);
    if (view === undefined) return [];
    if (!stretches.has(hit.segment)) stretches.set(hit.segment, codeStretches(view));
    const { start, end } = rangeOf(view, hit, stretches.get(hit.segment));
    const { source, index: segment } = view;
    return [{ source, segment, turn: view.segment.turn, start, end, address: { segment, start: hit.start } }];
  });
}

/** undefined: the segment is searched as it is written. */
function codeStretches(view: SegmentView): readonly PlacedStretch[] | undefined {
  if (view.segment.kind !== 'tool-call') return undefined;
  const { code } = readCallPayload(view.inner);
  return code === undefined ? undefined : codePlaces(code, view.inner, view.segment.inner.start);
}

function rangeOf(
  view: SegmentView,
  { start, end }: Pick<Found, 'start' | 'end'>,
  stretches: readonly PlacedStretch[] | undefined,
): { readonly start: number; readonly end: number } {
  const { inner } = view.segment;
  if (stretches === undefined) return { start: inner.start + start, end: inner.start + end };
  // Between two stretches stands an escape: a hit begins behind it, or ends before it.
  const first = stretches.find((stretch) => stretch.end > start);
  const last = stretches.findLast((stretch) => stretch.start < end);
  if (first === undefined || last === undefined) return inner;
  return {
    start: first.source + Math.max(0, start - first.start),
    end: last.source + Math.min(end, last.end) - last.start,
  };
}
