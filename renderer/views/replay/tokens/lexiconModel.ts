/** Words of the lexicon in what the policy wrote: a heuristic on the text, beside heat and never part of it. */

import {
  type Agreement,
  agreementOf,
  lexiconHits,
  lexiconPattern,
} from '../../../../shared/domain/lexicon.ts';
import type { Segment, TextRange } from '../../../../shared/domain/model.ts';
import { count, decimal } from '../../../ui/numbers.ts';
import { tokenAt } from '../heatModel.ts';
import { isPolicyKind } from '../profileModel.ts';
import type { Heat } from './tokenHeat.ts';

export function lexiconRanges(
  response: string,
  segments: readonly Segment[],
  words: readonly string[],
): readonly TextRange[] {
  const pattern = lexiconPattern(words);
  if (pattern === undefined) return [];
  return segments
    .filter((segment) => segment.turn > 0 && isPolicyKind(segment.kind))
    .flatMap((segment) => lexiconHits(response, pattern, segment.inner));
}

/** How the words agree with heat, token by token; undefined where tokens have no place on the text. */
export function lexiconAgreement(heat: Heat, ranges: readonly TextRange[]): Agreement | undefined {
  const { ends, mask, levels } = heat;
  if (ends === undefined || heat.threshold.value === undefined) return undefined;
  const inLexicon = new Uint8Array(ends.length);
  for (const range of ranges) {
    for (let token = tokenAt(ends, range.start); token < ends.length; token += 1) {
      if ((ends[token - 1] ?? 0) >= range.end) break;
      inLexicon[token] = 1;
    }
  }
  return agreementOf(inLexicon, levels, mask);
}

export function agreementWords(agreement: Agreement): readonly string[] {
  const { both, lexiconOnly, highOnly, neither, phi } = agreement;
  return [
    `${count(both)} tokens are in a listed word and high`,
    `${count(lexiconOnly)} in a listed word, not high`,
    `${count(highOnly)} high, in no listed word`,
    `${count(neither)} neither`,
    phi === undefined
      ? 'φ is undefined: one of the two never varies'
      : `φ = ${decimal(phi, 2)} (−1 … 1; 0: unrelated)`,
  ];
}

/** One word or phrase per line or comma, as a user types them. */
export function parseWords(text: string): readonly string[] {
  return [
    ...new Set(
      text
        .split(/[\n,]/)
        .map((word) => word.trim().toLowerCase())
        .filter((word) => word !== ''),
    ),
  ];
}
