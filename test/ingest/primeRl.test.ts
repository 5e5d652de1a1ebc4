/** prime-rl as its file monitor writes it: failed episodes, times and metrics of one run. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'prime-rl');
const TRACES = 'rollouts/step_3/train/all/traces.jsonl';
const LINES = readFileSync(join(FIXTURES, 'failed', TRACES), 'utf8')
  .split('\n')
  .slice(0, -1);

const PROMPTS = `SELECT g.group_key, g.rollouts, q.preview FROM group_row g
  JOIN problem_row USING (problem_no) JOIN prompt_row q USING (prompt_id)`;

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

async function ingest(lines: readonly string[]): Promise<void> {
  const target = join(place.directory, 'run', TRACES);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, lines.map((line) => `${line}\n`).join(''));
  const metrics = readFileSync(join(FIXTURES, 'metrics', 'metrics.jsonl'));
  writeFileSync(join(place.directory, 'run', 'metrics.jsonl'), metrics);
  await ingestHere(place.library, [join(place.directory, 'run')]);
}

describe('an episode that failed before its first trace', () => {
  it.each([
    ['first', LINES],
    ['last', [...LINES.slice(1), ...LINES.slice(0, 1)]],
  ])('leaves the prompt to its siblings when it is %s', async (_, lines) => {
    await ingest(lines);
    expect(rows(place.library, PROMPTS)).toEqual([{ group_key: 'g1', rollouts: 6, preview: 'Sum 1 to 9?' }]);
    const failed = 'reward IS NULL AND response_chars IS NULL';
    expect(rows(place.library, `SELECT stop_reason, turns FROM rollout WHERE ${failed}`)).toEqual([
      { stop_reason: 'error', turns: null },
    ]);
    const differs = "SELECT line FROM ingest_issue WHERE code = 'prompt_differs'";
    // The second branch of one trace begins with a summary.
    expect(rows(place.library, differs)).toHaveLength(1);
    expect(rows(place.library, "SELECT code FROM ingest_issue WHERE severity = 'refused'")).toEqual([]);
  });
});

it('times a trace by its agent, and one of several branches by its calls', async () => {
  await ingest(LINES);
  expect(
    rows(place.library, 'SELECT line, ordinal, started_at, ended_at FROM rollout ORDER BY line, ordinal'),
  ).toEqual([
    { line: 1, ordinal: 0, started_at: null, ended_at: null },
    { line: 2, ordinal: 1, started_at: 1760000102, ended_at: 1760000105 },
    { line: 3, ordinal: 2, started_at: 1760000102, ended_at: 1760000105.5 },
    { line: 4, ordinal: 3, started_at: 1760000102.5, ended_at: 1760000103 },
    { line: 4, ordinal: 4, started_at: 1760000104, ended_at: 1760000105 },
    { line: 5, ordinal: 5, started_at: 1760000102, ended_at: null },
  ]);
});

it('gives the run the metrics of its steps, but not those sampled by time', async () => {
  await ingest(LINES);
  expect(rows(place.library, 'SELECT step, name, value FROM metric ORDER BY step, name')).toEqual([
    { step: 2, name: 'progress/tokens', value: 8192 },
    { step: 2, name: 'reward/all/mean', value: 0.25 },
    { step: 2, name: 'time/step', value: 12.5 },
    { step: 3, name: 'progress/tokens', value: 9000 },
    { step: 3, name: 'reward/all/mean', value: 0.5 },
    { step: 3, name: 'time/step', value: 12.5 },
  ]);
});
