/** The configuration of a run as rows, searched and beside that of another run. */
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { ConfigurationView } from '../../renderer/views/configuration/ConfigurationView.tsx';
import { configurationRows, matchingRows } from '../../renderer/views/configuration/configurationModel.ts';
import type { RunDetail, RunSummary } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

describe('rows', () => {
  it('open objects, keep lists and empty objects, and quote keys with dots', () => {
    const config = { algorithm: { roc: { min_zero: 2 } }, stops: ['a', 'b'], extra: {}, 'a.b': null, x: 'y' };
    expect(configurationRows(config)).toEqual([
      { name: 'algorithm.roc.min_zero', value: '2' },
      { name: 'stops', value: '["a","b"]' },
      { name: 'extra', value: '{}' },
      { name: '"a.b"', value: 'null' },
      { name: 'x', value: 'y' },
    ]);
  });

  it('differ by value and by type, not by the order of keys', () => {
    const a = { lr: 1, list: [{ a: 1, b: 2 }], only: true };
    const b = { list: [{ b: 2, a: 1 }], lr: '1', theirs: null };
    expect(configurationRows(a, b)).toEqual([
      { name: 'lr', value: '1', other: '1', isDifferent: true },
      { name: 'list', value: '[{"a":1,"b":2}]', other: '[{"b":2,"a":1}]', isDifferent: false },
      { name: 'only', value: 'true', isDifferent: true },
      { name: 'theirs', other: 'null', isDifferent: true },
    ]);
  });

  it('match a text in which every word occurs, in the name or in either value', () => {
    const rows = configurationRows({ actor: { lr: 1e-6 } }, { actor: { lr: 5e-7 } });
    for (const text of ['', 'LR actor', '5e-7', '0.000001 lr'])
      expect(matchingRows(rows, text)).toEqual(rows);
    expect(matchingRows(rows, 'lr critic')).toEqual([]);
  });
});

describe('the view', () => {
  const summary = (runId: number): RunSummary =>
    ({ runId, runKey: `r${runId}`, name: `run ${runId}`, kind: 'train' }) as RunSummary;
  const run = (runId: number, config: object): RunDetail => ({ ...summary(runId), config }) as RunDetail;
  const open = (config: object) => {
    const client = createFakeClient({
      'run.list': () => [summary(1), summary(2)],
      'run.get': () => run(2, { lr: 2, same: 'x' }),
    });
    renderWithClient(client, <ConfigurationView run={run(1, config)} />);
  };

  it('shows the differences to another run first', async () => {
    history.replaceState({}, '', '/run/r1?tab=configuration');
    open({ lr: 1, same: 'x' });
    expect((await screen.findByRole('status')).textContent).toBe('2 settings');
    fireEvent.change(await screen.findByLabelText('compare with'), { target: { value: 'r2' } });
    expect(await screen.findByRole('button', { name: 'differ (1)' })).toBeDefined();
    expect(screen.getByRole('status').textContent).toBe('1 setting');
    fireEvent.click(screen.getByRole('button', { name: 'all (2)' }));
    expect(screen.getByRole('status').textContent).toBe('2 settings');
    expect(location.search).toContain('with=r2&rows=all');
  });

  it('says when nothing is logged', async () => {
    history.replaceState({}, '', '/run/r1?tab=configuration');
    open({});
    expect(await screen.findByText('No configuration in this log')).toBeDefined();
  });
});
