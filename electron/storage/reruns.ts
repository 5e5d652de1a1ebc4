/** What tool calls did when they were run again. Removed with their rollout; a run of the calls makes them again. */
import { RERUN_CLASSES } from '../../shared/domain/rerun.ts';
import type { RerunResult } from '../../shared/domain/verifyCalls.ts';
import type { ReadableLibrary, WritableLibrary } from './open.ts';
import { number, oneOf, orNull, query, type RowSpec, text } from './rows.ts';

/** @returns whether the library has the rollout, so that its rows were saved */
export function saveReruns(db: WritableLibrary, rolloutId: number, rows: readonly RerunResult[]): boolean {
  const save =
    db.prepare(`INSERT OR REPLACE INTO rerun_row (rollout_id, ordinal, class, reason, mode, milliseconds)
    SELECT rollout_id, :ordinal, :class, :reason, :mode, :milliseconds FROM rollout_row WHERE rollout_id = :rolloutId`);
  return db
    .transaction(() => {
      let saved = 0;
      for (const { ordinal, class: found, reason, mode, milliseconds } of rows)
        saved += save.run({
          rolloutId,
          ordinal,
          class: found,
          reason: reason ?? null,
          mode,
          milliseconds: milliseconds ?? null,
        }).changes;
      // Filters keep the classes by this revision, with annotations.
      if (saved > 0) db.prepare('UPDATE annotation_state_row SET revision = revision + 1').run();
      return saved > 0 || rows.length === 0;
    })
    .immediate();
}

interface StoredRerun {
  readonly rolloutId: number;
  readonly ordinal: number;
  readonly class: RerunResult['class'];
  readonly reason: string | null;
  readonly mode: RerunResult['mode'];
  readonly milliseconds: number | null;
}

const RERUN_ROW: RowSpec<StoredRerun> = {
  rolloutId: number,
  ordinal: number,
  class: oneOf(RERUN_CLASSES),
  reason: orNull(text),
  mode: oneOf(['alone', 'session']),
  milliseconds: orNull(number),
};

const RERUNS = `SELECT rollout_id AS rolloutId, ordinal, class, reason, mode, milliseconds
  FROM rerun_row WHERE rollout_id = ? ORDER BY ordinal`;

export function rerunsOf(
  db: ReadableLibrary,
  rolloutIds: readonly number[],
): readonly { readonly rolloutId: number; readonly calls: readonly RerunResult[] }[] {
  const select = query(db, RERUNS, RERUN_ROW);
  return rolloutIds.map((rolloutId) => ({
    rolloutId,
    calls: select.all(rolloutId).map(({ ordinal, class: found, reason, mode, milliseconds }) => ({
      ordinal,
      class: found,
      mode,
      ...(reason === null ? {} : { reason }),
      ...(milliseconds === null ? {} : { milliseconds }),
    })),
  }));
}

interface RerunClassOf {
  readonly rolloutId: number;
  readonly runId: number;
  readonly class: RerunResult['class'];
}

const CLASSES = `SELECT DISTINCT x.rollout_id AS rolloutId, r.run_id AS runId, x.class
  FROM rerun_row x JOIN rollout_row r USING (rollout_id)`;

const CLASS_ROW: RowSpec<RerunClassOf> = { rolloutId: number, runId: number, class: oneOf(RERUN_CLASSES) };

/** Every class that a call of a rollout has. */
export function rerunClasses(db: ReadableLibrary): readonly RerunClassOf[] {
  return query(db, CLASSES, CLASS_ROW).all();
}
