import { type RefObject, useRef } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import type { TurnView } from '../../data/segmentViews.ts';
import { useInterface } from '../../state/interface.ts';
import { FindBar } from './FindBar.tsx';
import { SaidOf } from './labels/AnnotationChips.tsx';
import type { Labelling } from './labels/useLabelling.ts';
import { Transcript, type TranscriptHandle } from './Transcript.tsx';
import { SpanBar } from './tokens/SpanBar.tsx';
import type { SegmentMeans } from './tokens/segmentMeans.ts';
import { TokenReadout } from './tokens/TokenReadout.tsx';
import type { LexiconState } from './tokens/useLexicon.ts';
import { useTextMarks } from './tokens/useTextMarks.ts';
import type { TokenCursor } from './tokens/useTokenCursor.ts';
import type { useFind } from './useFind.ts';
import type { Heat } from './useHeat.ts';

interface ReplayTextProps {
  readonly detail: RolloutDetail;
  readonly turns: readonly TurnView[];
  readonly turn: number;
  readonly heat: Heat | undefined;
  readonly means: SegmentMeans | undefined;
  readonly lexicon: LexiconState;
  readonly labelling: Labelling;
  readonly find: ReturnType<typeof useFind>;
  readonly cursor: TokenCursor;
  readonly transcript: RefObject<TranscriptHandle | null>;
  readonly onReadTurn: (turn: number) => void;
}

/** The middle pane: search, transcript with its marks, and what is known of one token. */
export function ReplayText(props: ReplayTextProps) {
  const { detail, heat, find, cursor } = props;
  const pane = useRef<HTMLDivElement>(null);
  const isRaw = useInterface((state) => state.isRaw);
  const isHeatOn = useInterface((state) => state.isHeatOn);
  const marks = useTextMarks(detail, heat, props.lexicon, props.labelling.ranges);
  const { rolloutId } = detail.row;
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
          rolloutId={rolloutId}
          turn={props.turn}
          isRaw={isRaw}
          answerSource={detail.answerSource}
          marks={marks}
          means={isHeatOn ? props.means?.means : undefined}
          meanName={heat?.words.name}
          hits={find.hits}
          currentHit={find.currentHit}
          currentToken={cursor.range}
          onReadTurn={props.onReadTurn}
        />
      </SaidOf>
      {heat !== undefined && !heat.isConstant && isHeatOn && (
        <TokenReadout
          // Another rollout's pointer and answers are none of this one's.
          key={`readout ${rolloutId}`}
          pane={pane}
          detail={detail}
          heat={heat}
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
