/** Sources of the generated runs: formats, a file to map, joins, followed directories. */
import type { FollowRow, Mapping, RunSources } from '../../../shared/api/contract.ts';
import { ApiError } from '../../../shared/api/errors.ts';
import type { FakeMethods } from '../fakeClient.ts';
import { RUN } from './previewData.ts';

const PROPOSAL: Mapping = {
  version: 1,
  name: 'sampler',
  shape: ['ask', 'reply', 'scoring'],
  fields: { prompt: 'ask', response: 'reply', reward: 'scoring.value' },
};

const record = (i: number) => ({
  ask: `How many clips did Natalia sell to ${i + 10} friends?`,
  reply: '<think>Half as many in May.</think>\nShe sold **72** clips.',
  scoring: { value: i % 2, gold: '72' },
});

const SOURCES: RunSources = {
  runKey: RUN.runKey,
  format: 'nemo-rl',
  directory: '/logs/grpo-roc-14b',
  givenName: 'grpo-roc',
  directories: ['/logs/grpo-roc-14b', '/logs/grpo-roc-14b-eval'],
  groupRule: { rule: 'order', size: 32 },
  idPlaces: { withTokens: 30_717, logged: 0, byTokenizer: 30_000, unplaced: 717 },
  groups: [
    { rule: 'logged', groups: 936, rollouts: 29_952 },
    { rule: 'order', groups: 24, rollouts: 765 },
  ],
  files: Array.from({ length: 340 }, (_, i) => ({
    fileId: i + 1,
    path: `/logs/grpo-roc-14b/rollouts/worker-${i % 8}/train_data_step${i}.jsonl${i % 3 === 0 ? '.zst' : ''}`,
    format: 'nemo-rl',
    container: i % 3 === 0 ? 'zstd' : 'plain',
    unit: 'line',
    bytes: 4e6 + i * 1000,
    rollouts: i % 5 === 0 ? 0 : 92,
    joined: i % 5 === 0 ? 512 : 0,
    waiting: i === 335 ? 17 : 0,
    masked: i === 12 ? 3 : 0,
  })),
  poolJoins: [],
  moreFiles: 0,
  neighbours: [
    {
      ...{ runKey: 'tau', name: 'verl-val-multiturn', kind: 'eval', format: 'verl' },
      ...{ directory: '/logs/grpo-roc-14b/validation', rollouts: 2400 },
    },
  ],
};

/** By scenario. */
const FOLLOW_STATES: Readonly<Record<string, FollowRow['state']>> = {
  follow: 'watching',
  lostFollow: 'lost',
  outsideFollow: 'outside',
};

export function sourceMethods(scenario: string): FakeMethods {
  return {
    'format.list': () => [
      {
        ...{ name: 'verl', title: 'verl rollout dump', source: 'verl trainer' },
        ...{ rule: '"input" and "output"', reads: 'text, score', ignores: 'nothing' },
      },
    ],
    'file.inspect': ({ path }) => {
      if (path.startsWith('/etc'))
        throw new ApiError({
          code: 'not_granted',
          message: `Turnwise has no permission to read ${path}: it was not opened, or does not exist`,
        });
      return {
        ...{ path, bytes: 42_400, container: 'gzip', unit: 'line', directory: '/logs', records: 10 },
        ...{ outcomes: {}, keys: Object.keys(record(0)), proposal: PROPOSAL },
        issue: { code: 'unknown_format', message: 'no known format' },
        paths: Array.from({ length: 600 }, (_, i) => ({
          path: `scoring.metric_${i}`,
          type: 'number' as const,
          sample: String(i / 7),
        })),
      };
    },
    'mapping.preview': ({ mapping }) => ({
      groups: mapping.fields.response === undefined ? 0 : 9,
      records: Array.from({ length: 10 }, (_, i) => ({
        number: i + 1,
        json: JSON.stringify(record(i), undefined, 2),
        isCut: false,
        rollouts:
          i === 4 || mapping.fields.response === undefined
            ? []
            : [
                {
                  ...{ prompt: record(i).ask, response: record(i).reply, turns: 1, toolCalls: 0 },
                  ...{ groupKey: `g-${i}`, groupRule: 'prompt' as const, kind: 'train' as const },
                  ...{ reward: i % 2, signals: [] },
                },
              ],
        issues:
          i === 4
            ? [{ severity: 'refused' as const, code: 'no_response', message: '"reply" is not in the record' }]
            : i === 6
              ? [{ severity: 'warning' as const, code: 'unread_value', message: '"scoring.value" is a text' }]
              : [],
      })),
    }),
    'mapping.list': () => [{ ...PROPOSAL, name: 'last week’s sampler' }],
    'mapping.save': () => ({ saved: true }),
    'mapping.remove': () => ({ removed: true }),
    'ingest.start': () => ({ jobId: 9 }),
    'run.sources': () => SOURCES,
    'run.setGroupRule': () => ({ groups: 480 }),
    'run.setName': () => ({ jobId: 9 }),
    'run.remove': () => ({ rollouts: 30_720, files: 340, bytes: 9.1e8 }),
    'problem.occurrences': ({ groupId }) => ({
      total: 3,
      places: [0, 5, 10].map((step) => ({
        ...{ runKey: RUN.runKey, runName: RUN.name, kind: 'train' as const, step, groupKey: 'p-0017' },
        groupId: step * 1000 + 1,
        ...{ rollouts: 32, correct: 8 + step, correctKnown: 32, isThis: groupId === step * 1000 + 1 },
      })),
    }),
    'follow.list': () => {
      const state = FOLLOW_STATES[scenario];
      if (state === undefined) return [];
      const times = { since: Date.now() - 600_000, lastChange: Date.now() - 3_000 };
      return [{ path: RUN.directory, state, ...times, rollouts: 12 }];
    },
    'follow.start': ({ paths }) => {
      throw new ApiError({
        code: 'not_granted',
        message: `Turnwise has no permission to read ${paths.join(', ')}: it was not opened, or does not exist`,
      });
    },
    'follow.stop': () => [],
  };
}
