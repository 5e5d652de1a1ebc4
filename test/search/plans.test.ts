/** Queries of and about the index use an index, whatever the library holds. */
import { expect, it } from 'vitest';
import { openWriter } from '../../electron/storage/open.ts';
import {
  MATCHED,
  MATCHED_GROUPS,
  NEWER_PROMPTS,
  ROLLOUTS_OF_GROUPS,
  RUN_IDS,
  SEARCH_RUNS,
} from '../../electron/storage/queries/search.ts';
import { TEXT_PLACE } from '../../electron/storage/queries/texts.ts';
import { NEXT_ROLLOUTS } from '../../electron/storage/searchIndex.ts';
import { scratch } from '../support/library.ts';

/** Small tables: one row per step, or one row. */
const SMALL = /SCAN (step_row|search_state_row|json_each)/;

it.each(
  Object.entries({
    NEXT_ROLLOUTS,
    TEXT_PLACE,
    RUN_IDS,
    MATCHED,
    MATCHED_GROUPS,
    NEWER_PROMPTS,
    ROLLOUTS_OF_GROUPS,
    SEARCH_RUNS,
  }),
)('%s', (_, sql) => {
  const place = scratch();
  const db = openWriter(place.library);
  try {
    const params = sql.includes(':runId')
      ? [{ runId: 1, step: 1 }]
      : Array.from(sql.matchAll(/\?/g), () => 1);
    const plan = db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...params)
      .map((row) => (row as { detail: string }).detail);
    const scans = plan.filter((detail) => detail.startsWith('SCAN') && !SMALL.test(detail));
    // The full-text index is a virtual table, which SQLite always reports as a scan.
    expect(scans.filter((detail) => !detail.includes('VIRTUAL TABLE'))).toEqual([]);
  } finally {
    db.close();
    place.remove();
  }
});
