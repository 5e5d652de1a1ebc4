/** Words of the lexicon in what the policy wrote: a heuristic on the text, beside heat and never part of it. */

import {
  type Agreement,
  agreementOf,
  lexiconHits,
  lexiconPattern,
  tokensIn,
} from '../../../../shared/domain/lexicon.ts';
import type { Segment, TextRange } from '../../../../shared/domain/model.ts';
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
  return agreementOf(tokensIn(ends, ranges), levels, mask);
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
