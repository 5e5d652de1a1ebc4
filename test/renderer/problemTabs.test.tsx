/** Problems › Changes and Detectors of runs that lack what they need. */
import { cleanup, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Changes } from '../../renderer/views/problems/Changes.tsx';
import { Detectors } from '../../renderer/views/problems/Detectors.tsx';
import type { DetectorReport, RunSummary } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const RUN = { runId: 1, runKey: 'r', name: 'r', hasSteps: false } as RunSummary;

beforeEach(() => {
  // happy-dom has no layout, and a virtual table shows the rows that fit.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it.each([
  [1, /^Open the log of another run/],
  [2, /^Choose a run of the same problems above/],
])('says what to do without steps, in a library of %i runs', async (runs, advice) => {
  const client = createFakeClient({
    'run.list': () =>
      Array.from({ length: runs }, (_, i) => ({ ...RUN, runId: i + 1, runKey: `r${i}`, name: `r${i}` })),
    'step.list': () => [],
  });
  renderWithClient(client, <Changes run={RUN} />, '/run/r/problems?tab=changes');
  await screen.findByText(advice);
  expect(screen.queryByText(/Choose two steps/)).toBeNull();
});

it('says that a detector had nothing to judge, instead of a share of 0', async () => {
  const of = (detector: 'edited_tests' | 'repetition', judged: number) => ({
    ...{ detector, judged, ids: new Uint32Array(0), count: 0, findings: [] },
    ...{ byStep: new Uint32Array(1), judgedByStep: new Uint32Array(1) },
  });
  const report = {
    ...{ rollouts: 100, steps: [{ step: 0 }], lengthUnit: 'characters' },
    ...{ ofRollouts: [of('edited_tests', 0), of('repetition', 100)], ofSteps: [] },
  } as unknown as DetectorReport;
  const client = createFakeClient({ 'detector.report': () => report });
  renderWithClient(client, <Detectors run={RUN} />, '/run/r/problems?tab=detectors');
  const row = await screen.findByRole('row', { name: /Tests edited/ });
  expect(row.textContent).toMatch(/––nothing$/);
  expect(screen.getByRole('row', { name: /Degenerate repetition/ }).textContent).toMatch(
    /0\.0 %100 rollouts$/,
  );
  screen.getByText(/^Nothing was judged/);
  expect(screen.getByRole('status').textContent).toContain('1 of the 2 had nothing to judge.');
});
