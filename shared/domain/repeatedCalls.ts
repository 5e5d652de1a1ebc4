/** Tool calls that repeat an earlier call of the rollout. */
import type { Segment, TextRange, ToolCall } from './model.ts';

/**
 * Compares the payloads as text, character by character, without interpreting them.
 *
 * @param segments of the response, indexed by `callSegment`
 * @returns one flag per call: an earlier call has the same payload
 */
export function repeatedCalls(
  response: string,
  segments: readonly Segment[],
  calls: readonly ToolCall[],
): readonly boolean[] {
  if (calls.length < 2) return calls.map(() => false);
  const slice = ({ start, end }: TextRange): string => response.slice(start, end);
  // Keyed by length, which calls rarely share. Only calls of equal length are compared.
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
