/** One side of a fork, in words. Unknown is left out or said to be unknown, never 0. */
import type { Fork, ForkSide, IdSide } from '../../../shared/api/contract.ts';
import { isEnvironment } from '../../../shared/domain/divergence.ts';
import { count, decimal, ordinalSuffix, percent } from '../../ui/numbers.ts';
import { signalLabel, sourceLabel } from '../../ui/signalSource.ts';

interface ForkAlternative {
  readonly text: string;
  readonly p: number;
  readonly is: 'own' | 'other' | undefined;
}

export interface ForkSideLabels {
  /** The token, without tokens the word; undefined: the response has ended. */
  readonly text: string | undefined;
  /** `token 312`, or what stands in its place. */
  readonly what: string;
  /** `what` ends in what is to be quoted. */
  readonly isQuoted: boolean;
  /** `entropy ≥ 1.310 nats`; undefined: nothing is known. */
  readonly value: string | undefined;
  readonly percentile: string | undefined;
  readonly source: string | undefined;
  readonly alternatives: readonly ForkAlternative[];
  readonly tail: number | undefined;
  /** Whether the other side's token was an option here. */
  readonly other: string;
}

const probability = (logprob: number): number => Math.exp(Math.min(0, logprob));
export const pText = (p: number): string => (p > 0 && p < 0.001 ? '< 0.001' : decimal(p, p < 0.1 ? 3 : 2));

function whatOf({ text, token, kind }: ForkSide): string {
  if (text === undefined) return 'the response has ended';
  if (kind === 'tool-response') return 'in a tool’s answer, which no policy was unsure of: the word';
  if (kind === 'user' || kind === 'system')
    return 'in a user’s message, which no policy was unsure of: the word';
  return token === undefined ? 'no token is known here: the word' : `token ${count(token)}`;
}

function valueText({ signal, source, value, upper }: IdSide): string | undefined {
  if (signal === undefined || source === undefined || value === undefined) return undefined;
  const unit = source.unit === undefined ? '' : ` ${source.unit}`;
  const label = signalLabel({ signal, source }).replace(' (≥)', ' ≥');
  const bound = upper === undefined ? '' : `, ≤ ${decimal(upper, 3)}`;
  return `${label} ${decimal(value, 3)}${bound}${unit}`;
}

function otherLabel(side: ForkSide, letter: string): string {
  const { alternatives, other, text, token } = side;
  if (text === undefined) return '';
  if (side.kind === 'tool-response' || side.kind === 'user' || side.kind === 'system') return '';
  if (token === undefined) return 'no alternatives are known without tokens';
  if (alternatives === undefined) return 'no alternatives were logged here';
  if (other === undefined) return `${letter} has no token here`;
  if (!other.isListed) return `${letter}’s token is not among the ${count(alternatives.length)} listed here`;
  const p = other.logprob === undefined ? '' : `, p ${pText(probability(other.logprob))}`;
  return `${letter}’s token was #${count(other.rank)} here${p}`;
}

/** @param other the letter of the other lane, and what stands there */
export function sideLabels(
  side: ForkSide,
  other: { readonly letter: string; readonly text: string | undefined },
): ForkSideLabels {
  const { signal, source, percentile, alternatives = [] } = side;
  const rank = percentile === undefined ? '' : percent(percentile, 1).replace(/\.0$/, '');
  const rows = alternatives.map(
    ([text, logprob]): ForkAlternative => ({
      text,
      p: probability(logprob),
      is: text === side.text ? 'own' : text === other.text ? 'other' : undefined,
    }),
  );
  const listed = rows.reduce((sum, row) => sum + row.p, 0);
  return {
    text: side.text,
    what: whatOf(side),
    isQuoted: side.token === undefined || isEnvironment(side.kind),
    value: valueText(side),
    percentile:
      rank === '' ? undefined : `${rank}${ordinalSuffix(rank)} percentile of this rollout’s policy tokens`,
    source: signal === undefined || source === undefined ? undefined : sourceLabel({ signal, source }),
    alternatives: rows,
    tail: rows.length === 0 ? undefined : (side.tail ?? Math.max(0, 1 - listed)),
    other: otherLabel(side, other.letter),
  };
}

export interface IdSideLabels {
  /** `id 279`, or that there is none. */
  readonly id: string;
  readonly value: string | undefined;
  readonly source: string | undefined;
}

export function idSideLabels(side: IdSide): IdSideLabels {
  const { id, signal, source } = side;
  return {
    id: id === undefined ? 'no more ids' : `id ${id}`,
    value: valueText(side),
    source: signal === undefined || source === undefined ? undefined : sourceLabel({ signal, source }),
  };
}

/** Text before a fork, for a reader to find the place again. */
const CONTEXT = 90;

export interface ForkContext {
  readonly isCut: boolean;
  /** The text goes on behind `after`. */
  readonly isCutBehind: boolean;
  readonly before: string;
  readonly after: string;
}

export function forkContext(response: string, { offset, text = '' }: ForkSide): ForkContext {
  let from = Math.max(0, offset - CONTEXT);
  const start = offset + text.length;
  let end = Math.min(response.length, start + CONTEXT);
  // Half a surrogate pair is a character nobody wrote.
  if (/[\uDC00-\uDFFF]/.test(response.charAt(from)) && from < offset) from += 1;
  if (/[\uD800-\uDBFF]/.test(response.charAt(end - 1)) && end > start) end -= 1;
  return {
    isCut: from > 0,
    isCutBehind: end < response.length,
    before: response.slice(from, offset),
    after: response.slice(start, end),
  };
}

export interface ForkLabels {
  readonly baseline: ForkSideLabels;
  readonly lane: ForkSideLabels;
}

export function forkLabels(
  fork: Fork,
  letters: { readonly baseline: string; readonly lane: string },
): ForkLabels {
  return {
    baseline: sideLabels(fork.baseline, { letter: letters.lane, text: fork.lane.text }),
    lane: sideLabels(fork.lane, { letter: letters.baseline, text: fork.baseline.text }),
  };
}
