/** Problems › Failures: the steps that are clustered, and the limits of what is done with a cluster. */
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Failures } from '../../renderer/views/problems/Failures.tsx';
import type { FailureClusters, RunSummary, StepSummary } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const RUN = { runId: 1, runKey: 'r', name: 'r', hasSteps: true } as RunSummary;

function clustersOf(size: number): FailureClusters {
  const ids = Uint32Array.from({ length: size }, (_, i) => i + 1);
  const none = { ids: new Uint32Array(0), byStep: new Uint32Array(1) };
  return {
    ...{ rollouts: size, known: size, wrong: size, steps: [0], unlike: none },
    clusters: [
      {
        ...{ ids, byStep: Uint32Array.of(size), name: 'no call', features: [] },
        medoid: { rolloutId: 1, step: 0, groupKey: 'g', ordinal: 0 },
      },
    ],
  };
}

function show(size: number, href = '/run/r/problems?tab=failures') {
  const filters: string[] = [];
  const client = createFakeClient({
    'host.info': () => ({ shell: 'browser', warnings: [] }) as never,
    'step.list': () => [0, 10, 20].map((step) => ({ step }) as StepSummary),
    'taxonomy.get': () => ({ taxonomy: { labels: [] } }) as never,
    'problem.failures': ({ filter }) => {
      filters.push(filter ?? '');
      return clustersOf(size);
    },
  });
  renderWithClient(client, <Failures run={RUN} />, href);
  return filters;
}

beforeEach(() => {
  // happy-dom has no layout, and a virtual table shows the rows that fit.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('clusters the chosen steps, together with the filter', async () => {
  const filters = show(3, '/run/r/problems?tab=failures&q=tool_errors%3A0');
  const from = await screen.findByLabelText<HTMLSelectElement>('from step');
  await waitFor(() => expect(filters).toEqual(['tool_errors:0']));
  fireEvent.change(from, { target: { value: '10' } });
  await waitFor(() => expect(filters.at(-1)).toBe('step:10.. tool_errors:0'));
  const to = screen.getByLabelText<HTMLSelectElement>('to step');
  expect([...to.options].filter(({ disabled }) => disabled).map(({ value }) => value)).toEqual(['0']);
  fireEvent.change(to, { target: { value: '20' } });
  await waitFor(() => expect(filters.at(-1)).toBe('step:10..20 tool_errors:0'));
  expect(new URLSearchParams(window.location.search).get('first')).toBe('10');
});

it('says before a click how many rollouts a review takes, and that too many cannot be labelled', async () => {
  show(301);
  await screen.findByRole('button', { name: 'Review the first 300' });
  screen.getByLabelText('Label these');
  cleanup();
  show(10_001);
  await screen.findByText(/^At most 10,000 rollouts are labelled at once, and these are 10,001/);
  expect(screen.queryByLabelText('Label these')).toBeNull();
  cleanup();
  show(300);
  await screen.findByRole('button', { name: 'Review' });
});
