/**
 * Text of a log as text nodes. Each `data-start` element contains exactly one text node, whose characters are those of
 * the source from that offset on. Highlights (heat, search) use it to find their ranges.
 */
import { Fragment } from 'react';
import { hasLongWord } from '../../shared/domain/longWords.ts';
import { quietText, shownPieces } from './visibleText.ts';
import './sourceText.css';

interface SourceTextProps {
  readonly text: string;
  /** Offset of `text` in its source. Absent if it is not a literal part of it. */
  readonly start?: number;
  /** The source that the offsets refer to. */
  readonly source?: string;
  /** Far from the viewport, so one node is enough: a long rollout has thousands of pieces. */
  readonly isFar?: boolean;
}

/** Text of this class may break at any letter, because looking for its words would block the page. */
const LONG_WORD = 'has-long-word';

/** The classes of an element that divides a text among several `SourceText` or draws it without one. */
export const withLongWord = (className: string, text: string): string =>
  hasLongWord(text) ? `${className} ${LONG_WORD}` : className;

export function SourceText(props: SourceTextProps) {
  if (!hasLongWord(props.text)) return <Pieces {...props} />;
  return (
    <span className={LONG_WORD}>
      <Pieces {...props} />
    </span>
  );
}

function Pieces({ text, start, source, isFar = false }: SourceTextProps) {
  if (isFar) {
    if (start === undefined) return quietText(text);
    return (
      <span data-start={start} data-source={source}>
        {quietText(text)}
      </span>
    );
  }
  return shownPieces(text).map((piece) =>
    piece.name !== undefined ? (
      <span
        key={piece.start}
        className="hidden-character"
        title={`${piece.name}, shown because it would be invisible`}
      >
        {piece.text}
      </span>
    ) : start === undefined ? (
      <Fragment key={piece.start}>{piece.text}</Fragment>
    ) : (
      <span key={piece.start} data-start={start + piece.start} data-source={source}>
        {piece.text}
      </span>
    ),
  );
}
