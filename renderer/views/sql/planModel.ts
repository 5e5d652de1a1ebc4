/** EXPLAIN QUERY PLAN as a tree, with a hint where all of something is read. */
import type { SqlRow } from '../../../shared/api/contract.ts';

export interface PlanLine {
  readonly id: number;
  readonly depth: number;
  readonly detail: string;
  readonly hint?: string;
}

/** @param rows id, parent, not used, detail; a child comes after its parent */
export function planLines(rows: readonly SqlRow[]): readonly PlanLine[] {
  const depths = new Map<number, number>();
  return rows.map(([id, parent, , detail]) => {
    const depth = (depths.get(Number(parent)) ?? -1) + 1;
    depths.set(Number(id), depth);
    const text = String(detail ?? '');
    const hint = hintOf(text);
    return { id: Number(id), depth, detail: text, ...(hint === undefined ? {} : { hint }) };
  });
}

function hintOf(detail: string): string | undefined {
  if (/^SCAN (?:CONSTANT ROW|\d+ CONSTANT)/.test(detail)) return undefined;
  if (/VIRTUAL TABLE/.test(detail)) return undefined;
  if (/^SCAN .* USING (?:COVERING )?INDEX/.test(detail))
    return 'goes through all of an index: the more rows, the longer';
  if (/^SCAN \(/.test(detail)) return undefined;
  if (/^SCAN /.test(detail))
    return 'reads every row: the more rows, the longer. A condition on an id or a step avoids it';
  if (/USE TEMP B-TREE FOR (?:RIGHT PART OF )?ORDER BY/.test(detail))
    return 'sorts all rows before the first is there';
  if (/AUTOMATIC (?:PARTIAL )?(?:COVERING )?INDEX/.test(detail))
    return 'makes an index for this statement alone';
  return undefined;
}
