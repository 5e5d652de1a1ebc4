/** The head of token statistics names the scope of its numbers, and links to wider ones. */
import { cleanup, screen, within } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import type { ScopeLevel } from '../../renderer/data/route.ts';
import { TokensHead } from '../../renderer/views/tokens/TokensHead.tsx';
import type { TokensAddress } from '../../renderer/views/tokens/useTokensScope.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

const ROLLOUT: TokensAddress = { runKey: 'r', step: 3, groupKey: 'g', ordinal: 7 };

function show(address: TokensAddress, level: ScopeLevel, hasSteps = true) {
  renderWithClient(
    createFakeClient({}),
    <TokensHead
      {...{ address, level, hasSteps, signal: 'entropy' }}
      available={{ rollouts: 4, withTokens: 3, signals: [] }}
    />,
    '/?signal=entropy&of=wait',
  );
  const scope = within(screen.getByRole('navigation', { name: 'Scope' }));
  return {
    text: screen.getByRole('navigation', { name: 'Scope' }).textContent,
    links: scope.queryAllByRole('link').map((link) => link.getAttribute('href')),
  };
}

it('links a rollout to its group, step and run, with the settings that apply there', () => {
  expect(show(ROLLOUT, 'rollout')).toEqual({
    text: 'scope: whole run · step 3 · this group · this rollout',
    links: [
      '/run/r/tokens?signal=entropy',
      '/run/r/step/3/tokens?signal=entropy',
      '/run/r/step/3/group/g/tokens?signal=entropy',
    ],
  });
  screen.getByText('3 of 4 rollouts have tokens');
});

it('says so if the scope is the whole run, and leaves out steps that the log does not have', () => {
  expect(show({ runKey: 'r' }, 'run')).toEqual({ text: 'scope: whole run', links: [] });
  cleanup();
  expect(show({ ...ROLLOUT, step: 0 }, 'group', false).text).toBe('scope: whole run · this group');
});
