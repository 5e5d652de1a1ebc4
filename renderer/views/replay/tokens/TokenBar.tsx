/** The line under the toolbar: the signal, its threshold, and what is high. */
import { ChevronDown, ChevronUp } from 'lucide-react';
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import { keyOf, keyWord } from '../../../shell/keys/keysInForce.ts';
import { useInterface } from '../../../state/interface.ts';
import { HEAT_SIGNALS, useTokenView } from '../../../state/tokenView.ts';
import { IconButton } from '../../../ui/Controls.tsx';
import { count, signed, significant } from '../../../ui/numbers.ts';
import { SIGNAL_FACTS } from '../../../ui/signalSource.ts';
import { LEVEL_SHARES, reachedLevels } from '../text/heatModel.ts';
import { type Heat, TOKEN_SCOPES, tokenScope, tokensIn } from '../text/tokenHeat.ts';
import { CLASS_GLYPHS, SCOPE_NAMES } from './classLabels.ts';
import type { SegmentMeans } from './segmentMeans.ts';
import { pointerFocus, releaseFocus, ThresholdControl } from './ThresholdControl.tsx';
import { TokenOptions } from './TokenOptions.tsx';
import type { HeatState } from './useHeat.ts';
import type { LexiconState } from './useLexicon.ts';
import type { TokenCursor } from './useTokenCursor.ts';
import './tokenBar.css';

interface TokenBarProps {
  readonly detail: RolloutDetail;
  readonly state: HeatState;
  readonly means: SegmentMeans | undefined;
  readonly lexicon: LexiconState;
  readonly cursor: TokenCursor;
}

export function TokenBar(props: TokenBarProps) {
  const { detail, state, lexicon } = props;
  const { heat } = state;
  return (
    <section className="token-bar" aria-label="Tokens">
      {heat === undefined ? (
        <p className="dim token-bar-quiet">{quietLine(detail, state)}</p>
      ) : (
        <>
          <SignalLegend heat={heat} available={state.available} />
          {heat.isConstant ? (
            <p className="dim token-bar-quiet">
              the same for all {count(heat.known.length)} policy tokens (
              {signed(heat.values.find(Number.isFinite))}): nothing to highlight
            </p>
          ) : heat.ends === undefined ? (
            <>
              <MeansLegend heat={heat} means={props.means} />
              <ThresholdControl heat={heat} percentile={state.percentile} />
              <Jumps heat={heat} cursor={props.cursor} />
            </>
          ) : (
            <>
              <ThresholdControl heat={heat} percentile={state.percentile} />
              <Jumps heat={heat} cursor={props.cursor} />
            </>
          )}
        </>
      )}
      <TokenOptions heat={heat} lexicon={lexicon} />
    </section>
  );
}

function quietLine(detail: RolloutDetail, { isWaiting, error }: HeatState): string {
  if (error !== null) return `the tokens could not be read: ${error.message}`;
  if (isWaiting) return '';
  return detail.tokens === undefined
    ? 'No per-token data, so nothing to highlight'
    : `${count(detail.tokens.count)} tokens without a signal, so nothing to highlight`;
}

interface SignalLegendProps {
  readonly heat: Heat;
  readonly available: HeatState['available'];
}

/** Full name of the signal's scale. The select shows only one word. */
function SignalLegend({ heat, available }: SignalLegendProps) {
  const isHeatOn = useInterface((state) => state.isHeatOn);
  const flip = useInterface((state) => state.flip);
  const setSignal = useTokenView((state) => state.setSignal);
  const markStyle = useTokenView((state) => state.markStyle);
  const { words, cuts } = heat;
  return (
    <div className="token-signal">
      {available.length > 1 && (
        <select
          aria-label="Signal"
          {...pointerFocus}
          title="Signal shown for each token"
          value={heat.signal}
          onChange={(event) => {
            const chosen = HEAT_SIGNALS.find((name) => name === event.target.value);
            if (chosen !== undefined) setSignal(chosen);
            releaseFocus(event.target);
          }}
        >
          {available.map((name) => (
            <option key={name} value={name}>
              {SIGNAL_FACTS[name].label}
            </option>
          ))}
        </select>
      )}
      <span
        className="token-source"
        title={`${words.source}. ${SIGNAL_FACTS[heat.signal].meaning}`}
        data-testid="signal-source"
      >
        {words.source}
        {words.isSigned && '; heat by its size'}
      </span>
      {cuts.length > 0 && heat.ends !== undefined && (
        <button
          type="button"
          className={`heat-scale is-${markStyle}`}
          aria-pressed={isHeatOn}
          title={`${isHeatOn ? 'Hide' : 'Show'} heat${keysOfHeat()}. Smallest values of the four levels: all high tokens, and the highest ${LEVEL_SHARES.slice(
            1,
          )
            .map((share) => `${share * 100} %`)
            .join(', ')} of them`}
          onClick={() => flip('isHeatOn')}
        >
          <span className="visually-hidden">{isHeatOn ? 'Hide heat' : 'Show heat'} </span>
          {reachedLevels(cuts).map((level) => (
            <span key={level} className={isHeatOn ? `heat-sample is-${level}` : 'heat-sample'}>
              {significant(cuts[level - 1], (cuts[level - 1] ?? 0) < 0.1 ? 3 : 2)}
            </span>
          ))}
        </button>
      )}
    </div>
  );
}

interface MeansLegendProps {
  readonly heat: Heat;
  readonly means: SegmentMeans | undefined;
}

/** Means have their own scale, which ends at this rollout's highest mean. */
function MeansLegend({ heat, means }: MeansLegendProps) {
  const isHeatOn = useInterface((state) => state.isHeatOn);
  const flip = useInterface((state) => state.flip);
  if (means === undefined) {
    return (
      <p className="dim token-bar-quiet">
        token ids without text, and no match with segments: nothing to highlight
      </p>
    );
  }
  const isOne = means.lowest === means.highest;
  return (
    <p className="token-signal">
      {!isOne && (
        <button
          type="button"
          className="heat-scale"
          aria-pressed={isHeatOn}
          title={`${isHeatOn ? 'Hide' : 'Show'} heat${keysOfHeat()}. Quarters of the highest mean`}
          onClick={() => flip('isHeatOn')}
        >
          <span className="visually-hidden">{isHeatOn ? 'Hide heat' : 'Show heat'} </span>
          {[1, 2, 3, 4].map((level) => (
            <span key={level} className={isHeatOn ? `heat-sample is-${level}` : 'heat-sample'}>
              {significant((means.highest * level) / 4)}
            </span>
          ))}
        </button>
      )}
      <span className="dim">
        ids without text: heat by segment means (
        {means.by === 'turns' ? 'one per turn' : 'one per run of the mask'}
        ),{' '}
        {isOne
          ? `all ${significant(means.highest)}`
          : `${significant(means.lowest)} to ${significant(means.highest)}`}{' '}
        {heat.words.unit}
      </span>
    </p>
  );
}

interface JumpsProps {
  readonly heat: Heat;
  readonly cursor: TokenCursor;
}

function Jumps({ heat, cursor }: JumpsProps) {
  const { classCounts } = heat;
  const { scope } = cursor;
  const { high, reflections } = tokensIn(heat, scope);
  const classes = `${count(classCounts.forking)} forking, ${count(classCounts.reflection)} reflection, ${count(classCounts.code)} in code, ${count(classCounts.answer)} in answers`;
  return (
    <div className="token-jumps">
      {heat.ends !== undefined && (
        <select
          aria-label="Jump to tokens"
          {...pointerFocus}
          title={`Which tokens the arrows and ${keyWord('hit.next')} ${keyWord('hit.previous')} ${keyWord('reflection.next')} ${keyWord('reflection.previous')} jump to. After an error: between a failed tool response and the next response`}
          value={scope}
          onChange={(event) => {
            cursor.setScope(tokenScope(event.target.value));
            releaseFocus(event.target);
          }}
        >
          {TOKEN_SCOPES.map((one) => (
            <option key={one} value={one}>
              {SCOPE_NAMES[one]}
            </option>
          ))}
        </select>
      )}
      <span title={`High tokens: ${classes}`}>
        <b>{count(high.length)}</b>
        {scope !== 'everywhere' && ` of ${count(heat.high.length)}`} high
      </span>
      <IconButton
        label="Next high token"
        keys={keyOf('hit.next')}
        disabled={high.length === 0}
        onClick={() => cursor.stepHigh(1)}
      >
        <ChevronDown size={14} />
      </IconButton>
      <IconButton
        label="Previous high token"
        keys={keyOf('hit.previous')}
        disabled={high.length === 0}
        onClick={() => cursor.stepHigh(-1)}
      >
        <ChevronUp size={14} />
      </IconButton>
      {heat.ends !== undefined && (
        <>
          <span
            className="is-reflection"
            title="Reflection tokens: high tokens of the reasoning directly after a tool response"
          >
            {CLASS_GLYPHS.reflection} <b>{count(reflections.length)}</b>
            {scope !== 'everywhere' && ` of ${count(heat.reflections.length)}`}
            <span className="token-jumps-word"> reflection</span>
          </span>
          <IconButton
            label="Next reflection token"
            keys={keyOf('reflection.next')}
            disabled={reflections.length === 0}
            onClick={() => cursor.stepReflection(1)}
          >
            <ChevronDown size={14} />
          </IconButton>
          <IconButton
            label="Previous reflection token"
            keys={keyOf('reflection.previous')}
            disabled={reflections.length === 0}
            onClick={() => cursor.stepReflection(-1)}
          >
            <ChevronUp size={14} />
          </IconButton>
        </>
      )}
    </div>
  );
}

function keysOfHeat(): string {
  const keys = keyOf('heat.flip');
  return keys === undefined ? '' : ` (${keys})`;
}
