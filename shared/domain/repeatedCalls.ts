/** Tool calls that say what an earlier call of the rollout has said: the policy asks again instead of going on. */
import type { Segment, ToolCall } from './model.ts';

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
  const seen = new Set<string>();
  return calls.map((call) => {
    const range = segments[call.callSegment]?.inner;
    if (range === undefined) return false;
    const payload = response.slice(range.start, range.end);
    const isRepeat = seen.has(payload);
    seen.add(payload);
    return isRepeat;
  });
}
