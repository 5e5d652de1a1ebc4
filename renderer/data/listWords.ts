/** Words of a row as a list shows it, for lists that are whole in the page. */
import type { RolloutRow } from '../../shared/api/contract.ts';

export function rolloutWords(row: RolloutRow): string {
  const parts = [
    `#${row.ordinal}`,
    row.problemId,
    row.answer,
    row.stopReason,
    row.reason?.replaceAll('_', ' '),
  ];
  return parts.join(' ').toLowerCase();
}

/** Every word of the filter must occur. */
export function matchesWords(words: string, filter: string): boolean {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}
