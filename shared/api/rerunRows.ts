/** What tool calls did when they were run again. */
import type { RerunMode, RerunVerdict } from '../domain/rerun.ts';

export interface RerunRow extends RerunVerdict {
  /** Of the tool calls of the rollout, from 0. */
  readonly ordinal: number;
  readonly mode: RerunMode;
  /** Of the code, in the sandbox. Absent if it did not end. */
  readonly milliseconds?: number;
}
