/** The body of a segment: the exact text in raw mode, else rendered according to its kind. */
import { memo, useMemo } from 'react';
import { assertNever, type SegmentKind } from '../../../shared/domain/model.ts';
import { indentedResponse, outcomeMark, prettyArguments, type SegmentView } from '../../data/segmentViews.ts';
import {
  argumentPlaces,
  codePlaces,
  indentedPlaces,
  type PlacedStretch,
  placedPieces,
} from '../../editor/codePlaces.ts';
import { PythonCode } from '../../editor/PythonCode.tsx';
import { ANSI_ESCAPE, AnsiText } from '../../ui/AnsiText.tsx';
import { LogText } from '../../ui/LogText.tsx';
import { SourceText } from '../../ui/SourceText.tsx';
import { MarkdownText } from './text/MarkdownText.tsx';
import { WhenNear } from './text/WhenNear.tsx';

/** UTF-16 units of the arguments beside the code. The raw text has all of them. */
const LONGEST_ARGUMENTS = 10_000;

const NO_PLACES: readonly PlacedStretch[] = [];

interface SegmentBodyProps {
  readonly view: SegmentView;
  readonly isRaw: boolean;
  /** The text to show: all of it, or its head if the segment is folded. */
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
          {indentedResponse(view) !== undefined ? (
            <IndentedResponse view={view} text={text} />
          ) : text.includes(ANSI_ESCAPE) ? (
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
  // Computed for the whole text. A folded head is a prefix of it, so the offsets hold there too.
  const places = useMemo(() => {
    if (code !== undefined) return codePlaces(code, inner, base);
    const shown = prettyArguments(call?.arguments);
    return shown === undefined ? undefined : argumentPlaces(shown, inner, base);
  }, [code, call, inner, base]);
  if (call?.code !== undefined) {
    const others = prettyArguments(call.arguments, ['code']);
    return (
      <>
        <PythonCode code={text} places={places} source={view.source} />
        {others !== undefined && (
          <pre className="call-arguments">
            <LogText text={others} longest={LONGEST_ARGUMENTS} />
          </pre>
        )}
      </>
    );
  }
  if (call?.arguments !== undefined) {
    return (
      <pre className="code">
        <PlacedBlocks text={text} places={places ?? NO_PLACES} source={view.source} />
      </pre>
    );
  }
  return (
    <pre className="code is-malformed" title="Not valid JSON: shown as written">
      <SourceBlocks text={text} start={view.segment.inner.start} source={view.source} />
    </pre>
  );
}

/** JSON with other white space, so its tokens are where the log has them. */
function IndentedResponse({ view, text }: { readonly view: SegmentView; readonly text: string }) {
  const { inner, segment, source } = view;
  // Computed for the whole text. A folded head is a prefix of it, so the offsets hold there too.
  const whole = indentedResponse(view) ?? '';
  const places = useMemo(
    () => indentedPlaces(whole, inner, segment.inner.start),
    [whole, inner, segment.inner.start],
  );
  return <PlacedBlocks text={text} places={places} source={source} />;
}

interface PlacedBlocksProps {
  readonly text: string;
  /** Stretches of `text` that are literally part of its source. */
  readonly places: readonly PlacedStretch[];
  readonly source: string;
}

/** Text in blocks of whole lines. Each piece of a block far from the viewport is a single text node. */
const PlacedBlocks = memo(function PlacedBlocks({ text, places, source }: PlacedBlocksProps) {
  const blocks = useMemo(() => lineBlocks(text), [text]);
  return blocks.map((block, i) => {
    const pieces = placedPieces(block.text, block.start, places);
    const drawn = (isFar: boolean) =>
      pieces.map((piece, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one immutable text never reorder
        <SourceText key={at} text={piece.text} start={piece.source} source={source} isFar={isFar} />
      ));
    if (blocks.length === 1) return drawn(false);
    return (
      <WhenNear key={block.start} isNear={i === 0} waiting={drawn(true)}>
        {drawn(false)}
      </WhenNear>
    );
  });
});

interface SourceBlocksProps {
  readonly text: string;
  /** Offset of `text` in its source. */
  readonly start: number;
  readonly source: string;
}

/** Text as logged. */
function SourceBlocks({ text, start, source }: SourceBlocksProps) {
  const places = useMemo(() => [{ start: 0, end: text.length, source: start }], [text, start]);
  return <PlacedBlocks text={text} places={places} source={source} />;
}

/** A block of whole lines. Blocks allow a long text to be rendered in parts without any visible difference. */
interface LineBlock {
  /** Offset of the block in the whole text. */
  readonly start: number;
  /** Includes its final newline. Only the last block may have none. */
  readonly text: string;
}

/** About one screen of text. */
const BLOCK_CHARACTERS = 3_200;

export function lineBlocks(text: string): readonly LineBlock[] {
  const blocks: LineBlock[] = [];
  let start = 0;
  while (text.length - start > BLOCK_CHARACTERS) {
    const newline = text.indexOf('\n', start + BLOCK_CHARACTERS);
    if (newline < 0 || newline === text.length - 1) break;
    blocks.push({ start, text: text.slice(start, newline + 1) });
    start = newline + 1;
  }
  blocks.push({ start, text: text.slice(start) });
  return blocks;
}
