/** What stands under a segment's heading: exact text when raw, else as its kind is best read. */
import { memo, useMemo } from 'react';
import { assertNever, type SegmentKind } from '../../../shared/domain/model.ts';
import { outcomeMark, prettyArguments, type SegmentView } from '../../data/segmentViews.ts';
import { codePlaces } from '../../editor/codePlaces.ts';
import { PlainCode } from '../../editor/PlainCode.tsx';
import { PythonCode } from '../../editor/PythonCode.tsx';
import { AnsiText } from '../../ui/AnsiText.tsx';
import { SourceText } from '../../ui/SourceText.tsx';
import { MarkdownText } from './MarkdownText.tsx';
import { WhenNear } from './WhenNear.tsx';

/** Segments that surely fill the first screen; later ones are rendered when one comes near them. */
const AT_ONCE = 8;

interface SegmentBodyProps {
  readonly view: SegmentView;
  readonly isRaw: boolean;
  /** What to show of the text: all of it, or its head when folded. */
  readonly text: string;
  readonly kind: SegmentKind | 'prompt';
}

export const SegmentBody = memo(function SegmentBody({ view, isRaw, text, kind }: SegmentBodyProps) {
  const { segment, source } = view;
  if (isRaw) {
    return (
      <pre className="raw-text">
        <SourceText text={text} start={segment.outer.start} source={source} />
      </pre>
    );
  }
  const start = segment.inner.start;
  switch (kind) {
    case 'reasoning':
    case 'text':
    case 'answer':
    case 'user':
    case 'prompt':
      return (
        <div className={kind === 'answer' ? 'prose is-answer' : 'prose'}>
          <MarkdownText text={text} start={start} source={source} isFirst={view.index < AT_ONCE} />
        </div>
      );
    case 'system':
      return (
        <pre className="raw-text is-quiet">
          <SourceText text={text} start={start} source={source} />
        </pre>
      );
    case 'tool-call':
      return <CallBody view={view} text={text} />;
    case 'tool-response': {
      const isError = view.answeredCall !== undefined && outcomeMark(view.answeredCall.outcome).isError;
      return (
        <pre className={isError ? 'output is-error' : 'output'}>
          <AnsiText text={text} start={start} source={source} />
        </pre>
      );
    }
    default:
      return assertNever(kind);
  }
});

function CallBody({ view, text }: { readonly view: SegmentView; readonly text: string }) {
  const { call, inner } = view;
  const base = view.segment.inner.start;
  const code = call?.code;
  // Of the whole code: a folded head is its beginning, so the places hold for it, too.
  const places = useMemo(
    () => (code === undefined ? undefined : codePlaces(code, inner, base)),
    [code, inner, base],
  );
  if (call?.code !== undefined) {
    const others = prettyArguments(call.arguments, ['code']);
    return (
      <>
        <WhenNear
          isNear={view.index < AT_ONCE}
          waiting={<PlainCode code={text} places={places} source={view.source} />}
        >
          <PythonCode code={text} places={places} source={view.source} />
        </WhenNear>
        {others !== undefined && <pre className="call-arguments">{others}</pre>}
      </>
    );
  }
  if (call?.arguments !== undefined) {
    return (
      <pre className="code">
        <SourceText text={text} />
      </pre>
    );
  }
  return (
    <pre className="code is-malformed" title="Not valid JSON: shown as written">
      <SourceText text={text} start={view.segment.inner.start} source={view.source} />
    </pre>
  );
}
