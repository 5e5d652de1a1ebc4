import { useMemo } from 'react';
import {
  isThresholdName,
  THRESHOLDS,
  type ThresholdName,
  thresholdFault,
} from '../../../shared/domain/detectors/detectors.ts';
import { useDetectorThresholds } from '../../state/detectorThresholds.ts';

export type ChangedThresholds = Readonly<Partial<Record<ThresholdName, number>>>;

/** The thresholds that differ from their defaults. Saved ones that another version knew are left out. */
export function useThresholds(): ChangedThresholds {
  const changed = useDetectorThresholds((state) => state.changed);
  return useMemo(() => {
    const values: Partial<Record<ThresholdName, number>> = {};
    for (const [name, value] of Object.entries(changed))
      if (
        isThresholdName(name) &&
        value !== THRESHOLDS[name].value &&
        thresholdFault(name, value) === undefined
      )
        values[name] = value;
    return values;
  }, [changed]);
}
