import { isScoreSort, type RolloutRow } from '../../../shared/api/contract.ts';
import { ApiError } from '../../../shared/api/errors.ts';
import { createFakeClient, type FakeClient } from '../fakeClient.ts';
import {
  GROUPS,
  groupId,
  groupRow,
  RUN,
  rolloutDetail,
  rolloutRow,
  SIBLINGS,
  STEPS,
  stepRow,
} from './previewData.ts';
import { sourceMethods } from './previewSources.ts';

function ordered(
  ids: number[],
  value: (row: RolloutRow) => unknown,
  direction: string | undefined,
): Uint32Array {
  const sign = direction === 'descending' ? -1 : 1;
  const key = (id: number) => {
    const v = value(rolloutRow(id));
    return typeof v === 'number' ? v : typeof v === 'boolean' ? Number(v) : String(v ?? '').length;
  };
  return Uint32Array.from([...ids].sort((a, b) => sign * (key(a) - key(b))));
}

/** A log without steps: all its rollouts are stored at step 0. */
const STEPLESS = { ...RUN, hasSteps: false, steps: 1, firstStep: 0, lastStep: 0 };

export function createPreviewClient(scenario: string): FakeClient {
  const failed = () => {
    throw new ApiError({ code: 'internal', message: 'SQLITE_CORRUPT: database disk image is malformed' });
  };
  const slow = () => new Promise<never>(() => undefined);
  const job = {
    jobId: 1,
    state: 'running',
    paths: ['/logs/grpo-roc-32b'],
    currentPath: '/logs/grpo-roc-32b/rollouts/step-000120.rank-3.jsonl',
    files: 510,
    filesDone: 121,
    bytes: 130e9,
    bytesDone: 31e9,
    rollouts: 1_981_440,
    issues: 12,
    elapsedMs: 184_000,
  } as const;
  const scenarioOf = {
    'host.info': () => ({
      version: '0.1.0',
      shell: scenario === 'desktop' ? ('desktop' as const) : ('browser' as const),
      platform: 'linux',
      libraryPath: '/home/ana/.local/share/turnwise/library.sqlite',
      uploads: '/home/ana/.local/share/turnwise/uploads',
      wheels: '/home/ana/.local/share/turnwise/wheels',
      granted: ['/logs'],
      warnings: [],
    }),
  };
  return createFakeClient({
    ...scenarioOf,
    ...sourceMethods(scenario),
    'run.list': () =>
      scenario === 'empty' || scenario === 'desktop'
        ? []
        : scenario === 'failed'
          ? failed()
          : scenario === 'waiting'
            ? slow()
            : [
                scenario === 'stepless' ? STEPLESS : RUN,
                {
                  ...RUN,
                  runId: 2,
                  runKey: 'tau',
                  name: 'verl-val-multiturn',
                  kind: 'eval',
                  format: 'verl-jsonl',
                  model: undefined,
                  dataset: undefined,
                  isSynthetic: false,
                  steps: 4,
                  firstStep: 0,
                  lastStep: 60,
                  groups: 2400,
                  rollouts: 2400,
                  correct: 1980,
                  correctKnown: 2400,
                  issues: 0,
                  trends: {
                    steps: [0, 20, 40, 60],
                    meanReward: [0.71, 0.86, 0.88, 0.87],
                    toolErrorRate: [0.2, 0.1, null, null],
                    noToolShare: [0.07, 0.29, 0.8, 0.96],
                    meanResponseChars: [2100, 1900, 1500, 1400],
                  },
                },
              ],
    'run.get': ({ runKey }) => {
      if (runKey !== RUN.runKey)
        throw new ApiError({ code: 'not_found', message: `no run "${runKey}" in this library` });
      return scenario === 'stepless' ? STEPLESS : RUN;
    },
    'step.list': () => (scenario === 'stepless' ? [stepRow(0)] : STEPS.map(stepRow)),
    'page.open': ({ step, groupKey, ordinal }) => {
      const group =
        groupKey === undefined
          ? undefined
          : Array.from({ length: GROUPS }, (_, g) => groupId(step ?? 0, g)).find(
              (id) => groupRow(id).groupKey === groupKey,
            );
      if (groupKey !== undefined && group === undefined)
        throw new ApiError({ code: 'not_found', message: `no group "${groupKey}" in step ${step}` });
      return {
        runId: 1,
        groupId: group,
        rolloutId: group === undefined || ordinal === undefined ? undefined : group * 100 + ordinal,
        answers: [],
      };
    },
    'group.order': ({ step = 0, direction }) => {
      const ids = Array.from({ length: GROUPS }, (_, g) => groupId(step, g));
      return { runId: 1, ids: Uint32Array.from(direction === 'descending' ? ids.reverse() : ids) };
    },
    'group.rows': ({ groupIds }) => groupIds.map(groupRow),
    'rollout.order': ({ step = 0, groupId: wanted, sort, filter = '' }) => {
      const [{ by, direction } = { by: 'order' as const, direction: undefined }] = sort ?? [];
      const isCorrect = flagIn(filter, 'correct');
      const kept = flagIn(filter, 'kept');
      if (scenario === 'million' && wanted === undefined) {
        return { runId: 1, ids: Uint32Array.from({ length: 1_500_000 }, (_, i) => 10_000_100 + i) };
      }
      const groups =
        wanted === undefined ? Array.from({ length: GROUPS }, (_, g) => groupId(step, g)) : [wanted];
      const ids = groups
        .flatMap((id) => Array.from({ length: SIBLINGS }, (_, o) => id * 100 + o))
        .filter(
          (id) =>
            (isCorrect === undefined || rolloutRow(id).isCorrect === isCorrect) &&
            (kept === undefined || rolloutRow(id).kept === kept),
        );
      return {
        runId: 1,
        ids: ordered(
          ids,
          (row) => (by === 'order' || by === 'latencyMs' || isScoreSort(by) ? row.rolloutId : row[by]),
          direction,
        ),
      };
    },
    'rollout.rows': ({ rolloutIds }) => rolloutIds.map(rolloutRow),
    'rollout.get': ({ rolloutId: id }) => rolloutDetail(id).detail,
    'rollout.tokens': ({ rolloutId: id }) => rolloutDetail(id).tokens,
    'rollout.signal': ({ rolloutId: id }) => {
      const { count, ends, mask, entropy } = rolloutDetail(id).tokens;
      return {
        count,
        available: ['entropy'],
        ends,
        mask,
        signal: 'entropy',
        source: { kind: 'full', unit: 'nats', temperature: 1, policy: 'trainer' },
        values: entropy,
      };
    },
    'rollout.alternatives': ({ from }) => ({ from, alternatives: [null] }),
    'rollout.record': ({ rolloutId: id, offset = 0, limit = 1_048_576 }) => {
      if (scenario === 'gone')
        throw new ApiError({
          code: 'source_gone',
          message: '/logs/grpo-roc-14b/240.jsonl is no longer there',
        });
      const { detail } = rolloutDetail(id);
      const text = JSON.stringify({
        input: detail.prompt,
        output: detail.response,
        score: detail.row.reward,
        step: detail.row.step,
        extra: detail.extra,
      });
      const end = Math.min(text.length, offset + limit);
      return {
        path: detail.row.path,
        line: detail.row.line,
        unit: 'line',
        isRewritten: false,
        byteLength: text.length,
        offset,
        text: text.slice(offset, end),
        nextOffset: end < text.length ? end : undefined,
      };
    },
    'issue.list': () => ({
      total: scenario === 'empty' ? 0 : 3,
      refused: scenario === 'empty' ? 0 : 2,
      issues: [
        {
          issueId: 1,
          path: '/logs/grpo-roc-14b/120.jsonl',
          unit: 'line',
          records: 1,
          line: 4_118,
          severity: 'refused',
          code: 'bad_json',
          message: 'expected "," or "}" at column 18,211, found end of line',
        },
        {
          issueId: 2,
          path: '/logs/grpo-roc-14b/125.jsonl',
          unit: 'line',
          records: 1,
          line: 77,
          severity: 'warning',
          code: 'tokens_unaligned',
          message: 'tokens.ends has 2,114 entries, entropy 2,115: heat is left out',
        },
        {
          issueId: 3,
          path: '/logs/grpo-roc-14b/notes.txt',
          unit: 'line',
          records: 1,
          severity: 'refused',
          code: 'unknown_format',
          message: 'no known format: first line is "Notes from Tuesday"',
        },
      ],
    }),
    'file.list': () => [
      {
        fileId: 1,
        path: '/logs/grpo-roc-14b/240.jsonl',
        format: 'turnwise-1',
        bytes: 4.1e9,
        rollouts: 30_720,
        issues: 3,
        status: 'read',
      },
    ],
    'ingest.jobs': () =>
      scenario === 'jobs'
        ? [
            job,
            { ...job, jobId: 4, state: 'done', paths: ['/logs/grpo-roc-14b'], issues: 3 },
            {
              ...job,
              jobId: 2,
              state: 'failed',
              paths: ['/logs/broken'],
              message: 'no file of a known format was found below this directory',
            },
          ]
        : [],
    'ingest.demo': () => ({ jobId: 3 }),
    'ingest.cancel': () => ({ cancelled: true }),
  });
}

/** The part of the filter language that the list switches use. */
function flagIn(filter: string, field: 'correct' | 'kept'): boolean | undefined {
  const value = new RegExp(`${field}:(true|false)`).exec(filter)?.[1];
  return value === undefined ? undefined : value === 'true';
}
