/** Measures how long a value from a log is, without writing it as JSON. */

/** Below this depth, values are measured without recursion. */
const DEEPEST = 64;

/** Least length of any other value: a whole number with its comma, or the brackets of a list. */
const LEAST = 2;
/** Usual length of a number with a fraction. */
const FRACTION = 8;

const lengthOfOther = (value: unknown): number =>
  value === undefined ? 0 : typeof value === 'number' && !Number.isInteger(value) ? FRACTION : LEAST;

/**
 * At least this many UTF-16 units of JSON: of all texts and names in a value, and a few for each other value in it.
 *
 * @param known lengths of objects that were measured before: the rollouts of a record share most of their fields
 */
export function textLength(value: unknown, known = new Map<object, number>(), depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return lengthOfOther(value);
  const before = known.get(value);
  if (before !== undefined) return before;
  if (depth === DEEPEST) return lengthBelow(value);
  let length = LEAST + (Array.isArray(value) ? 0 : Object.keys(value).join('').length);
  for (const inner of Object.values(value)) length += textLength(inner, known, depth + 1);
  known.set(value, length);
  return length;
}

function lengthBelow(value: object): number {
  const left: object[] = [value];
  let length = 0;
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    length += LEAST + (Array.isArray(one) ? 0 : Object.keys(one).join('').length);
    for (const inner of Object.values(one)) {
      if (typeof inner === 'string') length += inner.length;
      else if (typeof inner === 'object' && inner !== null) left.push(inner);
      else length += lengthOfOther(inner);
    }
  }
  return length;
}
