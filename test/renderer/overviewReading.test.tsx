/** The sentences about the figures of a run’s charts, under a filter that few steps match. */
import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ToolsPage } from '../../renderer/views/overview/ToolsPage.tsx';
import type { StepFacts } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { RUN } from '../support/preview/previewData.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const STEPS = [0, 200, 400, 500];

/** @param sizes rollouts of each step */
const factsOf = (sizes: readonly number[]): readonly StepFacts[] =>
  sizes.map((rollouts, i) => ({
    step: STEPS[i] ?? 0,
    rollouts,
    groups: rollouts === 0 ? 0 : 1,
    values: rollouts === 0 ? {} : { meanReward: i / 4, toolCalls: 10 * rollouts },
    outcomes: {},
    repeats: 0,
    retries: { calls: 0, succeeded: 0 },
    recovery: { rollouts: 0, correct: 0 },
    ...(rollouts === 0 ? {} : { reward: { known: rollouts } }),
  }));

/** Rollouts by step of each class, and of all verified ones. */
const SAME = [17, 1, 1, 0];
const NOT_RUN = [3, 1, 0, 0];
const VERIFIED = [20, 2, 1, 0];

function show(search: string): void {
  const client = createFakeClient({
    'host.info': () => ({ shell: 'browser', warnings: [] }) as never,
    'ingest.jobs': () => [],
    'follow.list': () => [],
    'run.list': () => [RUN],
    'library.list': () => [],
    'view.list': () => [],
    'metric.list': () => ({ metrics: [] }) as never,
    'step.problemRewards': ({ step, filter = '' }) => {
      const at = STEPS.indexOf(step);
      const rollouts = (filter.includes('rerun:not_run') ? NOT_RUN : SAME)[at] ?? 0;
      return rollouts === 0
        ? { problems: [], rollouts: new Uint32Array(), sums: [] }
        : { problems: ['p'], rollouts: Uint32Array.of(rollouts), sums: [(rollouts * at) / 4] };
    },
    'step.series': ({ filter = '' }) => ({
      steps: factsOf(
        filter === ''
          ? [90, 90, 90, 90]
          : filter === 'rerun:any'
            ? VERIFIED
            : filter.includes('rerun:not_run')
              ? NOT_RUN
              : filter.includes('noise')
                ? SAME
                : [0, 0, 0, 0],
      ),
    }),
  });
  renderWithClient(client, <ToolsPage run={RUN} steps={STEPS} />, `/run/r${search}`);
}

beforeEach(() => {
  vi.spyOn(console, 'error');
});

afterEach(() => {
  cleanup();
  // React warns here of hooks whose dependencies change in number.
  expect(console.error).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

it('names the last step that has matching rollouts, in the legend of classes and beside the charts', async () => {
  show('?split=rerun&q=rerun%3Aany');
  const legend = await screen.findByRole('list', { name: 'Classes' });
  await waitFor(() => expect(legend.textContent).toContain('same output1 of 1 rollout at step 400'));
  expect(legend.textContent).toContain('no call could be run0 of 1 rollout at step 400');
  screen.getByText(
    'The figures above the curves are those of step 400, the last with matching rollouts, or of the step named beside them',
  );
  // The line of a class without rollouts at that step names its own.
  const calls = screen.getByRole('slider', { name: /^Tool calls.* by step$/ }).closest('figure');
  expect(calls?.querySelector('.panel-reading')?.textContent).toMatch(/10.*10at 200$/);
  expect(screen.queryByText(/shown in grey/)).toBeNull();
});

it('says that unfiltered values are grey where they are drawn', async () => {
  show('?q=rerun%3Aany');
  await screen.findByText('· unfiltered shown in grey');
  screen.getByText('The figures above the curves are those of step 400, the last with matching rollouts');
});

it('names the last step without a filter', async () => {
  show('');
  await screen.findByText('The figures above the curves are those of step 500, the last');
});

it('says on how few rollouts and problems a change without an interval rests', async () => {
  show('?split=rerun&q=rerun%3Aany');
  await screen.findByText('Mean reward 0.00 → 0.50 from step 0 to 400 (+0.50)');
  await screen.findByText(
    'A number without ± may be chance, because a class has a single problem at step 0 or 400',
  );
});
