/** Rows of the report of detectors (shared/domain/DOMAIN.md#detectors). */
import type {
  RolloutDetectorId,
  RolloutFinding,
  StepsDetectorId,
  StepsFinding,
  ThresholdValues,
} from '../domain/detectors/detectors.ts';
import type { StepFigures } from '../domain/detectors/stepFindings.ts';

export interface DetectorReport {
  /** Those used. */
  readonly thresholds: ThresholdValues;
  /** Rollouts that match. */
  readonly rollouts: number;
  /** Lengths are policy tokens if all matching rollouts have them, else characters of the response. */
  readonly lengthUnit: 'tokens' | 'characters';
  /** One entry per step with matching rollouts, ascending. */
  readonly steps: readonly StepFigures[];
  /** In the order of `DETECTORS`. */
  readonly ofRollouts: readonly RolloutDetectorReport[];
  readonly ofSteps: readonly StepsDetectorReport[];
}

export interface RolloutDetectorReport {
  readonly detector: RolloutDetectorId;
  /** Rollouts that had what the detector needs. The others could not be judged. */
  readonly judged: number;
  /** Rollouts with a finding, in log order. */
  readonly ids: Uint32Array;
  /** Per entry of `steps`: rollouts judged, and those with a finding. */
  readonly judgedByStep: Uint32Array;
  readonly byStep: Uint32Array;
  /** All findings, of which `findings` are the first. */
  readonly count: number;
  readonly findings: readonly PlacedFinding[];
}

export interface StepsDetectorReport {
  readonly detector: StepsDetectorId;
  /** Steps that had what the detector needs. */
  readonly judged: readonly number[];
  readonly findings: readonly StepsFinding[];
}

export interface PlacedFinding extends RolloutFinding {
  readonly rolloutId: number;
  readonly step: number;
  readonly groupKey: string;
  readonly ordinal: number;
  readonly turn: number;
}
