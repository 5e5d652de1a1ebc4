/** Tool calls that say what an earlier call of the rollout has said: the policy asks again instead of going on. */
import type { Segment, TextRange, ToolCall } from './model.ts';

/**
 * Equal character by character, as the payloads stand in the text: what the policy wrote, not what it means.
 *
 * @param segments of the response, which `callSegment` counts in
 * @returns one flag per call: an earlier call has the same payload
 */
export function repeatedCalls(
  response: string,
  segments: readonly Segment[],
  calls: readonly ToolCall[],
): readonly boolean[] {
  if (calls.length < 2) return calls.map(() => false);
  const slice = ({ start, end }: TextRange): string => response.slice(start, end);
  // By length: calls seldom have the same one, and only those are read.
  const alone = new Map<number, TextRange>();
  const several = new Map<number, Set<string>>();
  return calls.map((call) => {
    const range = segments[call.callSegment]?.inner;
    if (range === undefined) return false;
    const length = range.end - range.start;
    const first = alone.get(length);
    if (first === undefined) {
      alone.set(length, range);
      return false;
    }
    const seen = several.get(length) ?? new Set([slice(first)]);
    several.set(length, seen);
    const payload = slice(range);
    const isRepeat = seen.has(payload);
    seen.add(payload);
    return isRepeat;
  });
}
