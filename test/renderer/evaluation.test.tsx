/** An evaluation: what its log says of it, beside what is recomputed. */
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { LoggedResults } from '../../renderer/views/evaluation/LoggedResults.tsx';
import { resultRows, sampleRows } from '../../renderer/views/evaluation/loggedResultsModel.ts';
import type { EvaluationPanel, LoggedRetries, RunDetail } from '../../shared/api/contract.ts';
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
      total_samples: 50,
      completed_samples: 50,
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
      ...{ passAtK: [], passHatK: [], majorityAtK: [] },
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
      ['accuracy', 0.7, 0.7, false],
      ['stderr', 0.152_752_523_165_194_64, 0.152_752_523_165_194_6, false],
    ]);
    expect(rows[0]?.from).toBe('mean score over 10 problems, epochs averaged');
  });

  it('are marked where they differ', () => {
    expect(resultRows(logged(), [panel(0.68)]).map(({ differs }) => differs)).toEqual([true, false]);
  });

  it('say why they were not recomputed', () => {
    const [row] = resultRows(logged(['max']), [panel(0.7)]);
    expect(row).toMatchObject({ logged: 0.7, from: 'not recomputed: the epochs are not averaged' });
    expect(row?.recomputed).toBeUndefined();
    expect(resultRows(logged(['mean'], 'other'), [panel(0.7)])[0]?.from).toContain('another scorer');
    expect(resultRows(logged(), [panel(0.7), panel(0.7)])[0]?.from).toContain('several evaluations');
    expect(resultRows(logged(), [])[0]?.from).toBe('not recomputed');
    const ofOne = panel(0.7);
    const [point] = ofOne.points;
    const single = {
      ...ofOne,
      points: [{ ...point, meanReward: { mean: 1, problems: 1 } }],
    } as unknown as typeof ofOne;
    const error = resultRows(logged(), [single]).find(({ metric }) => metric === 'stderr');
    expect(error?.from).toBe('not recomputed: one problem has no standard error');
  });

  it('have the sample counts of the header beside those of the rollouts', () => {
    const rows = sampleRows(logged(), { rollouts: 50, groups: 10 }, 0, undefined);
    expect(rows.slice(0, 4)).toEqual([
      { name: 'samples, with epochs', logged: 50, read: 50, from: 'rollouts', differs: false },
      {
        ...{ name: 'completed samples', logged: 50, read: 50, differs: false },
        from: 'rollouts that did not end with an error',
      },
      {
        ...{ name: 'samples of the data set', logged: 100, read: 10, differs: false },
        from: 'groups; the log selects samples of the data set (limit: 10)',
      },
      {
        ...{ name: 'samples with an error', logged: 0, read: 0, differs: false },
        from: 'rollouts that ended with an error; logged: all samples without the completed ones',
      },
    ]);
    // The retries are still being counted.
    expect(rows.slice(4).map(({ name, logged: as, isReading }) => [name, as, isReading])).toEqual([
      ['retries of model calls', undefined, true],
      ['retries of samples', undefined, true],
    ]);
  });

  it('say by how much the sample counts differ', () => {
    const rows = sampleRows(logged(), { rollouts: 48, groups: 101 }, 3, undefined);
    expect(rows.slice(0, 4).map(({ read, from, differs }) => [read, from, differs])).toEqual([
      [48, 'rollouts: 2 fewer than logged', true],
      [45, 'rollouts that did not end with an error: 5 fewer than logged', true],
      [101, 'groups: 1 more than logged', true],
      [
        3,
        'rollouts that ended with an error; logged: all samples without the completed ones: 3 more than logged',
        true,
      ],
    ]);
    const unknown = sampleRows(logged(), { rollouts: 50, groups: 10 }, undefined, undefined)[1];
    expect(unknown).toMatchObject({ logged: 50, differs: false });
    expect(unknown?.read).toBeUndefined();
  });

  it('have errors and retries, of which an unknown number is not zero', () => {
    const countsOf = (...[evaluation, retried]: [ReturnType<typeof logged>, LoggedRetries]) =>
      sampleRows(evaluation, { rollouts: 50, groups: 10 }, 1, retried)
        .slice(-3)
        .map(({ name, logged: as, from }) => [name, as, from]);
    const calls = (retries: number) => ({ calls: { retries, samples: 50 } });
    expect(countsOf(logged(), { ...calls(2), attempts: { retries: 0, samples: 40 } })).toEqual([
      [
        'samples with an error',
        0,
        'rollouts that ended with an error; logged: all samples without the completed ones: 1 more than logged',
      ],
      ['retries of model calls', 2, 'events of 50 samples'],
      ['retries of samples', 0, 'earlier attempts of 40 samples'],
    ]);
    const unfinished = { ...logged(), samples: {} };
    expect(countsOf(unfinished, calls(0))).toEqual([
      ['samples with an error', undefined, 'rollouts that ended with an error'],
      ['retries of model calls', undefined, 'events of 50 samples'],
      ['retries of samples', undefined, 'no sample logs earlier attempts'],
    ]);
    expect(countsOf(unfinished, {})[1]).toEqual([
      'retries of model calls',
      undefined,
      'no sample logs events',
    ]);
  });

  it('are on the page, with usage and settings', async () => {
    const client = createFakeClient({
      'eval.summary': () => ({ panels: [panel(0.7)] }),
      'rollout.order': () => ({ runId: 1, ids: new Uint32Array(1) }),
      'eval.retries': () => ({ calls: { retries: 0, samples: 50 } }),
    });
    const run = { runId: 1, config: config(), rollouts: 50, groups: 10 } as unknown as RunDetail;
    renderWithClient(client, <LoggedResults run={run} />);
    const results = await screen.findByRole('row', { name: /accuracy 0\.7 0\.7 mean score/ });
    expect(within(results).getByRole('rowheader').textContent).toBe('match');
    const heads = within(screen.getAllByRole('table')[0] as HTMLElement);
    expect(heads.getByRole('columnheader', { name: 'logged' })).toBeDefined();
    expect(heads.getByRole('columnheader', { name: 'recomputed' })).toBeDefined();
    const samples = within(screen.getByRole('table', { name: 'Sample counts' }));
    expect(samples.getByRole('row', { name: 'samples, with epochs 50 50 rollouts' })).toBeDefined();
    const completed = { name: /^completed samples 50 49 .*: 1 fewer than logged$/ };
    expect(await samples.findByRole('row', completed)).toBeDefined();
    const retries = { name: 'retries of model calls not logged events of 50 samples' };
    expect(await samples.findByRole('row', retries)).toBeDefined();
    const usage = within(screen.getByRole('table', { name: 'Usage' }));
    expect(usage.getByRole('row', { name: 'google/gemini-2.5-pro 2,695 29,100' })).toBeDefined();
    expect(screen.getByText('✓ success')).toBeDefined();
    expect(screen.getByText('max_tokens').nextElementSibling?.textContent).toBe('512');
  });
});

describe('the head of a logged evaluation', () => {
  const shown = (log: object, more: object = {}, times: object = {}) => {
    const client = createFakeClient({
      'eval.summary': () => ({ panels: [panel(0.7)] }),
      'rollout.order': () => ({ runId: 1, ids: new Uint32Array(0) }),
    });
    const own = config();
    const run = { runId: 1, config: { ...own, ...more, log: { ...own.log, ...log } }, ...times };
    renderWithClient(client, <LoggedResults run={run as unknown as RunDetail} />);
    return screen.getByRole('region', { name: 'Results and settings of the log' });
  };
  const fact = (name: string) => screen.getAllByText(name)[0]?.nextElementSibling?.textContent;

  it('has the accuracy with its standard error, as logged and recomputed', async () => {
    const head = shown({});
    await screen.findByText('recomputed', { selector: 'small' });
    expect(head.querySelector('.logged-headline')?.textContent).toBe(
      'match accuracy 0.7 (standard error 0.153) logged · 0.7 (standard error 0.153) recomputed',
    );
  });

  it('names limits and retries, model and task arguments, and the revision', () => {
    shown(
      {},
      {
        config: { message_limit: 40, token_limit: 8192, time_limit: null, retry_on_error: 2, epochs: 5 },
        model_args: { device: 'cpu' },
        task_args: { level: 3 },
        revision: { type: 'git', origin: 'git@example.org:a/b.git', commit: '793cb8f60', dirty: true },
      },
    );
    expect(fact('limits set, epochs, retries')).toBe(
      'epochs: 5, message_limit: 40, token_limit: 8192, retry_on_error: 2',
    );
    expect(fact('model_args')).toBe('{"device":"cpu"}');
    expect(fact('task_args')).toBe('{"level":3}');
    expect(fact('revision')).toBe('git 793cb8f60 (with uncommitted changes) git@example.org:a/b.git');
  });

  it('has the limit of the data set and the epochs', () => {
    shown({});
    expect(fact('limits set, epochs, retries')).toBe('limit: 10, epochs: 5, epochs_reducer: mean');
  });

  it('says that no limit is set', () => {
    shown({}, { config: {} });
    expect(fact('limits set, epochs, retries')).toBe('none set');
  });

  it('says that arguments are empty, and is silent about those that are not logged', () => {
    shown({});
    expect(fact('task_args')).toBe('none in the log');
    expect(screen.queryByText('model_args')).toBeNull();
  });

  it('has start, end and duration', () => {
    const head = shown({}, {}, { startedAt: 1_757_963_074_000, completedAt: 1_757_963_128_000 });
    expect(head.textContent).toContain(
      'started 15 Sept 2025, 19:04:34 UTC · completed 15 Sept 2025, 19:05:28 UTC · 54 s',
    );
  });

  it('says that a metric has no number instead of leaving it out', () => {
    const metrics = { accuracy: { name: 'accuracy', value: null }, stderr: { value: 0.1 } };
    const head = shown({ results: { scores: [{ name: 'match', metrics }] } });
    expect(head.querySelector('.logged-headline')?.textContent).toContain('match accuracy no number logged');
    expect(screen.getByRole('row', { name: /^match accuracy no number – the log has NaN/ })).toBeDefined();
    expect(head.textContent).not.toContain('No result');
  });

  it('keeps the digits of a large mean', () => {
    const head = shown({ results: { scores: [{ name: 'match', metrics: { mean: { value: 123_456 } } }] } });
    expect(head.querySelector('.logged-headline')?.textContent).toContain('mean 123,456 logged');
  });

  it('does not count with negative numbers', () => {
    const usage = { m: { input_tokens: -5, output_tokens: 1e300, total_cost: 0.0123 } };
    shown({ results: { total_samples: -5, completed_samples: 1e300 }, stats: { model_usage: usage } });
    expect(screen.getByRole('table', { name: 'Usage' }).textContent).toBe(
      'usage of the model loggedtotal costm0.0123',
    );
    expect(screen.queryByText('samples, with epochs')).toBeNull();
  });

  it('shows the first of many metrics, models, counts and settings, and the next ones on request', () => {
    const many = (of: (i: number) => unknown) =>
      Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`n${i}`, of(i)]));
    const scores = Array.from({ length: 2_000 }, (_, i) => ({
      name: `s${i}`,
      metrics: { mean: { value: i } },
    }));
    const usage = many((i) => ({ [`c${i}`]: 1, d: 2 }));
    const head = shown({ results: { scores }, stats: { model_usage: usage } }, { metadata: many((i) => i) });
    for (const left of ['1,990 more results', '1,900 more metrics', '1,900 more models', '1,981 more counts'])
      expect(head.textContent).toContain(`${left} not shown`);
    expect(head.querySelectorAll('*').length).toBeLessThan(8_000);
    const models = within(screen.getByRole('table', { name: 'Usage' }));
    expect(models.getAllByRole('row')).toHaveLength(101);
    const [, next] = screen.getAllByRole('button', { name: 'Show 100 more' });
    fireEvent.click(next as HTMLElement);
    expect(models.getAllByRole('row')).toHaveLength(201);
  });

  it('draws hidden characters of names as glyphs', () => {
    const scores = [{ name: 'a\u202eb', reducer: 'r\u202e', metrics: { 'm\u202e': { value: 1 } } }];
    const usage = { 'model\u202e': { 'tok\u202e': 1 } };
    const more = { config: { limit: 'x\u202ey' }, metadata: { 'k\u202e': 1 }, task_args: { 'j\u202e': 2 } };
    const head = shown(
      { status: '\u202esseccus', results: { total_samples: 3, scores }, stats: { model_usage: usage } },
      { ...more, plan: { steps: [{ solver: 's\u202e' }] } },
    );
    expect(head.innerHTML).not.toContain('\u202e');
    expect(head.querySelector('.chip')?.textContent).toBe('status ⟨RLO⟩sseccus');
  });

  it.each([
    ['success', '✓ success'],
    ['error', '✕ error'],
    ['cancelled', '✕ cancelled'],
    ['started', 'started, not finished'],
    [undefined, 'not finished: no status logged'],
    ['paused', 'status paused'],
  ])('says the status %s in words', (status, words) => {
    shown({ status });
    expect(screen.getByText(words)).toBeDefined();
  });

  it('shows the error, and its traceback on request', () => {
    const error = { message: 'sandbox gone', traceback: 'Traceback:\n  boom', traceback_ansi: '' };
    const head = shown({ status: 'error', error });
    expect(head.textContent).toContain('✕ sandbox gone');
    expect(screen.getByText('Traceback').closest('details')?.open).toBe(false);
  });
});
