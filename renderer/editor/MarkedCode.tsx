/** Lines of one or two texts with marks and signs. Python is coloured once the tokenizer has loaded. */
import { lazy, type ReactNode, Suspense } from 'react';
import { SourceText } from '../ui/SourceText.tsx';
import './markedCode.css';

/** A stretch of a text. Offsets are in the whole text. */
interface MarkedPiece {
  readonly start: number;
  readonly end: number;
  readonly className?: string;
}

export interface MarkedLine {
  /** Index into `texts`. */
  readonly of: number;
  /** Index of the line in its text, and the line's start. */
  readonly line: number;
  readonly start: number;
  /** Shown in the margin, as a second cue beside the colour of a change. */
  readonly sign: '' | '−' | '+';
  readonly pieces: readonly MarkedPiece[];
}

export interface MarkedCodeProps {
  readonly texts: readonly string[];
  readonly lines: readonly MarkedLine[];
}

const ColouredMarked = lazy(() => import('./ColouredMarked.tsx'));

export function MarkedCode(props: MarkedCodeProps & { readonly isPython: boolean }) {
  if (!props.isPython) return <PlainLines {...props} />;
  return (
    <Suspense fallback={<PlainLines {...props} />}>
      <ColouredMarked {...props} />
    </Suspense>
  );
}

function PlainLines({ texts, lines }: MarkedCodeProps) {
  return lines.map((line) => (
    <LineOf key={`${line.of} ${line.line}`} sign={line.sign}>
      {line.pieces.map(({ start, end, className }) => (
        <span key={start} className={className}>
          <SourceText text={(texts[line.of] ?? '').slice(start, end)} />
        </span>
      ))}
    </LineOf>
  ));
}

const LINE_CLASSES = {
  '': 'marked-line',
  '−': 'marked-line is-removed',
  '+': 'marked-line is-added',
} as const;

export function LineOf({
  sign,
  children,
}: {
  readonly sign: MarkedLine['sign'];
  readonly children: ReactNode;
}) {
  return (
    <div className={LINE_CLASSES[sign]}>
      {sign !== '' && <i>{sign}</i>}
      {children}
    </div>
  );
}
