import { withGlyphs } from './hiddenCharacters.ts';
import { withoutLatex } from './latexSigns.ts';

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

/**
 * Whether an id is a hash or a UUID, which says nothing to a reader. Ingest derives ids of 12 digits if the log has
 * none (`electron/storage/contentHash.ts`); producers log longer ones.
 */
export function isHashedId(problemId: string): boolean {
  return /^(?:[0-9a-f]{12}|[0-9a-f]{16,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(problemId);
}

/** UTF-16 units of a title. */
const LONGEST_TITLE = 80;
/** UTF-16 units of an id that are shown. */
const LONGEST_ID = 200;
/** Only this beginning of a question is read for a title, in UTF-16 units. */
const LONGEST_READ = 600;

/**
 * The display name of a problem: its id, or the first words of its question if the id is a hash. A hash without a
 * question is shown with the reason.
 *
 * @param longest maximum length of those words, in UTF-16 units
 */
export function problemName(
  { problemId, question }: { readonly problemId: string; readonly question: string },
  longest = LONGEST_TITLE,
): string {
  if (!isHashedId(problemId))
    return withGlyphs(
      problemId.length > LONGEST_ID
        ? `${problemId.slice(0, LONGEST_ID)}… (${problemId.length} characters)`
        : problemId,
    );
  const words = plainQuestion(question);
  return words === '' ? `no prompt (${problemId})` : firstWords(words, longest);
}

/** Whether `problemName` is not the id. */
export const isNamedByQuestion = ({ problemId, question }: Parameters<typeof problemName>[0]): boolean =>
  isHashedId(problemId) && plainQuestion(question) !== '';

/** One line for lists, with glyphs for hidden characters, without roles and tokens of a chat template, and with LaTeX as plain signs. */
export function plainQuestion(question: string): string {
  const text = normalisedQuestion(
    question
      .slice(0, LONGEST_READ)
      .replace(/<\|[^|<>]{1,40}\|>|\[\/?INST\]/g, ' ')
      .trimStart()
      // A role is the first word of a template. "System of equations" is not one.
      .replace(/^(?:(?:user|system|assistant|human) ?\n|(?:user|system|human|question|problem) ?: ?)/i, ''),
  ).replace(/^user (?=[A-Z0-9$\\])/, '');
  return withGlyphs(oneSpaced(withoutLatex(text)));
}

/** Cuts at the end of a word if that keeps more than half of the length. */
function firstWords(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '');
  const space = cut.lastIndexOf(' ');
  return `${(space > longest / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:…]+$/, '')}…`;
}

/** @param asked the last user message of the prompt */
export function normalisedQuestion(asked: string): string {
  const question = oneSpaced(asked.normalize('NFC')).replace(AHEAD, '');
  // Searches the tail only, because a pattern anchored at the end would be tried at every position of a long text.
  const tail = Math.max(0, question.length - LONGEST_BEHIND);
  let end = question.slice(tail);
  for (const pattern of BEHIND) end = end.replace(pattern, '');
  return (question.slice(0, tail) + end).trim();
}

/** Collapses white space. Tests first, because most questions need no change. */
export function oneSpaced(text: string): string {
  return (/[^\S ]| {2}/.test(text) ? text.replace(/\s+/g, ' ') : text).trim();
}
