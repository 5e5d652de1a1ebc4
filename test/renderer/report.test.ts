import { describe, expect, it } from 'vitest';
import { changesOf, groupsBehind, inOrderOf } from '../../renderer/views/roc/GroupsBehind.tsx';
import { lengthBins, likenessFacts, turnBins } from '../../renderer/views/roc/likenessModel.ts';
import {
  bucketText,
  causeSentences,
  disagreementsOf,
  errorsAfter,
  errorsBefore,
  filledBuckets,
  findingsOf,
  healthNumbers,
  keepRate,
  numberNames,
  orderedReasons,
  sideReason,
  sidesOf,
} from '../../renderer/views/roc/reportModel.ts';
import type { Bucket, Likeness, RocReport, RocSide, Tally } from '../../shared/api/contract.ts';
import { ApiError } from '../../shared/api/errors.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { basisFor, EXAMPLE } from './rocSides.ts';

const tally = (key: string, rollouts: number, kept = 0, decided = rollouts): Tally => ({
  ...{ key, rollouts, kept, decided },
  groups: Math.min(rollouts, 3),
});
const bucket = (from: number, to: number, positives: number, negatives = 0): Bucket => ({
  ...{ from, to },
  positives: tally(`p${from}`, positives, positives),
  negatives: tally(`n${from}`, negatives),
});
const like = (more: Partial<Likeness>): Likeness => ({
  key: 'like',
  rollouts: 10,
  lengths: [],
  turns: [],
  ...more,
});

function sideOf(id: string, basis?: RocSide['basis']): RocSide {
  return {
    ...(basis === undefined ? {} : { basis }),
    sums: {},
    positives: tally(`${id}:positives`, 100, 46),
    negatives: tally(`${id}:negatives`, 50, 0, 0),
    byPenalty: [bucket(0, 0, 4), bucket(0.25, 0.5, 0, 2)],
    byErr: [],
    byFormat: [],
    keptPositives: like({}),
    discardedPositives: like({}),
    steps: [],
    outcomes: [{ key: `${id}:resampled`, groups: 5, outcome: 'resampled' }],
    reasons: [
      { ...tally(`${id}:r1`, 9), reason: 'discarded_positive_penalty' },
      { ...tally(`${id}:r2`, 3), reason: 'kept_positive_topk' },
    ],
    cleanDropped: { key: `${id}:clean`, groups: 2 },
    tiesAtCut: { key: `${id}:ties`, groups: 4 },
    truncated: { key: `${id}:truncated`, groups: 0 },
  };
}

const REPORT: RocReport = {
  ...{ reportId: 1, runId: 1, groups: 10, rollouts: 320, elapsedMs: 3 },
  allWrong: { key: 'allWrong', groups: 1 },
  mixed: { key: 'mixed', groups: 8 },
  allRight: { key: 'allRight', groups: 1 },
  rewardUnknown: { key: 'rewardUnknown', groups: 0 },
  penalty: 'text',
  lengthBins: [500, 1000, Number.POSITIVE_INFINITY],
  logged: sideOf('logged'),
  recomputed: sideOf('recomputed', basisFor(EXAMPLE)),
  source: 'logged',
  differences: tally('differences', 3),
  differenceCauses: [],
  penaltyDifferences: [{ ...tally('differ:pErr', 7), part: 'pErr' }],
};

it('says for how many differing decisions a cause stands', () => {
  const rule = {
    code: 'other_rule',
    sentence: 'The rule “x” decides as logged.',
    rollouts: 3,
    groups: 2,
  } as const;
  expect(causeSentences({ ...REPORT, differenceCauses: [rule] })).toEqual([
    'The rule “x” decides as logged (all of them, in 2 groups).',
  ]);
  const none = { code: 'unexplained', sentence: 'No known rule.', rollouts: 1, groups: 1 } as const;
  expect(causeSentences({ ...REPORT, differenceCauses: [{ ...rule, rollouts: 2 }, none] })).toEqual([
    'The rule “x” decides as logged (2 of them, in 2 groups).',
    'No known rule (1 of them, in 1 group).',
  ]);
});

it('has no disagreements without decisions', () => {
  expect(disagreementsOf(REPORT).map(({ value }) => value)).toEqual([3, 7]);
  expect(disagreementsOf({ ...REPORT, logged: undefined, source: 'unknown' })).toEqual([]);
});

describe('the sides of a report', () => {
  const names = (report: RocReport, wanted: string | null = null) =>
    sidesOf(report, wanted).map(({ name }) => name);

  it('begin with the decisions in force and their source', () => {
    expect(names(REPORT)).toEqual(['logged']);
    expect(names(REPORT, 'recomputed')).toEqual(['recomputed: release']);
    const whatIf = sideOf('whatIf', basisFor(EXAMPLE, 'paper'));
    expect(names({ ...REPORT, whatIf })).toEqual(['logged', 'what if: paper']);
  });

  it('name the source of the penalties in their buckets', () => {
    const penalties = (wanted: string | null, report = REPORT) =>
      sidesOf(report, wanted).map((side) => side.penalties);
    expect(penalties(null)).toEqual(['penalties: logged']);
    expect(penalties('recomputed')).toEqual(['penalties: recomputed, text rules']);
    const byLogged = {
      ...REPORT,
      recomputed: { ...REPORT.recomputed, basis: undefined },
      penalty: 'logged' as const,
    };
    expect(penalties('recomputed', byLogged as RocReport)).toEqual(['penalties: logged']);
  });

  it('are empty if nothing is known', () => {
    expect(names({ ...REPORT, logged: undefined, source: 'unknown' })).toEqual([]);
  });
});

describe('the numbers of a report', () => {
  it('are undecided rather than 0 % without decisions', () => {
    expect(keepRate(tally('a', 100, 46))).toBe(0.46);
    expect(keepRate(tally('a', 50, 0, 0))).toBeUndefined();
  });

  it('each have a name for the list of their groups', () => {
    const names = numberNames(REPORT);
    expect(names.get('mixed')).toBe('mixed');
    expect(names.get('logged:ties')).toBe('ties at the cut · logged');
    expect(names.get('recomputed:r1')).toBe('discarded, penalty too high · recomputed');
    expect(names.get('differences')).toBe('logged ≠ recomputed');
  });

  it('are named down to a bar of a histogram and a point of a step', () => {
    const side: RocSide = {
      ...sideOf('recomputed'),
      keptPositives: like({ key: 'kept', turns: [1, 2] }),
      steps: [
        {
          ...{ step: 7, groups: 4, allWrong: 0, mixed: 4, allRight: 0 },
          ...{ callsBefore: 9, errorsBefore: 3, callsAfter: 4, errorsAfter: 0 },
          positives: tally('7:positives', 9),
          negatives: tally('7:negatives', 9),
          erroneousBefore: { key: '7:before', groups: 3 },
          erroneousAfter: { key: '7:after', groups: 0 },
        },
      ],
    };
    const names = numberNames({ ...REPORT, recomputed: side });
    expect(names.get('kept')).toBe('kept correct rollouts · recomputed');
    expect(names.get('kept:length:0')).toBe('kept correct rollouts of ≤ 500 characters · recomputed');
    expect(names.get('kept:length:2')).toBe('kept correct rollouts of > 1K characters · recomputed');
    expect(names.get('kept:turns:0')).toBe('kept correct rollouts of 1 turn · recomputed');
    expect(names.get('kept:turns:1')).toBe('kept correct rollouts of 2 or more turns · recomputed');
    expect(names.get('kept:without_calls')).toBe('kept correct rollouts without a tool call · recomputed');
    expect(names.get('7:before')).toBe('correct with a failed call, step 7, pool · recomputed');
    expect(names.get('7:negatives')).toBe('incorrect rollouts of step 7 · recomputed');
  });

  it('omit unknown rewards without any, and shares of nothing', () => {
    expect(healthNumbers(REPORT).map(({ label }) => label)).toEqual([
      'mixed',
      'all correct',
      'all incorrect',
    ]);
    const [side] = sidesOf(REPORT, null);
    if (side === undefined) throw new Error('the report has a side');
    expect(findingsOf(REPORT, side).map(({ value, share }) => [value, share])).toEqual([
      [4, 0.4],
      [2, 0.2],
      [0, undefined],
    ]);
  });

  it('name the class of incorrect rollouts that were ranked', () => {
    expect(
      ['discarded_positive_tie', 'discarded_negative_tie', 'kept_negative_quota', 'own'].map(sideReason),
    ).toEqual([
      'discarded, lost the tie',
      'discarded, lost the tie (incorrect)',
      'kept, quota for incorrect',
      'own',
    ]);
  });

  it('of each rollout are listed as far as a page can draw them', () => {
    const reasons = Array.from({ length: 12_000 }, (_, i) => ({
      ...{ key: `${i}`, reason: `own ${i}`, rollouts: 1, groups: 1, kept: 1, decided: 1 },
    }));
    const frequent = { key: 'f', reason: 'frequent', rollouts: 9, groups: 1, kept: 9, decided: 9 };
    const found = orderedReasons({ ...sideOf('a'), reasons: [...reasons, frequent] });
    expect([found.length, found[0]]).toEqual([50, frequent]);
  });

  it('put kept before discarded', () => {
    expect(orderedReasons(sideOf('a')).map(({ reason }) => reason)).toEqual([
      'kept_positive_topk',
      'discarded_positive_penalty',
    ]);
  });
});

describe('buckets', () => {
  it('state which end is inclusive', () => {
    expect(bucketText(bucket(0, 0, 1), false)).toBe('0');
    expect(bucketText(bucket(Number.MIN_VALUE, 0.25, 1), false)).toBe('>0.000 to <0.250');
    expect(bucketText(bucket(0.5, 0.5 + 1e-9, 1), false)).toBe('0.500');
    expect(bucketText(bucket(1.5, 2, 1), true)).toBe('1.500 to 2');
  });

  it('are omitted for an empty class', () => {
    const { byPenalty } = sideOf('a');
    expect(filledBuckets([byPenalty], 'positives')).toEqual([0]);
    expect(filledBuckets([byPenalty], 'negatives')).toEqual([1]);
  });
});

describe('kept and discarded', () => {
  it('are compared if both are known', () => {
    const facts = likenessFacts(
      like({ meanTurns: 3, meanResponseChars: 1500 }),
      like({ meanTurns: 2, withoutToolCalls: 0.27 }),
    );
    expect(facts.map(({ keyOf, ...fact }) => ({ ...fact, key: keyOf(like({})) }))).toEqual([
      { label: 'characters', kept: '1.5K', discarded: '', key: 'like' },
      { label: 'turns', kept: '3.00', discarded: '2.00', factor: 1.5, key: 'like' },
      { label: 'without a tool call', kept: '', discarded: '27.0 %', key: 'like:without_calls' },
    ]);
  });

  it('have shapes as shares of their own class, without empty ends', () => {
    const [kept, discarded] = [
      like({ lengths: [0, 5, 0], turns: [0, 2, 8] }),
      like({ lengths: [0, 1, 0], turns: [0, 0, 5] }),
    ];
    expect(lengthBins(REPORT.lengthBins, kept, discarded)).toEqual([
      {
        label: '≤ 1K',
        kept: { key: 'like:length:1', rollouts: 5, share: 0.5 },
        discarded: { key: 'like:length:1', rollouts: 1, share: 0.1 },
      },
    ]);
    expect(turnBins(kept, discarded).map((bin) => [bin.label, bin.kept.key])).toEqual([
      ['2', 'like:turns:1'],
      ['3+', 'like:turns:2'],
    ]);
  });

  it('have an error rate only if there were calls', () => {
    const step = { ...{ callsBefore: 8, errorsBefore: 2, callsAfter: 0, errorsAfter: 0 } } as Parameters<
      typeof errorsBefore
    >[0];
    expect(errorsBefore(step)).toBe(0.25);
    expect(errorsAfter(step)).toBeUndefined();
  });
});

describe('the groups behind a number', () => {
  it('are listed in any order the host supports', () => {
    expect([...inOrderOf(Uint32Array.of(3, 7, 9), Uint32Array.of(9, 8, 3, 1, 7))]).toEqual([9, 3, 7]);
    expect([...inOrderOf(Uint32Array.of(), Uint32Array.of(1))]).toEqual([]);
  });

  /** A host that knows only report 2. */
  const client = createFakeClient({
    'roc.groups': ({ reportId, key }) => {
      if (key === 'broken') throw new ApiError({ code: 'internal', message: 'disk' });
      if (reportId !== 2) throw new ApiError({ code: 'not_found', message: 'no such report' });
      return { ids: Uint32Array.of(7, 8) };
    },
  });
  const again = (reportId: number) => async () => ({ ...REPORT, reportId });

  it('use a new report if the host has evicted the old one', async () => {
    expect([...(await groupsBehind(client, 1, 'mixed', again(2))).ids]).toEqual([7, 8]);
  });

  it('have their changed decisions, where the report counts them', () => {
    const ids = Uint32Array.of(7, 8);
    expect(changesOf({ ids })).toEqual([]);
    const [differences, ...others] = changesOf({ ids, differences: Int32Array.of(2, -1) });
    expect([7, 8, 9].map((id) => differences?.of(id))).toEqual([2, undefined, undefined]);
    expect([differences?.id, others]).toEqual(['differences', []]);
  });

  it('fail if recomputing does not help, and at any other failure', async () => {
    await expect(groupsBehind(client, 1, 'mixed', again(3))).rejects.toThrow('no such report');
    await expect(groupsBehind(client, 1, 'mixed', async () => undefined)).rejects.toThrow('no such report');
    await expect(groupsBehind(client, 2, 'broken', again(2))).rejects.toThrow('disk');
  });
});
