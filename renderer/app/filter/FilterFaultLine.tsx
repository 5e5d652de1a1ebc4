import type { FilterFault } from '../../../shared/domain/filter/node.ts';

/** Of what is marked: what is wrong with it is to be seen, too. */
const LONGEST = 80;

/** The part that cannot be read, marked in what stands around it, and what is wrong with it. */
export function FilterFaultLine({ text, fault }: { readonly text: string; readonly fault: FilterFault }) {
  const start = wholeAt(text, Math.max(0, fault.start - 24));
  const end = wholeAt(text, Math.min(text.length, fault.end + 24));
  const wrong = text.slice(fault.start, wholeAt(text, Math.min(fault.end, fault.start + LONGEST)));
  const isCut = fault.end > fault.start + LONGEST;
  return (
    <p className="filter-fault" role="alert">
      <code>
        {start > 0 && '…'}
        {text.slice(start, fault.start)}
        <mark>{wrong === '' ? '⌄' : wrong}</mark>
        {!isCut && text.slice(fault.end, end)}
        {(isCut || end < text.length) && '…'}
      </code>{' '}
      {fault.message}. The list is as before.
    </p>
  );
}

/** The offset, or the one before it where it lies amid a character of two code units. */
function wholeAt(text: string, offset: number): number {
  const isInsidePair = (text.codePointAt(offset - 1) ?? 0) > 0xffff;
  return isInsidePair ? offset - 1 : offset;
}
