/**
 * Normalizes questions, so that equal problems compare equal across runs. Templates wrap a problem in
 * different instructions, and loggers rewrap its lines.
 */

/**
 * Known instructions that recipes put before or after the problem. Matched after white space is collapsed,
 * because patterns for white space runs take quadratic time.
 */
const WRAPPING: readonly RegExp[] = [
  // rStar2-Agent's chat template puts this before every user message
  // (shared/domain/DOMAIN.md#prompt-template).
  /^you must put your answer inside .{0,400}?this is the problem: ?/i,
  / ?(?:please )?(?:let's )?(?:think|reason) step by step(?:,? and put your (?:final )?answer within \\boxed\{\})?\.?$/i,
  / ?put your final answer within \\boxed\{\}\.?$/i,
];

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
  let question = asked.normalize('NFC').replace(/\s+/g, ' ').trim();
  for (const pattern of WRAPPING) question = question.replace(pattern, '');
  return question.trim();
}
