import { Fragment, useMemo } from 'react';
import { SourceText } from '../ui/SourceText.tsx';
import { pythonTokens } from './pythonTokens.ts';

/** Colours by Monaco's tokenizer, spans by us: no editor, no markup from strings. */
export default function ColouredPython({ code }: { readonly code: string }) {
  const lines = useMemo(() => pythonTokens(code), [code]);
  return lines.map((tokens, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of one immutable text never reorder
    <Fragment key={row}>
      {tokens.map((token, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <span key={i} className={token.role === undefined ? undefined : `code-${token.role}`}>
          <SourceText text={token.text} />
        </span>
      ))}
      {row < lines.length - 1 && '\n'}
    </Fragment>
  ));
}
