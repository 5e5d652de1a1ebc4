/** Evaluations from columns, logged metrics and solved problems equal the same queries over the views. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import { openReader, type ReadableLibrary } from '../../electron/storage/open.ts';
import { listMetrics, METRICS_OF_RUN } from '../../electron/storage/queries/runs.ts';
import { SOLVED_GROUPS, solvedProblems } from '../../electron/storage/queries/solved.ts';
import type { EvaluationPanel } from '../../shared/api/contract.ts';
import { askColumns, CANCELLED_TASK } from '../support/columnQuestion.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
let place: Scratch;
let db: ReadableLibrary;
let evalRun: number;
let trainRun: number;

beforeAll(async () => {
  place = scratch();
  await copyDemoLibrary(place.library);
  await ingestHere(place.library, [join(FIXTURES, 'verl')]);
  db = openReader(place.library);
  const run = (kind: string) =>
    db
      .prepare('SELECT run_id FROM run WHERE run_key LIKE ? AND kind = ?')
      .pluck()
      .get('synthetic%', kind) as number;
  evalRun = run('eval');
  trainRun = run('train');
});
afterAll(() => {
  db.close();
  place.remove();
});

function evaluation(filter = '', step?: number): readonly EvaluationPanel[] {
  const result = askColumns(new ColumnQueryEngine(db), {
    method: 'eval.summary',
    runId: evalRun,
    filter,
    ...(step === undefined ? {} : { step }),
  });
  if (!result.ok) throw new Error(result.failure.message);
  return (result.value as { panels: readonly EvaluationPanel[] }).panels;
}

/**
 * Mean over problems of their share of correct samples. A problem with one matching rollout counts with all
 * its rollouts.
 */
const passAt1Under = (condition: string): string => `
  SELECT source, step, count(*) AS problems, sum(n) AS samples, avg(share) AS mean FROM (
    SELECT g.source, r.step, r.problem_id, count(*) AS n, avg(r.is_correct) AS share
    FROM rollout r JOIN prompt_group g USING (group_id)
    WHERE r.run_id = :runId AND r.is_correct IS NOT NULL AND r.step >= :from AND r.problem_id IN
      (SELECT problem_id FROM rollout WHERE run_id = :runId AND step >= :from AND ${condition})
    GROUP BY g.source, r.step, r.problem_id)
  GROUP BY source, step ORDER BY source, step`;

describe('eval.summary', () => {
  it.each([
    ['', '1', 0, 5],
    ['tool_calls:>=2', 'tool_calls >= 2', 0, 5],
    ['is_correct:true', 'is_correct = 1', 0, 5],
    ['is_correct:false turns:>=4', 'is_correct = 0 AND turns >= 4', 0, 5],
    // A step condition selects steps rather than problems.
    ['step:>=150 is_correct:true', 'is_correct = 1', 150, 3],
    ['-step:..149', '1', 150, 3],
  ])('under %j: pass@1 equals SQL', (filter, condition, from, least) => {
    const bySql = db.prepare(passAt1Under(condition)).all({ runId: evalRun, from }) as {
      source: string;
      step: number;
      problems: number;
      samples: number;
      mean: number;
    }[];
    const found = evaluation(filter)
      .flatMap(({ source, points }) =>
        points.map(({ step, problems, samples, passAt1 }) => ({
          source: source ?? null,
          step,
          problems,
          samples,
          mean: passAt1?.mean,
        })),
      )
      .filter(({ problems }) => problems > 0)
      .sort((a, b) => String(a.source).localeCompare(String(b.source)) || a.step - b.step);
    expect(found.length).toBeGreaterThanOrEqual(least);
    expect(found.map(({ mean: _mean, ...rest }) => rest)).toEqual(
      bySql.map(({ mean: _mean, ...rest }) => rest),
    );
    found.forEach((one, i) => {
      expect(one.mean).toBeCloseTo(bySql[i]?.mean ?? Number.NaN, 12);
    });
  });

  it('a filter selects problems, and all samples of each count', () => {
    const under = evaluation('is_correct:true').flatMap(({ points }) => points);
    expect(under.some(({ passAt1 }) => (passAt1?.mean ?? 1) < 1)).toBe(true);
    const all = new Map(evaluation().map(({ source, points }) => [source, points]));
    for (const { source, points } of evaluation('is_correct:false'))
      for (const point of points) {
        const whole = all.get(source)?.find(({ step }) => step === point.step);
        expect([point.leastSamples, point.mostSamples]).toEqual([whole?.leastSamples, whole?.mostSamples]);
      }
  });

  it('pass@n and majority@n of a step equal SQL', () => {
    const panels = evaluation('', 150);
    for (const { source, points } of panels) {
      const [point] = points;
      const n = point?.mostSamples ?? 0;
      const problems = db
        .prepare(
          `SELECT max(r.is_correct) AS any, r.problem_id AS problem FROM rollout r JOIN prompt_group g USING (group_id)
           WHERE r.run_id = ? AND r.step = 150 AND g.source IS ? GROUP BY r.problem_id`,
        )
        .all(evalRun, source ?? null) as { any: number; problem: string }[];
      const mean = problems.reduce((sum, { any }) => sum + any, 0) / problems.length;
      expect(point?.passAtK.at(-1)).toEqual({ k: n, value: mean, problems: problems.length });
      const majorities = problems.map(({ problem }) => {
        const answers = db
          .prepare(
            `SELECT count(*) AS votes, avg(is_correct) AS share FROM rollout
             WHERE run_id = ? AND step = 150 AND problem_id = ? AND answer IS NOT NULL GROUP BY answer ORDER BY 1 DESC`,
          )
          .all(evalRun, problem) as { votes: number; share: number }[];
        const leaders = answers.filter(({ votes }) => votes === answers[0]?.votes);
        return leaders.reduce((sum, { share }) => sum + share, 0) / leaders.length;
      });
      expect(point?.majorityAtK.at(-1)?.value).toBeCloseTo(
        majorities.reduce((sum, each) => sum + each, 0) / majorities.length,
        12,
      );
    }
  });

  it('stops when cancelled', () => {
    const result = askColumns(
      new ColumnQueryEngine(db),
      { method: 'eval.summary', runId: evalRun, filter: '' },
      CANCELLED_TASK,
    );
    expect(result.ok ? undefined : result.failure.code).toBe('cancelled');
  });
});

describe('metric.list', () => {
  it('has every logged number once, by name and step', () => {
    const metrics = listMetrics(db, trainRun);
    expect(metrics.map(({ name }) => name)).toEqual(['actor/entropy', 'critic/score/mean']);
    const rows = db
      .prepare('SELECT name, step, value FROM metric WHERE run_id = ? ORDER BY name, step')
      .all(trainRun);
    expect(
      metrics.flatMap(({ name, steps, values }) =>
        steps.map((step, i) => ({ name, step, value: values[i] })),
      ),
    ).toEqual(rows);
    expect(listMetrics(db, 999)).toEqual([]);
  });
});

describe('problem.solved', () => {
  it('lists the groups whose rollouts are all correct', () => {
    const steps = db.prepare('SELECT step FROM step WHERE run_id = ?').pluck().all(trainRun) as number[];
    let some = 0;
    for (const step of steps) {
      const found = solvedProblems(db, trainRun, step);
      const bySql = db
        .prepare(
          `SELECT problem_id FROM rollout WHERE run_id = ? AND step = ?
           GROUP BY group_id HAVING count(*) = sum(is_correct) ORDER BY group_id`,
        )
        .pluck()
        .all(trainRun, step);
      expect(found.solved.map(({ problemId }) => problemId)).toEqual(bySql);
      expect(found.known).toBe(found.groups);
      const facts = db.prepare(
        'SELECT ground_truth FROM prompt_group WHERE run_id = ? AND step = ? AND group_key = ?',
      );
      for (const { groupKey, groundTruth, question } of found.solved) {
        expect(groundTruth).toBe(facts.pluck().get(trainRun, step, groupKey));
        expect(question.length).toBeGreaterThan(20);
        expect(question).not.toMatch(/<\|im_start\|>|^You must put/);
      }
      some += found.solved.length;
    }
    expect(some).toBeGreaterThan(0);
    expect(solvedProblems(db, trainRun, 12345)).toEqual({ groups: 0, known: 0, solved: [] });
  });

  it('metrics are read by an index', () => {
    const plan = (sql: string, params: Record<string, number> | number) =>
      (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(params) as { detail: string }[]).map(
        ({ detail }) => detail,
      );
    expect(plan(SOLVED_GROUPS, { runId: 1, step: 1 })[0]).toMatch(
      /SEARCH g USING .*INDEX.*run_id=\? AND step=\?/,
    );
    expect(plan(METRICS_OF_RUN, 1).some((line) => /SEARCH m USING .*logged_id=\?/.test(line))).toBe(true);
  });
});
