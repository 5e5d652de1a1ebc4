/**
 * A value of a log among other words: an answer, a ground truth. What would act on its neighbours is drawn or
 * isolated, and a long one is cut.
 */
import { count } from './numbers.ts';
import { SourceText } from './SourceText.tsx';

const LONGEST = 400;

interface LogTextProps {
  readonly text: string | undefined;
  /** Characters that are shown. */
  readonly longest?: number;
}

export function LogText({ text, longest = LONGEST }: LogTextProps) {
  if (text === undefined) return null;
  if (text.length <= longest)
    return (
      <bdi>
        <SourceText text={text} />
      </bdi>
    );
  return (
    <>
      <bdi>
        <SourceText text={text.slice(0, longest)} />
      </bdi>
      <span className="dim"> … {count(text.length)} characters</span>
    </>
  );
}
