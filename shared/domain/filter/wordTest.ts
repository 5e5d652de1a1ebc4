import type { WordNode } from './node.ts';

/** Equality ignoring case; `*` in a pattern matches any characters. */
export function wordTest({
  text,
  isPattern,
}: Pick<WordNode, 'text' | 'isPattern'>): (value: string) => boolean {
  const wanted = text.toLowerCase();
  if (!isPattern) return (value) => value.toLowerCase() === wanted;
  const parts = wanted.split('*');
  return (value) => hasParts(value.toLowerCase(), parts);
}

/** Containment ignoring case. The parts of a pattern must occur in sequence. */
export function containsTest({
  text,
  isPattern,
}: Pick<WordNode, 'text' | 'isPattern'>): (value: string) => boolean {
  if (isPattern) return wordTest({ text: `*${text}*`, isPattern });
  const wanted = text.toLowerCase();
  return (value) => value.toLowerCase().includes(wanted);
}

/** Finds each part after the previous one. Linear, unlike a regular expression with many `.*`. */
function hasParts(value: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last))
    return false;
  let at = first.length;
  const end = value.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = value.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
