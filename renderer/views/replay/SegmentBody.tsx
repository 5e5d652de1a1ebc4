/** What stands under a segment's heading: exact text when raw, else as its kind is best read. */
import { memo, useMemo } from 'react';
import { assertNever, type SegmentKind } from '../../../shared/domain/model.ts';
import { outcomeMark, prettyArguments, type SegmentView } from '../../data/segmentViews.ts';
import { codePlaces } from '../../editor/codePlaces.ts';
import { PythonCode } from '../../editor/PythonCode.tsx';
import { ANSI_ESCAPE, AnsiText } from '../../ui/AnsiText.tsx';
import { MarkdownText } from './MarkdownText.tsx';
import { SourceBlocks } from './SourceBlocks.tsx';

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
        <SourceBlocks text={text} start={segment.outer.start} source={source} />
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
          <MarkdownText text={text} start={start} source={source} />
        </div>
      );
    case 'system':
      return (
        <pre className="raw-text is-quiet">
          <SourceBlocks text={text} start={start} source={source} />
        </pre>
      );
    case 'tool-call':
      return <CallBody view={view} text={text} />;
    case 'tool-response': {
      const isError = view.answeredCall !== undefined && outcomeMark(view.answeredCall.outcome).isError;
      return (
        <pre className={isError ? 'output is-error' : 'output'}>
          {text.includes(ANSI_ESCAPE) ? (
            <AnsiText text={text} start={start} source={source} />
          ) : (
            <SourceBlocks text={text} start={start} source={source} />
          )}
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
        <PythonCode code={text} places={places} source={view.source} />
        {others !== undefined && <pre className="call-arguments">{others}</pre>}
      </>
    );
  }
  if (call?.arguments !== undefined) {
    return (
      <pre className="code">
        <SourceBlocks text={text} />
      </pre>
    );
  }
  return (
    <pre className="code is-malformed" title="Not valid JSON: shown as written">
      <SourceBlocks text={text} start={view.segment.inner.start} source={view.source} />
    </pre>
  );
}
