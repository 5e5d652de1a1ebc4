import { useMemo } from 'react';
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import { useRequest } from '../../../data/useRequest.ts';
import { useInterface } from '../../../state/interface.ts';
import { useTokenView } from '../../../state/tokenView.ts';
import type { LabelRange, TextMarks } from '../textMarks.ts';
import { gapFlags, type Heat, maskedFlags } from './tokenHeat.ts';
import type { LexiconState } from './useLexicon.ts';

/** All that is painted on the text; undefined when there is nothing. */
export function useTextMarks(
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
