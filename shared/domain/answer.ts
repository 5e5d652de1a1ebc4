/**
 * Extracts the final answer from a response. Trainers rarely log the answer they extracted, so this one is
 * marked `derived` wherever it is shown.
 */
import type { Segment } from './model.ts';

/** GSM8K's convention: `#### 72`, `#### $1,080.` or `#### -$15`; captures the sign and the number. Linear in blanks. */
const HASHES = /####\s*(?:(-)\s*)?(?:\$\s*)?(-?(?:\d[\d,]*(?:\.\d+)?|\.\d+))/g;

/**
 * Tries in this order: the last `\boxed{…}` in the last answer segment, else that segment's whole text; the
 * policy's last `\boxed{…}`; the last `#### number`. Skips tool responses and injected user messages, which
 * the policy did not write.
 */
export function extractAnswer(response: string, segments: readonly Segment[]): string | undefined {
  const answer = segments.findLast((segment) => segment.kind === 'answer');
  if (answer !== undefined) {
    const text = response.slice(answer.inner.start, answer.inner.end);
    const found = lastBoxed(text) ?? text.trim();
    if (found !== '') return found;
  }
  const hasBoxed = response.includes('\\boxed');
  const hasHashes = response.includes('####');
  if (!hasBoxed && !hasHashes) return undefined;
  if (hasBoxed) {
    const found = fromPolicyText(response, segments, lastBoxed);
    if (found !== undefined) return found;
  }
  return hasHashes ? fromPolicyText(response, segments, lastHashes) : undefined;
}

function fromPolicyText(
  response: string,
  segments: readonly Segment[],
  read: (text: string) => string | undefined,
): string | undefined {
  for (let i = segments.length - 1; i >= 0; i--) {
    const segment = segments[i];
    if (segment === undefined || (segment.kind !== 'text' && segment.kind !== 'reasoning')) continue;
    const found = read(response.slice(segment.inner.start, segment.inner.end));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Content of the last `\boxed{…}` with balanced braces. One pass: the innermost open brace closes first. */
export function lastBoxed(text: string): string | undefined {
  const first = text.indexOf('\\boxed');
  if (first < 0) return undefined;
  const open: number[] = [];
  let best: { readonly start: number; readonly end: number } | undefined;
  for (let i = first; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x7b) open.push(i);
    else if (c === 0x7d) {
      const start = open.pop();
      const isLater = start !== undefined && (best === undefined || start > best.start);
      if (isLater && opensBox(text, start)) best = { start, end: i };
    }
  }
  return best === undefined ? undefined : text.slice(best.start + 1, best.end).trim();
}

/** Whether `\boxed` precedes the brace, with at most a few blanks between. */
function opensBox(text: string, brace: number): boolean {
  return text
    .slice(Math.max(0, brace - 12), brace)
    .trimEnd()
    .endsWith('\\boxed');
}

function lastHashes(text: string): string | undefined {
  const last = [...text.matchAll(HASHES)].at(-1);
  return last === undefined ? undefined : `${last[1] ?? ''}${last[2]}`.replaceAll(',', '');
}

export interface Boxed {
  readonly text: string;
  /** From the backslash to after the closing brace. */
  readonly start: number;
  readonly end: number;
}

const MARK = '\\boxed';
/** Maximum length of a box. An unclosed brace is given up after it, which bounds the cost. */
const LONGEST_BOX = 4096;

/** Every `\boxed{…}` of a text with balanced braces, in order. */
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
  const last = Math.min(text.length, open + LONGEST_BOX);
  for (let i = open; i < last; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x7b) depth++;
    else if (c === 0x7d && --depth === 0) return i;
  }
  return undefined;
}
