/** The head of a step: which pages about it are linked. */
import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import StepView from '../../renderer/views/step/StepView.tsx';
import type { RunDetail, StepSummary } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { groupRow, rolloutRow } from '../support/preview/previewData.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

const RUN = { runId: 1, runKey: 'a', name: 'a', kind: 'train', format: 'verl', hasSteps: true, config: {} };

let isRunKnown = false;

function show(decided: number, config: object = {}): void {
  const run = { ...RUN, config } as unknown as RunDetail;
  const client = createFakeClient({
    'run.list': () => [run],
    'run.get': () => {
      isRunKnown = true;
      return run;
    },
    'step.list': () => [{ step: 3, rollouts: 8, groups: 2, decided } as StepSummary],
    'follow.list': () => [],
  });
  renderWithClient(client, <StepView runKey="a" step={3} />, '/run/a/step/3');
}

it('links Resample-on-Correct if decisions are logged, or settings that determine them', async () => {
  show(8);
  await screen.findByRole('link', { name: 'RoC' });
  cleanup();
  show(0, { down_sampling_config: { do_down_sampling: true, down_sample_to_n: 4 } });
  await screen.findByRole('link', { name: 'RoC' });
});

it('leads from a filtered list to the clusters of its incorrect rollouts, with the filter and the step', async () => {
  const run = { ...RUN } as unknown as RunDetail;
  const client = createFakeClient({
    'run.list': () => [run],
    'run.get': () => run,
    'step.list': () => [{ step: 3, rollouts: 8, groups: 2, decided: 0, correctKnown: 8 } as StepSummary],
    'follow.list': () => [],
    'rollout.order': () => ({ runId: 1, ids: Uint32Array.of(1, 2) }),
    'rollout.rows': () => [],
  });
  const at = '/run/a/step/3?tab=rollouts&right=no&tools=failed&q=turns%3A2';
  renderWithClient(client, <StepView runKey="a" step={3} />, at);
  const link = await screen.findByRole<HTMLAnchorElement>('link', { name: 'Cluster the incorrect ones' });
  const query = new URL(link.href).searchParams;
  expect(new URL(link.href).pathname).toBe('/run/a/problems');
  expect(Object.fromEntries(query)).toEqual({
    ...{ tab: 'failures', q: 'is_correct:false tool_errors:>0 turns:2' },
    ...{ first: '3', last: '3' },
  });
});

it('leaves Resample-on-Correct out of a step without decisions', async () => {
  isRunKnown = false;
  show(0);
  await waitFor(() => expect(isRunKnown).toBe(true));
  await screen.findByText(/^8 rollouts/);
  expect(screen.queryByRole('link', { name: 'RoC' })).toBeNull();
  screen.getByRole('link', { name: 'Tokens' });
});

/** Heads of the rollout list with these problem ids, one per group, whose prompts are long. */
async function headsOf(
  problemIds: readonly string[],
  prompts: readonly string[],
): Promise<readonly string[]> {
  const run = { ...RUN } as unknown as RunDetail;
  const rows = problemIds.map((problemId, i) => ({
    ...rolloutRow(100 * (i + 1)),
    ...{ groupId: i + 1, problemId, groundTruth: 'Yes' },
  }));
  const groups = problemIds.map((problemId, i) => ({
    ...groupRow(i + 1),
    ...{ groupId: i + 1, problemId, promptPreview: prompts[i] ?? '' },
  }));
  const client = createFakeClient({
    'run.list': () => [run],
    'run.get': () => run,
    'step.list': () => [{ step: 3, rollouts: 2, groups: 2, decided: 0, correctKnown: 2 } as StepSummary],
    'follow.list': () => [],
    'rollout.order': () => ({ runId: 1, ids: Uint32Array.from(rows, ({ rolloutId }) => rolloutId), rows }),
    'rollout.rows': () => rows,
    'group.rows': () => groups,
  });
  renderWithClient(client, <StepView runKey="a" step={3} />, '/run/a/step/3?tab=rollouts');
  await screen.findByRole('columnheader', { name: 'ground truth' });
  await waitFor(() => expect(screen.getAllByText(plainPrompt).length).toBeGreaterThan(0));
  return screen.getAllByRole('columnheader').map(({ textContent }) => textContent?.trim() ?? '');
}

const plainPrompt = /^Is the following statement/;
const ALIKE = ['harm', 'love'].map(
  (verb) => `Is the following statement something you would say? "I ${verb} people"`,
);
const HASHES = ['0123456789ab', 'ba9876543210'];

it('lists rollouts with the ids of their problems and the ground truth', async () => {
  const heads = await headsOf(['8', '4'], ALIKE);
  expect(heads.slice(heads.indexOf('problem'))).toEqual(expect.arrayContaining(['prompt', 'ground truth']));
});

it('shows hashes of problems only if their prompts begin alike', async () => {
  expect(await headsOf(HASHES, ALIKE)).toContain('prompt');
  cleanup();
  const heads = await headsOf(HASHES, [ALIKE[0] ?? '', 'Another problem']);
  expect(heads).toContain('problem');
  expect(heads).not.toContain('prompt');
});
