/** The siblings of a group as a strip of bars: right ones first, then by penalty, then by position. */
import type { RolloutRow } from '../../../shared/api/contract.ts';

export interface StripBar {
  readonly row: RolloutRow;
  readonly outcome: 'right' | 'wrong' | 'unknown';
  /** 0…1 of the tallest. */
  readonly height: number;
}

export interface Strip {
  readonly bars: readonly StripBar[];
  readonly heightMeans: string;
}

const RANK = { right: 0, unknown: 1, wrong: 2 } as const;

function outcomeOf(row: RolloutRow): StripBar['outcome'] {
  if (row.isCorrect === undefined) return 'unknown';
  return row.isCorrect ? 'right' : 'wrong';
}

export function stripOrder(rows: readonly RolloutRow[]): Strip {
  const hasPenalty = rows.some((row) => row.penalty !== undefined);
  const measure = (row: RolloutRow) => (hasPenalty ? (row.penalty ?? 0) : row.responseChars);
  const tallest = Math.max(...rows.map(measure), hasPenalty ? 1 : 0);
  const bars = rows
    .map((row) => ({ row, outcome: outcomeOf(row), height: tallest === 0 ? 0 : measure(row) / tallest }))
    .sort(
      (a, b) => RANK[a.outcome] - RANK[b.outcome] || a.height - b.height || a.row.ordinal - b.row.ordinal,
    );
  return { bars, heightMeans: hasPenalty ? 'penalty' : 'response length' };
}
