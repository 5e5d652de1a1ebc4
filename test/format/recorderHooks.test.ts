/**
 * The hooks for trainers: logs of the example trainer are ingested, and the release's rule decides as the
 * trainer did.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getLedger } from '../../electron/roc/ledger.ts';
import { openReader } from '../../electron/storage/open.ts';
import { getRollout } from '../../electron/storage/queries/rollout.ts';
import { getTokens } from '../../electron/storage/queries/tokens.ts';
import type { GroupLedger } from '../../shared/api/contract.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const RECORDER = join(import.meta.dirname, '..', '..', 'shared', 'recorder');
const runs = (name: string, ...args: readonly string[]): boolean => spawnSync(name, args).status === 0;
const python = ['python3', 'python'].find((name) => runs(name, '--version'));
const hasNumpy = python !== undefined && runs(python, '-c', 'import numpy');

function trainer(
  script: string,
  ...args: readonly string[]
): { readonly status: number | null; readonly err: string } {
  const code = `import sys\nsys.path.insert(0, ${JSON.stringify(RECORDER)})\n${script}`;
  const run = spawnSync(python ?? '', ['-B', '-c', code, ...args], { encoding: 'utf8' });
  return { status: run.status, err: run.stderr };
}

/** All lines of a directory, in file order. */
function written(directory: string): string {
  return readdirSync(directory)
    .sort((a, b) => Number(a.split('-')[3]?.split('.')[0]) - Number(b.split('-')[3]?.split('.')[0]))
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('');
}

describe.runIf(python !== undefined)('turnwise_verl.py', () => {
  let place: Scratch;
  let logs: string;
  beforeAll(async () => {
    place = scratch();
    logs = join(place.directory, 'logs');
    const run = spawnSync(python ?? '', ['-B', join(RECORDER, 'example_trainer.py'), logs], {
      encoding: 'utf8',
    });
    expect([run.status, run.stderr]).toEqual([0, '']);
    const { files } = await ingestHere(place.library, [logs]);
    expect(files.flatMap(({ issues }) => issues)).toEqual([]);
  });
  afterAll(() => place.remove());

  function ledgers(): readonly GroupLedger[] {
    const groups = rows(
      place.library,
      `SELECT DISTINCT group_id FROM rollout JOIN run USING (run_id) WHERE run_key = 'example-rstar' ORDER BY 1`,
    );
    const db = openReader(place.library);
    try {
      return groups.map((group) => {
        const ledger = getLedger(db, { groupId: Number(group['group_id']), basis: {} });
        if (ledger === undefined) throw new Error('a group without a ledger');
        return ledger;
      });
    } finally {
      db.close();
    }
  }

  it('records the whole pool: groups, ordinals, rewards, problems, special tokens', () => {
    const pool = rows(
      place.library,
      `SELECT problem_id, ordinal, reward, ground_truth, turns, p_text_source FROM rollout JOIN run USING (run_id)
       WHERE run_key = 'example-rstar' ORDER BY group_id, ordinal`,
    );
    expect(pool.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2].flatMap(() => [0, 1, 2, 3, 4, 5, 6, 7]));
    expect(pool.map(({ reward }) => reward).join('')).toBe('111010001111111101100111');
    expect(new Set(pool.map((row) => row['ground_truth']))).toEqual(new Set(['42']));
    expect(new Set(pool.map((row) => row['p_text_source']))).toEqual(new Set(['text']));
    expect(pool.map(({ turns }) => turns).join('')).toBe('222212222222122222222122');
    const db = openReader(place.library);
    const first = getRollout(db, 1);
    db.close();
    expect(first?.prompt).toBe(
      '<|im_start|>user\nuid-mixed: 6×7?<|im_end|>\n<|im_start|>assistant\n<reason>',
    );
    expect(first?.response).toMatch(/^A tool 🧮 first\.<\/reason>\n<tool_call>[\s\S]*<\|im_end\|>$/);
  });

  it('records who came back, and no reason it does not know', () => {
    const [mixed, allRight, cut] = ledgers().map(({ rows: found }) =>
      found.map(({ logged }) => (logged?.kept === true ? 'K' : logged?.kept === false ? 'd' : '?')).join(''),
    );
    expect([mixed, allRight, cut]).toEqual(['dKKKdKdd', 'dddddddd', 'KdKddddd']);
    for (const { logged } of ledgers().flatMap((ledger) => ledger.rows)) {
      expect(logged).toEqual({ kept: logged?.kept, rule: 'release' });
    }
  });

  it('the release’s rule decides as the trainer did, including both cuts to the world size', () => {
    const found = ledgers();
    for (const { differences, recomputed, rows: group } of found) {
      expect(recomputed.basis).toMatchObject({
        rule: 'release',
        ruleSource: 'logged',
        settings: { world_size: 3, down_sample_to_n: 4, min_zero_reward_trace_num: 1 },
      });
      expect(differences.rows).toBe(0);
      expect(group.map((row) => row.recomputed.kept)).toEqual(group.map(({ logged }) => logged?.kept));
      for (const { penalties } of group) {
        expect(penalties.logged).toEqual({ pErr: penalties.text?.pErr, pFormat: penalties.text?.pFormat });
      }
    }
    expect(found.map(({ recomputed }) => recomputed.outcome)).toEqual([
      'resampled',
      'equal_reward',
      'resampled',
    ]);
    // One row before the quotas, and two after them.
    const cut = found[2]?.rows.filter(({ recomputed }) => {
      return recomputed.reason === 'discarded_world_size_truncation';
    });
    expect(cut?.map(({ ordinal }) => ordinal)).toEqual([3, 6, 7]);
  });

  it.each(['example-rstar', 'example-verl'])('assigns every signal to its token: %s', (run) => {
    const found = rows(
      place.library,
      `SELECT rollout_id, kept, turns FROM rollout JOIN run USING (run_id) WHERE run_key = '${run}' ORDER BY 1`,
    );
    const db = openReader(place.library);
    for (const { rollout_id: id, kept, turns } of found) {
      const response = getRollout(db, Number(id))?.response ?? '';
      const tokens = getTokens(db, Number(id));
      const { ends = new Uint32Array(), mask = new Uint8Array(), entropy, trainerLogprob } = tokens ?? {};
      const words = Array.from(ends, (end, i) => response.slice(ends[i - 1] ?? 0, end));
      expect([tokens?.count, words.join('')]).toEqual([words.length, response]);
      const byTools = words.filter((_, i) => mask[i] === 0).join('');
      expect(byTools).toMatch(
        turns === 1 ? /^$/ : /^<\|im_start\|>user\n<tool_response>[\s\S]*<\|im_start\|>assistant\n<reason>$/,
      );
      if (run === 'example-rstar' && kept !== 1) {
        expect([entropy, trainerLogprob]).toEqual([undefined, undefined]);
        continue;
      }
      expect(Array.from(entropy ?? [])).toEqual(words.map((word) => (word === 'Wait' ? 1.5 : 0.125)));
      expect(Array.from(trainerLogprob ?? [])).toEqual(words.map((word) => (word === 'Wait' ? -2 : -0.25)));
    }
    db.close();
  });

  it('records plain verl in rollout order despite reordered rows, and decides nothing', () => {
    const pool = rows(
      place.library,
      `SELECT reward, kept, p_err, rule FROM rollout JOIN run USING (run_id)
       WHERE run_key = 'example-verl' ORDER BY problem_id, ordinal`,
    );
    const rewards = pool.map(({ reward }) => reward).join('');
    expect(rewards.match(/.{8}/g)?.sort()).toEqual(['01100111', '11101000', '11111111']);
    expect(new Set(pool.map((row) => JSON.stringify({ ...row, reward: 0 })))).toEqual(
      new Set(['{"reward":0,"kept":null,"p_err":null,"rule":null}']),
    );
  });

  it.runIf(hasNumpy)('takes numpy columns, as a DataProto has them, for the same lines', () => {
    const other = join(place.directory, 'numpy');
    const { status, err } = trainer(
      `
import numpy, example_trainer as example
class Arrays(example.Batch):
    def __getitem__(self, places):
        def chosen(columns):
            return {name: column[list(places)] for name, column in columns.items()}
        return Arrays(chosen(self.batch), chosen(self.non_tensor_batch))
lists = example.generate
def generate(tokenizer):
    batch = lists(tokenizer)
    return Arrays({name: numpy.array(column) for name, column in batch.batch.items()},
                  {name: numpy.array(column, dtype=object) for name, column in batch.non_tensor_batch.items()})
example.generate = generate
example.released_trainer(sys.argv[1])
example.plain_verl(sys.argv[1])
`,
      other,
    );
    expect([status, err]).toEqual([0, '']);
    expect(written(other)).toBe(written(logs));
  });

  it('lets training continue with a warning when a hook fails', () => {
    const script = (strict: string): string => `
import example_trainer as example
from turnwise_recorder import Recorder
from turnwise_verl import TrainerHooks
hooks = TrainerHooks(Recorder(sys.argv[1], run="x"), example.Tokenizer(), strict=${strict})
batch = example.generate(example.Tokenizer())
hooks.number(batch)
hooks.decisions(1, batch)
hooks.decisions(1, None)
`;
    const lenient = trainer(script('False'), join(place.directory, 'lenient'));
    expect(lenient.status).toBe(0);
    expect(lenient.err).toMatch(/^turnwise: decisions\(\) did not record all of this batch\n/);
    expect(lenient.err).toMatch(/ValueError: 24 rows that pool\(\) did not see/);
    expect(trainer(script('True'), join(place.directory, 'strict')).status).toBe(1);
  });

  it('imports neither torch nor verl', () => {
    const source = readFileSync(join(RECORDER, 'turnwise_verl.py'), 'utf8');
    const imported = [...source.matchAll(/^(?:import|from) (\w+)/gm)].map(([, name]) => name);
    expect(imported).toEqual(['functools', 'sys', 'traceback', 'turnwise_recorder']);
  });
});
