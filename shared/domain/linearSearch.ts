/**
 * Searches for texts that a log gives. `String.indexOf` takes quadratic time for long ones: its tables cover their last
 * 250 characters, and `lastIndexOf` has none.
 */

/** UTF-16 units. The engine searches for shorter needles in linear time. */
const SHORT = 250;

/** As `text.indexOf(needle, from)`. */
export function indexIn(text: string, needle: string, from = 0): number {
  if (needle.length <= SHORT) return text.indexOf(needle, from);
  let first = -1;
  eachMatch(text, needle, from, (at) => {
    first = at;
    return true;
  });
  return first;
}

/** As `text.lastIndexOf(needle)`. */
export function lastIndexIn(text: string, needle: string): number {
  if (needle.length <= SHORT) return text.lastIndexOf(needle);
  let last = -1;
  eachMatch(text, needle, 0, (at) => {
    last = at;
    return false;
  });
  return last;
}

/**
 * Finds all matches, overlapping ones too (Knuth, Morris and Pratt).
 *
 * @param needle not empty
 * @param onMatch ends the search by returning true
 */
export function eachMatch(
  text: string,
  needle: string,
  from: number,
  onMatch: (at: number) => boolean,
): void {
  const size = needle.length;
  if (size > text.length - from) return;
  /** Per character of the needle: the longest beginning of the needle that ends there. */
  const fallback = new Uint32Array(size);
  for (let i = 1, matched = 0; i < size; i++) {
    const code = needle.charCodeAt(i);
    while (matched > 0 && needle.charCodeAt(matched) !== code) matched = fallback[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === code) matched++;
    fallback[i] = matched;
  }
  for (let i = from, matched = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    while (matched > 0 && needle.charCodeAt(matched) !== code) matched = fallback[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === code) matched++;
    if (matched < size) continue;
    if (onMatch(i - size + 1)) return;
    matched = fallback[size - 1] ?? 0;
  }
}
