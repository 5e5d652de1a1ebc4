/** Measures how long a value from a log is, without writing it as JSON. */

/** Below this depth, values are measured without recursion. */
const DEEPEST = 64;

/** What a number, a truth value or null takes at least, with its comma. */
const LEAST = 2;

/**
 * At least this many UTF-16 units of JSON: of all texts and names in a value, and `LEAST` for any other value.
 *
 * @param known lengths of objects that were measured before: the rollouts of a record share most of their fields
 */
export function textLength(value: unknown, known = new Map<object, number>(), depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (value === undefined) return 0;
  if (typeof value !== 'object' || value === null) return LEAST;
  const before = known.get(value);
  if (before !== undefined) return before;
  if (depth === DEEPEST) return lengthBelow(value);
  let length = Array.isArray(value) ? 0 : Object.keys(value).join('').length;
  for (const inner of Object.values(value)) length += textLength(inner, known, depth + 1);
  known.set(value, length);
  return length;
}

function lengthBelow(value: object): number {
  const left: object[] = [value];
  let length = 0;
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (!Array.isArray(one)) length += Object.keys(one).join('').length;
    for (const inner of Object.values(one)) {
      if (typeof inner === 'string') length += inner.length;
      else if (typeof inner === 'object' && inner !== null) left.push(inner);
      else if (inner !== undefined) length += LEAST;
    }
  }
  return length;
}
