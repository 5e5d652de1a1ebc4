/** Removes the annotations of a run together with the run. */
import type { WritableLibrary } from './open.ts';
import { number, queryValue } from './rows.ts';

/**
 * Selects annotation keys of the run's rollouts, including rollouts that are no longer in the library.
 * Parameters: `runId`, `runKey`.
 */
export function annotatedOfRun(schema: 'main' | 'source'): string {
  return `SELECT annotated_no FROM ${schema}.annotated_place_row p JOIN ${schema}.rollout_row r ON r.rollout_id = p.rollout_id
      WHERE r.run_id = :runId
    UNION
    SELECT annotated_no FROM ${schema}.annotated_row WHERE run_key = :runKey
      AND annotated_no NOT IN (SELECT annotated_no FROM ${schema}.annotated_place_row)`;
}

/**
 * Must run inside a transaction, before the rollouts are removed. Clears the undo history, because its
 * steps may restore annotations that were removed with the run.
 */
export function removeAnnotationsOf(
  db: WritableLibrary,
  run: { readonly runId: number; readonly runKey: string },
): void {
  const of = `annotated_no IN (${annotatedOfRun('main')})`;
  const numbers = queryValue(db, `SELECT annotated_no FROM annotated_row WHERE ${of}`, number).all(run);
  if (numbers.length === 0) return;
  const these = JSON.stringify(numbers);
  const mine = 'annotated_no IN (SELECT value FROM json_each(:these))';
  for (const statement of [
    `DELETE FROM annotation_conflict_row WHERE annotation_id IN (SELECT annotation_id FROM annotation_row WHERE ${mine})`,
    `DELETE FROM annotation_place_row WHERE annotation_no IN (SELECT annotation_no FROM annotation_row WHERE ${mine})`,
    `DELETE FROM annotation_row WHERE ${mine}`,
    `DELETE FROM reading_row WHERE ${mine}`,
    `DELETE FROM annotated_place_row WHERE ${mine}`,
    `DELETE FROM annotated_row WHERE ${mine}`,
  ])
    db.prepare(statement).run({ these });
  db.prepare('DELETE FROM annotation_history_row').run();
}
