/**
 * Ingests killed at any statement and resumed; the caller chooses the number (`test/ingest`, `npm run soak`).
 */
import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { Random } from '../../fixtures/generate/random.ts';
import { contents, ingestHere, rows, scratch } from './library.ts';

const CHILD = join(import.meta.dirname, 'killedIngest.ts');
const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
/** More than one batch (`packBatch.ts`) in one file. */
const MANY = 9000;

/** @returns number of killed ingests; every library was complete in the end */
export async function killIngests({
  seed,
  points: wanted,
}: {
  seed: number;
  points: number;
}): Promise<number> {
  const place = scratch();
  try {
    const logs = writeLogs(join(place.directory, 'logs'));
    const statements = Number(killedAt(place.library, 0, logs));
    assert.ok(statements > MANY, 'the peaceful ingest has counted its statements');
    const expected = everything(place.library);
    const random = new Random(seed);
    let killed = 0;
    for (let round = 0; killed < wanted; round++) {
      const library = join(place.directory, `killed-${round}.sqlite`);
      // The second and third kill hit the state that the previous one left.
      const kills = Math.min(random.int(1, 3), wanted - killed);
      killed += kills;
      const points = Array.from({ length: kills }, (_, i) =>
        random.int(1, Math.ceil(statements / (random.chance(0.3) ? 50 : i + 1))),
      );
      for (const point of points) killedAt(library, point, logs);
      await ingestHere(library, [logs]);
      assert.deepEqual(everything(library), expected, `seed ${seed}, killed at ${points.join(', then ')}`);
    }
    return killed;
  } finally {
    place.remove();
  }
}

function killedAt(library: string, point: number, logs: string): string {
  const child = spawnSync(process.execPath, [CHILD, library, String(point), logs], { encoding: 'utf8' });
  if (point === 0) assert.equal(child.status, 0, child.stderr);
  else assert.ok(child.signal === 'SIGKILL' || child.status === 0, child.stderr);
  return child.stdout;
}

/** Everything visible to readers, and the state that the next ingest starts from. */
function everything(library: string): unknown {
  return {
    ...contents(library),
    groups: rows(
      library,
      'SELECT n.run_key, g.step, g.group_key, g.rollouts, g.kept, g.group_rule FROM prompt_group g JOIN run n USING (run_id) ORDER BY 1, 2, 3',
    ),
    runs: rows(
      library,
      'SELECT run_key, name, kind, format, directory, config, rollouts FROM run ORDER BY 1',
    ),
    tokens: rows(
      library,
      `SELECT f.path, r.line, r.content_hash, t.count, hex(t.ids) AS ids, hex(t.entropy) AS entropy, hex(t.trainer_logprob) AS trainer
       FROM token_row t JOIN rollout_row r USING (rollout_id) JOIN file_row f USING (file_id) ORDER BY 1, 2, 3`,
    ),
    files: rows(
      library,
      'SELECT path, format, status, container, unit, bytes, offset_bytes, lines, masked, tail_hash FROM file_row ORDER BY 1',
    ),
    waiting: rows(
      library,
      'SELECT f.path, p.line, p.kind FROM pending_row p JOIN file_row f USING (file_id) ORDER BY 1, 2',
    ),
    joins: rows(
      library,
      'SELECT f.path, j.line, j.kind FROM join_row j JOIN file_row f USING (file_id) ORDER BY 1, 2, 3',
    ),
    metrics: rows(
      library,
      'SELECT n.run_key, m.step, m.name, m.value FROM metric m JOIN run n USING (run_id) ORDER BY 1, 2, 3',
    ),
    orphans: rows(
      library,
      'SELECT count(*) AS n FROM segment_row WHERE rollout_id NOT IN (SELECT rollout_id FROM rollout_row)',
    ),
  };
}

/** Every container and every way in which files of a run are joined. */
function writeLogs(directory: string): string {
  const put = (path: string, content: string | Uint8Array): void => {
    const target = join(directory, path);
    mkdirSync(join(target, '..'), { recursive: true });
    writeFileSync(target, content);
  };
  const row = (step: number, i: number): string =>
    `${JSON.stringify({ input: `q${i >> 3}`, output: `#### ${i}`, score: i % 2, step, api_key: 'sk-1' })}\n`;
  const lines = (step: number, count: number): string =>
    Array.from({ length: count }, (_, i) => row(step, i)).join('');
  put('verl/1.jsonl', lines(1, MANY));
  put('verl/2.jsonl', `${lines(2, 300)}{"input": "half`);
  put('packed/3.jsonl.gz', Buffer.concat([gzipSync(lines(3, 200)), gzipSync(lines(4, 50))]));
  put('packed/5.jsonl.zst', Buffer.concat([zstdCompressSync(lines(5, 200)), zstdCompressSync(lines(6, 50))]));
  // Decisions and signals precede their rollouts.
  const turnwise = readFileSync(join(FIXTURES, 'turnwise/every-line-type/input.jsonl'), 'utf8').split('\n');
  const isAbout = (line: string): boolean => /"type": ?"(?:decision|signal)"/.test(line);
  put('turnwise/a.jsonl', turnwise.filter((line, i) => i === 0 || isAbout(line)).join('\n'));
  put('turnwise/b.jsonl', turnwise.filter((line) => !isAbout(line)).join('\n'));
  const copy = (from: string, to: string): void => {
    mkdirSync(join(directory, to, '..'), { recursive: true });
    copyFileSync(join(FIXTURES, from), join(directory, to));
  };
  copy('tau-bench/trials/input.json', 'tau/results.json');
  copy('inspect/archive-zstd/input.eval', 'inspect/log.eval');
  copy('trl/parquet/completions/completions_00020.parquet', 'trl/completions/completions_00020.parquet');
  copy('agentgym/teacher-texts/input.jsonl', 'agentgym/texts.jsonl');
  copy('agentgym/teacher-logprobs/input.jsonl', 'agentgym/logprobs.jsonl');
  copy('verl-trace/mlflow-store/input.db', 'mlflow/mlflow.db');
  for (const name of ['all', 'effective']) {
    cpSync(join(FIXTURES, 'prime-rl', name, 'rollouts'), join(directory, 'prime/rollouts'), {
      recursive: true,
    });
  }
  cpSync(join(FIXTURES, 'prime-rl/token-export/token_exports'), join(directory, 'prime/token_exports'), {
    recursive: true,
  });
  return directory;
}
