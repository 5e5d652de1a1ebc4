/** What problems ask, shortly: for rows of lists whose problems have no names. */
import { SEGMENT_KINDS } from '../../../shared/domain/model.ts';
import { isWrappedAhead, normalisedQuestion } from '../../../shared/domain/question.ts';
import type { ReadableLibrary } from '../open.ts';
import { unpackText } from '../textCodec.ts';

export const PREVIEW_OF_PROBLEM = `
  SELECT q.prompt_id AS promptId, q.preview FROM problem_row p JOIN prompt_row q USING (prompt_id) WHERE p.problem_no = ?`;

export const LAST_USER_MESSAGE = `
  SELECT q.codec, q.text, s.inner_start AS start, s.inner_end AS end
  FROM prompt_segment_row s JOIN prompt_row q USING (prompt_id)
  WHERE s.prompt_id = :promptId AND s.kind = :user ORDER BY s.ordinal DESC LIMIT 1`;

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
 * template puts around it; '' where the log holds no prompt
 */
export function questionBeginnings(db: ReadableLibrary): (problemNo: number) => string {
  const previewOf = db.prepare<[number], { promptId: number; preview: string }>(PREVIEW_OF_PROBLEM);
  const messageOf = db.prepare<[{ promptId: number; user: number }], Message>(LAST_USER_MESSAGE);
  return (problemNo) => {
    const found = previewOf.get(problemNo);
    if (found === undefined) return '';
    const { promptId, preview } = found;
    if (!isWrappedAhead(preview)) return normalisedQuestion(preview);
    // The instructions take most of the preview: what follows them is in the prompt.
    const message = messageOf.get({ promptId, user: USER });
    if (message === undefined) return normalisedQuestion(preview);
    const { codec, text, start, end } = message;
    return normalisedQuestion(unpackText(codec, text).slice(start, end)).slice(0, BEGINNING);
  };
}
