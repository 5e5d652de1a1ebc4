import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { useInterface } from '../../renderer/state/interface.ts';
import { ContinuationDialog } from '../../renderer/widgets/continuation/ContinuationDialog.tsx';
import {
  EMPTY_FORM,
  gradeText,
  paramsOfForm,
  partsOfLines,
  summaryOf,
} from '../../renderer/widgets/continuation/continuationModel.ts';
import { ResumeDialog } from '../../renderer/widgets/continuation/ResumeDialog.tsx';
import type { ParamsOf, RolloutDetail, SampledContinuations } from '../../shared/api/contract.ts';
import { createFakeClient, type FakeMethods } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(() => {
  cleanup();
  useInterface.getState().showDialog(undefined);
});

const DETAIL = {
  row: { rolloutId: 3, ordinal: 2, step: 5 },
  run: { runKey: 'r', name: 'The run' },
  group: { groupKey: 'g' },
  turns: [{ turn: 1 }, { turn: 2 }],
  response: 'Let me think.',
  segments: [],
} as unknown as RolloutDetail;
const ORIGIN = { runKey: 'r', step: 5, groupKey: 'g', ordinal: 2 };
const TURN = { kind: 'turn', turn: 2, at: 'start' } as const;

function open(methods: FakeMethods, isNamed = true) {
  const asked: ParamsOf<'sampling.preview'>[] = [];
  const client = createFakeClient({
    'rollout.get': () => DETAIL,
    'host.info': () => {
      throw new Error('not asked');
    },
    'sampling.interrupted': () => [],
    'sampling.preview': (params) => {
      asked.push(params);
      return {
        ...(isNamed ? { endpoint: { host: 'host:8000', model: 'm' } } : {}),
        ...{ form: 'text', path: '/v1/completions', notes: ['As it is.'], hasGroundTruth: true },
        body: JSON.stringify({ prompt: `before${params.edit}` }),
        mostTokens: (params.settings?.n ?? 4) * (params.settings?.maxTokens ?? 4096),
        ...{ before: 'Let me', sentence: ' think.' },
      };
    },
    ...methods,
  });
  renderWithClient(client, <ContinuationDialog />);
  useInterface.getState().showDialog({ kind: 'continue', rolloutId: 3, position: TURN });
  return { client, asked };
}

const button = (name: string): HTMLButtonElement => screen.getByRole('button', { name });
const type = (label: string, value: string): void => {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
};

test('shows what is sent, where and how much, and follows the form', async () => {
  const { asked } = open({});
  await screen.findByText('host:8000/v1/completions');
  expect(screen.getByText(/At most 16,384 tokens/)).toBeTruthy();
  fireEvent.click(button('Edit the logged sentence'));
  type('Continuations', '2');
  type('Max tokens', '50');
  await screen.findByText(/At most 100 tokens/);
  expect(screen.getByText(/before think\./)).toBeTruthy();
  fireEvent.click(button('End'));
  await waitFor(() => expect(asked.at(-1)?.position).toEqual({ ...TURN, at: 'end' }));
  type('Temperature', '3');
  await screen.findByText(/Temperature must be from 0 to 2/);
});

test('streams continuations, grades them, and leads to the comparison', async () => {
  let end: (sampled: SampledContinuations) => void = () => undefined;
  const started: ParamsOf<'sampling.start'>[] = [];
  const { client } = open({
    'sampling.start': (params) => {
      started.push(params);
      return new Promise((resolve) => {
        end = resolve;
      });
    },
  });
  await screen.findByText('host:8000/v1/completions');
  type('Continuations', '2');
  await waitFor(() => expect(button('Start sampling').disabled).toBe(false));
  fireEvent.click(button('Start sampling'));
  const list = await screen.findByRole('list', { name: 'Continuations' });
  expect(started).toMatchObject([{ rolloutId: 3, position: TURN, settings: { n: 2 } }]);
  const progressKey = started[0]?.progressKey ?? '';
  const say = (payload: { index: number; text?: string; ended?: object }) =>
    client.emit({ event: 'sampling.progress', payload: { progressKey, ...payload } as never });
  say({ index: 1, text: 'Wait, ' });
  say({ index: 1, text: 'no <b>7</b>' });
  // Text of a model is text.
  await within(list).findByText('Wait, no <b>7</b>');
  const row = { index: 1, answer: '7', isCorrect: false, gradedBy: 'numeric' as const };
  say({ index: 1, ended: row });
  await within(list).findByText('✕ incorrect, compared as numbers');
  expect(screen.getByRole('status').textContent).toBe('1 of 2 continuations ended');
  expect(screen.queryByText('Compare with the original')).toBeNull();
  end({
    ...{ id: 'req', origin: ORIGIN, runKey: 'r~counterfactual', step: 5 },
    continuations: [
      { index: 0, failure: 'host:8000: status 500: full' },
      { ...row, rolloutId: 9 },
    ],
  });
  await within(list).findByText('host:8000: status 500: full');
  expect(screen.getByRole('status').textContent).toBe('0 of 1 correct, 1 failed');
  const link = within(list).getByText<HTMLAnchorElement>('Compare with the original');
  expect(decodeURIComponent(link.getAttribute('href') ?? '')).toContain(
    'lane=/run/r/step/5/group/g/rollout/2&lane=/run/r~counterfactual/step/5/group/req/rollout/1',
  );
  expect(within(list).getAllByText('Open')).toHaveLength(1);
});

test('says what is missing without an endpoint, and writes a batch', async () => {
  let batch: ParamsOf<'sampling.batch'> | undefined;
  open(
    {
      'sampling.batch': (params) => {
        batch = params;
        return { id: 'req', requests: 4, lines: '{}\n' };
      },
    },
    false,
  );
  await screen.findByText(/No endpoint: start Turnwise with TURNWISE_ENDPOINT=/);
  expect(button('Start sampling').disabled).toBe(true);
  fireEvent.click(button('Write batch'));
  await waitFor(() => expect(batch).toMatchObject({ rolloutId: 3, position: TURN }));
});

test('goes back to the form with the reason when nothing could be sampled', async () => {
  open({
    'sampling.start': () => {
      throw new Error('host:8000: not reached: ECONNREFUSED');
    },
  });
  await waitFor(() => expect(button('Start sampling').disabled).toBe(false));
  fireEvent.click(button('Start sampling'));
  await screen.findByText('host:8000: not reached: ECONNREFUSED');
  expect(button('Start sampling')).toBeTruthy();
});

test.each([
  [{ n: '0' }, 'Continuations must be from 1 to 256.'],
  [{ n: '1.5' }, 'Continuations must be a whole number.'],
  [{ topP: '' }, 'Top-p must be from 0.001 to 1.'],
  [{ stop: 'a\nb\nc\nd\ne' }, 'At most 4 texts can end a turn.'],
  [{ pattern: '(' }, 'The regular expression is invalid.'],
])('refuses the fields %j', (fields, message) => {
  expect(paramsOfForm(1, TURN, { ...EMPTY_FORM, ...fields })).toBe(message);
});

test('names the way that decided', () => {
  expect(gradeText({ index: 0, isCorrect: true, gradedBy: 'boxed' })).toBe(
    '✓ correct, compared inside \\boxed{}',
  );
  expect(gradeText({ index: 0, gradedBy: 'stopped' })).toBe(
    'not graded, the regular expression took too long',
  );
  expect(gradeText({ index: 0 })).toBe('not graded');
  expect(summaryOf([{ index: 0 }, { index: 1 }])).toBe('2 sampled');
});

const INTERRUPTED = {
  ...{ id: 'req', origin: ORIGIN, position: TURN, edit: 'Wait', model: 'm', at: '2026-01-02T03:04:05Z' },
  ...{ asked: 3, missing: [2] },
};
const OTHER = { ...INTERRUPTED, id: 'other', origin: { ...ORIGIN, ordinal: 7 } };

test('offers to resume an interrupted request of this rollout, and samples what is missing', async () => {
  const resumed: ParamsOf<'sampling.resume'>[] = [];
  let requests = [INTERRUPTED, OTHER];
  open({
    'sampling.interrupted': () => requests,
    'sampling.resume': (params) => {
      resumed.push(params);
      requests = [OTHER];
      return {
        ...{ id: 'req', origin: ORIGIN, runKey: 'r~counterfactual', step: 5 },
        continuations: [0, 1, 2].map((index) => ({
          ...{ index, rolloutId: 10 + index, answer: '7', isCorrect: true, gradedBy: 'exact' as const },
        })),
      };
    },
  });
  const section = await screen.findByRole('region', { name: 'Interrupted requests' });
  expect(within(section).getAllByRole('listitem')).toHaveLength(1);
  expect(section.textContent).toContain(
    '2 of 3 stored: continuations of this rollout, from the start of turn 2 with Wait',
  );
  fireEvent.click(within(section).getByRole('button', { name: 'Resume' }));
  await screen.findByText('3 of 3 correct');
  expect(resumed).toMatchObject([{ id: 'req' }]);
  expect(within(screen.getByRole('list', { name: 'Continuations' })).getAllByText('Open')).toHaveLength(3);
  fireEvent.click(button('Sample again'));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Interrupted requests' })).toBeNull());
});

test('reads a file of answers, and names the rollout and the lines that failed', async () => {
  let next: ParamsOf<'sampling.nextBatch'> | undefined;
  renderWithClient(
    createFakeClient({
      'sampling.nextBatch': (params) => {
        next = params;
        return { requests: 1, lines: '{}\n' };
      },
      'sampling.interrupted': () => [INTERRUPTED, OTHER],
      'sampling.read': ({ lines }) => {
        if (lines !== 'a\nb\n') throw new Error('other lines');
        return {
          continuations: [
            {
              ...{ id: 'req', origin: ORIGIN, runKey: 'r~counterfactual', step: 5 },
              continuations: [
                { index: 0, rolloutId: 10, answer: '7', isCorrect: true, gradedBy: 'exact' },
                { index: 1, failure: 'expired' },
              ],
              waiting: 1,
            },
          ],
          ...{ answers: 1, failures: [{ line: 2, message: 'expired' }] },
        };
      },
    }),
    <ResumeDialog />,
  );
  useInterface.getState().showDialog({ kind: 'resume' });
  const dialog = await screen.findByRole('dialog', { name: 'Continuations' });
  await within(dialog).findByText(/of rollout #7 of group g, step 5, run r, from the start of turn 2/);
  const chooser = within(dialog).getByLabelText('Read batch…');
  fireEvent.change(chooser, { target: { files: [new File(['a\nb\n'], 'answers.jsonl')] } });
  await within(dialog).findByText('1 answer read from answers.jsonl');
  const section = within(dialog).getByRole('region', {
    name: 'Continuations of rollout #2 of group g, step 5, run r',
  });
  expect(section.textContent).toContain(
    '1 continuation of rollout #2 of group g, step 5, run r, 1 of 1 correct, 1 failed.',
  );
  expect(within(dialog).getByText(/^✕ Line 2:/).textContent).toBe('✕ Line 2: expired');
  expect(within(section).getByText('Open').getAttribute('href')).toContain('/group/req/rollout/0');
  within(dialog).getByText(/^1 continuation needs another answer/);
  fireEvent.click(button('Write next batch'));
  await waitFor(() => expect(next).toEqual({ ids: ['req'] }));
});

test('says why a file of answers was not read', async () => {
  open({
    'sampling.read': () => {
      throw new Error('there is no answer to a request of ours in this file');
    },
  });
  const chooser = await screen.findByLabelText('Read batch…');
  fireEvent.change(chooser, { target: { files: [new File(['x'], 'notes.txt')] } });
  await screen.findByText('there is no answer to a request of ours in this file');
});

test('sends a long file in parts of whole lines', () => {
  expect(partsOfLines('', 4)).toEqual([]);
  expect(partsOfLines('a\nbb\n\nccccc\nd', 4)).toEqual([
    { firstLine: 1, lines: 'a\n' },
    { firstLine: 2, lines: 'bb\n\n' },
    { firstLine: 4, lines: 'ccccc\n' },
    { firstLine: 5, lines: 'd' },
  ]);
  expect(partsOfLines('ab\ncd', 6)).toEqual([{ firstLine: 1, lines: 'ab\ncd' }]);
});
