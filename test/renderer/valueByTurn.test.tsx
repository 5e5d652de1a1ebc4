// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { useInterface } from '../../renderer/state/interface.ts';
import { LostTurns } from '../../renderer/views/group/LostTurns.tsx';
import { TurnValue } from '../../renderer/views/replay/TurnValue.tsx';
import { continuationFact } from '../../renderer/views/replay/tokens/readoutModel.ts';
import { ValueLine } from '../../renderer/views/replay/ValueLine.tsx';
import { ValueDialog } from '../../renderer/widgets/continuation/ValueDialog.tsx';
import type { ParamsOf, RolloutDetail, StoredContinuations } from '../../shared/api/contract.ts';
import {
  endOfTurn,
  type PolicyValue,
  valueAtToken,
  valuesByPolicy,
} from '../../shared/domain/valueByTurn.ts';
import { createFakeClient, type FakeMethods } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(() => {
  cleanup();
  useInterface.getState().showDialog(undefined);
});

const POLICY = { model: 'm', temperature: 1, topP: 1, maxTokens: 4096, stop: [] };
const samples = (graded: number, correct: number) => ({
  ...{ edit: '', policy: POLICY, graded, correct, cut: 0 },
  seeds: Array.from({ length: graded }, (_, seed) => seed),
});
/** Turn 1 is unknown. */
const STORED: StoredContinuations = {
  ...{ rolloutId: 3, lastTurn: 4, isCorrect: false, calls: [{ turn: 2, outcome: 'exception' }] },
  positions: [
    { position: endOfTurn(0), ...samples(32, 20) },
    { position: endOfTurn(2), ...samples(32, 16) },
    { position: endOfTurn(3), ...samples(32, 3) },
    { position: { kind: 'token', token: 5 }, ...samples(16, 2) },
    { position: { kind: 'token', token: 5 }, ...samples(16, 7), edit: 'Wait\u202e' },
  ],
};
const policyValue = (stored: StoredContinuations): PolicyValue => {
  const [value] = valuesByPolicy(stored);
  if (value === undefined) throw new Error('nothing is stored');
  return value;
};
const region = (name: string) => within(screen.getByRole('region', { name }));

test('draws rates with intervals, unknown as unknown, and names the losing turn', () => {
  const value = policyValue(STORED);
  render([0, 1, 2, 3, 4].map((turn) => <TurnValue key={turn} value={value} turn={turn} />));
  expect(region('Value after the prompt').getByText(/sampled from m, temperature 1/)).toBeTruthy();
  const unknown = region('Value after turn 1');
  expect(unknown.getByRole('img', { name: 'unknown' }).children).toHaveLength(0);
  expect(unknown.getByText('value unknown: no graded continuations from here')).toBeTruthy();
  const lost = region('Value after turn 3');
  expect(lost.getByText('↓ losing turn: 16 of 32 → 3 of 32')).toBeTruthy();
  const bar = lost.getByRole('img', { name: '3 of 32 correct, 95 % interval 0.03 to 0.24' });
  expect((bar.lastElementChild as HTMLElement).style.left).toBe('9.375%');
  expect(region('Value after turn 4').getByText('outcome: incorrect')).toBeTruthy();
});

test('draws a line on the scrubber, dashed over what is unknown', () => {
  const turns = [1, 2, 3, 4].map((turn) => ({ turn, from: (turn - 1) / 4, to: turn / 4 }));
  const { container } = render(<ValueLine value={policyValue(STORED)} turns={turns} width={400} />);
  const points = [...container.querySelectorAll('circle')];
  expect(points.map((point) => point.getAttribute('cx'))).toEqual(['0', '200', '300', '400']);
  const dashed = [...container.querySelectorAll('.is-over-unknown')];
  expect(dashed.map((line) => [line.getAttribute('x1'), line.getAttribute('x2')])).toEqual([['0', '200']]);
  expect(container.querySelector('.is-losing')?.getAttribute('x1')).toBe('200');
});

test('says what an edit at a token changes', () => {
  const found = valueAtToken(STORED.positions, 5);
  expect(found && continuationFact(found).value).toMatch(/^with “Wait.+” 7 of 16, without 2 of 16 correct$/);
  expect(found && continuationFact(found).value).not.toContain('\u202e');
});

test('says where the incorrect rollouts of a group were lost', async () => {
  const client = createFakeClient({ 'sampling.stored': () => [STORED] });
  renderWithClient(client, <LostTurns rolloutIds={[3]} />);
  await screen.findByText(/^Lost at turn 3 \(median of 1 of the 1 incorrect/);
  expect(screen.getByRole('row', { name: 'failed 1 3' })).toBeTruthy();
});

const DETAIL = { row: { rolloutId: 3, ordinal: 2, step: 5 } } as unknown as RolloutDetail;

function open(methods: FakeMethods, hasGroundTruth = true) {
  const started: ParamsOf<'sampling.value'>[] = [];
  const client = createFakeClient({
    'rollout.get': () => DETAIL,
    'host.info': () => {
      throw new Error('not asked');
    },
    'sampling.preview': () => ({
      ...{ endpoint: { host: 'host:8000', model: 'm' }, form: 'text', path: '/v1/completions' },
      ...{ notes: [], body: '{}', mostTokens: 1, before: '', sentence: '', hasGroundTruth },
    }),
    'sampling.stored': () => [{ ...STORED, positions: [] }],
    'sampling.value': (params) => {
      started.push(params);
      return new Promise(() => undefined);
    },
    ...methods,
  });
  renderWithClient(client, <ValueDialog />);
  useInterface.getState().showDialog({ kind: 'value', rolloutId: 3 });
  return started;
}

const type = (label: string, text: string): void => {
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } });
};
const button = (name: string): HTMLButtonElement => screen.getByRole('button', { name });

test('samples within the budget that was given, and only when it is started', async () => {
  const started = open({});
  await screen.findByText(/At most 200,000 tokens are sampled/);
  type('Token budget', '9000');
  type('Most per turn', '16');
  await waitFor(() => expect(button('Start sampling').disabled).toBe(false));
  expect(started).toEqual([]);
  fireEvent.click(button('Start sampling'));
  await screen.findByText('0 continuations sampled');
  expect(started).toMatchObject([{ rolloutId: 3, budget: 9000, settings: { n: 16, maxTokens: 4096 } }]);
});

test('shows what is stored of the same policy only', async () => {
  open({ 'sampling.stored': () => [STORED] });
  await screen.findByText('96 continuations stored');
  expect(screen.getByRole('row', { name: /^Turn 3 3 of 32 .*losing turn$/ })).toBeTruthy();
  type('Temperature', '0.5');
  await waitFor(() => expect(screen.queryByText('96 continuations stored')).toBeNull());
});

test('needs a pattern where the log has no ground truth', async () => {
  open({}, false);
  await screen.findByText(/The log has no ground truth/);
  expect(button('Start sampling').disabled).toBe(true);
  type('Answer pattern (regex)', '42');
  await waitFor(() => expect(button('Start sampling').disabled).toBe(false));
});
