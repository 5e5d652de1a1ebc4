/**
 * The final answer in a response, as a reader would find it. Trainers rarely log what
 * they extracted; this is Turnwise's own reading and is marked `derived` wherever shown.
 */
import type { Segment } from './model.ts';

/** GSM8K's convention: `#### 72` or `#### $1,080.`; the number only. */
const HASHES = /####\s*\$?\s*(-?\d[\d,]*(?:\.\d+)?)/g;

/**
 * In this order: the last `\boxed{…}` inside the last answer segment, else that
 * segment's whole text; the last `\boxed{…}` the policy wrote; the last `#### number`.
 * Tool responses and injected user messages are not searched: the policy did not write them.
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

/** Content of the last `\boxed{…}` with balanced braces. */
export function lastBoxed(text: string): string | undefined {
  for (let from = text.lastIndexOf('\\boxed'); from >= 0; from = text.lastIndexOf('\\boxed', from - 1)) {
    const open = text.indexOf('{', from);
    if (open >= 0 && text.slice(from + '\\boxed'.length, open).trim() === '') {
      const close = matchingBrace(text, open);
      if (close !== undefined) return text.slice(open + 1, close).trim();
    }
    if (from === 0) break;
  }
  return undefined;
}

function matchingBrace(text: string, open: number): number | undefined {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x7b) depth++;
    else if (c === 0x7d && --depth === 0) return i;
  }
  return undefined;
}

function lastHashes(text: string): string | undefined {
  const last = [...text.matchAll(HASHES)].at(-1)?.[1];
  return last?.replaceAll(',', '');
}
