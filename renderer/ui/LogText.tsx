/**
 * A value from a log inside other text, such as an answer or a ground truth. Control characters are drawn or isolated,
 * so that they do not affect the text around them. A long value is cut.
 */
import { withGlyphs } from '../../shared/domain/hiddenCharacters.ts';
import { count } from './numbers.ts';
import { SourceText } from './SourceText.tsx';

const LONGEST = 400;

/** Like `LogText`, but returns a string for a label or a `title`. */
export function plainLogText(text: string, longest = LONGEST): string {
  return withGlyphs(
    text.length <= longest ? text : `${text.slice(0, longest)} … ${count(text.length)} characters`,
  );
}

/** A path, by its end if it is long. A library of somebody else may have one of any length. */
export function plainPath(path: string): string {
  return withGlyphs(path.length <= LONGEST ? path : `…${path.slice(-LONGEST)}`);
}

interface LogTextProps {
  readonly text: string | undefined;
  /** Upper limit of characters shown. */
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
