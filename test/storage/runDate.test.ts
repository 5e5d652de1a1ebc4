/** When the log of a run was written to last. */
import { utimesSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openReader } from '../../electron/storage/open.ts';
import { listRuns } from '../../electron/storage/queries/runs.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

const MODIFIED = 1_700_000_000;

interface Timing {
  readonly start?: number;
  readonly end?: number;
}

/** @param modified seconds since 1970 */
async function dateOf(
  timings: readonly (Timing | undefined)[],
  modified = MODIFIED,
  config?: Readonly<Record<string, unknown>>,
) {
  const rollouts = timings.map((timing, index) =>
    JSON.stringify({
      ...{ v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', index, text: `t${index}`, timing },
      problem: { id: 'g', prompt: '?' },
    }),
  );
  const lines =
    config === undefined
      ? rollouts
      : [JSON.stringify({ v: 1, type: 'run', run: 'r', ...config }), ...rollouts];
  const path = place.file('run.jsonl', `${lines.join('\n')}\n`);
  utimesSync(path, modified, modified);
  await ingestHere(place.library, [path]);
  const db = openReader(place.library);
  try {
    return listRuns(db)[0]?.lastWritten;
  } finally {
    db.close();
  }
}

it('is the newest end of a rollout, or its start where no end is logged', async () => {
  const timings = [
    { start: 1_600_000_000, end: 1_600_000_100.5 },
    { start: 1_600_000_200 },
    { start: 1_500_000_000, end: 1_500_000_900 },
  ];
  expect(await dateOf(timings)).toEqual({ at: 1_600_000_200_000, of: 'rollout' });
});

it('is the time of the newest file where no rollout has one', async () => {
  expect(await dateOf([undefined])).toEqual({ at: MODIFIED * 1000, of: 'file' });
});

it('ignores times that count from the start of a run, and times in other units', async () => {
  const timings = [{ start: 0, end: 12.5 }, { start: 1_600_000_000_000 }];
  expect(await dateOf(timings)).toEqual({ at: MODIFIED * 1000, of: 'file' });
});

it('is unknown where the file has no date either', async () => {
  expect(await dateOf([undefined], 0)).toBeUndefined();
});

it('is the logged end of the run before the time of a rollout, and its start before that of a file', async () => {
  const ran = { started_at: '2025-09-15T15:04:34-04:00', completed_at: '2025-09-15T15:05:28-04:00' };
  const completed = Date.parse('2025-09-15T19:05:28Z');
  expect(await dateOf([{ start: 1_600_000_000 }], MODIFIED, ran)).toEqual({ at: completed, of: 'completed' });
  const started = { started_at: 1_757_963_074, completed_at: '' };
  expect(await dateOf([undefined], MODIFIED, started)).toEqual({ at: 1_757_963_074_000, of: 'started' });
  expect(await dateOf([undefined], MODIFIED, { started_at: 'yesterday' })).toMatchObject({ of: 'file' });
});
