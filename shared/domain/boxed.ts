/** Every `\boxed{…}` of a text with balanced braces, in the order of their ends. */
export interface Boxed {
  readonly text: string;
  /** From the backslash to behind the closing brace. */
  readonly start: number;
  readonly end: number;
}

export function boxedIn(text: string): readonly Boxed[] {
  const found: Boxed[] = [];
  const first = text.indexOf('\\boxed');
  if (first < 0) return found;
  const open: number[] = [];
  for (let i = first; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x7b) open.push(i);
    else if (c === 0x7d) {
      const brace = open.pop();
      if (brace === undefined) continue;
      const start = boxBefore(text, brace);
      if (start !== undefined) found.push({ text: text.slice(brace + 1, i).trim(), start, end: i + 1 });
    }
  }
  return found;
}

/** `\boxed` stands before the brace, with at most a few blanks between. */
function boxBefore(text: string, brace: number): number | undefined {
  const before = text.slice(Math.max(0, brace - 12), brace).trimEnd();
  return before.endsWith('\\boxed') ? Math.max(0, brace - 12) + before.length - '\\boxed'.length : undefined;
}
