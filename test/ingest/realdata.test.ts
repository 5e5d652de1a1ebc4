/**
 * Real logs, where the folder with them is there (TURNWISE_REALDATA, or ../shared/realdata
 * beside the repository). They are never part of the repository.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const REALDATA =
  process.env['TURNWISE_REALDATA'] ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'realdata');

describe.runIf(existsSync(REALDATA))('verl validation over four steps (tau-retail-rl)', () => {
  let place: Scratch;
  beforeAll(async () => {
    place = scratch();
    const outcome = await ingestHere(place.library, [join(REALDATA, 'verl-val-multiturn')]);
    expect(outcome.files.map((file) => [file.status, file.rollouts, file.issues.length])).toEqual(
      Array(4).fill(['read', 600, 0]),
    );
  });
  afterAll(() => place.remove());

  it('is one eval run of 4 × 600 problems, the same ones at every step', () => {
    expect(rows(place.library, 'SELECT name, kind, steps, rollouts FROM run')).toEqual([
      { name: 'verl-val-multiturn', kind: 'eval', steps: 4, rollouts: 2400 },
    ]);
    expect(rows(place.library, 'SELECT count(DISTINCT problem_id) AS n FROM rollout')).toEqual([{ n: 600 }]);
  });

  it('shows tool use collapsing while the score goes up', () => {
    const steps = rows(
      place.library,
      'SELECT step, round(avg(tool_calls = 0), 3) AS without, round(avg(reward), 3) AS score, sum(tool_calls) AS calls FROM rollout GROUP BY step',
    );
    expect(steps).toEqual([
      { step: 0, without: 0.067, score: 0.71, calls: 1198 },
      { step: 20, without: 0.285, score: 0.863, calls: 566 },
      { step: 40, without: 0.792, score: 0.877, calls: 134 },
      { step: 60, without: 0.96, score: 0.87, calls: 25 },
    ]);
  });

  it('tells calls, responses and injected user turns apart', () => {
    const kinds = rows(
      place.library,
      'SELECT kind, count(*) AS n FROM segment WHERE turn > 0 GROUP BY 1 ORDER BY 1',
    );
    expect(kinds).toEqual([
      { kind: 'answer', n: 5 },
      { kind: 'text', n: 4106 },
      { kind: 'tool-call', n: 1923 },
      { kind: 'tool-response', n: 1692 },
      { kind: 'user', n: 428 },
    ]);
    const [injected] = rows(
      place.library,
      "SELECT count(*) AS n FROM segment WHERE kind = 'user' AND turn > 0 AND text = 'Your response is incorrect! You need to reflect on your answer and try again.'",
    );
    expect(injected).toEqual({ n: 428 });
    expect(rows(place.library, 'SELECT outcome, count(*) AS n FROM tool_call GROUP BY 1 ORDER BY 1')).toEqual(
      [
        { outcome: 'missing', n: 89 },
        { outcome: 'ok', n: 1691 },
        { outcome: 'parse_error', n: 143 },
      ],
    );
  });
});

describe.runIf(existsSync(REALDATA))('other real files', () => {
  it('reads an older training dump, and says what every other file is', async () => {
    const place = scratch();
    try {
      const outcome = await ingestHere(place.library, [REALDATA]);
      const read = outcome.files
        .filter((file) => file.status === 'read')
        .map((file) => [file.format, file.rollouts]);
      expect(read).toEqual([['verl', 128], ...Array(4).fill(['verl', 600])]);
      expect(outcome.files.filter((file) => file.issues.length === 0).length).toBe(5);
      const pointer = outcome.files.find((file) => file.path.endsWith('git-lfs-pointer.jsonl'));
      expect(pointer?.issues).toMatchObject([{ code: 'git_lfs_pointer', severity: 'refused' }]);
      expect(rows(place.library, "SELECT kind FROM run WHERE name = 'verl-rollout-singleturn'")).toEqual([
        { kind: 'train' },
      ]);
    } finally {
      place.remove();
    }
  });
});
