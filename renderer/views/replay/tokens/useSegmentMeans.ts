import { useMemo } from 'react';
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import { type SegmentMeans, segmentMeans } from './segmentMeans.ts';
import type { Heat } from './tokenHeat.ts';

/** Where tokens have no place on the text: one mean per stretch the policy wrote. */
export function useSegmentMeans(detail: RolloutDetail, heat: Heat | undefined): SegmentMeans | undefined {
  const heights = heat?.ends === undefined && heat?.isConstant === false ? heat.heights : undefined;
  const mask = heat?.mask;
  return useMemo(
    () => (heights === undefined ? undefined : segmentMeans(detail, heights, mask)),
    [heights, mask, detail],
  );
}
