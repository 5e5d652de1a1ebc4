import { lazy, Suspense } from 'react';
import { SourceText } from '../ui/SourceText.tsx';
import { type PlacedPiece, type PlacedStretch, placedPieces } from './codePlaces.ts';
import './pythonCode.css';

const ColouredPython = lazy(() => import('./ColouredPython.tsx'));

/** Python source, plain until the tokenizer has been loaded; its size does not change then. */
export function PythonCode(props: CodeProps) {
  return (
    <pre className="code">
      <code>
        <Suspense fallback={<PlainText {...props} />}>
          <ColouredPython {...props} />
        </Suspense>
      </code>
    </pre>
  );
}

export interface CodeProps {
  readonly code: string;
  /** Where the code stands in its source, for highlights; none where that is not known. */
  readonly places?: readonly PlacedStretch[];
  readonly source?: string;
}

export const NO_PLACES: readonly PlacedStretch[] = [];

/** Code without colours, as tall as with them. */
function PlainText({ code, places = NO_PLACES, source }: CodeProps) {
  return <Pieces pieces={placedPieces(code, 0, places)} source={source} />;
}

interface PiecesProps {
  readonly pieces: readonly PlacedPiece[];
  readonly source: string | undefined;
}

export function Pieces({ pieces, source }: PiecesProps) {
  return pieces.map((piece, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one immutable text never reorder
    <SourceText key={i} text={piece.text} start={piece.source} source={source} />
  ));
}
