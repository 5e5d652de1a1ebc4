/** A page without tokens names the steps of its run that have some. */
import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { TokensElsewhere } from '../../renderer/views/tokens/TokensElsewhere.tsx';
import type { StepSummary } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

const show = (withTokens: number, steps: readonly Partial<StepSummary>[], hasSteps = true) =>
  renderWithClient(
    createFakeClient({
      'token.signals': () => ({ rollouts: 90, withTokens, signals: [] }),
      'step.list': () => steps as readonly StepSummary[],
    }),
    <TokensElsewhere runKey="r" runId={1} hasSteps={hasSteps} />,
  ).container;

it('links the steps that have tokens, and the run', async () => {
  const shown = show(40, [{ step: 0, meanEntropy: 0.2 }, { step: 1 }, { step: 2, meanEntropy: 0 }]);
  await screen.findByRole('link', { name: '2' });
  expect(shown.textContent).toBe('40 rollouts of the run have tokens, in steps 0, 2.');
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    ...['/run/r/tokens', '/run/r/step/0/tokens', '/run/r/step/2/tokens'],
  ]);
});

it('names the first of many steps', async () => {
  const shown = show(
    40,
    Array.from({ length: 15 }, (_, step) => ({ step, meanEntropy: 1 })),
  );
  await screen.findByRole('link', { name: '11' });
  expect(shown.textContent).toMatch(/10, 11 and 3 more\.$/);
});

it('is empty if the run has no tokens', async () => {
  const shown = show(0, [{ step: 0, meanEntropy: 0.2 }]);
  await act(async () => undefined);
  expect(shown.textContent).toBe('');
});
