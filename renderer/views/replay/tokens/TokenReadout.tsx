/**
 * Details of the token under the pointer, else of the current one, below the text: a card beside the token would cover
 * the sentence it explains. The strip keeps its height, so that nothing jumps.
 */

import type { RefObject } from 'react';
import { FIRST_ALTERNATIVES, type RolloutDetail, type TokenInfo } from '../../../../shared/api/contract.ts';
import { isMasked } from '../../../../shared/domain/maskedText.ts';
import type { PositionSamples } from '../../../../shared/domain/valueByTurn.ts';
import { valueAtToken } from '../../../../shared/domain/valueByTurn.ts';
import type { TurnView } from '../../../data/segmentViews.ts';
import { useDebouncedValue } from '../../../data/useDebouncedValue.ts';
import { useRequest } from '../../../data/useRequest.ts';
import { KeyOf } from '../../../shell/keys/Keys.tsx';
import { useInterface } from '../../../state/interface.ts';
import { count, percent } from '../../../ui/numbers.ts';
import { SourceText } from '../../../ui/SourceText.tsx';
import { ContinueButton } from '../../../widgets/continuation/ContinuationButtons.tsx';
import type { Heat } from '../text/tokenHeat.ts';
import {
  type AlternativesView,
  alternativesView,
  columnFacts,
  continuationFact,
  type Fact,
  isHiddenWhenRendered,
  type TokenColumns,
  valueFacts,
} from './readoutModel.ts';
import type { SegmentMeans } from './segmentMeans.ts';
import { tokenText, visibleSpace } from './tokenListModel.ts';
import { useHoveredToken, useIsInFormula } from './useHoveredToken.ts';
import './tokenReadout.css';

interface TokenReadoutProps {
  readonly pane: RefObject<HTMLElement | null>;
  readonly detail: RolloutDetail;
  readonly heat: Heat;
  /** Stored continuations. Absent: none, or not to be shown. */
  readonly sampled: readonly PositionSamples[] | undefined;
  readonly turns: readonly TurnView[];
  readonly isRaw: boolean;
  readonly means: SegmentMeans | undefined;
  readonly token: number | undefined;
  readonly onChoose: (token: number) => void;
}

/** A moving pointer crosses many tokens, so request only the one it rests on. */
const SETTLE_MS = 120;

function useColumns(
  rolloutId: number,
  info: TokenInfo | undefined,
  heat: Heat,
  isWanted: boolean,
): TokenColumns {
  const hasLogprobs = info?.hasLogprob === true || info?.hasTrainerLogprob === true;
  const tokens = useRequest('rollout.tokens', isWanted && hasLogprobs ? { rolloutId } : undefined).data;
  const advantage = useRequest(
    'rollout.signal',
    isWanted && heat.hasAdvantage ? { rolloutId, signal: 'advantage' } : undefined,
  ).data?.values;
  return { logprob: tokens?.logprob, trainerLogprob: tokens?.trainerLogprob, advantage };
}

export function TokenReadout(props: TokenReadoutProps) {
  const { pane, detail, heat, token: current, onChoose } = props;
  const { rolloutId } = detail.row;
  const hovered = useHoveredToken(pane, heat, onChoose);
  const token = hovered ?? current;
  const settled = useDebouncedValue(token, SETTLE_MS);
  const columns = useColumns(rolloutId, detail.tokens, heat, token !== undefined);
  // The height of the strip depends on whether alternatives were logged at all.
  const probe = useRequest('rollout.alternatives', { rolloutId, from: 0, limit: FIRST_ALTERNATIVES }).data;
  const hasAlternatives = heat.tail !== undefined || probe?.alternatives.some((one) => one !== null) === true;
  const answer = useRequest(
    'rollout.alternatives',
    hasAlternatives && settled !== undefined ? { rolloutId, from: settled, limit: 1 } : undefined,
  ).data;
  const masksCredentials = useInterface((state) => state.masksCredentials);
  const isInFormula = useIsInFormula(pane, heat.ends, token) && !props.isRaw;
  const lines = hasAlternatives ? 'is-three' : 'is-two';
  if (token === undefined || token >= heat.count) {
    return (
      <section className={`token-readout ${lines}`} aria-label="Token">
        <p className="dim">
          {heat.ends === undefined
            ? 'Token ids without text cannot be pointed at.'
            : 'Point at a token or click it.'}{' '}
          <KeyOf command="hit.next" /> <KeyOf command="hit.previous" /> next and previous high token,{' '}
          <KeyOf command="reflection.next" /> <KeyOf command="reflection.previous" /> reflection token,{' '}
          <KeyOf command="token.next" /> <KeyOf command="token.previous" /> token by token.
        </p>
      </section>
    );
  }
  const text = tokenText(heat, token);
  const isHidden = masksCredentials && isMasked(text);
  const fork = props.sampled === undefined ? undefined : valueAtToken(props.sampled, token);
  const alternatives =
    answer?.from === token && settled === token && !isHidden
      ? alternativesView(answer.alternatives[0], text, columns.logprob?.[token])
      : undefined;
  return (
    <section
      className={`token-readout ${lines}`}
      aria-label="Token"
      aria-live={hovered === undefined ? 'polite' : 'off'}
    >
      <p>
        <TokenName heat={heat} token={token} means={props.means} />
        {heat.ends !== undefined && text === '' && <span className="dim">no characters of its own</span>}
        <span className="dim" title="counted from 0, as in the CSV and on the command line">
          token {count(token)}
        </span>
        <Facts facts={valueFacts(heat, token)} />
        {hovered === undefined && heat.ends !== undefined && (
          <ContinueButton rolloutId={rolloutId} position={{ kind: 'token', token }} />
        )}
      </p>
      <p>
        {fork !== undefined && <Facts facts={[continuationFact(fork)]} />}
        <Facts facts={columnFacts(heat, token, columns)} />
        {isInFormula && (
          <span className="dim">
            in a formula, which is marked as a whole; <KeyOf command="raw.flip" /> shows its characters
          </span>
        )}
        {!isInFormula && !props.isRaw && isHiddenWhenRendered(heat, token, props.turns) && (
          <span className="dim">
            in markup that rendering hides; <KeyOf command="raw.flip" /> shows it
          </span>
        )}
      </p>
      {hasAlternatives && (
        <Alternatives
          view={alternatives}
          absence={
            isHidden
              ? 'credential masked'
              : settled !== token || answer === undefined
                ? ''
                : 'no alternatives are listed for this token'
          }
        />
      )}
    </section>
  );
}

interface TokenNameProps {
  readonly heat: Heat;
  readonly token: number;
  readonly means: SegmentMeans | undefined;
}

/** The token's text. If the log has none, its id and the segment it belongs to. */
function TokenName({ heat, token, means }: TokenNameProps) {
  if (heat.ends === undefined) {
    const place = means?.placeOf(token);
    return (
      <>
        <span className="mono">id {heat.ids?.[token] ?? 'not logged'}</span>
        <span className="dim">
          {place === undefined ? 'its position in the text is unknown' : `somewhere in ${place}`}
        </span>
      </>
    );
  }
  const text = tokenText(heat, token);
  return (
    <span className="mono token-text">“{text === '' ? '' : <SourceText text={visibleSpace(text)} />}”</span>
  );
}

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return facts.map((fact) => (
    <span key={fact.label + fact.value} className="token-fact" title={fact.hint}>
      {fact.label !== '' && <span className="dim">{fact.label} </span>}
      <b>{fact.value}</b>
    </span>
  ));
}

interface AlternativesProps {
  readonly view: AlternativesView | undefined;
  /** Shown if there is no `view`. */
  readonly absence: string;
}

function Alternatives({ view, absence }: AlternativesProps) {
  if (view === undefined) return <p className="dim">{absence}</p>;
  return (
    <ol className="token-alternatives" aria-label="Alternatives, most likely first">
      {view.rows.map((row) => (
        <li
          key={`${row.text} ${row.p}`}
          className={row.isSampled ? 'is-sampled' : undefined}
          title={row.isSampled ? 'the token that was sampled' : undefined}
        >
          <span className="mono">
            <SourceText text={visibleSpace(row.text)} />
          </span>
          <span className="token-bar-p" style={{ width: `${Math.max(2, row.p * 44)}px` }} />
          {probability(row.p)}
        </li>
      ))}
      <li className="dim" title="probability of everything that is not listed">
        tail {probability(view.tail)}
      </li>
    </ol>
  );
}

function probability(p: number): string {
  return p > 0 && p < 0.001 ? '< 0.1 %' : `${percent(p, p < 0.1 ? 1 : 0)} %`;
}
