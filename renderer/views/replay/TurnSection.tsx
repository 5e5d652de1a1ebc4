/**
 * One turn of the transcript. Far from the viewport it is empty and keeps its last or its estimated height. A turn of
 * many segments is divided into stretches.
 */
import { memo, useRef } from 'react';
import type { RedactedReasoning } from '../../../shared/domain/policyContext.ts';
import type { PolicyValue } from '../../../shared/domain/valueByTurn.ts';
import type { SegmentView, TurnView } from '../../data/segmentViews.ts';
import { LogText } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import { ContinueButton, ValueButton } from '../../widgets/continuation/ContinuationButtons.tsx';
import { TurnChips } from './labels/AnnotationChips.tsx';
import { SegmentCard } from './SegmentCard.tsx';
import { Stretch, stretchesOf } from './Stretch.tsx';
import { TurnValue } from './TurnValue.tsx';
import { useNear } from './text/WhenNear.tsx';
import type { SegmentMean } from './tokens/segmentMeans.ts';

interface TurnSectionProps {
  readonly view: TurnView;
  readonly rolloutId: number;
  readonly isCurrent: boolean;
  readonly isRaw: boolean;
  readonly answerSource: string | undefined;
  readonly means: ReadonlyMap<number, SegmentMean> | undefined;
  readonly meanName: string | undefined;
  /** A segment to scroll to. It is rendered even if it is far from the viewport. */
  readonly called: number | undefined;
  /** Reasoning of this turn that the provider withheld. */
  readonly redacted: readonly RedactedReasoning[] | undefined;
  /** The value by turn of the rollout. Absent: nothing was sampled from the ends of turns. */
  readonly value: PolicyValue | undefined;
  /** Offers nothing that reveals how the rollout was judged. */
  readonly isBlind: boolean;
}

/** Enough segments to fill the first screen. Later ones are rendered when they come near the viewport. */
const AT_ONCE = 8;

/** `contain-intrinsic-size` in the style sheet, plus the gap between segments. */
const SEGMENT_HEIGHT = 254;
const HEAD_HEIGHT = 46;

/** Estimated height in pixels of a turn that has not been rendered yet. */
export const guessedHeight = ({ segments }: TurnView): number =>
  HEAD_HEIGHT + segments.length * SEGMENT_HEIGHT;

export const TurnSection = memo(function TurnSection(props: TurnSectionProps) {
  const { view, called } = props;
  const { segments } = view;
  const section = useRef<HTMLElement>(null);
  const isCalled = called !== undefined && segments.some(({ index }) => index === called);
  const { isNear, height } = useNear(
    section,
    segments.some(({ index }) => index < AT_ONCE),
  );
  const label = turnLabel(view);
  if (!isNear && !isCalled) {
    return (
      <section
        ref={section}
        className="turn is-far"
        data-turn={view.turn}
        aria-label={label}
        style={{ height: height ?? guessedHeight(view) }}
      />
    );
  }
  const stretches = stretchesOf(segments);
  const isAtOnce = ({ index }: SegmentView) => index < AT_ONCE || index === called;
  const cardsOf = (views: readonly SegmentView[]) =>
    views.map((segment) => (
      <SegmentCard
        key={segment.index}
        view={segment}
        rolloutId={props.rolloutId}
        isRaw={props.isRaw}
        answerSource={props.answerSource}
        isAtOnce={isAtOnce(segment)}
        mean={props.means?.get(segment.index)}
        meanName={props.meanName}
      />
    ));
  return (
    <section ref={section} className="turn" data-turn={view.turn} aria-label={label}>
      <h2 className={props.isCurrent ? 'turn-head is-current' : 'turn-head'}>
        <span>{label}</span>
        <small>{turnFacts(view)}</small>
        <TurnChips turn={view.turn} />
        {view.turn > 0 && (
          <>
            {!props.isBlind && <ValueButton rolloutId={props.rolloutId} />}
            <ContinueButton
              rolloutId={props.rolloutId}
              position={{ kind: 'turn', turn: view.turn, at: 'start' }}
            />
          </>
        )}
      </h2>
      {props.redacted?.map((one, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a turn never reorder
        <RedactedNote key={i} {...one} />
      ))}
      {stretches.length === 1
        ? cardsOf(segments)
        : stretches.map((stretch) => (
            <Stretch
              key={stretch[0]?.index}
              guessedHeight={stretch.length * SEGMENT_HEIGHT}
              isWanted={stretch.some(isAtOnce)}
            >
              {() => cardsOf(stretch)}
            </Stretch>
          ))}
      {props.value !== undefined && <TurnValue value={props.value} turn={view.turn} />}
    </section>
  );
});

function turnLabel(view: TurnView): string {
  return view.turn === 0 ? 'Prompt' : `Turn ${view.turn}`;
}

function turnFacts(view: TurnView): string {
  const { counts } = view;
  if (counts === undefined) return '';
  return [
    counts.policyTokens === undefined ? undefined : counted(counts.policyTokens, 'policy token'),
    (counts.toolCalls ?? 0) === 0 ? undefined : counted(counts.toolCalls ?? 0, 'tool call'),
    (counts.toolErrors ?? 0) === 0 ? undefined : `${counts.toolErrors} failed`,
  ]
    .filter((fact) => fact !== undefined)
    .join(' · ');
}

const LONGEST_SUMMARY = 2_000;

/** Says where a provider withheld reasoning. Its summary, if logged, is the provider's text and not the policy's. */
export function RedactedNote({ summary }: Pick<RedactedReasoning, 'summary'>) {
  return (
    <aside className="redacted-note" aria-label="Redacted reasoning">
      <b>reasoning redacted</b> <span>The provider withheld it. Its text is not in the log.</span>
      {summary !== undefined && (
        <details>
          <summary>Summary of the provider, not text of the policy</summary>
          <LogText text={summary} longest={LONGEST_SUMMARY} />
        </details>
      )}
    </aside>
  );
}
