/** The head of a step: which pages about it are linked. */
import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import StepView from '../../renderer/views/step/StepView.tsx';
import type { RunDetail, StepSummary } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
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

it('leaves Resample-on-Correct out of a step without decisions', async () => {
  isRunKnown = false;
  show(0);
  await waitFor(() => expect(isRunKnown).toBe(true));
  await screen.findByText(/^8 rollouts/);
  expect(screen.queryByRole('link', { name: 'RoC' })).toBeNull();
  screen.getByRole('link', { name: 'Tokens' });
});
