import { useMemo } from 'react';
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import type { Agreement } from '../../../../shared/domain/lexicon.ts';
import type { TextRange } from '../../../../shared/domain/model.ts';
import { useTokenView } from '../../../state/tokenView.ts';
import { lexiconAgreement, lexiconRanges } from './lexiconModel.ts';
import { useWords } from './preferences.ts';
import type { Heat } from './tokenHeat.ts';

export interface LexiconState {
  /** Empty while the words are not shown. */
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
