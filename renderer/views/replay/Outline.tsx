import { memo, useEffect, useRef } from 'react';
import { outcomeMark, type SegmentView, type TurnView } from '../../data/segmentViews.ts';
import { seconds } from '../../ui/numbers.ts';
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

/** A response belongs to its call's row; alone it gets one of its own. */
function rowsOf(turn: TurnView): readonly SegmentView[] {
  return turn.segments.filter(
    (view) =>
      view.inner.trim() !== '' && !(view.segment.kind === 'tool-response' && view.answeredCall !== undefined),
  );
}

export const Outline = memo(function Outline({ turns, turn, onTurn, onSegment }: OutlineProps) {
  const current = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current row is another element when the turn changes
  useEffect(() => {
    // Newer Chromium returns a promise here, which is no clean-up.
    void current.current?.scrollIntoView({ block: 'nearest' });
  }, [turn]);
  return (
    <nav className="outline" aria-label="Outline">
      <ol>
        {turns.map((view) => (
          <li
            key={view.turn}
            ref={view.turn === turn ? current : undefined}
            className={view.turn === turn ? 'is-current' : undefined}
          >
            <button
              type="button"
              className="outline-turn"
              aria-current={view.turn === turn ? 'true' : undefined}
              onClick={() => onTurn(view.turn)}
            >
              {view.turn === 0 ? 'Prompt' : `Turn ${view.turn}`}
              {view.counts !== undefined && view.counts.toolErrors > 0 && (
                <span className="is-wrong">✕{view.counts.toolErrors > 1 ? view.counts.toolErrors : ''}</span>
              )}
            </button>
            {rowsOf(view).map((segment) => (
              <OutlineRow key={segment.index} view={segment} onSegment={onSegment} />
            ))}
          </li>
        ))}
      </ol>
    </nav>
  );
});

interface OutlineRowProps {
  readonly view: SegmentView;
  readonly onSegment: (view: SegmentView) => void;
}

function OutlineRow({ view, onSegment }: OutlineRowProps) {
  const { call } = view;
  const { kind } = view.segment;
  const isProblem = kind === 'user' && view.segment.turn === 0;
  const mark = call === undefined ? undefined : outcomeMark(call.outcome);
  const name = call === undefined ? outlineName(view) : (call.name ?? 'tool call');
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

/** What was boxed, else the beginning of the text. */
function answerWords(text: string): string {
  const words = /\\boxed\{(.*)\}/s.exec(text)?.[1] ?? text;
  return words.replace(/\s+/g, ' ').trim().slice(0, 60);
}

function outlineName(view: SegmentView): string {
  const { kind, turn } = view.segment;
  if (kind === 'user') return turn === 0 ? 'problem' : 'user, injected';
  if (kind === 'answer') return `answer ${answerWords(view.inner)}`;
  return kind === 'tool-response' ? 'response without call' : kind;
}
