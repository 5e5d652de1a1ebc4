import { X } from 'lucide-react';
import { IconButton } from '../../../ui/Controls.tsx';
import { count } from '../../../ui/numbers.ts';
import type { TokenSpan } from './tokenListModel.ts';

interface SpanFieldsProps {
  readonly span: TokenSpan | undefined;
  readonly last: number;
  readonly onSpan: (span: TokenSpan | undefined) => void;
}

/** The range of tokens, as the scrubber's brush selects it. */
export function SpanFields({ span, last, onSpan }: SpanFieldsProps) {
  const change = (from: number, to: number) => {
    if (!Number.isInteger(from) || !Number.isInteger(to) || from < 0 || to > last) return;
    onSpan(from === 0 && to === last ? undefined : from <= to ? { from, to } : { from: to, to: from });
  };
  return (
    <div className="token-list-row">
      <span className="dim">tokens</span>
      <input
        // Uncontrolled while being typed: half a number is not yet a range.
        key={`from ${span?.from ?? 0}`}
        type="number"
        className="token-number"
        aria-label="First token"
        min={0}
        max={last}
        defaultValue={span?.from ?? 0}
        onBlur={(event) => change(Number(event.target.value), span?.to ?? last)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
      />
      <span className="dim">to</span>
      <input
        key={`to ${span?.to ?? last}`}
        type="number"
        className="token-number"
        aria-label="Last token"
        min={0}
        max={last}
        defaultValue={span?.to ?? last}
        onBlur={(event) => change(span?.from ?? 0, Number(event.target.value))}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
      />
      {span !== undefined && (
        <IconButton label={`All ${count(last + 1)} tokens`} onClick={() => onSpan(undefined)}>
          <X size={13} />
        </IconButton>
      )}
    </div>
  );
}
