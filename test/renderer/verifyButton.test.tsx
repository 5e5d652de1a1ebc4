/** Verifying the calls of a list: the result stays, counts reasons, and filters the list. */
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, it } from 'vitest';
import { usePathname } from 'wouter/use-browser-location';
import { navigateTo } from '../../renderer/data/useRoute.ts';
import { runCommand } from '../../renderer/shell/keys/commands.ts';
import { VerificationChip } from '../../renderer/shell/TopBarChips.tsx';
import { notRunReasons, verificationText } from '../../renderer/widgets/rerun/rerunModel.ts';
import { VerifyButton } from '../../renderer/widgets/rerun/VerifyButton.tsx';
import { SelectionActions } from '../../renderer/widgets/rollouts/SelectionActions.tsx';
import type { ResultOf } from '../../shared/api/contract.ts';
import { createFakeClient, type FakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

function OnPage({ path, children }: { readonly path: string; readonly children: ReactNode }) {
  return usePathname() === path ? children : null;
}

const RESPONSE = 'print(1)print(1)1';

/** A rollout of two calls. The log has an output of the second one only. */
const DETAIL = {
  response: RESPONSE,
  segments: [
    { kind: 'tool_call', start: 0, end: 8 },
    { kind: 'tool_call', start: 8, end: 16 },
    { kind: 'tool_response', start: 16, end: 17, inner: { start: 16, end: 17 } },
  ],
  toolCalls: [
    { turn: 1, callSegment: 0, code: 'print(1)', outcome: 'missing' },
    { turn: 1, callSegment: 1, responseSegment: 2, code: 'print(1)', outcome: 'ok' },
  ],
} as unknown as ResultOf<'rollout.get'>;

type Answer = ResultOf<'python.run'>;

const printed = (stdout: string): Answer => ({
  kind: 'done',
  stdout,
  stderr: '',
  isCut: false,
  variables: [],
  milliseconds: 1,
});

const clientThatPrints = (stdout: string): FakeClient =>
  createFakeClient({
    'rerun.list': () => [],
    'rollout.get': () => DETAIL,
    'python.run': () => printed(stdout),
    'rerun.save': () => ({ saved: true }),
  });

const start = (client: FakeClient, href: string, ids: readonly number[]) => {
  renderWithClient(
    client,
    <VerifyButton runKey="r" rollouts={ids.length} isSelection rolloutIds={async () => ids} />,
    href,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Verify calls' }));
};
const status = () => screen.getByRole('status').textContent;

it('keeps the result beside the button, with the reasons of calls that were not run', async () => {
  start(clientThatPrints('1\n'), '/', [1, 2]);
  await waitFor(() =>
    expect(status()).toBe(
      '4 Python calls of 2 rollouts: 2 same, 2 not run · chart over stepsNot run: the log has no output of this code (2)',
    ),
  );
  expect(screen.queryByRole('button', { name: /different/ })).toBeNull();
  expect(screen.getByRole('link', { name: 'chart over steps' }).getAttribute('href')).toBe(
    '/run/r?split=rerun&q=rerun%3Aany',
  );
});

it('filters the list to differing rollouts, and keeps its filter', async () => {
  start(clientThatPrints('2\n'), '/run/r/step/0?q=kept:yes%20or%20kept:no&tab=rollouts', [1]);
  fireEvent.click(await screen.findByRole('button', { name: '1 different' }));
  const query = () => new URLSearchParams(window.location.search);
  expect(query().get('q')).toBe('(kept:yes or kept:no) rerun:different');
  expect(query().get('tab')).toBe('rollouts');
  // A second click adds nothing.
  fireEvent.click(screen.getByRole('button', { name: '1 different' }));
  expect(query().get('q')).toBe('(kept:yes or kept:no) rerun:different');
});

/** Each rollout has code of its own, because equal code is run once. */
const ownCode = ({ rolloutId }: { rolloutId?: unknown }) =>
  ({
    ...DETAIL,
    row: { rolloutId },
    toolCalls: DETAIL.toolCalls.map((call) => ({ ...call, code: `print(${String(rolloutId)})` })),
  }) as unknown as ResultOf<'rollout.get'>;

it('counts what differs while it runs, and says that it was stopped', async () => {
  let release: () => void = () => undefined;
  let calls = 0;
  const client = createFakeClient({
    ...{ 'rollout.get': ownCode, 'rerun.save': () => ({ saved: true }), 'rerun.list': () => [] },
    'python.run': async () => {
      calls += 1;
      if (calls > 1)
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      return printed('2');
    },
  });
  start(client, '/', [1, 2]);
  const stop = await screen.findByRole('button', { name: /1 of 2 verified · 1 different so far/ });
  fireEvent.click(stop);
  await waitFor(() => expect(calls).toBe(2));
  release();
  await waitFor(() => expect(status()).toMatch(/^Stopped; what was verified is stored · 4 Python calls/));
});

it('runs no call that has a result, until it is asked to', async () => {
  const known = { ordinal: 1, class: 'different', reason: 'as before', mode: 'alone' } as const;
  const runs: unknown[] = [];
  const client = createFakeClient({
    ...{ 'rollout.get': ownCode, 'rerun.save': () => ({ saved: true }) },
    'rerun.list': () => [{ rolloutId: 1, calls: [{ ...known, ordinal: 0 }, known] }],
    'python.run': (params: unknown) => {
      runs.push(params);
      return printed('1\n');
    },
  });
  start(client, '/', [1, 2]);
  await waitFor(() =>
    expect(status()).toMatch(
      /^4 Python calls of 2 rollouts: 1 same, 2 different, 1 not run · 2 verified before · /,
    ),
  );
  expect(runs).toHaveLength(1);
  fireEvent.click(screen.getByRole('button', { name: 'Verify again' }));
  await waitFor(() => expect(status()).toMatch(/^4 Python calls of 2 rollouts: 2 same, 2 not run/));
  expect(runs).toHaveLength(3);
});

it('goes on while another page is shown, and stands there again', async () => {
  let release: () => void = () => undefined;
  const client = createFakeClient({
    ...{ 'rollout.get': ownCode, 'rerun.save': () => ({ saved: true }), 'rerun.list': () => [] },
    'python.run': async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return printed('1\n');
    },
  });
  const button = <VerifyButton runKey="r" rollouts={1} isSelection rolloutIds={async () => [1]} />;
  const list = (
    <>
      <VerificationChip />
      <OnPage path="/run/r">{button}</OnPage>
    </>
  );
  renderWithClient(client, list, '/run/r?tab=rollouts');
  fireEvent.click(screen.getByRole('button', { name: 'Verify calls' }));
  await screen.findByRole('button', { name: /0 of 1 verified/ });
  // Also above its own list, which may have no row to stand below.
  screen.getByRole('link', { name: /0 of 1 rollout verified/ });
  act(() => navigateTo('/search'));
  const chip = await screen.findByRole('link', { name: /0 of 1 rollout verified/ });
  expect(chip.getAttribute('href')).toBe('/run/r?tab=rollouts');
  expect(screen.queryByRole('button')).toBeNull();
  act(() => navigateTo('/run/r?tab=rollouts'));
  await screen.findByRole('button', { name: /0 of 1 verified/ });
  release();
  await waitFor(() => expect(status()).toMatch(/^2 Python calls of 1 rollout: 1 same, 1 not run/));
});

const pathOf = (rolloutId: number) => `/rollout/${rolloutId}`;
const actions = (selected: readonly number[]) => (
  <SelectionActions
    runKey="r"
    chosen={{ count: selected.length, rows: async () => selected }}
    allIds={Uint32Array.of(4, 5, 6)}
    pathOf={pathOf}
    idOf={(rolloutId) => rolloutId}
  />
);

it('verifies the whole list without a selection, by its button and by the command', async () => {
  const asked: number[] = [];
  const client = createFakeClient({
    ...{ 'rerun.save': () => ({ saved: true }), 'rerun.list': () => [], 'python.run': () => printed('1\n') },
    'rollout.get': ({ rolloutId }) => {
      asked.push(rolloutId as number);
      return DETAIL;
    },
  });
  renderWithClient(client, actions([]));
  expect(screen.queryByRole('button', { name: 'Review' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Verify Python calls of all 3 rollouts' }));
  await waitFor(() => expect(status()).toMatch(/^6 Python calls of 3 rollouts: 3 same/));
  expect(asked).toEqual([4, 5, 6]);
  act(() => runCommand('calls.verify'));
  await waitFor(() => expect(asked).toEqual([4, 5, 6, 4, 5, 6]));
  await screen.findByRole('button', { name: /^Verify/ });
  cleanup();
  renderWithClient(client, actions([5]));
  screen.getByRole('button', { name: 'Review' });
  fireEvent.click(screen.getByRole('button', { name: 'Verify calls' }));
  await waitFor(() => expect(asked).toEqual([4, 5, 6, 4, 5, 6, 5]));
});

it('says that there was nothing to verify', async () => {
  const client = createFakeClient({
    'rollout.get': () => ({ ...DETAIL, toolCalls: [] }),
    'rerun.list': () => [],
  });
  start(client, '/', [1]);
  await waitFor(() => expect(status()).toBe('No Python calls to verify'));
});

it('names the three most frequent reasons and counts the others', () => {
  const not = (reason: string) => ({ class: 'not_run' as const, reason });
  const reasons = ['a', 'b', 'b', 'c', 'c', 'c', 'd', 'd', 'e'].map(not);
  expect(notRunReasons([{ class: 'same' }, ...reasons])).toBe('c (3), b (2), d (2), other reasons (2)');
});

it('says in one line how a verification ended', () => {
  const ended = { rollouts: 1, verified: 1, results: [] } as const;
  expect(verificationText({ ...ended, state: 'done' })).toBe('No Python calls to verify');
  const results = [
    { ordinal: 0, mode: 'alone', class: 'different', reason: 'r' },
    { ordinal: 1, mode: 'alone', class: 'not_run', reason: 'no output' },
  ] as const;
  expect(verificationText({ ...ended, results, state: 'stopped' })).toBe(
    'Stopped; what was verified is stored · 2 Python calls of 1 rollout: 1 different, 1 not run. Not run: no output (1)',
  );
});
