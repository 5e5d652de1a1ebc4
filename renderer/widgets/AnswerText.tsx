import { plainAnswer } from '../../shared/domain/latexSigns.ts';
import { LogText } from '../ui/LogText.tsx';

/** An answer or a ground truth in a list, with formulas as plain signs. A `title` beside it has what was logged. */
export function AnswerText({ text }: { readonly text: string | undefined }) {
  return <LogText text={text === undefined ? undefined : plainAnswer(text)} />;
}
