import { Check } from 'lucide-react';
import { memo, type ReactNode, useRef, useState } from 'react';
import { errorType } from '../../../shared/domain/errorType.ts';
import type { SegmentKind } from '../../../shared/domain/model.ts';
import {
  indentedResponse,
  outcomeMark,
  problemOf,
  replayText,
  type SegmentView,
} from '../../data/segmentViews.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { foldKey, useInterface } from '../../state/interface.ts';
import { copyText } from '../../ui/exportText.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted, decimal, seconds } from '../../ui/numbers.ts';
import { SourceText, withLongWord } from '../../ui/SourceText.tsx';
import { CodeCellButtons } from '../../widgets/CodeState.tsx';
import { RerunResult } from '../../widgets/rerun/RerunResult.tsx';
import { RerunButtons } from '../../widgets/rerun/Reruns.tsx';
import { foldOf } from './foldModel.ts';
import { SegmentChips } from './labels/AnnotationChips.tsx';
import { SegmentBody } from './SegmentBody.tsx';
import { useNear } from './text/WhenNear.tsx';
import type { SegmentMean } from './tokens/segmentMeans.ts';

interface SegmentCardProps {
  readonly view: SegmentView;
  readonly rolloutId: number;
  readonly isRaw: boolean;
  readonly answerSource: string | undefined;
  /** On the first screen, or requested: rendered at once, even far from the viewport. */
  readonly isAtOnce: boolean;
  /** Mean of the segment's tokens. Used if tokens have no offsets in the text. */
  readonly mean?: SegmentMean;
  readonly meanName?: string;
}

/** The user message of turn 0 is the problem. In a later turn it came from the user or the environment. */
function shownKind(view: SegmentView): SegmentKind | 'prompt' {
  return view.segment.turn === 0 && view.segment.kind !== 'system' ? 'prompt' : view.segment.kind;
}

export const SegmentCard = memo(function SegmentCard({
  view,
  rolloutId,
  isRaw,
  answerSource,
  isAtOnce,
  mean,
  meanName,
}: SegmentCardProps) {
  const card = useRef<HTMLElement>(null);
  const nearness = useNear(card, isAtOnce);
  const isNear = nearness.isNear || isAtOnce;
  const isFlipped = useInterface((state) => state.flippedFolds.has(foldKey(rolloutId, view.index)));
  const flipFold = useInterface((state) => state.flipFold);
  const kind = shownKind(view);
  const text = replayText(view, isRaw);
  const isIndented = !isRaw && indentedResponse(view) !== undefined;
  const fold = foldOf(text, kind);
  const isFolded = fold.isFoldable && !isFlipped;
  const isError = view.answeredCall !== undefined && outcomeMark(view.answeredCall.outcome).isError;
  const isEmpty = text.trim() === '' && !isRaw;
  const problem = problemOf(view);
  // Hide empty segments: a template may leave an empty message. An empty tool response is shown, since it is
  // informative.
  if (isEmpty && kind !== 'tool-response') return null;
  return (
    <article
      ref={card}
      id={`segment-${view.index}`}
      className={withLongWord(`segment is-${kind}`, text)}
      data-segment={view.index}
      style={isNear || nearness.height === undefined ? undefined : { height: nearness.height }}
    >
      {!isNear ? (
        <SourceText {...farText(view, isRaw, fold.head)} source={view.source} isFar />
      ) : (
        <>
          <SegmentHead
            rolloutId={rolloutId}
            view={view}
            kind={kind}
            answerSource={answerSource}
            text={isIndented ? view.inner : text}
          >
            {isIndented && (
              <span className="dim" title={keyed('Copied as logged. Raw shows it as logged', 'raw.flip')}>
                JSON, indented
              </span>
            )}
            {mean !== undefined && <MeanHeat mean={mean} name={meanName ?? ''} />}
          </SegmentHead>
          {problem !== undefined && <p className="muted segment-problem">{plainLogText(problem)}</p>}
          <div className={isFolded ? 'segment-body is-folded' : 'segment-body'}>
            {isEmpty ? (
              <p className="muted segment-empty">empty</p>
            ) : (
              <SegmentBody view={view} isRaw={isRaw} kind={kind} text={isFolded ? fold.head : text} />
            )}
          </div>
          {fold.isFoldable && (
            <button
              type="button"
              className="fold"
              aria-expanded={!isFolded}
              title={isError ? keyed(isFolded ? 'Show all' : 'Fold', 'error.flip') : undefined}
              onClick={() => flipFold(rolloutId, view.index)}
            >
              {isFolded ? 'Show all ' : 'Fold '}
              {counted(fold.lines, 'line')} · {counted(fold.characters, 'character')}
            </button>
          )}
          {view.call !== undefined && <RerunResult rolloutId={rolloutId} segment={view.index} />}
        </>
      )}
    </article>
  );
});

/**
 * Placeholder text of a segment far from the viewport: one literal stretch, so that hits and marks can be located in
 * it.
 */
function farText(
  view: SegmentView,
  isRaw: boolean,
  head: string,
): { readonly text: string; readonly start: number } {
  const { inner, outer, kind } = view.segment;
  const isLiteral = kind !== 'tool-call' && indentedResponse(view) === undefined;
  if (isRaw) return { text: head, start: outer.start };
  return { text: isLiteral ? head : view.inner, start: inner.start };
}

interface SegmentHeadProps {
  readonly rolloutId: number;
  readonly view: SegmentView;
  readonly kind: SegmentKind | 'prompt';
  readonly answerSource: string | undefined;
  readonly text: string;
  readonly children?: ReactNode;
}

const LABELS: Readonly<Record<SegmentKind | 'prompt', string>> = {
  prompt: 'problem',
  system: 'system',
  reasoning: 'reasoning',
  text: 'text',
  'tool-call': 'tool call',
  'tool-response': 'tool response',
  answer: 'answer',
  user: 'user',
};

function SegmentHead({ rolloutId, view, kind, answerSource, text, children }: SegmentHeadProps) {
  const call = view.call ?? view.answeredCall;
  const mark = call === undefined ? undefined : outcomeMark(call.outcome);
  const isError = mark?.isError === true;
  const exception = isError && view.answeredCall !== undefined ? errorType(view.inner) : undefined;
  return (
    <header className="segment-head">
      <b>{LABELS[kind]}</b>
      {view.call !== undefined && (
        <span className="mono" title={plainLogText(view.call.name ?? '')}>
          {plainLogText(view.call.name ?? 'name unreadable')}
        </span>
      )}
      {mark !== undefined && (
        <span className={isError ? 'is-wrong' : 'muted'} title={mark.title}>
          {mark.glyph} {exception ?? mark.label}
        </span>
      )}
      {view.call?.latencyMs !== undefined && <span className="dim">{seconds(view.call.latencyMs)}</span>}
      {kind === 'user' && <span className="injected">not written by the policy</span>}
      {kind === 'answer' && answerSource === 'derived' && <span className="dim">as found in the text</span>}
      {children}
      <SegmentChips segment={view.index} />
      {view.call !== undefined && <RerunButtons rolloutId={rolloutId} segment={view.index} />}
      {view.call !== undefined && <CodeCellButtons segment={view.index} />}
      <CopyButton text={text} />
      <span className="dim segment-size">{count(text.length)} chars</span>
    </header>
  );
}

/** For ids without text: the mean of the run of policy tokens that this stretch corresponds to. */
function MeanHeat({ mean, name }: { readonly mean: SegmentMean; readonly name: string }) {
  const others = mean.segments - 1;
  return (
    <span
      className={`heat-sample is-${mean.level}`}
      title={`Mean over ${counted(mean.tokens, 'policy token')} of this segment${
        others === 0 ? '' : ` and the ${counted(others, 'segment')} of the policy after it`
      }. Ids have no text, so exact characters are unknown.`}
    >
      mean {name} {decimal(mean.mean, 3)}
    </span>
  );
}

function CopyButton({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="segment-copy"
      aria-label="Copy this segment"
      title="Copy this segment"
      onClick={() => void copyText(text).then(setCopied)}
      onPointerLeave={() => setCopied(false)}
    >
      {isCopied && <Check size={13} />}
    </button>
  );
}
