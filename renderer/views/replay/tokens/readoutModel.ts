/** Facts about one token, as labels. An unknown value is left out, never shown as 0. */

import type { TokenAlternatives } from '../../../../shared/api/contract.ts';
import type { ValueAtToken } from '../../../../shared/domain/valueByTurn.ts';
import { policyText } from '../../../../shared/domain/valueByTurn.ts';
import { prettyArguments, type TurnView } from '../../../data/segmentViews.ts';
import { argumentPlaces, codePlaces } from '../../../editor/codePlaces.ts';
import { plainLogText } from '../../../ui/LogText.tsx';
import { count, decimal, ordinalSuffix, percent, signed } from '../../../ui/numbers.ts';
import { shareBelow, tokenRange } from '../text/heatModel.ts';
import { classOf, type Heat, rankOf, valueText } from '../text/tokenHeat.ts';
import { visibleSpace } from './tokenListModel.ts';

export interface Fact {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
}

/** Values other than the signal, requested when a token is looked at. */
export interface TokenColumns {
  readonly logprob?: Float32Array;
  readonly trainerLogprob?: Float32Array;
  readonly advantage?: Float32Array;
}

const known = (value: number | undefined): number | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : value;

export function valueFacts(heat: Heat, token: number): readonly Fact[] {
  const value = known(heat.values[token]);
  if (heat.mask?.[token] === 0) return [{ label: '', value: 'written by the environment, no policy value' }];
  if (value === undefined) return [{ label: heat.words.name, value: 'not logged' }];
  const height = heat.heights[token] ?? Number.NaN;
  const upper = known(heat.upper?.[token]);
  const share = percent(shareBelow(heat.known, height), 1).replace(/\.0$/, '');
  const name = classOf(heat, token);
  const facts: Fact[] = [
    {
      label: heat.words.name,
      value:
        upper === undefined
          ? valueText(heat.words, value)
          : `${valueText(heat.words, value)}, ≤ ${decimal(upper, 3)}`,
      hint: heat.words.source,
    },
  ];
  if (heat.isConstant) return facts;
  facts.push(
    {
      label: 'rank',
      value: `${count(rankOf(heat.known, height))} of ${count(heat.known.length)}`,
      hint: 'among the policy tokens of this rollout; 1 is the highest',
    },
    {
      label: '',
      value: `${share}${ordinalSuffix(share)} percentile`,
      hint: 'share of the policy tokens of this rollout that are lower',
    },
  );
  if (name !== 'none') facts.push({ label: 'class', value: name });
  else if ((heat.levels[token] ?? 0) > 0) facts.push({ label: '', value: 'high' });
  return facts;
}

/** UTF-16 units of an edit that is shown. */
const LONGEST_EDIT = 24;

/** For example `with “Wait” 7 of 16, without 2 of 16 correct`. */
export function continuationFact({ policy, values }: ValueAtToken): Fact {
  const shown = ({ edit }: ValueAtToken['values'][number]): string =>
    edit === ''
      ? 'without'
      : `with “${plainLogText(visibleSpace(edit.slice(0, LONGEST_EDIT)))}${edit.length > LONGEST_EDIT ? '…' : ''}”`;
  const intervals = values.map((one) => `${shown(one)} ${decimal(one.low)} to ${decimal(one.high)}`);
  return {
    label: 'continuations',
    value: `${values.map((one) => `${shown(one)} ${one.correct} of ${one.graded}`).join(', ')} correct`,
    hint: `${plainLogText(policyText(policy))}; it may not be the policy that the trainer had; 95 % intervals: ${intervals.join(', ')}`,
  };
}

export function columnFacts(heat: Heat, token: number, columns: TokenColumns): readonly Fact[] {
  const isPolicy = heat.mask?.[token] !== 0;
  const rollout = known(columns.logprob?.[token]);
  const trainer = known(columns.trainerLogprob?.[token]);
  const advantage = known(columns.advantage?.[token]);
  const id = heat.ids?.[token];
  const facts: Fact[] = [];
  if (isPolicy && rollout !== undefined)
    facts.push({ label: 'ln p rollout', value: decimal(rollout, 3), hint: 'of the policy that sampled it' });
  if (isPolicy && trainer !== undefined) facts.push({ label: 'trainer', value: decimal(trainer, 3) });
  if (isPolicy && rollout !== undefined && trainer !== undefined)
    facts.push({ label: 'gap', value: signed(trainer - rollout, 3), hint: 'trainer − rollout, nats' });
  if (advantage !== undefined) facts.push({ label: 'advantage', value: signed(advantage) });
  // Without text, the id is already the token's name.
  if (id !== undefined && heat.ends !== undefined) facts.push({ label: 'id', value: String(id) });
  facts.push({
    label: 'written by',
    value: heat.mask === undefined ? 'no loss mask logged' : isPolicy ? 'policy' : 'environment',
    ...(heat.mask === undefined ? {} : { hint: isPolicy ? 'loss mask 1' : 'loss mask 0' }),
  });
  return facts;
}

interface AlternativeRow {
  readonly text: string;
  readonly p: number;
  readonly isSampled: boolean;
}

export interface AlternativesView {
  readonly rows: readonly AlternativeRow[];
  /** Probability of everything not listed. */
  readonly tail: number;
}

/**
 * Listed alternatives as probabilities. The sampled token is added if it is not listed and its log-probability is
 * known.
 */
export function alternativesView(
  listed: TokenAlternatives['alternatives'][number] | undefined,
  sampledText: string,
  sampledLogprob: number | undefined,
): AlternativesView | undefined {
  if (listed === null || listed === undefined || listed.length === 0) return undefined;
  const rows = listed.map(([text, logprob]) => ({
    text,
    p: Math.exp(Math.min(0, logprob)),
    isSampled: text === sampledText,
  }));
  // Trainers log −9999 or similar for tokens outside the listed ones. Their probability is unknown.
  const p = sampledLogprob === undefined ? undefined : Math.exp(Math.min(0, sampledLogprob));
  if (p !== undefined && p > 0 && !rows.some((row) => row.isSampled || Math.abs(row.p - p) <= 1e-5 * p))
    rows.push({ text: sampledText, p, isSampled: true });
  return { rows, tail: Math.max(0, 1 - rows.reduce((sum, row) => sum + row.p, 0)) };
}

/** Whether the rendered text omits the token, such as tags and the JSON around the code of a call. */
export function isHiddenWhenRendered(heat: Heat, token: number, turns: readonly TurnView[]): boolean {
  if (heat.ends === undefined) return false;
  const { start, end } = tokenRange(heat.ends, token);
  const view = turns
    .flatMap((turn) => turn.segments)
    .find(
      (one) => one.source === 'response' && one.segment.outer.start < end && one.segment.outer.end >= end,
    );
  if (view === undefined) return false;
  const { inner } = view.segment;
  if (end <= inner.start || start >= inner.end) return true;
  if (view.call === undefined || view.call.arguments === undefined) return false;
  const { code } = view.call;
  const shown = prettyArguments(view.call.arguments) ?? '';
  const places =
    code === undefined
      ? argumentPlaces(shown, view.inner, inner.start)
      : codePlaces(code, view.inner, inner.start);
  return !places.some((place) => place.source < end && place.source + place.end - place.start > start);
}
