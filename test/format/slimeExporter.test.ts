/**
 * slime's dumps after the exporter join their training. A stand-in for torch loads them as JSON. Requires
 * Python 3; skipped without it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const python = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0);
const TORCH = `
import json
def load(path, **_):
    with open(path) as file:
        return json.load(file)
`;

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

const sample = (response: string, ids: readonly number[], execution: number | null, fields: object = {}) => ({
  ...{ group_index: 0, index: null, rollout_id: execution, prompt: 'q', label: '4', reward: 1 },
  ...{ response, response_length: ids.length, tokens: [1, ...ids], loss_mask: null, status: 'completed' },
  ...fields,
});
const trained = (position: number, ids: readonly number[], entropy: readonly number[]) => ({
  ...{ sample_index: null, rollout_position: position, tokens: [1, ...ids], rollout_ids: 9 },
  ...{ loss_masks: ids.map(() => 1), log_probs: ids.map(() => -1), entropy },
});

/** @returns the records of the exported dump */
function exported(name: string, dump: object): readonly Record<string, unknown>[] {
  const torch = join(place.directory, 'torch');
  mkdirSync(torch, { recursive: true });
  writeFileSync(join(torch, '__init__.py'), TORCH);
  const input = place.file(`${name}.pt`, JSON.stringify(dump));
  const out = join(place.directory, 'logs', `${name}.jsonl`);
  mkdirSync(join(place.directory, 'logs'), { recursive: true });
  const script = join(ROOT, 'shared', 'recorder', 'slime_exporter.py');
  const run = spawnSync(python ?? '', ['-B', script, input, '--out', out], {
    env: { ...process.env, PYTHONPATH: place.directory },
    encoding: 'utf8',
  });
  expect(run.status, run.stderr).toBe(0);
  const lines = readFileSync(out, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe.runIf(python !== undefined)('slime_exporter.py', () => {
  it('keeps the execution of a sample apart from the step of the dump', () => {
    const samples = [sample('a', [2], 7), sample('b', [3], 8), sample('c', [4], 7), sample('d', [5], null)];
    const records = exported('3', { rollout_id: 3, samples });
    const names = ['rollout_id', 'rollout_position', 'execution_id', 'execution_part', 'execution_parts'];
    expect(records.map((record) => names.map((name) => record[name]))).toEqual([
      [3, 0, 7, 1, 2],
      [3, 1, 8, undefined, undefined],
      [3, 2, 7, 2, 2],
      [3, 3, undefined, undefined, undefined],
    ]);
  });

  it('lets training samples without an index find their rollouts by position', async () => {
    exported('3', { rollout_id: 3, samples: [sample('a', [2, 3], 7), sample('b', [4], 7)] });
    exported('eval_3', { rollout_id: 3, samples: [sample('e', [8, 9], null)] });
    exported('3_0', {
      ...{ format_version: 2, rollout_id: 3, rank: 0, dp_shards: [] },
      samples: [trained(0, [2, 3], [0.5, 0.25]), trained(1, [4], [2])],
    });
    await ingestHere(place.library, [join(place.directory, 'logs')]);
    expect(
      rows(
        place.library,
        'SELECT kind, mean_entropy FROM rollout JOIN run USING (run_id) ORDER BY rollout_id',
      ),
    ).toEqual(
      expect.arrayContaining([
        { kind: 'train', mean_entropy: 0.375 },
        { kind: 'train', mean_entropy: 2 },
        { kind: 'eval', mean_entropy: null },
      ]),
    );
    expect(rows(place.library, "SELECT code FROM ingest_issue WHERE code LIKE 'unmatched%'")).toEqual([]);
  });
});
