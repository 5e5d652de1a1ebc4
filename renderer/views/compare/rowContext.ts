import type { Compared } from './lanes/laneModel.ts';

/** What all rows are drawn by; the same object while nothing of it changes, so that rows are memoised. */
export interface RowContext {
  readonly compared: Compared;
  /** Lanes of the link: index into `compared.lanes`, undefined where the rollout is not there. */
  readonly columns: readonly (number | undefined)[];
  /** Index into `compared.lanes`: whom the baseline's own text is marked against, and whom it is woven with. */
  readonly on: number;
  readonly isUnified: boolean;
  readonly isElided: boolean;
  /** Rows → the lanes that part from the baseline there. */
  readonly forks: ReadonlyMap<number, readonly number[]>;
  readonly onSelect: (row: number) => void;
  readonly onDiff: (row: number, block: number) => void;
}
