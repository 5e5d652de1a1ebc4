/**
 * A text as it reads once the escapes of JSON in it are: tool calls are JSON within a text, and within JSON again. What
 * is matched there is traced back to where it stands.
 */

export interface View {
  readonly text: string;
  /** Where a UTF-16 offset of this view stands in the text itself; that of its end is the text's end. */
  readonly at: (offset: number) => number;
}

/** JSON in a string in JSON in a string: deeper than logs go. */
const DEEPEST = 4;
/** Without `\b` and `\f`: no log writes them, and LaTeX is full of what begins so. */
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/nrt]))/g;
const PLAIN: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** The text itself first. */
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

/** @returns undefined where there is no escape */
function unescaped(above: View): View | undefined {
  /** Of every escape: where what it stands for is here, and where what follows it is above. */
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
    // The last escape that ends at or before it.
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
