/**
 * The token under the pointer, read out at the edge of the text: a card beside it would cover the
 * very sentence it explains.
 */
import { type RefObject, useEffect, useState } from 'react';
import { count, decimal, percent } from '../../ui/numbers.ts';
import { SourceText } from '../../ui/SourceText.tsx';
import { shareBelow, tokenAt } from './heatModel.ts';
import type { Heat } from './useHeat.ts';

interface TokenReadoutProps {
  readonly pane: RefObject<HTMLElement | null>;
  readonly heat: Heat;
}

/** Offset in the response of the character at a point of the window. */
function offsetAt(x: number, y: number): number | undefined {
  const caret = document.caretPositionFromPoint(x, y);
  const element = caret?.offsetNode.parentElement;
  if (caret === null || !(element instanceof HTMLElement) || element.dataset.source !== 'response')
    return undefined;
  return Number(element.dataset.start) + caret.offset;
}

export function TokenReadout({ pane, heat }: TokenReadoutProps) {
  const [token, setToken] = useState<number>();

  useEffect(() => {
    const element = pane.current;
    if (element === null) return;
    let frame = 0;
    const onMove = (event: PointerEvent) => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        const offset = offsetAt(event.clientX, event.clientY);
        setToken(offset === undefined ? undefined : tokenAt(heat.ends, offset));
      });
    };
    const onLeave = () => setToken(undefined);
    element.addEventListener('pointermove', onMove);
    element.addEventListener('pointerleave', onLeave);
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('pointermove', onMove);
      element.removeEventListener('pointerleave', onLeave);
    };
  }, [pane, heat]);

  if (token === undefined || token >= heat.ends.length) return null;
  const text = heat.response.slice(heat.ends[token - 1] ?? 0, heat.ends[token]);
  const value = heat.signal.values[token] ?? Number.NaN;
  const isPolicy = heat.mask?.[token] !== 0;
  return (
    <div className="token-readout">
      <span className="mono">
        “<SourceText text={text.replaceAll('\n', '⏎').replaceAll(' ', '·')} />”
      </span>
      <span className="dim">token {count(token + 1)}</span>
      {!isPolicy && <span>written by the environment</span>}
      {isPolicy && Number.isFinite(value) && (
        <span>
          {heat.signal.kind} <b>{decimal(value)}</b> {heat.signal.unit} · above{' '}
          {percent(shareBelow(heat.known, value), 0)} % of this rollout
        </span>
      )}
    </div>
  );
}
