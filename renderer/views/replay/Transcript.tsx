// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a scroll container must be focusable to be scrolled by keys
/**
 * The rollout as text, turn by turn. Scrolling updates the current turn; choosing a turn scrolls to it. The browser
 * skips rendering segments out of view (`content-visibility`). Turns and segments far from the viewport are not in the
 * DOM (`WhenNear.tsx`), so that it stays small for long rollouts.
 */
import { memo, type Ref, type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { TextRange } from '../../../shared/domain/model.ts';
import type { RedactedReasoning } from '../../../shared/domain/policyContext.ts';
import type { PolicyValue } from '../../../shared/domain/valueByTurn.ts';
import type { TurnView } from '../../data/segmentViews.ts';
import { useAutoFocus } from '../../ui/useAutoFocus.ts';
import { Stretch, stretchesOf } from './Stretch.tsx';
import { guessedHeight, TurnSection } from './TurnSection.tsx';
import type { Hit } from './text/findModel.ts';
import type { TextMarks } from './text/textMarks.ts';
import type { SegmentMean } from './tokens/segmentMeans.ts';
import { useTextHighlights } from './useTextHighlights.ts';
import './transcript.css';

export interface TranscriptHandle {
  /** `fraction` of the segment's height, to scroll into a long segment. */
  showSegment(segment: number, fraction?: number): void;
  /** Scrolls to the mark of the current search hit or token. Returns false if the mark is not painted. */
  showMark(name: CurrentMark): boolean;
  /** Whether that mark is visible without scrolling. */
  isInSight(name: CurrentMark): boolean;
  /** The next turn change in the URL points inside the turn, so do not scroll to its head. */
  expectTurn(turn: number): void;
}

export type CurrentMark = 'find-current' | 'token-current';

interface TranscriptProps {
  readonly turns: readonly TurnView[];
  /** False if the log has neither prompt nor response. */
  readonly hasText: boolean;
  readonly rolloutId: number;
  readonly turn: number;
  readonly isRaw: boolean;
  readonly answerSource: string | undefined;
  readonly marks: TextMarks | undefined;
  readonly hits: readonly Hit[];
  readonly currentHit: Hit | undefined;
  readonly currentToken: TextRange | undefined;
  /** By segment index, for rollouts whose tokens have no offsets in the text. */
  readonly means: ReadonlyMap<number, SegmentMean> | undefined;
  readonly meanName: string | undefined;
  /** By turn. */
  readonly redacted: ReadonlyMap<number, readonly RedactedReasoning[]>;
  /** Absent: nothing was sampled from the ends of turns. */
  readonly value: PolicyValue | undefined;
  readonly isBlind: boolean;
  readonly onReadTurn: (turn: number) => void;
  readonly handle: Ref<TranscriptHandle>;
}

/** User scrolling ends this long after the last wheel, touch or key event. */
const BY_HAND_MS = 400;
/** The current turn is updated in its own task, so that it does not delay the frame. */
const READ_MS = 80;
/** Distance of the reading line from the top edge. */
const READING_LINE = 90;
const MARGIN = 14;

function topOf(container: Element, element: Element): number {
  return container.scrollTop + element.getBoundingClientRect().top - container.getBoundingClientRect().top;
}

/** The box of a current mark. Undefined if its text is not in the DOM. */
function markBox(name: CurrentMark): DOMRect | undefined {
  const [range] = CSS.highlights.get(name) ?? [];
  if (!(range instanceof Range)) return undefined;
  const box = range.getBoundingClientRect();
  return box.height === 0 ? undefined : box;
}

/** Skipped segments have estimated heights. Repeated passes scroll to the position by real heights. */
const SCROLL_PASSES = 4;

function scrollTo(
  scroller: RefObject<HTMLElement | null>,
  top: (container: HTMLElement) => number | undefined,
  passes = SCROLL_PASSES,
): void {
  const container = scroller.current;
  const target = container === null ? undefined : top(container);
  if (container === null || target === undefined) return;
  container.scrollTop = target;
  if (passes > 1) requestAnimationFrame(() => scrollTo(scroller, top, passes - 1));
}

const has = (view: TurnView, segment: number | undefined): boolean =>
  segment !== undefined && view.segments.some(({ index }) => index === segment);

export const Transcript = memo(function Transcript(props: TranscriptProps) {
  const { turns, turn, onReadTurn } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const readTurn = useRef<number>(undefined);
  const byHandUntil = useRef(0);
  const reading = useRef<ReturnType<typeof setTimeout>>(undefined);
  const outline = useRef<HTMLDivElement>(null);
  const [called, setCalled] = useState<number>();
  useTextHighlights(scroller, props.marks, props.hits, props.currentHit, props.currentToken, outline);

  useEffect(() => {
    if (readTurn.current === turn) return;
    readTurn.current = turn;
    byHandUntil.current = 0;
    scrollTo(scroller, (container) => {
      const section = container.querySelector(`[data-turn="${turn}"]`);
      return section === null ? undefined : topOf(container, section) - MARGIN;
    });
  }, [turn]);

  useEffect(() => () => clearTimeout(reading.current), []);

  // Focus the text, so that arrow and page keys scroll it at once.
  useAutoFocus(scroller);

  useImperativeHandle(props.handle, () => ({
    showSegment(segment, fraction = 0) {
      byHandUntil.current = 0;
      // A segment far from the viewport is not in the DOM, so render it before scrolling to it.
      flushSync(() => setCalled(segment));
      scrollTo(scroller, (container) => {
        const element = container.querySelector(`[data-segment="${segment}"]`);
        if (element === null) return undefined;
        return topOf(container, element) - MARGIN * 3 + fraction * element.getBoundingClientRect().height;
      });
    },
    showMark(name) {
      byHandUntil.current = 0;
      if (markBox(name) === undefined) return false;
      scrollTo(scroller, (container) => {
        const mark = markBox(name);
        const box = container.getBoundingClientRect();
        return mark === undefined ? undefined : container.scrollTop + mark.top - box.top - box.height / 3;
      });
      return true;
    },
    isInSight(name) {
      const mark = markBox(name);
      const box = scroller.current?.getBoundingClientRect();
      if (mark === undefined || box === undefined) return false;
      return mark.top >= box.top + MARGIN && mark.bottom <= box.bottom - MARGIN * 3;
    },
    expectTurn(next) {
      readTurn.current = next;
    },
  }));

  const findReadTurn = () => {
    reading.current = undefined;
    const container = scroller.current;
    if (container === null) return;
    const line = container.getBoundingClientRect().top + READING_LINE;
    let read: number | undefined;
    for (const section of container.querySelectorAll<HTMLElement>('[data-turn]')) {
      if (read !== undefined && section.getBoundingClientRect().top > line) break;
      read = Number(section.dataset.turn);
    }
    if (read === undefined || read === readTurn.current) return;
    readTurn.current = read;
    onReadTurn(read);
  };
  const onScroll = () => {
    if (performance.now() > byHandUntil.current) return;
    byHandUntil.current = performance.now() + BY_HAND_MS;
    reading.current ??= setTimeout(findReadTurn, READ_MS);
  };
  const byHand = () => {
    byHandUntil.current = performance.now() + BY_HAND_MS;
  };

  return (
    <section
      ref={scroller}
      className="transcript"
      aria-label="Transcript"
      tabIndex={0}
      onScroll={onScroll}
      onWheel={byHand}
      onKeyDown={byHand}
      onTouchMove={byHand}
      onPointerDown={byHand}
      onPointerMove={(event) => event.buttons > 0 && byHand()}
    >
      {stretchesOf(turns).map((stretch) => (
        <Stretch
          key={stretch[0]?.turn}
          turn={stretch[0]?.turn}
          guessedHeight={stretch.reduce((sum, view) => sum + guessedHeight(view), 0)}
          isWanted={stretch.some((view) => view.turn === turn || has(view, called))}
        >
          {() =>
            stretch.map((view) => (
              <TurnSection
                key={view.turn}
                view={view}
                rolloutId={props.rolloutId}
                isCurrent={view.turn === turn}
                isRaw={props.isRaw}
                answerSource={props.answerSource}
                means={props.means}
                meanName={props.meanName}
                called={has(view, called) ? called : undefined}
                redacted={props.redacted.get(view.turn)}
                value={props.value}
                isBlind={props.isBlind}
              />
            ))
          }
        </Stretch>
      ))}
      <div ref={outline} className="token-outline" aria-hidden="true" hidden />
      <p className="transcript-end">
        {!props.hasText
          ? turns.length === 0
            ? 'No text of this rollout is logged: neither prompt nor response'
            : 'No response of this rollout is logged'
          : turns.every((view) => view.turn === 0)
            ? 'the response is empty: the policy wrote nothing'
            : 'end of the rollout'}
      </p>
    </section>
  );
});
