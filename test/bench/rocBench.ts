/** Resample-on-Correct over a whole run of 500 steps, 128 groups of 32 each, from the stored penalties. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createHost } from '../../electron/host/createHost.ts';
import { openWriter } from '../../electron/storage/open.ts';
import type { RocReport } from '../../shared/api/contract.ts';
import { type Measurement, ratioOf } from './measurement.ts';

const STEPS = 500;
const GROUPS = 128;
const SIBLINGS = 32;
const ROLLOUTS = STEPS * GROUPS * SIBLINGS;
const BUDGET_S = 10;
/** Budget of a cancellation, which waits for the current step to finish. */
const CANCEL_BUDGET_MS = 250;

const SETTINGS = {
  reject_equal_reward: true,
  roc_error_ratio: true,
  roc_answer_format: true,
  min_zero_reward_trace_num: 2,
  min_non_zero_reward_trace_num: 2,
  down_sample_to_n: 16,
  world_size: 24,
};

export async function benchRoc(directory: string): Promise<Measurement[]> {
  const library = join(directory, 'roc.sqlite');
  writeRun(library);
  const floor = floorOf(library);
  const host = await createHost({ libraryPath: library, shell: 'browser', version: 'bench' });
  try {
    const results: Measurement[] = [];
    for (const rule of ['release', 'paper'] as const) {
      const report = await host.dispatch('roc.report', { runId: 1, basis: { rule, settings: SETTINGS } });
      if (!report.ok) throw new Error(report.failure.message);
      const { elapsedMs, rollouts } = report.value as RocReport;
      if (rollouts !== ROLLOUTS) throw new Error(`${rollouts} rollouts instead of ${ROLLOUTS}`);
      const seconds = elapsedMs / 1000;
      const name = `RoC over 500 steps × 128 groups × 32, rule ${rule}`;
      const { ratio } = ratioOf(name, seconds, floor, 's', BUDGET_S);
      results.push({
        name,
        value: seconds,
        unit: 's',
        floor,
        ...(ratio === undefined ? {} : { ratio }),
        budget: BUDGET_S,
        within: seconds <= BUDGET_S,
      });
    }
    results.push(await cancelling(host));
    return results;
  } finally {
    await host.close();
  }
}

async function cancelling(host: Awaited<ReturnType<typeof createHost>>): Promise<Measurement> {
  const controller = new AbortController();
  const begun = new Promise<void>((resolve) => {
    host.subscribe(({ event, payload }) => {
      // Progress is sent ten times a second, not at every step.
      if (event === 'analysis.progress' && payload.stepsDone >= 20) resolve();
    });
  });
  const params = { runId: 1, basis: { settings: SETTINGS }, progressKey: 'bench' };
  const ended = host.dispatch('roc.report', params, controller.signal);
  await begun;
  controller.abort();
  await ended;
  // The thread is free once it answers the next request.
  const started = performance.now();
  const one = await host.dispatch('roc.report', { runId: 1, step: 1, basis: { settings: SETTINGS } });
  if (!one.ok) throw new Error(one.failure.message);
  const value = performance.now() - started;
  const name = 'RoC: from cancelling a run to the report of another step';
  return { name, value, unit: 'ms', budget: CANCEL_BUDGET_MS, within: value <= CANCEL_BUDGET_MS };
}

/** Writes rows like ingest, without texts, because nothing here reads them. */
function writeRun(library: string): void {
  const db = openWriter(library);
  db.exec(`
    BEGIN;
    INSERT INTO file_row (file_id, path, format, container, unit, status, bytes, mtime_ms, inode, head_hash, head_bytes, offset_bytes, lines)
      VALUES (1, '/nowhere', 'verl', 'plain', 'line', 'read', 0, 0, '0', '', 0, 0, 0);
    INSERT INTO run_row (run_id, run_key, key_source, scope, name, kind, format, directory, home, has_steps)
      VALUES (1, 'bench', 'logged', 'bench', 'bench', 'train', 'verl', '/nowhere', '/nowhere', 1);
    INSERT INTO prompt_block VALUES (1, 0, x'');
    INSERT INTO prompt_row (prompt_id, prompt_hash, question_hash, block_id, text_start, text_end, segments, preview)
      VALUES (1, 'p', 'q', 1, 0, 0, 0, '');
    INSERT INTO problem_row (problem_no, problem_id, id_source, prompt_id) VALUES (1, 'p', 'derived', 1);
    INSERT INTO text_block VALUES (1, 1, 0, x'');
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${STEPS * GROUPS - 1})
    INSERT INTO group_row (group_id, run_id, step, group_key, problem_no, rule, rollouts)
      SELECT i + 1, 1, i / ${GROUPS}, 'g' || i, 1, 'logged', ${SIBLINGS} FROM n;
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${STEPS - 1})
    INSERT INTO step_row (run_id, step, group_count, rollouts, correct, correct_known, reward_sum, reward_known, decided, kept, tool_calls, tool_errors, without_calls, stops_logged, truncated, turns, response_chars, tokens, tokens_known, entropy_sum, entropy_tokens, groups_all_wrong, groups_mixed, groups_all_right, with_text, turns_known)
      SELECT 1, i, ${GROUPS}, ${GROUPS * SIBLINGS}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM n;
    -- Well mixed and repeatable: i · 2654435761 mod 2^32 instead of random().
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROLLOUTS - 1}),
      m AS (SELECT i, (i * 2654435761) % 4294967296 AS h FROM n)
    INSERT INTO rollout_row (run_id, step, group_id, ordinal, reward, turns, tool_calls, tool_errors, response_chars,
      policy_tokens, content_hash, file_id, line, byte_offset, byte_length, block_id, text_start, text_end, extra_end,
      p_err_text, p_format_text, p_text_source, p_err_typed, p_format_typed, flags)
      SELECT 1, i / ${GROUPS * SIBLINGS}, i / ${SIBLINGS} + 1, i % ${SIBLINGS}, (h >> 5) % 100 < (i / ${SIBLINGS}) % 101, 1 + h % 7,
        h % 6, h % 3, 1000 + h % 30000, 300 + h % 9000, printf('%016x', h), 1, i + 1, 0, 0, 1, 0, 0, 0,
        ((h >> 9) % 5) / 4.0, ((h >> 13) % 4) / 4.0, 'text', ((h >> 9) % 5) / 4.0, ((h >> 13) % 3) / 2.0, 0 FROM m;
    COMMIT;`);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

/** The least work: iterates over the same rows once, in this process, and sums two columns. */
function floorOf(library: string): number {
  const db = new Database(library, { readonly: true });
  const started = performance.now();
  let sum = 0;
  const statement = db.prepare<[number], [number, number]>(
    'SELECT reward, p_err_text FROM rollout_row WHERE run_id = 1 AND step = ? ORDER BY group_id, ordinal',
  );
  statement.raw();
  for (let step = 0; step < STEPS; step++) {
    for (const [reward, pErr] of statement.all(step)) sum += reward + pErr;
  }
  const seconds = (performance.now() - started) / 1000;
  db.close();
  if (!(sum > 0)) throw new Error('the rows are not there');
  return seconds;
}
