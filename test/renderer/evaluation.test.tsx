// @vitest-environment happy-dom
/** An evaluation: what its log says of it, beside what is recomputed. */
import { cleanup, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { LoggedResults } from '../../renderer/views/evaluation/LoggedResults.tsx';
import { resultRows } from '../../renderer/views/evaluation/loggedResultsModel.ts';
import type { EvaluationPanel, RunDetail } from '../../shared/api/contract.ts';
import { loggedEvaluation } from '../../shared/format/loggedEvaluation.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

/** The configuration of a run from an Inspect log of 10 samples in 5 epochs, shortened. */
const config = (reducers = ['mean'], scorer = 'match') => ({
  task: 'popularity',
  task_file: 'examples/popularity.py',
  task_args: {},
  dataset: 'popularity',
  dataset_info: { name: 'popularity', samples: 100, sample_ids: [1, 2], shuffled: false },
  model: 'google/gemini-2.5-pro',
  model_generate_config: { temperature: 0.7 },
  config: { limit: 10, epochs: 5, epochs_reducer: reducers, message_limit: null },
  scorers: [{ name: scorer, options: {}, metrics: [{ name: 'inspect_ai/accuracy', options: {} }] }],
  log: {
    version: 2,
    status: 'success',
    plan: {
      name: 'plan',
      steps: [
        { solver: 'system_message', params: { template: '\nRespond with exactly "Yes" or "No"\n' } },
        { solver: 'generate', params: {} },
      ],
      config: { max_tokens: 512 },
    },
    results: {
      scores: [
        {
          name: 'match',
          scorer: 'match',
          params: {},
          metrics: {
            accuracy: { name: 'accuracy', value: 0.7, params: {} },
            stderr: { name: 'stderr', value: 0.15275252316519464, params: {} },
          },
        },
      ],
    },
    stats: { model_usage: { 'google/gemini-2.5-pro': { input_tokens: 2695, reasoning_tokens: 29_100 } } },
  },
});
const panel = (mean: number): EvaluationPanel => ({
  source: 'popularity',
  points: [
    {
      ...{ step: 0, rollouts: 50, problems: 10, samples: 50, leastSamples: 5, mostSamples: 5 },
      ...{ passAtK: [], majorityAtK: [] },
      meanReward: { mean, problems: 10, stderr: 0.152_752_523_165_194_6 },
    },
  ],
});
const logged = (...of: Parameters<typeof config>) => {
  const found = loggedEvaluation(config(...of));
  if (found === undefined) throw new Error('the configuration was not read as that of an evaluation');
  return found;
};

describe('an evaluation as logged', () => {
  it('has its settings in groups, without what is not set', () => {
    const { groups } = logged();
    const flat = groups.map(({ title, settings }) => [title, ...settings.map((each) => each.name)]);
    expect(flat).toEqual([
      ['Task', 'task', 'task_file'],
      ['Data set', 'name', 'samples', 'shuffled'],
      ['Model', 'model'],
      ['Generation', 'temperature', 'max_tokens'],
      ['Solver', '1. system_message', '2. generate'],
      ['Limits and epochs', 'limit', 'epochs', 'epochs_reducer'],
      ['Scorers', 'match'],
    ]);
    expect(groups[5]?.settings.at(-1)?.value).toBe('mean');
    expect(groups[4]?.settings[0]?.value).toBe('template: Respond with exactly "Yes" or "No"');
  });

  it('is nothing where the configuration is of another format', () => {
    expect(loggedEvaluation({ name: 'grpo', model: 'm' })).toBeUndefined();
  });
});

describe('results of a log', () => {
  it('stand beside the recomputed ones', () => {
    const rows = resultRows(logged(), [panel(0.7)]);
    expect(
      rows.map(({ metric, logged: as, recomputed, differs }) => [metric, as, recomputed, differs]),
    ).toEqual([
      ['accuracy', '0.7', '0.7', false],
      ['stderr', '0.152753', '0.152753', false],
    ]);
    expect(rows[0]?.from).toBe('mean score over 10 problems, epochs averaged');
  });

  it('are marked where they differ', () => {
    expect(resultRows(logged(), [panel(0.68)]).map(({ differs }) => differs)).toEqual([true, false]);
  });

  it('say why they were not recomputed', () => {
    const [row] = resultRows(logged(['max']), [panel(0.7)]);
    expect(row).toMatchObject({ logged: '0.7', from: 'not recomputed: the epochs are not averaged' });
    expect(row?.recomputed).toBeUndefined();
    expect(resultRows(logged(['mean'], 'other'), [panel(0.7)])[0]?.from).toContain('another scorer');
    expect(resultRows(logged(), [panel(0.7), panel(0.7)])[0]?.from).toContain('several evaluations');
    expect(resultRows(logged(), [])[0]?.from).toBe('not recomputed');
  });

  it('are on the page, with usage and settings', async () => {
    const client = createFakeClient({ 'eval.summary': () => ({ panels: [panel(0.7)] }) });
    renderWithClient(client, <LoggedResults run={{ runId: 1, config: config() } as unknown as RunDetail} />);
    const results = await screen.findByRole('row', { name: /accuracy 0\.7 0\.7 mean score/ });
    expect(within(results).getByRole('rowheader').textContent).toBe('match');
    expect(screen.getByRole('columnheader', { name: 'logged' })).toBeDefined();
    expect(screen.getByRole('columnheader', { name: 'recomputed' })).toBeDefined();
    const usage = within(screen.getByRole('table', { name: 'Usage' }));
    expect(usage.getByRole('row', { name: 'google/gemini-2.5-pro 2,695 29,100' })).toBeDefined();
    expect(screen.getByText('status success')).toBeDefined();
    expect(screen.getByText('max_tokens').nextElementSibling?.textContent).toBe('512');
  });
});
