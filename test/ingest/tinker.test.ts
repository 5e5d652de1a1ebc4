/** tinker's capture store beside the rollout summaries of the same run. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const STORE = join(import.meta.dirname, '..', '..', 'fixtures', 'tinker', 'capture', 'capture.sqlite');

let place: Scratch;
let run: string;
beforeEach(() => {
  place = scratch();
  run = join(place.directory, 'run');
  mkdirSync(join(run, 'iteration_000010'), { recursive: true });
});
afterEach(() => place.remove());

/** @param turns prompt and sampled tokens of each turn */
function summary(
  group: number,
  trajectory: number,
  reward: number,
  turns: readonly [number, number][],
): string {
  const steps = turns.map(([prompt, sampled], i) => ({
    ...{ step_idx: i, ob_len: prompt, ac_len: sampled, reward: 0, episode_done: i === turns.length - 1 },
    ...{ stop_reason: 'stop', metrics: {}, logs: {} },
  }));
  const numbers = { split: 'train', iteration: 10, group_idx: group, traj_idx: trajectory };
  return `${JSON.stringify({ schema_version: 1, ...numbers, tags: [], total_reward: reward, steps })}\n`;
}

const summaries = (...lines: readonly string[]): void =>
  writeFileSync(join(run, 'iteration_000010', 'train_rollout_summaries.jsonl'), lines.join(''));
const store = (): void => copyFileSync(STORE, join(run, 'capture.sqlite'));
const tokens = () =>
  rows(
    place.library,
    `SELECT g.group_key, r.ordinal, r.reward, r.policy_tokens, t.count FROM rollout r JOIN prompt_group g USING (group_id)
     JOIN run n ON n.run_id = r.run_id LEFT JOIN token_row t USING (rollout_id) WHERE n.run_key <> 'my-run' ORDER BY 1, 2`,
  );

const JOINED = [
  { group_key: '0', ordinal: 0, reward: 1, policy_tokens: 3, count: 4 },
  { group_key: '0', ordinal: 1, reward: 0, policy_tokens: 1, count: 1 },
];

it.each(['after', 'before'])('gives summaries their tokens when the store is read %s', async (order) => {
  const turns: readonly [number, number][] = [
    [2, 2],
    [5, 1],
  ];
  const write = (): void => summaries(summary(0, 0, 1, turns), summary(0, 1, 0, [[2, 1]]));
  for (const next of order === 'after' ? [write, store] : [store, write]) {
    next();
    await ingestHere(place.library, [run]);
  }
  expect(tokens()).toEqual(JOINED);
});

it('joins nothing where the lengths differ, because summaries number the groups that were left', async () => {
  summaries(
    summary(0, 0, 1, [
      [2, 2],
      [6, 1],
    ]),
    summary(0, 1, 0, [[3, 1]]),
  );
  store();
  await ingestHere(place.library, [run]);
  expect(tokens().map(({ count }) => count)).toEqual([null, null]);
  expect(rows(place.library, "SELECT code FROM ingest_issue WHERE code = 'unmatched_signal'")).toHaveLength(
    2,
  );
});

it('reads samples without an address as rollouts of the run that the store names', async () => {
  store();
  await ingestHere(place.library, [run]);
  expect(
    rows(
      place.library,
      `SELECT n.run_key, r.step, g.group_key, r.ordinal, r.policy_tokens, r.response_chars, r.stop_reason
       FROM rollout r JOIN run n USING (run_id) JOIN prompt_group g USING (group_id) ORDER BY r.ordinal`,
    ),
  ).toEqual([
    {
      run_key: 'my-run',
      step: 11,
      group_key: 'sess-1/5',
      ordinal: 0,
      policy_tokens: 2,
      response_chars: null,
      stop_reason: null,
    },
    {
      run_key: 'my-run',
      step: 11,
      group_key: 'sess-1/5',
      ordinal: 1,
      policy_tokens: 1,
      response_chars: null,
      stop_reason: 'length',
    },
  ]);
});

it('keeps the runs of one store apart', async () => {
  store();
  const db = new Database(join(run, 'capture.sqlite'));
  db.exec('PRAGMA journal_mode = WAL');
  db.exec("UPDATE wire_rows SET run_id = 'other' WHERE cursor = 3");
  db.close();
  await ingestHere(place.library, [run]);
  expect(
    rows(
      place.library,
      'SELECT n.run_key, count(*) AS n FROM rollout r JOIN run n USING (run_id) GROUP BY 1',
    ),
  ).toEqual([
    { run_key: 'my-run', n: 4 },
    { run_key: 'other', n: 1 },
  ]);
});
