import { X } from 'lucide-react';
import { type RefObject, useMemo, useRef } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import type { PolicyValue, PositionSamples } from '../../../shared/domain/valueByTurn.ts';
import { redactedByTurn } from '../../../shared/format/loggedContext.ts';
import type { TurnView } from '../../data/segmentViews.ts';
import { useRequest } from '../../data/useRequest.ts';
import { keyOf } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { useTokenView } from '../../state/tokenView.ts';
import { IconButton } from '../../ui/Controls.tsx';
import { copyText } from '../../ui/exportText.ts';
import { count, counted } from '../../ui/numbers.ts';
import { FindBar } from './FindBar.tsx';
import { SaidOf } from './labels/AnnotationChips.tsx';
import type { Labelling } from './labels/useLabelling.ts';
import { Transcript, type TranscriptHandle } from './Transcript.tsx';
import type { Hit } from './text/findModel.ts';
import type { LabelRange, TextMarks } from './text/textMarks.ts';
import { gapFlags, type Heat, maskedFlags } from './text/tokenHeat.ts';
import type { SegmentMeans } from './tokens/segmentMeans.ts';
import { TokenReadout } from './tokens/TokenReadout.tsx';
import { type TokenSpan, tokensCsv, tokensOf } from './tokens/tokenListModel.ts';
import type { LexiconState } from './tokens/useLexicon.ts';
import type { TokenCursor } from './tokens/useTokenCursor.ts';
import type { useFind } from './useFind.ts';

interface ReplayTextProps {
  readonly detail: RolloutDetail;
  readonly turns: readonly TurnView[];
  readonly turn: number;
  readonly heat: Heat | undefined;
  readonly value: PolicyValue | undefined;
  readonly sampled: readonly PositionSamples[] | undefined;
  readonly isBlind: boolean;
  readonly means: SegmentMeans | undefined;
  readonly lexicon: LexiconState;
  readonly labelling: Labelling;
  readonly find: ReturnType<typeof useFind>;
  /** Marked like a hit while the search is closed. */
  readonly pointed: Hit | undefined;
  readonly cursor: TokenCursor;
  readonly transcript: RefObject<TranscriptHandle | null>;
  readonly onReadTurn: (turn: number) => void;
}

/** The middle pane: search bar, transcript with its marks, and the readout of one token. */
export function ReplayText(props: ReplayTextProps) {
  const { detail, heat, find, pointed, cursor } = props;
  const pane = useRef<HTMLDivElement>(null);
  const isRaw = useInterface((state) => state.isRaw);
  const isHeatOn = useInterface((state) => state.isHeatOn);
  const marks = useTextMarks(detail, heat, props.lexicon, props.labelling.ranges);
  const { rolloutId } = detail.row;
  const evidence = useMemo(() => (pointed === undefined ? [] : [pointed]), [pointed]);
  const redacted = useMemo(() => redactedByTurn(detail.extra), [detail]);
  return (
    <div className="transcript-pane" ref={pane}>
      {find.isOpen && (
        <FindBar
          query={find.query}
          hits={find.hits.length}
          current={find.index}
          note={find.note}
          isLinked={find.isLinked}
          field={find.field}
          onQuery={find.search}
          onStep={find.step}
          onClose={find.close}
        />
      )}
      <SaidOf labelling={props.labelling}>
        <Transcript
          key={rolloutId}
          handle={props.transcript}
          turns={props.turns}
          hasText={detail.row.responseChars !== undefined}
          rolloutId={rolloutId}
          turn={props.turn}
          isRaw={isRaw}
          answerSource={detail.answerSource}
          marks={marks}
          means={isHeatOn ? props.means?.means : undefined}
          meanName={heat?.words.name}
          hits={find.isOpen ? find.hits : evidence}
          currentHit={find.isOpen ? find.currentHit : pointed}
          currentToken={cursor.range}
          redacted={redacted}
          value={props.value}
          isBlind={props.isBlind}
          onReadTurn={props.onReadTurn}
        />
      </SaidOf>
      {heat !== undefined && !heat.isConstant && isHeatOn && (
        <TokenReadout
          // Drops the hovered token and cached responses of the previous rollout.
          key={`readout ${rolloutId}`}
          pane={pane}
          detail={detail}
          heat={heat}
          sampled={props.sampled}
          turns={props.turns}
          isRaw={isRaw}
          means={props.means}
          token={cursor.token}
          onChoose={cursor.choose}
        />
      )}
      {heat?.ends !== undefined && cursor.span !== undefined && (
        <SpanBar heat={heat} span={cursor.span} onClear={() => cursor.setSpan(undefined)} />
      )}
    </div>
  );
}

interface SpanBarProps {
  readonly heat: Heat;
  readonly span: TokenSpan;
  readonly onClear: () => void;
}

/** The token range that was selected with the scrubber's brush. */
function SpanBar({ heat, span, onClear }: SpanBarProps) {
  const size = span.to - span.from + 1;
  const high = heat.high.reduce((sum, token) => sum + Number(token >= span.from && token <= span.to), 0);
  const copy = () =>
    void copyText(tokensCsv(heat, tokensOf(span))).then((isCopied) =>
      useInterface
        .getState()
        .setNotice(
          isCopied ? `${counted(size, 'token')} copied as CSV` : 'The clipboard is not available here',
        ),
    );
  return (
    <section className="span-bar" aria-label="Selected tokens">
      <span>
        tokens {count(span.from)} to {count(span.to)}
      </span>
      <span className="dim">
        {counted(size, 'token')}, {count(high)} high
      </span>
      <button type="button" className="text-button" onClick={copy}>
        Copy tokens as CSV
      </button>
      <IconButton label="Clear the selection of tokens" keys={keyOf('place.up')} onClick={onClear}>
        <X size={13} />
      </IconButton>
    </section>
  );
}

/** All marks of the text. Undefined if none exist. */
function useTextMarks(
  detail: RolloutDetail,
  heat: Heat | undefined,
  lexicon: LexiconState,
  labels: readonly LabelRange[],
): TextMarks | undefined {
  const isHeatOn = useInterface((state) => state.isHeatOn);
  const isUnderlined = useTokenView((state) => state.markStyle === 'underline');
  const isMaskShown = useTokenView((state) => state.isMaskShown);
  const isGapShown = useTokenView((state) => state.isGapShown && heat?.hasGap === true);
  const { rolloutId } = detail.row;
  const gapValues = useRequest('rollout.signal', isGapShown ? { rolloutId, signal: 'gap' } : undefined).data
    ?.values;
  const mask = heat?.mask;
  const ends = heat?.ends;
  const masked = useMemo(
    () => (isMaskShown && mask !== undefined ? maskedFlags(mask) : undefined),
    [isMaskShown, mask],
  );
  const gap = useMemo(
    () => (isGapShown && gapValues !== undefined ? gapFlags(gapValues, mask) : undefined),
    [isGapShown, gapValues, mask],
  );
  const shown = isHeatOn && heat?.ends !== undefined && heat.cuts.length > 0 ? heat : undefined;
  const words = lexicon.ranges;
  return useMemo(() => {
    const isBare =
      shown === undefined &&
      masked === undefined &&
      gap === undefined &&
      words.length === 0 &&
      labels.length === 0;
    return isBare ? undefined : { heat: shown, isUnderlined, masked, gap, ends, words, labels };
  }, [shown, isUnderlined, masked, gap, ends, words, labels]);
}
