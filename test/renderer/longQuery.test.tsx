/** The one hook for long requests, over a host that answers when the test lets it. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useLongQuery, useLongTask } from '../../renderer/data/useLongQuery.ts';
import type { ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import { createFakeClient, type FakeClient } from '../support/fakeClient.ts';
import { groupRow, rolloutRow } from '../support/preview/previewData.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

interface Asked<M extends 'eval.summary' | 'rollout.order' | 'run.export'> {
  readonly params: ParamsOf<M>;
  readonly resolve: (result: ResultOf<M>) => void;
  readonly reject: (error: Error) => void;
}

let summaries: Asked<'eval.summary'>[];
let orders: Asked<'rollout.order'>[];
let tasks: Asked<'run.export'>[];
let client: FakeClient;

beforeEach(() => {
  summaries = [];
  orders = [];
  tasks = [];
  client = createFakeClient({
    'eval.summary': (params) => new Promise((resolve, reject) => summaries.push({ params, resolve, reject })),
    'rollout.order': (params) => new Promise((resolve, reject) => orders.push({ params, resolve, reject })),
    'run.export': (params) => new Promise((resolve, reject) => tasks.push({ params, resolve, reject })),
  });
});

afterEach(cleanup);

const text = (id: string) => screen.getByTestId(id).textContent;

function Summary({ filter, runId = 1 }: { readonly filter: string; readonly runId?: number }) {
  const state = useLongQuery('eval.summary', { runId, filter });
  return (
    <>
      <p data-testid="state">
        {[
          state.data === undefined ? 'no data' : `${state.data.panels.length} panels`,
          state.isFormer && 'former',
          state.isRunning && 'running',
          state.isStopped && 'stopped',
          state.error?.message,
          state.progress !== undefined && `${state.progress.share * 100} %`,
        ]
          .filter(Boolean)
          .join(', ')}
      </p>
      <button type="button" onClick={state.stop}>
        Stop
      </button>
      <button type="button" onClick={() => void state.restart()}>
        Restart
      </button>
    </>
  );
}

async function report(progressKey: string | undefined, stepsDone: number): Promise<void> {
  if (progressKey === undefined) throw new Error('the request has no progress key');
  await act(async () =>
    client.emit({ event: 'analysis.progress', payload: { progressKey, stepsDone, steps: 4 } }),
  );
}

async function asked(count: number): Promise<Asked<'eval.summary'>> {
  await waitFor(() => expect(summaries).toHaveLength(count));
  const last = summaries.at(-1);
  if (last === undefined) throw new Error('nothing was asked');
  return last;
}

describe('a long query', () => {
  it('shows the progress of its own request until the answer comes', async () => {
    renderWithClient(client, <Summary filter="" />);
    const { params, resolve } = await asked(1);
    expect(text('state')).toBe('no data, running');
    await report('of another request', 3);
    expect(text('state')).toBe('no data, running');
    await report(params.progressKey, 1);
    expect(text('state')).toBe('no data, running, 25 %');
    await act(async () => resolve({ panels: [] }));
    await waitFor(() => expect(text('state')).toContain('0 panels'));
    expect(text('state')).not.toContain('running');
  });

  it('stays stopped until it is restarted', async () => {
    renderWithClient(client, <Summary filter="" />);
    await asked(1);
    fireEvent.click(screen.getByText('Stop'));
    await waitFor(() => expect(text('state')).toBe('no data, stopped'));
    fireEvent.click(screen.getByText('Restart'));
    const { resolve } = await asked(2);
    await act(async () => resolve({ panels: [] }));
    await waitFor(() => expect(text('state')).toBe('0 panels'));
  });

  it('keeps the former answer of the same run, and none of another run', async () => {
    function Switching() {
      const [question, setQuestion] = useState({ filter: '', runId: 1 });
      return (
        <>
          <Summary {...question} />
          <button type="button" onClick={() => setQuestion({ filter: 'correct:yes', runId: 1 })}>
            Filter
          </button>
          <button type="button" onClick={() => setQuestion({ filter: '', runId: 2 })}>
            Other run
          </button>
        </>
      );
    }
    renderWithClient(client, <Switching />);
    const { resolve } = await asked(1);
    await act(async () => resolve({ panels: [] }));
    await waitFor(() => expect(text('state')).toBe('0 panels'));
    fireEvent.click(screen.getByText('Filter'));
    await waitFor(() => expect(text('state')).toBe('0 panels, former, running'));
    fireEvent.click(screen.getByText('Other run'));
    await waitFor(() => expect(text('state')).toBe('no data, running'));
  });
});

describe('the order of a list', () => {
  it('brings its rows, except where newer rows have arrived since it was requested', async () => {
    let queryClient: QueryClient | undefined;
    function List() {
      queryClient = useQueryClient();
      const order = useLongQuery('rollout.order', { runId: 1, withRows: true });
      return <p data-testid="state">{order.data === undefined ? 'no order' : 'ordered'}</p>;
    }
    renderWithClient(client, <List />);
    await waitFor(() => expect(orders).toHaveLength(1));
    const [row, group] = [rolloutRow(1), groupRow(1)];
    const labelled = [{ ...row, labels: ['lucky'] }];
    const [ofRollouts, ofGroups] = [
      ['rollout.rows', { rolloutIds: [1] }],
      ['group.rows', { groupIds: [group.groupId] }],
    ];
    queryClient?.setQueryData(ofRollouts, labelled);
    queryClient?.setQueryData(ofGroups, [], { updatedAt: 1 });
    await act(async () =>
      orders[0]?.resolve({ runId: 1, ids: Uint32Array.of(1), rows: [row], groups: [group] }),
    );
    await waitFor(() => expect(text('state')).toBe('ordered'));
    expect(queryClient?.getQueryData(ofRollouts)).toEqual(labelled);
    expect(queryClient?.getQueryData(ofGroups)).toEqual([group]);
  });
});

function Export() {
  const task = useLongTask('run.export', { onRunning: () => undefined, onSuccess: () => undefined });
  return (
    <>
      <p data-testid="task">
        {[task.isRunning && 'running', task.error?.message, task.progress && `${task.progress.share * 100} %`]
          .filter(Boolean)
          .join(', ')}
      </p>
      <button type="button" onClick={() => task.start({ runKeys: ['a-run'], path: 'a.parquet' })}>
        Start
      </button>
    </>
  );
}

describe('a long task', () => {
  it('forgets its progress when it ends, and reports the error', async () => {
    renderWithClient(client, <Export />);
    fireEvent.click(screen.getByText('Start'));
    await waitFor(() => expect(tasks).toHaveLength(1));
    await report(tasks[0]?.params.progressKey, 2);
    expect(text('task')).toBe('running, 50 %');
    await act(async () => tasks[0]?.reject(new Error('the disk is full')));
    await waitFor(() => expect(text('task')).toBe('the disk is full'));
  });
});
