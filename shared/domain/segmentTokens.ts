import type { Segment } from './model.ts';

/**
 * Policy tokens (mask 1) per segment. A token belongs to the segment of its last character. `ends` are UTF-16
 * end offsets in the same text as the segments' outer ranges.
 */
export function policyTokensBySegment(
  segments: readonly Pick<Segment, 'outer'>[],
  ends: Uint32Array,
  mask: Uint8Array,
): readonly number[] {
  const counts = new Array<number>(segments.length).fill(0);
  let segment = 0;
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i] ?? 0;
    while (segment < segments.length - 1 && end > (segments[segment]?.outer.end ?? 0)) segment++;
    if (mask[i] === 1 && segment < counts.length) counts[segment] = (counts[segment] ?? 0) + 1;
  }
  return counts;
}
