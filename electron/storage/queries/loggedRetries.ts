import type { LoggedRetries } from '../../../shared/api/contract.ts';
import { eventTotalsIn } from '../../../shared/format/inspectEvents.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, query } from '../rows.ts';
import { StoredTexts } from '../storedTexts.ts';
import { objectOf } from './runs.ts';

const EXTRAS = `SELECT block_id AS blockId, text_end AS start, extra_end AS "end" FROM rollout_row
  WHERE run_id = ? AND extra_end > text_end ORDER BY rollout_id`;

/**
 * Sums the retries that samples of an Inspect log state.
 *
 * @param pause called before each sample with the number of samples done, and of all samples; throws to cancel
 */
export async function loggedRetries(
  db: ReadableLibrary,
  runId: number,
  pause: (done: number, total: number) => Promise<void>,
): Promise<LoggedRetries> {
  const stored = new StoredTexts(db);
  const calls = { retries: 0, samples: 0 };
  const attempts = { retries: 0, samples: 0 };
  const places = query(db, EXTRAS, { blockId: number, start: number, end: number }).all(runId);
  for (const [i, place] of places.entries()) {
    await pause(i, places.length);
    const extra = objectOf(stored.text(place));
    const totals = eventTotalsIn(extra);
    if (totals !== undefined) {
      calls.retries += totals.retries;
      calls.samples++;
    }
    const { error_retries: earlier } = extra;
    if (Array.isArray(earlier)) {
      attempts.retries += earlier.length;
      attempts.samples++;
    }
  }
  return {
    ...(calls.samples === 0 ? {} : { calls }),
    ...(attempts.samples === 0 ? {} : { attempts }),
  };
}
