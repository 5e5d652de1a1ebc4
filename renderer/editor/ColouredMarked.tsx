import { useMemo } from 'react';
import { SourceText } from '../ui/SourceText.tsx';
import { LineOf, type MarkedCodeProps, type MarkedLine } from './MarkedCode.tsx';
import { type CodeToken, pythonTokens } from './pythonTokens.ts';
import './pythonCode.css';

interface ColouredPiece {
  readonly start: number;
  readonly end: number;
  readonly className: string | undefined;
}

/** Splits at both, since marks and tokens need not begin and end together. */
function colouredPieces(
  { start, pieces }: MarkedLine,
  tokens: readonly CodeToken[],
): readonly ColouredPiece[] {
  const cut: ColouredPiece[] = [];
  let at = start;
  let next = 0;
  for (const { text, role } of tokens) {
    const end = at + text.length;
    for (let piece = pieces[next]; piece !== undefined && piece.start < end; piece = pieces[next]) {
      const from = Math.max(at, piece.start);
      const to = Math.min(end, piece.end);
      const names = [role === undefined ? '' : `code-${role}`, piece.className ?? ''].filter(
        (name) => name !== '',
      );
      if (to > from)
        cut.push({ start: from, end: to, className: names.length === 0 ? undefined : names.join(' ') });
      if (piece.end > end) break;
      next += 1;
    }
    at = end;
  }
  return cut;
}

export default function ColouredMarked({ texts, lines }: MarkedCodeProps) {
  // Tokenizes only the texts that are drawn, since tokenizing is slow.
  const tokens = useMemo(
    () => texts.map((text, i) => (lines.some(({ of }) => of === i) ? pythonTokens(text) : [])),
    [texts, lines],
  );
  return lines.map((line) => (
    <LineOf key={`${line.of} ${line.line}`} sign={line.sign}>
      {colouredPieces(line, tokens[line.of]?.[line.line] ?? []).map(({ start, end, className }) => (
        <span key={start} className={className}>
          <SourceText text={(texts[line.of] ?? '').slice(start, end)} />
        </span>
      ))}
    </LineOf>
  ));
}
