/** Short previews of questions, for lists of problems without names. */
import { SEGMENT_KINDS } from '../../../shared/domain/model.ts';
import { isWrappedAhead, normalisedQuestion } from '../../../shared/domain/question.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, query, text } from '../rows.ts';
import { StoredTexts } from '../storedTexts.ts';

/**
 * The beginning of the question of problem `p` with prompt `q`. In a dialogue, of what the simulated user was told,
 * because the prompts of all tasks begin alike.
 */
export const QUESTION_PREVIEW =
  "coalesce(substr(replace(p.user_scenario, char(10), ' '), 1, 200) || iif(length(p.user_scenario) > 200, '…', ''), q.preview)";

export const PREVIEW_OF_PROBLEM = `
  SELECT q.prompt_id AS promptId, q.preview,
    coalesce(
      (SELECT s.inner_end - s.inner_start FROM prompt_segment_row s WHERE s.prompt_id = q.prompt_id AND s.kind = :user
       ORDER BY s.ordinal DESC LIMIT 1),
      (SELECT max(s.outer_end) FROM prompt_segment_row s WHERE s.prompt_id = q.prompt_id), 0) AS asked
  FROM problem_row p JOIN prompt_row q USING (prompt_id) WHERE p.problem_no = :problemNo`;

export const LAST_USER_MESSAGE = `
  SELECT s.inner_start AS start, s.inner_end AS end FROM prompt_segment_row s
  WHERE s.prompt_id = :promptId AND s.kind = :user ORDER BY s.ordinal DESC LIMIT 1`;

interface Preview {
  readonly promptId: number;
  readonly preview: string;
  /** UTF-16 units of the user's message, or of the whole prompt if there is no user message. */
  readonly asked: number;
}

interface Message {
  readonly start: number;
  readonly end: number;
}

const USER = SEGMENT_KINDS.indexOf('user');
/** UTF-16 units of a preview. */
const BEGINNING = 200;

/**
 * Previews are one line, without the instructions of a template, and end in an ellipsis if shortened.
 *
 * @returns a function from a problem number to its preview; '' if the log holds no prompt
 */
export function questionBeginnings(db: ReadableLibrary): (problemNo: number) => string {
  const previewOf = query<Preview>(db, PREVIEW_OF_PROBLEM, {
    ...{ promptId: number, preview: text, asked: number },
  });
  const messageOf = query<Message>(db, LAST_USER_MESSAGE, {
    ...{ start: number, end: number },
  });
  const stored = new StoredTexts(db);
  return (problemNo) => {
    const found = previewOf.get({ problemNo, user: USER });
    if (found === undefined) return '';
    const { promptId, preview, asked } = found;
    const ofPreview = cutShort(normalisedQuestion(preview), asked > BEGINNING);
    if (!isWrappedAhead(preview)) return ofPreview;
    // The preview consists mostly of a template's instructions, so read the rest from the prompt.
    const message = messageOf.get({ promptId, user: USER });
    if (message === undefined) return ofPreview;
    const question = normalisedQuestion(stored.prompt(promptId).slice(message.start, message.end));
    return cutShort(question.slice(0, BEGINNING), question.length > BEGINNING);
  };
}

function cutShort(text: string, isCut: boolean): string {
  return isCut ? `${text.trimEnd()}…` : text;
}
