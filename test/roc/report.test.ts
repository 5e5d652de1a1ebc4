/** A run's report: counts add up, and every number leads to its groups. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FinishedReport,
  groupsBehind,
  ReportBuilder,
  type ReportRequest,
} from '../../electron/roc/report.ts';
import { openReader } from '../../electron/storage/open.ts';
import type { Tally } from '../../shared/api/contract.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';
import { EXAMPLE, type PoolStep, writePoolLog } from './poolLog.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

const STEPS: readonly PoolStep[] = [
  // Group 0 has a tie at the cut, 1 is all correct, 2 all incorrect, 3 drops a clean one and keeps an
  // erroneous one.
  { step: 1, pools: ['+++e----', '++++++++', '--------'] },
  { step: 2, pools: ['e2tt++--', 'ss+e----'] },
];

async function report(request: Partial<ReportRequest> = {}, steps = STEPS): Promise<FinishedReport> {
  await ingestHere(place.library, [writePoolLog(place, steps, EXAMPLE)]);
  const db = openReader(place.library);
  try {
    const builder = ReportBuilder.open(db, { runId: 1, basis: {}, ...request });
    if (builder === undefined) throw new Error('there is no such run');
    for (const step of builder.steps) builder.addStep(step);
    return builder.finish();
  } finally {
    db.close();
  }
}

function problemsOf({ keys }: FinishedReport, { key }: { readonly key: string }): readonly string[] {
  const found = rows(place.library, 'SELECT group_id, step, problem_id FROM prompt_group ORDER BY group_id');
  const ids = keys.idsOf(key);
  return found
    .filter((row) => ids.includes(Number(row['group_id'])))
    .map((row) => `${row['step']}/${row['problem_id']}`);
}

describe('a run', () => {
  it('classifies its groups', async () => {
    const found = await report();
    expect(found.report).toMatchObject({
      groups: 5,
      rollouts: 40,
      source: 'recomputed',
    });
    expect(problemsOf(found, found.report.allRight)).toEqual(['1/p1']);
    expect(problemsOf(found, found.report.allWrong)).toEqual(['1/p2']);
    expect(problemsOf(found, found.report.mixed)).toEqual(['1/p0', '2/p0', '2/p1']);
    expect(found.report.rewardUnknown.groups).toBe(0);
    const outcomes = found.report.recomputed.outcomes.map(({ outcome, groups }) => [outcome, groups]);
    expect(outcomes).toEqual([
      ['resampled', 3],
      ['equal_reward', 2],
    ]);
  });

  it('adds up', async () => {
    const { recomputed: side, ...all } = (await report()).report;
    const { positives, negatives, byPenalty, reasons, steps } = side;
    expect(positives.rollouts + negatives.rollouts).toBe(all.rollouts);
    expect(positives.kept + negatives.kept).toBe(side.sums.kept);
    const sum = (tallies: readonly Tally[], of: 'rollouts' | 'kept') =>
      tallies.reduce((total, tally) => total + tally[of], 0);
    for (const of of ['rollouts', 'kept'] as const) {
      for (const buckets of [byPenalty, side.byErr, side.byFormat]) {
        expect(
          sum(
            buckets.map((bucket) => bucket.positives),
            of,
          ),
        ).toBe(positives[of]);
        expect(
          sum(
            buckets.map((bucket) => bucket.negatives),
            of,
          ),
        ).toBe(negatives[of]);
      }
      expect(
        sum(
          steps.map((step) => step.positives),
          of,
        ),
      ).toBe(positives[of]);
      expect(sum(reasons, of)).toBe(of === 'rollouts' ? all.rollouts : side.sums.kept);
    }
    const { keptPositives, discardedPositives } = side;
    expect([keptPositives.rollouts, discardedPositives.rollouts]).toEqual([
      positives.kept,
      positives.rollouts - positives.kept,
    ]);
    for (const likeness of [keptPositives, discardedPositives]) {
      for (const counts of [likeness.lengths, likeness.turns]) {
        expect(counts.reduce((a, b) => a + b, 0)).toBe(likeness.rollouts);
      }
    }
  });

  it('counts errors within correct rollouts before and after', async () => {
    const [, second] = (await report()).report.recomputed.steps;
    // Of e, 2, t, t, +, + and s, s, +, e: 1 + 1 + 2 + 1 failed of 1 + 2 + 2 + 2 + 0 + 1 + 1 calls.
    expect(second).toMatchObject({ callsBefore: 9, errorsBefore: 5, groups: 2, mixed: 2 });
    // The text rules count timeouts as clean: they keep both t and one of the +, and + and e or s.
    expect(second?.errorsAfter).toBeGreaterThan(0);
    expect(second?.callsAfter).toBeLessThan(9);
  });

  it('names the groups of every kind of rollout it describes', async () => {
    const found = await report();
    const { keptPositives, steps } = found.report.recomputed;
    expect(problemsOf(found, keptPositives)).toEqual(['1/p0', '2/p0', '2/p1']);
    keptPositives.turns.forEach((count, i) => {
      const groups = problemsOf(found, { key: `${keptPositives.key}:turns:${i}` });
      expect(groups.length > 0).toBe(count > 0);
    });
    const [first] = steps;
    expect(problemsOf(found, first?.erroneousBefore ?? { key: '' })).toEqual(['1/p0']);
    expect(first?.erroneousAfter.groups).toBe(0);
  });

  it('finds a clean one dropped beside an erroneous one kept', async () => {
    const found = await report();
    expect(problemsOf(found, found.report.recomputed.cleanDropped)).toEqual(['2/p0']);
    expect(problemsOf(found, found.report.recomputed.tiesAtCut)).toEqual(['1/p0', '2/p0']);
    const [pErr, pFormat] = found.report.penaltyDifferences;
    expect([pErr?.part, pErr?.rollouts, pFormat?.part, pFormat?.rollouts]).toEqual(['pErr', 2, 'pFormat', 2]);
  });

  it('supports a what-if', async () => {
    const found = await report({ whatIf: { penalty: 'typed' } });
    expect(found.report.flips?.rollouts).toBeGreaterThan(0);
    expect(problemsOf(found, found.report.flips ?? { key: '' })).toContain('2/p0');
    expect(found.report.whatIf?.cleanDropped.groups).toBe(0);
    const typed = await report({ whatIf: { rule: 'paper' } });
    expect(typed.report.whatIf?.basis?.penalty).toBe('typed');
    const paper = await report({ whatIf: { rule: 'paper', penalty: 'text' } });
    expect(paper.report.whatIf?.sums.kept).toBeCloseTo(12);
    expect(paper.report.flips?.rollouts).toBe(0);
  });

  it('can cover one step', async () => {
    expect((await report({ step: 2 })).report).toMatchObject({ step: 2, groups: 2, rollouts: 16 });
    const db = openReader(place.library);
    expect(ReportBuilder.open(db, { runId: 1, step: 7, basis: {} })).toBeUndefined();
    expect(ReportBuilder.open(db, { runId: 9, basis: {} })).toBeUndefined();
    db.close();
  });

  it('keeps logged decisions apart from recomputed ones', async () => {
    const kept = [...'KKddddKK'].map((letter) => ({ kept: letter === 'K', reason: letter }));
    const found = await report({}, [{ step: 1, pools: ['++ee----', '++ee----'], decisions: [kept] }]);
    expect(found.report.source).toBe('logged');
    expect(found.report.logged?.sums.kept).toBe(4);
    expect(found.report.logged?.positives).toMatchObject({ rollouts: 8, decided: 4, kept: 2 });
    expect(found.report.recomputed.positives).toMatchObject({ rollouts: 8, decided: 8, kept: 4 });
    expect(found.report.differences).toMatchObject({ rollouts: 4, groups: 1 });
    expect(problemsOf(found, found.report.differences)).toEqual(['1/p0']);
  });

  it('says which rule decides as logged, and for how many of the differing decisions', async () => {
    const keptOf = (pattern: string) => [...pattern].map((letter) => ({ kept: letter === 'K' }));
    const decisions = [keptOf('KKdddKdK'), keptOf('ddKKKKdd')];
    const { differences, differenceCauses } = (
      await report({}, [{ step: 1, pools: ['++eex-x-', '++ee----'], decisions }])
    ).report;
    expect(differences.rollouts).toBe(6);
    expect(differenceCauses).toMatchObject([
      { code: 'unexplained', rollouts: 4, groups: 1 },
      { code: 'other_rule', rollouts: 2, groups: 1 },
    ]);
    expect(differenceCauses[1]?.sentence).toMatch(/^The rule “release, first week” decides as logged: /);
  });

  it('counts changed decisions by group, unknown where only one decision is known', async () => {
    const kept = [...'KKddddKK'].map((letter) => ({ kept: letter === 'K', reason: letter }));
    const pools = [
      { step: 1, pools: ['++ee----', '++ee----', '++++----'], decisions: [kept, undefined, kept] },
    ];
    const found = await report({ whatIf: { penalty: 'typed' } }, pools);
    const { ids, differences, flips } = groupsBehind(found, 'pool:mixed');
    expect([...ids]).toHaveLength(3);
    expect(differences).toEqual(Int32Array.of(4, -1, 4));
    expect([...(flips ?? [])].reduce((sum, flipped) => sum + Math.max(0, flipped), 0)).toBe(
      found.report.flips?.rollouts,
    );
    expect(groupsBehind(await report(), 'pool:mixed').flips).toBeUndefined();
  });
});
