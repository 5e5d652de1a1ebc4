/** Every `\boxed{…}` of a text with balanced braces, in order. */
export interface Boxed {
  readonly text: string;
  /** From the backslash to after the closing brace. */
  readonly start: number;
  readonly end: number;
}

const MARK = '\\boxed';
/** Maximum length of a box. An unclosed brace is given up after it, which bounds the cost. */
const LONGEST = 4096;

export function boxedIn(text: string): readonly Boxed[] {
  const found: Boxed[] = [];
  for (let start = text.indexOf(MARK); start >= 0; start = text.indexOf(MARK, start + MARK.length)) {
    let brace = start + MARK.length;
    while (text[brace] === ' ' || text[brace] === '\n') brace++;
    const end = text[brace] === '{' ? closingBrace(text, brace) : undefined;
    if (end !== undefined) found.push({ text: text.slice(brace + 1, end).trim(), start, end: end + 1 });
  }
  return found;
}

function closingBrace(text: string, open: number): number | undefined {
  let depth = 0;
  const last = Math.min(text.length, open + LONGEST);
  for (let i = open; i < last; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x7b) depth++;
    else if (c === 0x7d && --depth === 0) return i;
  }
  return undefined;
}
