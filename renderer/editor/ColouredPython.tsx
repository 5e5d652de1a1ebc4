import { Fragment, type ReactNode, useMemo } from 'react';
import { type PlacedPiece, type PlacedStretch, placedPieces } from './codePlaces.ts';
import { type CodeProps, NO_PLACES, Pieces } from './PythonCode.tsx';
import { type CodeToken, pythonTokens } from './pythonTokens.ts';

interface PlacedToken {
  readonly role: CodeToken['role'];
  readonly pieces: readonly PlacedPiece[];
}

/** Colours by Monaco's tokenizer, spans by us: no editor, no markup from strings. */
export default function ColouredPython({ code, places = NO_PLACES, source }: CodeProps) {
  const lines = useMemo(() => placedLines(code, places), [code, places]);
  return lines.map((tokens, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of one immutable text never reorder
    <Fragment key={row}>
      {tokens.map((token, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <Coloured key={i} role={token.role}>
          <Pieces pieces={token.pieces} source={source} />
        </Coloured>
      ))}
      {row < lines.length - 1 && '\n'}
    </Fragment>
  ));
}

/** No element for what is plain. */
function Coloured({ role, children }: { readonly role: CodeToken['role']; readonly children: ReactNode }) {
  return role === undefined ? children : <span className={`code-${role}`}>{children}</span>;
}

function placedLines(code: string, places: readonly PlacedStretch[]): readonly (readonly PlacedToken[])[] {
  const breaks = [...code.matchAll(/\r\n|\r|\n/g)];
  return pythonTokens(code).map((tokens, row) => {
    const before = breaks[row - 1];
    let at = before === undefined ? 0 : before.index + before[0].length;
    return tokens.map(({ text, role }) => {
      const pieces = placedPieces(text, at, places);
      at += text.length;
      return { role, pieces };
    });
  });
}
