/** Real logs, if their folder exists (TURNWISE_REALDATA names it). They are never part of the repository. */
import { existsSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import type { IngestOutcome } from '../../electron/ingest/ingest.ts';
import { openReader } from '../../electron/storage/open.ts';
import { loggedRetries } from '../../electron/storage/queries/loggedRetries.ts';
import { getRollout } from '../../electron/storage/queries/rollout.ts';
import { getRun, listRuns } from '../../electron/storage/queries/runs.ts';
import { FREE_TASK } from '../../electron/threads/task.ts';
import { figure } from '../../renderer/ui/numbers.ts';
import { resultRows, sampleRows } from '../../renderer/views/evaluation/loggedResultsModel.ts';
import { eventsIn } from '../../shared/format/inspectEvents.ts';
import { loggedEvaluation } from '../../shared/format/loggedEvaluation.ts';
import { loggedSample } from '../../shared/format/loggedSample.ts';
import { contents, ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const NAMED =
  process.env['TURNWISE_REALDATA'] ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'realdata');
/** With links resolved, as ingest names it. */
const REALDATA = existsSync(NAMED) ? realpathSync(NAMED) : NAMED;

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
      { step: 0, without: 0.1, score: 0.71, calls: 1088 },
      { step: 20, without: 0.285, score: 0.863, calls: 560 },
      { step: 40, without: 0.815, score: 0.877, calls: 112 },
      { step: 60, without: 0.965, score: 0.87, calls: 21 },
    ]);
  });

  it('tells calls, responses and injected user turns apart', () => {
    const kinds = rows(
      place.library,
      'SELECT kind, count(*) AS n FROM segment WHERE turn > 0 GROUP BY 1 ORDER BY 1',
    );
    expect(kinds).toEqual([
      { kind: 'text', n: 4183 },
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
        { outcome: 'malformed', n: 142 },
        { outcome: 'missing', n: 89 },
        { outcome: 'ok', n: 1692 },
      ],
    );
  });
});

/** File below the folder → format, number of rollouts, and number of joined records. */
const FILES: Readonly<Record<string, readonly [format: string | null, rollouts: number, joined?: number]>> = {
  'agentgym/teacher_normalized.parquet': ['agentgym', 1496],
  'agentgym/teacher_old_logprobs_step200.parquet': ['agentgym', 0, 1496],
  'agentgym/textcraft_eval_Qwen3-4B.jsonl': ['agentgym', 100],
  'agentgym/turn_entropies.first500.jsonl': ['agentgym', 500],
  'inspect/2025-05-12T20-27-36-04-00_browser.json': ['inspect', 1],
  'inspect/2025-09-15T15-04-34-04-00_popularity_J5EskSJVsBD9iRd47twk8x.eval': ['inspect', 50],
  'inspect/2025-09-23T08-09-58-04-00_popularity_DN2wbX2ZvACsBpjwptzBRo.eval': ['inspect', 100],
  'inspect/retry-2-then-success.eval': ['inspect', 1],
  'nemo-gym/competitive_coding_group5_rollouts.jsonl': ['nemo-gym', 5],
  'nemo-gym/hotpotqa_rollouts.jsonl': ['nemo-gym', 30],
  'nemo-gym/math_with_code_rollouts.jsonl': ['nemo-gym', 5],
  'nemo-gym/workplace_assistant_env_rollouts.jsonl': ['nemo-gym', 5],
  'odd/results.git-lfs-pointer.jsonl': [null, 0],
  'openai-logprobs/chat_completion_structured.json': ['openai-logprobs', 1],
  'openai-logprobs/qwen-3-1-7b_top5.json': ['openai-logprobs', 1],
  'rllm/miniwob_sft_trajectory.json': ['messages', 100],
  'swe-agent/marshmallow-1867_function_calling.traj': ['swe-agent', 1],
  'swe-agent/pydicom-1458_gpt4_old.traj': ['swe-agent', 1],
  'tau-bench/gpt-4o-airline.tasks0-24.json': ['tau-bench', 100],
  'tau2-bench/gpt-4.1_telecom_default_gpt-4.1_1trials.first15.json': ['tau2-bench', 15],
  'tora/tora-70b_gsm8k.first500.jsonl': ['tir', 500],
  'tora/tora_sft_examples.jsonl': ['tir', 30],
  'verifiers/math-python--gpt-4.1-mini--25f52552/results.jsonl': ['verifiers', 15],
  'verifiers/mcp-env--gpt-4.1-mini--fdac998f/metadata.json': ['verifiers', 0],
  'verifiers/mcp-env--gpt-4.1-mini--fdac998f/results.jsonl': ['verifiers', 3],
  'verl-rollout-singleturn/1.jsonl': ['verl', 128],
  'verl-val-multiturn/0.jsonl': ['verl', 600],
  'verl-val-multiturn/20.jsonl': ['verl', 600],
  'verl-val-multiturn/40.jsonl': ['verl', 600],
  'verl-val-multiturn/60.jsonl': ['verl', 600],
};

describe.runIf(existsSync(REALDATA))('every real file', () => {
  let place: Scratch;
  let outcome: IngestOutcome;
  beforeAll(async () => {
    place = scratch();
    outcome = await ingestHere(place.library, [REALDATA]);
  });
  afterAll(() => place.remove());

  it('gives the number of records its README states', () => {
    const seen = Object.fromEntries(
      outcome.files
        .filter((file) => !file.path.endsWith('README.md'))
        .map((file) => {
          const joined = file.joined === undefined ? [] : [file.joined];
          return [relative(REALDATA, file.path), [file.format, file.rollouts, ...joined]];
        }),
    );
    expect(seen).toEqual(FILES);
  });

  it('leaves no record waiting and refuses only non-logs', () => {
    expect(outcome.files.filter((file) => (file.waiting ?? 0) > 0)).toEqual([]);
    const refused = outcome.files.flatMap(({ path, issues }) =>
      issues
        .filter((issue) => issue.severity === 'refused')
        .map(({ code }) => [relative(REALDATA, path), code]),
    );
    expect(refused).toEqual([
      ['odd/results.git-lfs-pointer.jsonl', 'git_lfs_pointer'],
      ['README.md', 'no_records'],
    ]);
  });

  it('is unchanged the second time, byte for byte', async () => {
    const before = contents(place.library);
    const again = await ingestHere(place.library, [REALDATA]);
    expect(new Set(again.files.map((file) => file.status))).toEqual(new Set(['unchanged', 'refused']));
    expect(contents(place.library)).toEqual(before);
  });

  it('puts the log-probabilities of a second Parquet file on the rollouts of the first', () => {
    const [sum] = rows(
      place.library,
      `SELECT count(*) AS rollouts, sum(policy_tokens > 0) AS with_tokens, count(DISTINCT problem_id) AS problems
       FROM rollout WHERE path LIKE '%teacher_normalized.parquet'`,
    );
    expect(sum).toEqual({ rollouts: 1496, with_tokens: 1496, problems: 374 });
  });

  it('makes the epochs of an Inspect log the rollouts of a group', () => {
    const groups = rows(
      place.library,
      `SELECT g.rollouts, count(*) AS groups FROM prompt_group g JOIN run n USING (run_id)
       WHERE n.name LIKE 'popularity · google%' GROUP BY 1`,
    );
    expect(groups).toEqual([{ rollouts: 5, groups: 10 }]);
  });

  it('reads scores, times, events and retried calls of Inspect samples', () => {
    const scores = rows(
      place.library,
      `SELECT n.name, r.scores, count(*) AS rollouts, min(r.duration) AS shortest FROM rollout r JOIN run n USING (run_id)
       WHERE n.format = 'inspect' GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    expect(scores).toEqual([
      { name: 'browser · openai/gpt-4o-mini', scores: '{"includes":"C"}', rollouts: 1, shortest: 18.517 },
      { name: 'popularity · google/gemini-2.5-pro', scores: '{"match":"C"}', rollouts: 35, shortest: 5.391 },
      { name: 'popularity · google/gemini-2.5-pro', scores: '{"match":"I"}', rollouts: 15, shortest: 8.517 },
      { name: 'popularity · openai/gpt-4o-mini', scores: '{"match":"C"}', rollouts: 63, shortest: 1.201 },
      { name: 'popularity · openai/gpt-4o-mini', scores: '{"match":"I"}', rollouts: 37, shortest: 1.363 },
      { name: 'task · mockllm/fake', scores: null, rollouts: 1, shortest: 0.021 },
    ]);
    const db = openReader(place.library);
    const sampleOf = (name: string) => {
      const sql = 'SELECT rollout_id AS id FROM rollout JOIN run USING (run_id) WHERE name = ?';
      const { id } = db.prepare(sql).get(name) as { id: number };
      return getRollout(db, id)?.extra ?? {};
    };
    const browser = sampleOf('browser · openai/gpt-4o-mini');
    expect(loggedSample(browser)).toMatchObject({
      epoch: 1,
      scores: [{ scorer: 'includes', values: [{ value: 'C' }] }],
      usage: [{ model: 'openai/gpt-4o-mini', counts: { input_tokens: 15_235, output_tokens: 281 } }],
      workingSeconds: 18.36,
    });
    expect(loggedSample(browser)?.scores[0]?.explanation).toHaveLength(1_264);
    const events = eventsIn(browser);
    // 43 events, of which 8 end a span.
    expect(events).toHaveLength(35);
    expect(events.filter(({ kind }) => kind === 'model').map(({ depth }) => depth)).toEqual([1, 1, 1, 1, 1]);
    expect(Math.max(...events.map(({ depth }) => depth))).toBe(2);
    expect(loggedSample(sampleOf('task · mockllm/fake'))?.callRetries).toBe(2);
    db.close();
  });

  it('sums the retries of an Inspect log over its samples', async () => {
    const db = openReader(place.library);
    const runs = listRuns(db).filter(({ format }) => format === 'inspect');
    const retries = async (name: string) =>
      loggedRetries(db, runs.find((run) => run.name === name)?.runId ?? 0, async () => undefined);
    expect(await retries('task · mockllm/fake')).toMatchObject({ calls: { retries: 2, samples: 1 } });
    expect(await retries('popularity · google/gemini-2.5-pro')).toEqual({
      ...{ calls: { retries: 0, samples: 50 }, attempts: { retries: 0, samples: 50 } },
    });
    db.close();
  });

  it('recomputes the result that an Inspect log has of itself, from its rollouts', () => {
    const db = openReader(place.library);
    const engine = new ColumnQueryEngine(db);
    const compared = listRuns(db)
      .filter(({ format }) => format === 'inspect')
      .map((run) => {
        const { runId, runKey, name, startedAt, completedAt, lastWritten, evaluation } = run;
        const logged = loggedEvaluation(getRun(db, runKey)?.config ?? {});
        const { panels } = engine.answer('eval.summary', { runId, filter: '' }, FREE_TASK);
        if (logged === undefined) throw new Error(`${name} has no header`);
        expect(lastWritten).toEqual({ at: completedAt, of: 'completed' });
        expect(evaluation, name).toEqual({ status: 'success' });
        expect(startedAt).toBeLessThanOrEqual(completedAt ?? 0);
        const failing = { runId, filter: 'stop_reason:error', sort: [] };
        const failed = engine.answer('rollout.order', failing, FREE_TASK).ids.length;
        const samples = sampleRows(logged, run, failed, undefined);
        // Four counts and two of retries, which are not asked here.
        expect(samples.map(({ differs }) => differs)).toEqual(Array.from({ length: 6 }, () => false));
        expect(logged.usage.length, name).toBe(name.includes('mockllm') ? 0 : 1);
        return [
          name,
          ...resultRows(logged, panels).map(
            (row) =>
              `${row.scorer} ${row.metric} ${figure(row.logged ?? Number.NaN)} ${row.recomputed === undefined ? 'undefined' : figure(row.recomputed)} ${row.differs}`,
          ),
        ];
      });
    db.close();
    expect(compared).toContainEqual([
      'popularity · openai/gpt-4o-mini',
      'match accuracy 0.63 0.63 false',
      'match stderr 0.0485237 0.0485237 false',
    ]);
    expect(compared).toContainEqual([
      'popularity · google/gemini-2.5-pro',
      'match accuracy 0.7 0.7 false',
      'match stderr 0.152753 0.152753 false',
    ]);
  });

  it('makes a run of each file if the producer writes one run per file', () => {
    const runs = rows(
      place.library,
      "SELECT name, rollouts FROM run WHERE format = 'nemo-gym' OR format = 'agentgym' ORDER BY name",
    );
    expect(runs.map(({ name, rollouts }) => [name, rollouts])).toEqual([
      ['competitive_coding_group5_rollouts', 5],
      ['hotpotqa_rollouts', 30],
      ['math_with_code_rollouts', 5],
      ['teacher_normalized', 1496],
      ['textcraft_eval_Qwen3-4B', 100],
      ['turn_entropies.first500', 500],
      ['workplace_assistant_env_rollouts', 5],
    ]);
  });

  it('has no step if the log has none', () => {
    const steps = rows(
      place.library,
      "SELECT DISTINCT r.step FROM rollout r JOIN run n USING (run_id) WHERE n.format = 'tau-bench'",
    );
    expect(steps).toEqual([{ step: null }]);
  });

  it('recognizes a problem in several runs', () => {
    const [shared] = rows(
      place.library,
      `SELECT count(*) AS n FROM (SELECT q.question_hash FROM group_row g JOIN problem_row USING (problem_no)
        JOIN prompt_row q USING (prompt_id) JOIN run_row USING (run_id) WHERE format = 'inspect'
        GROUP BY 1 HAVING count(DISTINCT run_id) > 1)`,
    );
    expect(shared).toEqual({ n: 10 });
  });
});

describe.runIf(existsSync(REALDATA))('tokens of real logs', () => {
  let place: Scratch;
  beforeAll(async () => {
    place = scratch();
    await ingestHere(
      place.library,
      ['openai-logprobs', 'nemo-gym'].map((name) => join(REALDATA, name)),
    );
  });
  afterAll(() => place.remove());

  it('join to the message, token by token', () => {
    const joined = rows(
      place.library,
      `SELECT (SELECT group_concat(t.text, '') FROM tokens(r.rollout_id) t) = response_text(r.rollout_id, 0, r.response_chars) AS same,
         (SELECT max(t."end") FROM tokens(r.rollout_id) t) = r.response_chars AS whole
       FROM rollout r JOIN run n USING (run_id) WHERE n.format = 'openai-logprobs' AND r.policy_tokens IS NOT NULL`,
    );
    expect(joined.length).toBe(2);
    expect(joined).toEqual(joined.map(() => ({ same: 1, whole: 1 })));
  });

  it('have entropy bounds if alternatives are listed, and surprisal under its own name', () => {
    const [top5] = rows(
      place.library,
      `SELECT count(t.entropy) AS entropy, count(t.entropy_lower) AS lower, count(t.surprisal) AS surprisal, count(*) AS tokens,
         min(t.entropy_lower) >= 0 AS positive
       FROM rollout r, tokens(r.rollout_id) t WHERE r.path LIKE '%top5.json'`,
    );
    expect(top5).toMatchObject({ entropy: 0, positive: 1 });
    expect(top5?.['lower']).toBe(top5?.['tokens']);
  });

  it('pair ids and log-probabilities per item, and are shown as ids', () => {
    const found = rows(
      place.library,
      `SELECT count(*) AS tokens, count(t.id) AS ids, count(t.text) AS texts, sum(t.mask = 1 AND t.logprob IS NULL) AS unpaired,
         sum(t.mask = 0 AND t.logprob IS NOT NULL) AS foreign_ones
       FROM rollout r JOIN run n USING (run_id), tokens(r.rollout_id) t WHERE n.format = 'nemo-gym'`,
    )[0];
    expect(Number(found?.['tokens'])).toBeGreaterThan(1000);
    expect(found).toMatchObject({ ids: found?.['tokens'], texts: 0, unpaired: 0, foreign_ones: 0 });
  });
});
