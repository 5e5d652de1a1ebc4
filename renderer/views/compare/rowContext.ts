import type { Compared } from './lanes/laneModel.ts';

/** Everything the rows need to render. Memoized, so that rows are memoized too. */
export interface RowContext {
  readonly compared: Compared;
  /** Index into `compared.lanes` for each lane of the URL. Undefined if its rollout is missing. */
  readonly columns: readonly (number | undefined)[];
  /** Index into `compared.lanes`: the lane that the baseline is compared with. */
  readonly on: number;
  readonly isUnified: boolean;
  readonly isElided: boolean;
  /** By row: the lanes that fork from the baseline there. */
  readonly forks: ReadonlyMap<number, readonly number[]>;
  readonly onSelect: (row: number) => void;
  /** Selects a row that may be out of sight, and shows it. */
  readonly onGoTo: (row: number) => void;
  readonly onDiff: (row: number, block: number) => void;
}
