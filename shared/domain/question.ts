/**
 * What was asked, in a form in which the same problem is equal wherever it stands: templates
 * wrap it in instructions that differ between runs, loggers re-wrap its lines.
 */

/**
 * Instructions that recipes put before or after the problem, known word for word. Matched where
 * white space is single spaces: a pattern for any run of it takes the square of its length.
 */
const WRAPPING: readonly RegExp[] = [
  // rStar2-Agent's chat template puts this before every user message (shared/domain/DOMAIN.md#prompt-template).
  /^you must put your answer inside .{0,400}?this is the problem: ?/i,
  / ?(?:please )?(?:let's )?(?:think|reason) step by step(?:,? and put your (?:final )?answer within \\boxed\{\})?\.?$/i,
  / ?put your final answer within \\boxed\{\}\.?$/i,
];

/** Whether instructions known word for word stand before the problem; their end need not be there. */
export function isWrappedAhead(asked: string): boolean {
  return /^\s*you must put your answer inside/i.test(asked);
}

/** Whether an id looks like one that ingest derives where the log has none (`electron/storage/contentHash.ts`). */
export function isHashedId(problemId: string): boolean {
  return /^[0-9a-f]{12}$/.test(problemId);
}

/** @param asked the last user message of the prompt */
export function normalisedQuestion(asked: string): string {
  let question = asked.normalize('NFC').replace(/\s+/g, ' ').trim();
  for (const pattern of WRAPPING) question = question.replace(pattern, '');
  return question.trim();
}
