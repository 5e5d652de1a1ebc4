import type { SearchHit } from '../../../shared/api/contract.ts';
import { onOneLine } from './searchModel.ts';

/** Before the hit, where there is room for so much: the hit itself is to be seen. */
const BEFORE = 48;

/** A hit with the text around it, on one line; what is left out is marked by an ellipsis. */
export function Snippet({ hit }: { readonly hit: SearchHit }) {
  const isShortened = hit.before.length > BEFORE;
  const before = isShortened ? hit.before.slice(-BEFORE) : hit.before;
  return (
    <span className="search-snippet">
      {(isShortened || hit.isCut.before) && <span className="dim">…</span>}
      {onOneLine(before.replace(/^[\udc00-\udfff]/, ''))}
      <mark>
        {onOneLine(hit.text)}
        {hit.isCut.text && '…'}
      </mark>
      {onOneLine(hit.after)}
      {hit.isCut.after && <span className="dim">…</span>}
    </span>
  );
}
