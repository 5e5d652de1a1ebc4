import { memo, useLayoutEffect, useMemo } from 'react';
import { outcomeMark, type SegmentView, type TurnView } from '../../data/segmentViews.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { seconds } from '../../ui/numbers.ts';
import { useVirtualRows } from '../../ui/useVirtualRows.ts';
import './outline.css';

interface OutlineProps {
  readonly turns: readonly TurnView[];
  readonly turn: number;
  readonly onTurn: (turn: number) => void;
  readonly onSegment: (view: SegmentView) => void;
}

const GLYPHS = {
  reasoning: '¶',
  text: '¶',
  'tool-call': '›_',
  'tool-response': '⤶',
  answer: '◆',
  user: '!',
  system: '§',
} as const;

const ROW_HEIGHT = 23;
const OVERSCAN = 8;

export const Outline = memo(function Outline({ turns, turn, onTurn, onSegment }: OutlineProps) {
  const rows = useMemo(() => outlineRows(turns), [turns]);
  const { scroller, onScroll, space, shown, show } = useVirtualRows<HTMLElement>({
    count: rows.length,
    rowHeight: ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  // Follows the current turn: scrolls to its head and to as many of its rows as fit.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only when the turn changes
  useLayoutEffect(() => {
    const head = rows.findIndex((row) => turnOf(row) === turn);
    if (head < 0) return;
    show(rows.findLastIndex((row) => turnOf(row) === turn));
    show(head);
  }, [turn, rows]);
  return (
    <nav ref={scroller} className="outline" aria-label="Outline" onScroll={onScroll}>
      <div style={{ height: space.spacer }}>
        <ol style={{ transform: `translateY(${shown.top}px)` }}>
          {rows.slice(shown.first, shown.end).map((row) => (
            <li
              key={row.what === 'turn' ? `turn ${row.view.turn}` : row.view.index}
              className={turnOf(row) === turn ? 'is-current' : undefined}
              style={{ height: ROW_HEIGHT }}
            >
              {row.what === 'turn' ? (
                <OutlineTurn view={row.view} isCurrent={row.view.turn === turn} onTurn={onTurn} />
              ) : (
                <OutlineRow view={row.view} onSegment={onSegment} />
              )}
            </li>
          ))}
        </ol>
      </div>
    </nav>
  );
});

interface OutlineTurnProps {
  readonly view: TurnView;
  readonly isCurrent: boolean;
  readonly onTurn: (turn: number) => void;
}

function OutlineTurn({ view, isCurrent, onTurn }: OutlineTurnProps) {
  const errors = view.counts?.toolErrors ?? 0;
  return (
    <button
      type="button"
      className="outline-turn"
      aria-current={isCurrent ? 'true' : undefined}
      onClick={() => onTurn(view.turn)}
    >
      {view.turn === 0 ? 'Prompt' : `Turn ${view.turn}`}
      {errors > 0 && <span className="is-wrong">✕{errors > 1 ? errors : ''}</span>}
    </button>
  );
}

interface OutlineRowProps {
  readonly view: SegmentView;
  readonly onSegment: (view: SegmentView) => void;
}

function OutlineRow({ view, onSegment }: OutlineRowProps) {
  const { call } = view;
  const { kind } = view.segment;
  const isProblem = kind === 'user' && view.segment.turn === 0;
  const mark = call === undefined ? undefined : outcomeMark(call.outcome);
  const name = plainLogText(call === undefined ? outlineName(view) : (call.name ?? 'tool call'));
  return (
    <button
      type="button"
      className={`outline-row is-${isProblem ? 'problem' : kind}`}
      onClick={() => onSegment(view)}
      title={name}
    >
      <span className="outline-glyph">{isProblem ? '?' : GLYPHS[kind]}</span>
      <span className="outline-name">{name}</span>
      <span className={mark?.isError ? 'is-wrong' : 'dim'} title={mark?.label}>
        {mark?.glyph}
      </span>
      <span className="outline-time">{call?.latencyMs === undefined ? '' : seconds(call.latencyMs)}</span>
    </button>
  );
}

/** The boxed answer, else the beginning of the text. */
function answerLabel(text: string): string {
  const words = /\\boxed\{(.*)\}/s.exec(text)?.[1] ?? text;
  return words.replace(/\s+/g, ' ').trim().slice(0, 60);
}

function outlineName(view: SegmentView): string {
  const { kind, turn } = view.segment;
  if (kind === 'user') return turn === 0 ? 'problem' : 'user';
  if (kind === 'answer') return `answer ${answerLabel(view.inner)}`;
  return kind === 'tool-response' ? 'response without call' : kind;
}

type OutlineEntry =
  | { readonly what: 'turn'; readonly view: TurnView }
  | { readonly what: 'segment'; readonly turn: number; readonly view: SegmentView };

/** A response belongs to the row of its call. Without a call it gets its own row. */
export function outlineRows(turns: readonly TurnView[]): readonly OutlineEntry[] {
  return turns.flatMap((view): readonly OutlineEntry[] => [
    { what: 'turn', view },
    ...view.segments
      .filter(
        (segment) =>
          segment.inner.trim() !== '' &&
          !(segment.segment.kind === 'tool-response' && segment.answeredCall !== undefined),
      )
      .map((segment) => ({ what: 'segment', turn: view.turn, view: segment }) as const),
  ]);
}

export const turnOf = (entry: OutlineEntry): number => (entry.what === 'turn' ? entry.view.turn : entry.turn);
