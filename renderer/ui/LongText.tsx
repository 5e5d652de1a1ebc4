/** A text that may be of any length and script: what can be drawn at once, and a button for more. */
import { useState } from 'react';
import { endOfCost } from '../../shared/domain/drawingCost.ts';
import { Button } from './Controls.tsx';
import { count } from './numbers.ts';
import { SourceText } from './SourceText.tsx';

/** In letters of an ordinary text; see `drawingCost.ts`. Fifty such texts are drawn within 2 s. */
const [MOST_OF_PART, MOST_OF_FIELD] = [6_000, 60_000];
const COSTS = { letter: 1, line: 40 };

/** Whether a text is drawn in whole. */
export const isShort = (text: string): boolean => endOfCost(text, MOST_OF_PART, COSTS).end === text.length;

/** Whether a field of a form can show it. */
export const fitsField = (text: string): boolean => endOfCost(text, MOST_OF_FIELD, COSTS).end === text.length;

export function LongText({ text }: { readonly text: string }) {
  const [most, setMost] = useState(1);
  const parts: string[] = [];
  let from = 0;
  while (parts.length < most && from < text.length) {
    const part = text.slice(from);
    const { end } = endOfCost(part, MOST_OF_PART, COSTS);
    parts.push(part.slice(0, Math.max(1, end)));
    from += Math.max(1, end);
  }
  if (from === text.length && parts.length < 2) return <SourceText text={text} />;
  return (
    <>
      {parts.map((part, i) => (
        // A block of its own, so that more parts do not lay out those before them again.
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts before it never change
        <span key={i} className="long-text-part">
          <SourceText text={part} />
        </span>
      ))}
      {from < text.length && (
        <span className="more-items dim">
          … {count(text.length - from)} more characters
          <Button onClick={() => setMost(most + 1)}>Show more</Button>
        </span>
      )}
    </>
  );
}
