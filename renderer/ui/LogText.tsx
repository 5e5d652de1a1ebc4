/**
 * A value from a log inside other text, such as an answer or a ground truth. Control characters are drawn or isolated,
 * so that they do not affect the text around them. A long value is cut.
 */
import { endOfCost } from '../../shared/domain/drawingCost.ts';
import { withGlyphs } from '../../shared/domain/hiddenCharacters.ts';
import { count } from './numbers.ts';
import { SourceText } from './SourceText.tsx';

/** Letters of a value that are shown. */
export const LONGEST = 400;
/** Limit of the cost of changes of direction and font. 400 letters of any language cost less. */
const MOST_CHANGES = 2_400;

const endOf = (text: string, longest: number): number =>
  endOfCost(text.slice(0, longest), MOST_CHANGES, { letter: 0, line: 0 }).end;

/** Like `LogText`, but returns a string for a label or a `title`. */
export function plainLogText(text: string, longest = LONGEST): string {
  const end = endOf(text, longest);
  return withGlyphs(end === text.length ? text : `${text.slice(0, end)} … ${count(text.length)} characters`);
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
  const end = endOf(text, longest);
  if (end === text.length)
    return (
      <bdi>
        <SourceText text={text} />
      </bdi>
    );
  return (
    <>
      <bdi>
        <SourceText text={text.slice(0, end)} />
      </bdi>
      <span className="dim"> … {count(text.length)} characters</span>
    </>
  );
}
