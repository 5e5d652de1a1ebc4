import { useEffect, useRef } from 'react';
import { SourceText } from '../ui/SourceText.tsx';
import { type PlacedStretch, placedPieces } from './codePlaces.ts';
import './pythonCode.css';

interface CodeProps {
  readonly code: string;
  /** Position of the code in its source, for highlights. Empty if unknown. */
  readonly places?: readonly PlacedStretch[];
  readonly source?: string;
}

const COLOURED_WITHIN_MS = 500;

const NO_PLACES: readonly PlacedStretch[] = [];

/**
 * Python source. Colours are highlights, so that a page of code has few elements. They appear when the tokenizer has
 * loaded, without moving anything.
 */
export function PythonCode({ code, places = NO_PLACES, source }: CodeProps) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    let remove: (() => void) | undefined;
    let idle: number | undefined;
    let isGone = false;
    void import('./codeColours.ts').then(({ colourPython }) => {
      if (isGone) return;
      // Every change of a highlight repaints all code, which is too slow for each frame of scrolling.
      idle = requestIdleCallback(
        () => {
          if (element.current !== null) remove = colourPython(element.current, code, places);
        },
        { timeout: COLOURED_WITHIN_MS },
      );
    });
    return () => {
      isGone = true;
      if (idle !== undefined) cancelIdleCallback(idle);
      if (remove !== undefined) requestIdleCallback(remove, { timeout: COLOURED_WITHIN_MS });
    };
  }, [code, places]);
  return (
    <pre className="code">
      <code ref={element}>
        {placedPieces(code, 0, places).map((piece, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one immutable text never reorder
          <SourceText key={i} text={piece.text} start={piece.source} source={source} />
        ))}
      </code>
    </pre>
  );
}
