/**
 * Normalizes questions, so that equal problems compare equal across runs. Templates wrap a problem in
 * different instructions, and loggers rewrap its lines.
 */

/**
 * Known instructions that recipes put before or after the problem. Matched after white space is collapsed,
 * because patterns for white space runs take quadratic time. The first is rStar2-Agent's: its chat template
 * puts it before every user message (shared/domain/DOMAIN.md#prompt-template).
 */
const AHEAD = /^you must put your answer inside .{0,400}?this is the problem: ?/i;
const BEHIND: readonly RegExp[] = [
  / ?(?:please )?(?:let's )?(?:think|reason) step by step(?:,? and put your (?:final )?answer within \\boxed\{\})?\.?$/i,
  / ?put your final answer within \\boxed\{\}\.?$/i,
];
/** No instruction behind a problem is longer. */
const LONGEST_BEHIND = 200;

/** Whether known instructions precede the problem; they may be cut off. */
export function isWrappedAhead(asked: string): boolean {
  return /^\s*you must put your answer inside/i.test(asked);
}

/** Whether an id looks like those ingest derives if the log has none (`electron/storage/contentHash.ts`). */
export function isHashedId(problemId: string): boolean {
  return /^[0-9a-f]{12}$/.test(problemId);
}

/** @param asked the last user message of the prompt */
export function normalisedQuestion(asked: string): string {
  const question = oneSpaced(asked.normalize('NFC')).replace(AHEAD, '');
  // Searching a pattern for the end of a long text tries every position.
  const tail = Math.max(0, question.length - LONGEST_BEHIND);
  let end = question.slice(tail);
  for (const pattern of BEHIND) end = end.replace(pattern, '');
  return (question.slice(0, tail) + end).trim();
}

/** Most questions have single spaces already. */
export function oneSpaced(text: string): string {
  return (/[^\S ]| {2}/.test(text) ? text.replace(/\s+/g, ' ') : text).trim();
}
