import { useMemo } from 'react';
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import {
  type Agreement,
  agreementOf,
  DEFAULT_LEXICON,
  lexiconHits,
  lexiconPattern,
  tokensIn,
} from '../../../../shared/domain/lexicon.ts';
import type { Segment, TextRange } from '../../../../shared/domain/model.ts';
import { DEFAULT_WINDOW } from '../../../../shared/domain/reflection.ts';
import { useTokenView } from '../../../state/tokenView.ts';
import { isPolicyKind } from '../text/profileModel.ts';
import type { Heat } from '../text/tokenHeat.ts';

export interface LexiconState {
  /** Empty while the words are hidden. */
  readonly ranges: readonly TextRange[];
  readonly agreement: Agreement | undefined;
}

const NONE: readonly TextRange[] = [];

export function useLexicon(detail: RolloutDetail, heat: Heat | undefined): LexiconState {
  const isShown = useTokenView((state) => state.isLexiconShown);
  const words = useWords();
  const ranges = useMemo(
    () => (isShown ? lexiconRanges(detail.response, detail.segments, words) : NONE),
    [isShown, detail, words],
  );
  const agreement = useMemo(
    () => (isShown && heat !== undefined ? lexiconAgreement(heat, ranges) : undefined),
    [isShown, heat, ranges],
  );
  return useMemo(() => ({ ranges, agreement }), [ranges, agreement]);
}

/** Lexicon words in the policy's text. This is a text heuristic, independent of heat. */
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

/** How often the words coincide with heat, token by token. Undefined if tokens have no offsets in the text. */
export function lexiconAgreement(heat: Heat, ranges: readonly TextRange[]): Agreement | undefined {
  const { ends, mask, levels } = heat;
  if (ends === undefined || heat.threshold.value === undefined) return undefined;
  return agreementOf(tokensIn(ends, ranges), levels, mask);
}

/** Parses words or phrases that are separated by lines or commas. */
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

export function useReflectionWindow(): number {
  return useTokenView((state) => state.window) ?? DEFAULT_WINDOW;
}

/** The user's words, or the defaults, which belong to the domain and not to the store. */
export function useWords(): readonly string[] {
  return useTokenView((state) => state.words) ?? DEFAULT_LEXICON;
}
