/** Every detector over its labelled log and its near miss, and the report of a filter, a step and a rollout. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import { openReader } from '../../electron/storage/open.ts';
import { JUDGED_PLACE, RUN_AND_STEP } from '../../electron/storage/queries/judged.ts';
import type { DetectorReport, PlacedFinding } from '../../shared/api/contract.ts';
import {
  DETECTOR_IDS,
  type DetectorId,
  type RolloutFinding,
} from '../../shared/domain/detectors/detectors.ts';
import { askColumns, CANCELLED_TASK } from '../support/columnQuestion.ts';
import { ingestHere, scratch } from '../support/library.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const CASES = join(FIXTURES, 'detectors');
const opened: { close(): void; remove(): void }[] = [];
afterAll(() => {
  for (const one of opened) {
    one.close();
    one.remove();
  }
});

async function libraryOf(path: string) {
  const place = scratch();
  await ingestHere(place.library, [path]);
  const db = openReader(place.library);
  opened.push({ close: () => db.close(), remove: () => place.remove() });
  const engine = new ColumnQueryEngine(db);
  const report = (scope: object = {}): DetectorReport => {
    const question = { method: 'detector.report', runId: 1, filter: '', thresholds: {}, limit: 100 } as const;
    const result = askColumns(engine, { ...question, ...scope });
    if (!result.ok) throw new Error(result.failure.message);
    return result.value as DetectorReport;
  };
  return { db, engine, report };
}

const foundBy = ({ ofRollouts, ofSteps }: DetectorReport): readonly DetectorId[] =>
  [...ofRollouts, ...ofSteps].filter(({ findings }) => findings.length > 0).map(({ detector }) => detector);

const findingsOf = ({ ofRollouts }: DetectorReport): readonly PlacedFinding[] =>
  ofRollouts.flatMap(({ findings }) => findings);

describe('a detector', () => {
  it('has a labelled log and a near miss', () => {
    expect([...readdirSync(CASES)].sort()).toEqual([...DETECTOR_IDS].sort());
  });

  it.each(DETECTOR_IDS)('%s fires in its log and is silent in the near miss', async (id) => {
    const positive = await libraryOf(join(CASES, id, 'positive.jsonl'));
    const clean = await libraryOf(join(CASES, id, 'clean.jsonl'));
    expect(foundBy(positive.report())).toContain(id);
    const report = clean.report();
    expect(foundBy(report)).toEqual([]);
    const judged = [...report.ofRollouts, ...report.ofSteps].find(({ detector }) => detector === id)?.judged;
    expect(typeof judged === 'number' ? judged : judged?.length).toBeGreaterThan(0);
  });

  it('gives spans within their segments, the same in the report and in the replay', async () => {
    for (const id of DETECTOR_IDS) {
      const { db, engine, report } = await libraryOf(join(CASES, id, 'positive.jsonl'));
      const segments = db.prepare(
        'SELECT inner_start AS start, inner_end AS end, turn FROM segment_row WHERE rollout_id = ? ORDER BY ordinal',
      );
      const found = findingsOf(report());
      for (const { rolloutId, segment, start, end, turn } of found) {
        const inner = segments.all(rolloutId)[segment];
        expect(inner).toMatchObject({ turn });
        const { start: from, end: to } = inner as { start: number; end: number };
        expect([from <= start, start <= end, end <= to]).toEqual([true, true, true]);
      }
      for (const rolloutId of new Set(found.map((one) => one.rolloutId))) {
        const result = askColumns(engine, { method: 'detector.rollout', rolloutId, thresholds: {} });
        const alone = result.ok ? (result.value as { findings: readonly RolloutFinding[] }).findings : [];
        const inReport = found.filter((one) => one.rolloutId === rolloutId);
        expect(inReport.length).toBe(alone.length);
        for (const one of alone) expect(inReport).toContainEqual(expect.objectContaining(one));
      }
    }
  });

  it('is silent in the demo run', async () => {
    const { report } = await libraryOf(join(FIXTURES, 'demo'));
    expect(foundBy(report())).toEqual([]);
    expect(foundBy(report({ runId: 2 }))).toEqual([]);
  });
});

describe('the report', () => {
  it('counts rollouts that match, those that could be judged, and the steps of findings', async () => {
    const { report } = await libraryOf(join(CASES, 'format_only', 'positive.jsonl'));
    const ofFormat = (scope: object) =>
      report(scope).ofRollouts.find(({ detector }) => detector === 'format_only');
    expect(ofFormat({})).toMatchObject({ judged: 3, count: 1, byStep: Uint32Array.of(1) });
    // The rest of the group still says which reward is for the form.
    expect(ofFormat({ filter: 'reward:0.2' })).toMatchObject({ judged: 1, count: 1 });
    expect(ofFormat({ filter: 'is_correct:true' })).toMatchObject({ judged: 1, count: 0 });
    expect(ofFormat({ limit: 0 })).toMatchObject({ count: 1, findings: [], ids: expect.any(Uint32Array) });
  });

  it('is of one step, which has no trend', async () => {
    const { report } = await libraryOf(join(CASES, 'one_reward', 'positive.jsonl'));
    const found = (scope: object) =>
      report(scope)
        .ofSteps.flatMap(({ findings }) => findings)
        .map(({ steps }) => steps.length);
    expect(found({})).toEqual([12, 1, 1]);
    expect(found({ step: 11 })).toEqual([1]);
    expect(found({ step: 0 })).toEqual([]);
  });

  it('judges whole groups, though the filter leaves one reward of each', async () => {
    const { report } = await libraryOf(join(CASES, 'one_reward', 'clean.jsonl'));
    expect(foundBy(report({ filter: 'reward:1' }))).toEqual([]);
    expect(report({ filter: 'reward:1' }).steps[0]).toMatchObject({ groups: 8, oneReward: 1 });
  });

  it('uses the thresholds it is given, and says which', async () => {
    const { report } = await libraryOf(join(CASES, 'repetition', 'positive.jsonl'));
    const strict = report({ thresholds: { 'repetition.repeats': 41 } });
    expect(foundBy(strict)).toEqual([]);
    expect(strict.thresholds).toMatchObject({ 'repetition.repeats': 41, 'repetition.chars': 600 });
  });

  it('can be cancelled', async () => {
    const { engine } = await libraryOf(join(CASES, 'repetition', 'positive.jsonl'));
    const question = { method: 'detector.report', runId: 1, filter: '', thresholds: {}, limit: 1 } as const;
    const result = askColumns(engine, question, CANCELLED_TASK);
    expect(result).toMatchObject({ ok: false, failure: { code: 'cancelled' } });
  });

  it('refuses a rollout that is not there', async () => {
    const { engine } = await libraryOf(join(CASES, 'repetition', 'positive.jsonl'));
    const result = askColumns(engine, { method: 'detector.rollout', rolloutId: 99, thresholds: {} });
    expect(result).toMatchObject({ ok: false, failure: { code: 'not_found' } });
  });

  it('finds rollouts by their number rather than by a scan', async () => {
    const { db } = await libraryOf(join(CASES, 'repetition', 'positive.jsonl'));
    for (const sql of [JUDGED_PLACE, RUN_AND_STEP]) {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(1) as { detail: string }[];
      expect(plan.map(({ detail }) => detail).filter((detail) => detail.startsWith('SCAN'))).toEqual([]);
    }
  });
});
