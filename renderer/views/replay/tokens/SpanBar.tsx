import { X } from 'lucide-react';
import { keyOf } from '../../../app/keysInForce.ts';
import { useInterface } from '../../../state/interface.ts';
import { IconButton } from '../../../ui/Controls.tsx';
import { copyText } from '../../../ui/exportText.ts';
import { count, counted } from '../../../ui/numbers.ts';
import type { Heat } from './tokenHeat.ts';
import { type TokenSpan, tokensCsv, tokensOf } from './tokenListModel.ts';

interface SpanBarProps {
  readonly heat: Heat;
  readonly span: TokenSpan;
  readonly onClear: () => void;
}

/** What was selected with the scrubber's brush. */
export function SpanBar({ heat, span, onClear }: SpanBarProps) {
  const size = span.to - span.from + 1;
  const high = heat.high.reduce((sum, token) => sum + Number(token >= span.from && token <= span.to), 0);
  const copy = () =>
    void copyText(tokensCsv(heat, tokensOf(span))).then((isCopied) =>
      useInterface
        .getState()
        .setNotice(isCopied ? `${counted(size, 'token')} copied as CSV` : 'The system did not allow copying'),
    );
  return (
    <section className="span-bar" aria-label="Selected tokens">
      <span>
        tokens {count(span.from)} to {count(span.to)}
      </span>
      <span className="dim">
        {counted(size, 'token')}, {count(high)} high
      </span>
      <button type="button" className="text-button" onClick={copy}>
        Copy tokens as CSV
      </button>
      <IconButton label="Clear the selection of tokens" keys={keyOf('place.up')} onClick={onClear}>
        <X size={13} />
      </IconButton>
    </section>
  );
}
