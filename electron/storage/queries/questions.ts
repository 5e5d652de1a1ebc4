/** What problems ask, shortly: for rows of lists whose problems have no names. */
import { SEGMENT_KINDS } from '../../../shared/domain/model.ts';
import { isWrappedAhead, normalisedQuestion } from '../../../shared/domain/question.ts';
import type { ReadableLibrary } from '../open.ts';
import { bytes, number, query, text } from '../rows.ts';
import { unpackText } from '../textCodec.ts';

export const PREVIEW_OF_PROBLEM = `
  SELECT q.prompt_id AS promptId, q.preview,
    coalesce(
      (SELECT s.inner_end - s.inner_start FROM prompt_segment_row s WHERE s.prompt_id = q.prompt_id AND s.kind = :user
       ORDER BY s.ordinal DESC LIMIT 1),
      (SELECT max(s.outer_end) FROM prompt_segment_row s WHERE s.prompt_id = q.prompt_id), 0) AS asked
  FROM problem_row p JOIN prompt_row q USING (prompt_id) WHERE p.problem_no = :problemNo`;

export const LAST_USER_MESSAGE = `
  SELECT q.codec, q.text, s.inner_start AS start, s.inner_end AS end
  FROM prompt_segment_row s JOIN prompt_row q USING (prompt_id)
  WHERE s.prompt_id = :promptId AND s.kind = :user ORDER BY s.ordinal DESC LIMIT 1`;

interface Preview {
  readonly promptId: number;
  readonly preview: string;
  /** UTF-16 code units of the message; of the prompt, where none is by a user. */
  readonly asked: number;
}

interface Message {
  readonly codec: number;
  readonly text: Uint8Array;
  readonly start: number;
  readonly end: number;
}

const USER = SEGMENT_KINDS.indexOf('user');
/** UTF-16 code units, as many as a preview has. */
const BEGINNING = 200;

/**
 * @returns of the number of a problem, the beginning of what its user asked in one line, without the instructions a
 * template puts around it, with an ellipsis where there is more; '' where the log holds no prompt
 */
export function questionBeginnings(db: ReadableLibrary): (problemNo: number) => string {
  const previewOf = query<Preview>(db, PREVIEW_OF_PROBLEM, {
    ...{ promptId: number, preview: text, asked: number },
  });
  const messageOf = query<Message>(db, LAST_USER_MESSAGE, {
    ...{ codec: number, text: bytes, start: number, end: number },
  });
  return (problemNo) => {
    const found = previewOf.get({ problemNo, user: USER });
    if (found === undefined) return '';
    const { promptId, preview, asked } = found;
    const ofPreview = cutShort(normalisedQuestion(preview), asked > BEGINNING);
    if (!isWrappedAhead(preview)) return ofPreview;
    // The instructions take most of the preview: what follows them is in the prompt.
    const message = messageOf.get({ promptId, user: USER });
    if (message === undefined) return ofPreview;
    const { codec, text, start, end } = message;
    const question = normalisedQuestion(unpackText(codec, text).slice(start, end));
    return cutShort(question.slice(0, BEGINNING), question.length > BEGINNING);
  };
}

function cutShort(text: string, isCut: boolean): string {
  return isCut ? `${text.trimEnd()}…` : text;
}
