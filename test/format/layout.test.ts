/** Facts from paths: every example of `layout.ts`, and similar names without a meaning. */
import { expect, it } from 'vitest';
import { isStepIn, layoutOf } from '../../shared/format/layout.ts';

const EXAMPLES: readonly (readonly [string, object])[] = [
  [
    '/out/rollouts/step_12/train/effective/traces.jsonl',
    { step: 12, kind: 'train', selection: 'effective', stem: 'traces', depth: 4 },
  ],
  [
    '/out/rollouts/step_12/eval/all/traces.jsonl',
    { step: 12, kind: 'eval', selection: 'all', stem: 'traces', depth: 4 },
  ],
  ['/out/token_exports/step_12/rank_0.jsonl', { step: 12, stem: 'rank_0', depth: 2 }],
  [
    '/out/dumped_evals/global_step_40_evals/aime24.jsonl',
    { step: 40, kind: 'eval', stem: 'aime24', depth: 2 },
  ],
  [
    '/out/iteration_000010/train_rollout_summaries.jsonl',
    { step: 10, kind: 'train', stem: 'train_rollout_summaries', depth: 1 },
  ],
  [
    '/out/episodes/train_step_5_epoch_0/episode_t1.json',
    { step: 5, kind: 'train', stem: 'episode_t1', depth: 2 },
  ],
  ['/out/rollout/4/8.jsonl', { step: 4, kind: 'train', stem: '8', depth: 2 }],
  ['/out/eval-rollout/4/8.jsonl', { step: 4, kind: 'eval', stem: '8', depth: 2 }],
  [
    '/out/train_data_step12.jsonl',
    { step: 12, kind: 'train', stem: 'train_data_step12', depth: 0, isStepOfFile: true },
  ],
  [
    '/out/val_data_step10.jsonl',
    { step: 10, kind: 'eval', stem: 'val_data_step10', depth: 0, isStepOfFile: true },
  ],
  [
    '/out/completions/completions_00012.parquet',
    { step: 12, stem: 'completions_00012', depth: 1, isStepOfFile: true },
  ],
  ['/out/rollout_data/12.jsonl', { step: 12, kind: 'train', stem: '12', depth: 1, isStepOfFile: true }],
  ['/out/validation_data/12.jsonl', { step: 12, kind: 'eval', stem: '12', depth: 1, isStepOfFile: true }],
  ['/out/train_data/12_0.jsonl', { step: 12, kind: 'train', stem: '12_0', depth: 1, isStepOfFile: true }],
  ['/out/12.jsonl', { step: 12, stem: '12', depth: 0, isStepOfFile: true }],
  ['/out/12.jsonl.gz', { step: 12, stem: '12', depth: 0, isStepOfFile: true }],
  ['/out/jobs/task__x1/agent/trajectory.json', { stem: 'trajectory', depth: 2 }],
  ['C:\\out\\rollout\\4\\8.jsonl', { step: 4, kind: 'train', stem: '8', depth: 2 }],
];

it.each(EXAMPLES)('%s', (path, expected) => {
  expect(layoutOf(path)).toEqual(expected);
});

it.each([
  // A number is a step only directly below a directory of rollouts.
  ['/data/2024/results.jsonl', { stem: 'results', depth: 0 }],
  ['/data/run7/results.jsonl', { stem: 'results', depth: 0 }],
  ['/data/stepping_3/results.jsonl', { stem: 'results', depth: 0 }],
  ['/data/results_12_final.jsonl', { stem: 'results_12_final', depth: 0 }],
  // More digits than a step can have.
  ['/out/99999999999999999999.jsonl', { stem: '99999999999999999999', depth: 0 }],
  ['/training_notes/notes.jsonl', { stem: 'notes', depth: 0 }],
  ['traces.jsonl', { stem: 'traces', depth: 0 }],
  ['', { stem: '', depth: 0 }],
] as const)('finds nothing in %j', (path, expected) => {
  expect(layoutOf(path)).toEqual(expected);
});

it('uses the run of the last step directory', () => {
  expect(layoutOf('/step_1/exp/step_2/out.jsonl')).toEqual({ step: 2, stem: 'out', depth: 1 });
});

it.each([
  ['/out', '/out/12.jsonl', true],
  ['/out', '/out/rollout_data/12.jsonl', true],
  ['/out/', '/out/step_3/a.jsonl', true],
  ['C:\\out', 'C:\\out\\12.jsonl', true],
  // A step of a run in a directory below.
  ['/out', '/out/other/12.jsonl', false],
  ['/out', '/out/other/step_3/a.jsonl', false],
  ['/out', '/out2/12.jsonl', false],
  ['/out', '/out/big.jsonl', false],
])('in %s, %s is a step: %s', (directory, path, isStep) => {
  expect(isStepIn(directory, path)).toBe(isStep);
});
