/**
 * Views of a text with JSON escapes decoded. Tool calls are JSON inside a text, sometimes nested in JSON
 * again. A match in a view is mapped back to its range in the text.
 */

export interface View {
  readonly text: string;
  /** Maps a UTF-16 offset of this view to the text. The end maps to the end. */
  readonly at: (offset: number) => number;
}

/** Nesting of JSON strings; logs have less. */
const DEEPEST = 4;
/** Excludes `\b` and `\f`: logs do not contain them, while LaTeX has many commands that begin so. */
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/nrt]))/g;
const PLAIN: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** The text itself comes first. */
export function viewsOf(text: string): readonly View[] {
  const views: View[] = [{ text, at: (offset) => offset }];
  for (let depth = 0; depth < DEEPEST; depth++) {
    const above = views.at(-1);
    const below = above === undefined ? undefined : unescaped(above);
    if (below === undefined) break;
    views.push(below);
  }
  return views;
}

/** @returns undefined when there is no escape */
function unescaped(above: View): View | undefined {
  /** For each escape: the end of its value in this view, and the offset after it in the view above. */
  const [ends, follows]: [number[], number[]] = [[], []];
  const parts: string[] = [];
  let [done, length] = [0, 0];
  for (const match of above.text.matchAll(ESCAPE)) {
    const [written, code, letter = ''] = match;
    const char = code === undefined ? (PLAIN[letter] ?? letter) : String.fromCharCode(parseInt(code, 16));
    parts.push(above.text.slice(done, match.index), char);
    length += match.index - done + 1;
    done = match.index + written.length;
    ends.push(length);
    follows.push(done);
  }
  if (ends.length === 0) return undefined;
  parts.push(above.text.slice(done));
  const at = (offset: number): number => {
    // Finds the last escape that ends at or before the offset.
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    const [end, follow] = low === 0 ? [0, 0] : [ends[low - 1] ?? 0, follows[low - 1] ?? 0];
    return above.at(follow + offset - end);
  };
  return { text: parts.join(''), at };
}
