/** Metric files that name no run are assigned by their location. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { type PlacedRun, runsOfMetricsFile } from '../../electron/storage/metricRuns.ts';
import type { LoggedMetric, ResultOf } from '../../shared/api/contract.ts';

const run = (runId: number, home: string, kind = 'train'): PlacedRun => ({
  runId,
  kind,
  home,
  directory: home,
});
const idsOf = (path: string, runs: readonly PlacedRun[]): readonly number[] =>
  runsOfMetricsFile(path, runs).runs.map(({ runId }) => runId);

describe('location of a metrics file', () => {
  it.each([
    ['by its name', '/out/exp.jsonl', [run(1, '/out/exp'), run(2, '/out/other')], [1]],
    ['by its name, further below', '/out/exp.jsonl', [run(1, '/out/exp/dump'), run(2, '/out')], [1]],
    ['not by a name that only begins alike', '/out/exp.jsonl', [run(1, '/out/exp2/dump')], []],
    ['in the directory of the run', '/out/exp/train.log', [run(1, '/out/exp'), run(2, '/out/exp/val')], [1]],
    ['one directory above', '/out/exp/metrics.jsonl', [run(1, '/out/exp/dump')], [1]],
    ['the training run, not its evaluation', '/o/m.jsonl', [run(1, '/o/val', 'eval'), run(2, '/o/d')], [2]],
    ['an evaluation, where nothing else is', '/o/m.jsonl', [run(1, '/o', 'eval')], [1]],
    ['no guess between two', '/out/all.log', [run(1, '/out/a'), run(2, '/out/b')], []],
    ['two directories above is too far', '/out/all.log', [run(1, '/out/a/dump')], []],
    ['nothing there', '/out/all.log', [], []],
  ])('%s', (_, path, runs, expected) => {
    expect(idsOf(path, runs)).toEqual(expected);
    expect(runsOfMetricsFile(path, runs).reason === undefined).toBe(expected.length > 0);
  });
});

describe('read', () => {
  let directory: string;
  let host: Host;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'turnwise-metrics-'));
    host = await createHost({ libraryPath: join(directory, 'l.sqlite'), shell: 'browser', version: 'test' });
  });
  afterEach(async () => {
    await host.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const write = (name: string, text: string): string => {
    const path = join(directory, 'logs', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const dump = (step: number, text: string): string =>
    `${JSON.stringify({ input: 'user\n1+1?\nassistant\n', output: text, gts: '2', score: 1, step })}\n`;
  const ask = async <T>(method: string, params: unknown = {}): Promise<T> => {
    const result = await host.dispatch(method, params);
    if (!result.ok) throw new Error(result.failure.message);
    return result.value as T;
  };
  const metricsOf = async (): Promise<readonly LoggedMetric[]> => {
    const [found] = await ask<ResultOf<'run.list'>>('run.list');
    return (await ask<{ metrics: readonly LoggedMetric[] }>('metric.list', { runId: found?.runId })).metrics;
  };

  it('before or after the run, appended to, and the file logger before the console', async () => {
    const printed = write(
      'exp/train.log',
      'loading\n(TaskRunner pid=1) step:1 - critic/score/mean:0.250 - actor/lr:0.001\nstep:2 - critic/score/mean:0.50',
    );
    const before = await host.ingest([printed]);
    expect(before.files[0]?.issues.map(({ code }) => code)).toEqual([
      'metrics_without_run',
      'incomplete_line',
    ]);
    write('exp/rollout_data/1.jsonl', dump(1, '2'));
    write('exp/metrics.jsonl', '{"step": 1, "data": {"critic/score/mean": 0.25390625}}\n');
    await host.ingest([join(directory, 'logs')]);
    expect(await metricsOf()).toEqual([
      { name: 'actor/lr', steps: [1], values: [0.001] },
      { name: 'critic/score/mean', steps: [1], values: [0.25390625] },
    ]);
    write(
      'exp/train.log',
      'loading\n(TaskRunner pid=1) step:1 - critic/score/mean:0.250 - actor/lr:0.001\nstep:2 - critic/score/mean:0.500\n',
    );
    await host.ingest([printed]);
    expect((await metricsOf())[1]).toEqual({
      name: 'critic/score/mean',
      steps: [1, 2],
      values: [0.25390625, 0.5],
    });
  });

  it('waits, with a message, if the run is ambiguous', async () => {
    write('a/1.jsonl', dump(1, '2'));
    write('b/1.jsonl', dump(1, 'is it 2'));
    const path = write('all.log', 'step:1 - critic/score/mean:0.25\n');
    const first = await host.ingest([join(directory, 'logs')]);
    const said = first.files.find((file) => file.path === path)?.issues;
    expect(said?.map(({ code }) => code)).toEqual(['metrics_without_run']);
    expect(said?.[0]?.message).toContain('2 training runs are in directories beside the file');
    expect(first.issues).toBe(1);
    const runs = await ask<ResultOf<'run.list'>>('run.list');
    expect(runs).toHaveLength(2);
    for (const { runId } of runs) expect(await ask('metric.list', { runId })).toEqual({ metrics: [] });
    const { files } = await host.ingest([path]);
    expect(files[0]?.format).toBe('verl-console');
    expect(files[0]?.issues.map(({ code }) => code)).toEqual(['metrics_without_run']);
  });
});
