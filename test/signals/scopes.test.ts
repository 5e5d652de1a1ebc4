/**
 * One log with everything: a logged entropy of the head, listed alternatives, signed signals, a rollout
 * without a mask.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlacesBuilder } from '../../electron/signals/places.ts';
import { StatisticsBuilder, type StatisticsRequest } from '../../electron/signals/statistics.ts';
import { openReader, type ReadableLibrary } from '../../electron/storage/open.ts';
import { availableSignals } from '../../electron/storage/queries/available.ts';
import type { MeasuredScope } from '../../electron/storage/queries/measured.ts';
import type { TokenStatistics } from '../../shared/api/contract.ts';
import { STATISTICS_BY } from '../../shared/domain/signalStatistics.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const WORDS = ['So', ' wait', ' it', ' is', ' so'];

function rollout(step: number, group: string, index: number, columns: object): string {
  return `${JSON.stringify({
    ...{ v: 1, type: 'rollout', run: 'all', step, group, index, reward: index % 2 },
    problem: { id: group, prompt: 'Which?' },
    tokens: { text: WORDS, mask: [1, 1, 1, 1, 1], ...columns },
  })}\n`;
}

const logprob = [-1, -2, -0.5, -0.25, -3];
const LOG = [
  rollout(1, 'g', 0, {
    entropy: [0.5, 2, 0.25, 0.25, 1],
    entropy_of: { kind: 'top-k', k: 5, unit: 'nats', policy: 'rollout' },
    logprob,
    trainer_logprob: [-1.5, -2, -0.5, -0.25, -2.5],
    advantage: [-1, -1, -1, -1, -1],
  }),
  rollout(1, 'g', 1, {
    logprob,
    top: WORDS.map((word, i) => [
      [word, logprob[i] ?? 0],
      [' or', -2],
    ]),
  }),
  rollout(1, 'h', 0, { logprob }),
  rollout(2, 'g', 0, { entropy: [0, 3, 0, 0, 0], mask: null, logprob }),
  rollout(2, 'g', 1, { entropy: [0, 4, 0, 0, 0], logprob }),
  `${JSON.stringify({ v: 1, type: 'rollout', run: 'all', step: 2, group: 'g', index: 2, problem: { id: 'g', prompt: 'Which?' }, text: 'nothing' })}\n`,
].join('');

let place: Scratch;
let db: ReadableLibrary;
const ids = (sql: string): number[] => rows(place.library, sql).map((row) => Number(Object.values(row)[0]));
let runId: number;

beforeAll(async () => {
  place = scratch();
  await ingestHere(place.library, [place.file('log.jsonl', LOG)]);
  db = openReader(place.library);
  [runId = -1] = ids('SELECT run_id FROM run');
});
afterAll(() => {
  db.close();
  place.remove();
});

function statistics(request: Omit<StatisticsRequest, 'runId'>): TokenStatistics | undefined {
  const builder = StatisticsBuilder.open(db, { runId, ...request });
  for (const _ of builder?.read() ?? []);
  return builder?.finish();
}

describe('available signals', () => {
  const counts = (scope: Omit<MeasuredScope, 'runId'>) =>
    availableSignals(db, { runId, ...scope }).signals.map(
      ({ signal, isBound, rollouts, withMask }) => `${signal}${isBound ? ' ≥' : ''} ${rollouts} ${withMask}`,
    );

  it('are counted per scope, a bound apart from logged ones, and without a mask apart', () => {
    expect(availableSignals(db, { runId })).toMatchObject({ rollouts: 6, withTokens: 5 });
    expect(counts({})).toEqual([
      ...['entropy 3 2', 'entropy ≥ 1 1', 'surprisal 5 4', 'logprob 5 4', 'trainer_logprob 1 1', 'gap 1 1'],
      'advantage 1 1',
    ]);
    expect(counts({ step: 2 })).toEqual(['entropy 2 1', 'surprisal 2 1', 'logprob 2 1']);
    const [h = -1] = ids("SELECT group_id FROM prompt_group WHERE step = 1 AND problem_id = 'h'");
    expect(counts({ groupId: h })).toEqual(['surprisal 1 1', 'logprob 1 1']);
    const [bare = -1] = ids('SELECT rollout_id FROM rollout WHERE step = 2 AND ordinal = 2');
    expect(availableSignals(db, { runId, rolloutId: bare })).toEqual({
      rollouts: 1,
      withTokens: 0,
      signals: [],
    });
  });
});

describe('statistics', () => {
  it('cover a run, a step, a group or a rollout, and no more', () => {
    const tokens = (scope: Omit<MeasuredScope, 'runId'>) =>
      statistics({ ...scope, by: ['step'], signal: 'surprisal' })?.sources[0]?.tokens;
    const [g = -1] = ids("SELECT group_id FROM prompt_group WHERE step = 1 AND problem_id = 'g'");
    const [one = -1] = ids('SELECT rollout_id FROM rollout WHERE step = 1 AND ordinal = 1');
    expect([tokens({}), tokens({ step: 1 }), tokens({ groupId: g }), tokens({ rolloutId: one })]).toEqual([
      20, 15, 10, 5,
    ]);
    expect(tokens({ step: 7 })).toBeUndefined();
    expect(tokens({ groupId: 999 })).toBeUndefined();
    expect(tokens({ rolloutId: 999 })).toBeUndefined();
    // A group of another run does not belong to this one.
    expect(StatisticsBuilder.open(db, { runId: runId + 1, groupId: g, by: ['step'] })).toBeUndefined();
  });

  it('separate a logged entropy of the head from our bound, and count rollouts left out', () => {
    const found = statistics({ by: STATISTICS_BY, signal: 'entropy' });
    expect(found?.sources.map(({ source, tokens }) => [source.kind, source.k, source.bound, tokens])).toEqual(
      [
        ['top-k', 5, undefined, 5],
        ['top-k', 2, 'lower', 5],
        ['unsaid', undefined, undefined, 5],
      ],
    );
    // Without entropy, and without a mask.
    expect(found?.withoutSignal).toBe(2);
    expect(Object.keys(found?.rows ?? {}).sort()).toEqual([...STATISTICS_BY].sort());
  });

  it('have gaps on both sides of 0', () => {
    const [source] = statistics({ by: ['step'], signal: 'gap' })?.sources ?? [];
    expect(source?.histogram).toMatchObject({ from: -0.5, below: 0, above: 0 });
    expect(source?.histogram.counts.filter((count) => count > 0)).toEqual([1, 3, 1]);
    expect(source?.percentile80).toBeCloseTo(0.001, 6);
  });
});

describe('occurrences of a token', () => {
  it('are the highest of one source, with their addresses', () => {
    const builder = PlacesBuilder.open(db, {
      ...{ runId, signal: 'surprisal', wanted: { token: ' so' }, order: 'descending', limit: 2 },
    });
    for (const _ of builder?.read() ?? []);
    expect(builder?.finish()).toMatchObject({
      source: { kind: 'surprisal' },
      total: 4,
      places: [
        {
          step: 1,
          problemId: 'g',
          ordinal: 0,
          isCorrect: false,
          token: 4,
          value: 3,
          before: 'So wait it is',
          after: '',
        },
        { step: 1, problemId: 'g', ordinal: 1, isCorrect: true, token: 4, value: 3 },
      ],
    });
    const none = PlacesBuilder.open(db, {
      ...{ runId, signal: 'surprisal', wanted: { token: 'nowhere' }, order: 'ascending', limit: 2 },
    });
    for (const _ of none?.read() ?? []);
    expect(none?.finish()).toEqual({ total: 0, places: [] });
  });
});
