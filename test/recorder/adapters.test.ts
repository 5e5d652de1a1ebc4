/**
 * The adapters of the recorder, attached to skeletons of trainers (`skeletons/`): every line equals what the skeleton
 * sampled, computed and decided, and Turnwise reads it back. Requires Python 3; skipped with a message without it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getLedger } from '../../electron/roc/ledger.ts';
import { openReader } from '../../electron/storage/open.ts';
import { getRollout } from '../../electron/storage/queries/rollout.ts';
import { getTokens } from '../../electron/storage/queries/tokens.ts';
import { runHere } from '../support/commandLine.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const RECORDER = join(import.meta.dirname, '..', '..', 'shared', 'recorder');
const HERE = import.meta.dirname;
const isPython = (name: string, module = 'sys'): boolean =>
  spawnSync(name, ['-c', `import ${module}`]).status === 0;
const python = ['python3', 'python'].find((name) => isPython(name)) ?? '';
const withNumpy = ['python3', 'python', '/usr/bin/python3'].find((name) => isPython(name, 'numpy'));

interface Counts {
  readonly sampled: number;
  readonly rollouts: number;
  readonly validation: number;
  readonly decisions: number;
  readonly kept: number;
  readonly signals: number;
  readonly advantages: number;
  readonly metrics: number;
  readonly stages: readonly string[];
  readonly parts: number;
  readonly second_pools: number;
  /** Lines that no sampled rollout has. */
  readonly unknown: number;
  readonly wrong_rows: number;
  readonly wrong: readonly string[];
  readonly trained: number;
}

let scratchDirectory: string;
let made = 0;
beforeAll(() => {
  scratchDirectory = mkdtempSync(join(tmpdir(), 'turnwise-recorder-'));
});
afterAll(() => rmSync(scratchDirectory, { recursive: true, force: true }));

const newDirectory = (): string => join(scratchDirectory, `logs-${made++}`);

interface Python {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

function runPython(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Python> {
  return new Promise((resolve, reject) => {
    const inherited = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
    const child = spawn(command, ['-B', ...args], {
      env: { ...inherited, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, out, err }));
  });
}

async function train(
  trainer: string,
  version: string,
  loader: string,
  {
    directory = newDirectory(),
    command = python,
    ...env
  }: NodeJS.ProcessEnv & { directory?: string; command?: string } = {},
): Promise<Counts & { readonly err: string; readonly directory: string }> {
  const args = [join(HERE, 'run.py'), trainer, loader, directory];
  const { status, out, err } = await runPython(command, args, { SKELETON_VERSION: version, ...env });
  if (status !== 0) throw new Error(err);
  return { ...(JSON.parse(out) as Counts), err, directory };
}

const ALL = [
  ['rstar', '0.5', 'custom_cls'],
  ['verl', '0.4.1', 'custom_cls'],
  ['verl', '0.5', 'custom_cls'],
  ['verl', '0.6.1', 'module'],
  ['verl', '0.7.0', 'module'],
  ['verl', '0.7.1', 'custom_cls'],
  ['verl', '0.9', 'attach'],
  ['dapo', '0.5', 'custom_cls'],
  ['dapo', '0.6.1', 'module'],
  ['dapo', '0.7.0', 'module'],
  ['async', '0.7.1', 'module'],
  ['v1', '0.9', 'module'],
  ['v1', '0.9', 'custom_cls'],
] as const;

/** Trainers whose log is compared whole: each rollout has what was passed for it, and nothing else. */
const OTHERS = [
  ['trl', '1.9', 'callback'],
  ['openrlhf', '0.8', 'install'],
  ['openrlhf', '0.9', 'attach'],
  ['loop', '0', 'calls'],
] as const;

describe.runIf(python !== '')('recorder adapters', () => {
  it.each(OTHERS)(
    'records what %s %s passed, by %s, and Turnwise reads it',
    async (trainer, version, loader) => {
      const place = scratch();
      const directory = join(place.directory, 'logs');
      const counts = await train(trainer, version, loader, { directory, SKELETON_STEPS: '20' });
      expect([counts.err, counts.wrong, counts.wrong_rows, counts.unknown]).toEqual(['', [], 0, 0]);
      expect([counts.rollouts, counts.trained]).toEqual([counts.sampled, 20]);
      expect(counts.rollouts).toBeGreaterThan(100);
      const { files } = await ingestHere(place.library, [directory]);
      expect(files.flatMap(({ issues }) => issues)).toEqual([]);
      const [read] = rows(
        place.library,
        "SELECT count(*) AS rollouts FROM rollout JOIN run USING (run_id) WHERE kind = 'train'",
      );
      // The outputs of a rollout are joined.
      if (trainer !== 'loop') expect(read).toEqual({ rollouts: counts.rollouts });
      place.remove();
    },
  );

  it.each(ALL)('records what %s %s sampled, loaded by %s', async (trainer, version, loader) => {
    const counts = await train(trainer, version, loader);
    expect(counts.err).toBe('');
    expect(counts.wrong).toEqual([]);
    expect([counts.wrong_rows, counts.unknown]).toEqual([0, 0]);
    expect(counts.rollouts).toBe(counts.sampled);
    expect(counts.rollouts).toBeGreaterThanOrEqual(72);
    expect(counts.metrics).toBe(trainer === 'async' ? 8 : 4);
    const decides = ['rstar', 'dapo', 'v1'].includes(trainer);
    expect(counts.decisions > counts.kept && counts.kept > 0).toBe(decides);
    // v1 has all in the rollout's own line; the others add signals when the log-probabilities are there.
    expect(counts.signals > 0).toBe(trainer !== 'v1');
    expect(counts.validation).toBe(['rstar', 'verl'].includes(trainer) ? 3 : trainer === 'v1' ? 1 : 0);
    expect(counts.parts > 0).toBe(trainer === 'v1');
  });

  it.runIf(withNumpy !== undefined).each(ALL)(
    'records numpy columns and advantages per token alike: %s %s by %s',
    async (trainer, version, loader) => {
      const counts = await train(trainer, version, loader, {
        command: withNumpy ?? '',
        SKELETON_NUMPY: '1',
        SKELETON_GAE: '1',
      });
      expect([counts.wrong, counts.err]).toEqual([[], '']);
      expect(counts.rollouts).toBe(counts.sampled);
    },
  );

  it.each([
    ['verl', '0.5', 'custom_cls', 'rollout.tokens.mask'],
    ['trl', '1.9', 'callback', 'rollout.reward'],
    ['trl', '1.9', 'callback', 'rollout.tokens.ids'],
    ['openrlhf', '0.9', 'install', 'rollout.tokens.mask'],
    ['openrlhf', '0.9', 'install', 'decision.advantage'],
    ['loop', '0', 'calls', 'rollout.text'],
    ['loop', '0', 'calls', 'decision.kept'],
    ['loop', '0', 'calls', 'signal.tokens.entropy'],
  ])('finds a planted difference: %s %s %s %s', async (trainer, version, loader, path) => {
    const counts = await train(trainer, version, loader, { SKELETON_FAULT: `plant:${path}` });
    const name = path.split('.').at(-1);
    expect([counts.wrong_rows, counts.wrong[0]]).toEqual([1, expect.stringMatching(`: ${name} `)]);
  });

  it('prints each adapter with the recorder in one file, which records alike', async () => {
    const printed = join(scratchDirectory, 'printed');
    mkdirSync(printed);
    for (const name of ['verl', 'trl', 'openrlhf']) {
      const { out, code } = await runHere(scratchDirectory, ['recorder', name]);
      expect(code).toBe(0);
      expect(out).not.toMatch(/^from turnwise_recorder/m);
      writeFileSync(join(printed, `turnwise_${name}.py`), out);
    }
    const counts = await train('rstar', '0.5', 'custom_cls', { SKELETON_RECORDER: printed });
    expect([counts.wrong, counts.err]).toEqual([[], '']);
    expect([counts.rollouts, counts.metrics]).toEqual([counts.sampled, 4]);
  });

  it('records the configuration without what may be a credential', async () => {
    const { directory, wrong } = await train('rstar', '0.5', 'custom_cls');
    expect(wrong).toEqual([]);
    const [file = ''] = readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
    const [run = ''] = readFileSync(join(directory, file), 'utf8').split('\n');
    expect(run).not.toContain('hidden-value');
    expect(JSON.parse(run)).toMatchObject({
      model: 'model',
      limits: { max_response_tokens: 4096 },
      sampling: { temperature: 0.75, n: 6 },
      down_sampling: { rule: 'release', world_size: 4, down_sample_to_n: 4 },
      config: { trainer: { experiment_name: 'skeleton', project_name: 'test' } },
    });
  });

  it('records a step that is resumed, and says so', async () => {
    const counts = await train('verl', '0.5', 'custom_cls', { SKELETON_RESUME: '2' });
    expect([counts.stages, counts.wrong_rows]).toEqual([['resumed after step 2'], 0]);
  });

  it('does nothing without TURNWISE_LOG', async () => {
    const directory = newDirectory();
    const counts = await train('verl', '0.6.1', 'module', { directory, TURNWISE_LOG: '' });
    expect([counts.rollouts, counts.trained, counts.err]).toEqual([0, 4, '']);
  });
});

describe.runIf(python !== '')('faults of the recorder', () => {
  const TRAINERS = [
    ['rstar', '0.5', 'custom_cls', 7],
    ['verl', '0.6.1', 'module', 6],
    ['verl', '0.9', 'attach', 6],
    ['dapo', '0.7.0', 'module', 6],
    ['async', '0.7.1', 'module', 12],
    ['v1', '0.9', 'module', 6],
    ['trl', '1.9', 'callback', 60],
    ['openrlhf', '0.9', 'install', 60],
    ['loop', '0', 'calls', 60],
  ] as const;
  const stepsOf = (trainer: string): string => (['trl', 'openrlhf', 'loop'].includes(trainer) ? '60' : '6');

  it.each(TRAINERS)('trains on without a directory: %s %s', async (trainer, version, loader, last) => {
    const file = join(scratchDirectory, `file-${made++}`);
    writeFileSync(file, '');
    const env = { SKELETON_STEPS: stepsOf(trainer), directory: join(file, 'logs') };
    const counts = await train(trainer, version, loader, env);
    expect(counts.trained).toBe(last);
    expect(counts.err).toMatch(/^turnwise: could not record everything: NotADirectoryError/);
    expect(counts.err.match(/is off/g)).toHaveLength(1);
    expect(counts.err).not.toMatch(/Traceback/);
  });

  it.each(TRAINERS)(
    'trains on, and keeps whole lines, when the disk is full: %s %s',
    async (trainer, version, loader, last) => {
      const counts = await train(trainer, version, loader, {
        SKELETON_STEPS: stepsOf(trainer),
        SKELETON_FAULT: 'full',
        SKELETON_SEED: '5',
      });
      expect(counts.trained).toBe(last);
      expect(counts.err).toMatch(/turnwise: could not record everything: OSError/);
      expect(counts.rollouts).toBeGreaterThan(30);
      expect(counts.rollouts).toBeLessThan(counts.sampled);
      for (const name of readdirSync(counts.directory).filter((file) => file.endsWith('.jsonl'))) {
        const text = readFileSync(join(counts.directory, name), 'utf8');
        expect(text.endsWith('\n')).toBe(true);
        for (const line of text.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
      }
    },
  );

  it.each(TRAINERS)(
    'trains on while the directory is stalled, and loses nothing: %s %s',
    async (trainer, version, loader, last) => {
      const counts = await train(trainer, version, loader, {
        SKELETON_STEPS: stepsOf(trainer),
        SKELETON_FAULT: 'stalled',
      });
      expect([counts.trained, counts.err]).toEqual([last, '']);
      expect([counts.rollouts, counts.wrong]).toEqual([counts.sampled, []]);
    },
  );

  // TRL and loops of one's own pass texts.
  it.each(TRAINERS.filter(([trainer]) => trainer !== 'trl' && trainer !== 'loop'))(
    'trains on when no text can be decoded, and loses those rows only: %s %s',
    async (trainer, version, loader, last) => {
      const counts = await train(trainer, version, loader, {
        SKELETON_STEPS: stepsOf(trainer),
        SKELETON_FAULT: 'decode',
      });
      expect([counts.trained, counts.rollouts]).toEqual([last, 0]);
      expect(counts.metrics).toBe(trainer === 'async' ? 12 : trainer === 'openrlhf' ? 0 : 6);
      expect(counts.err).toMatch(/lost while recording: \d+ rows/);
      expect(counts.err).not.toMatch(/is off/);
    },
  );

  it('refuses a relative directory with the reason', async () => {
    const counts = await train('rstar', '0.5', 'custom_cls', { TURNWISE_LOG: 'logs/turnwise' });
    expect([counts.trained, counts.rollouts]).toEqual([5, 0]);
    expect(counts.err).toBe(
      "turnwise: recording is off: the log directory 'logs/turnwise' is relative. Give an absolute one that outlives the job\n",
    );
  });

  it.each([
    ['TURNWISE_EVERY', '2', ({ rollouts, metrics }: Counts) => [rollouts, metrics], [54, 4]],
    ['TURNWISE_GROUPS', '1', ({ rollouts, kept }: Counts) => [rollouts, kept > 0], [24, true]],
    [
      'TURNWISE_TOKENS',
      '0',
      ({ rollouts, signals, wrong_rows }: Counts) => [rollouts, signals, wrong_rows],
      [90, 0, 90],
    ],
    ['TURNWISE_COMPRESSION', 'gzip', ({ rollouts, wrong_rows }: Counts) => [rollouts, wrong_rows], [90, 0]],
  ] as const)('takes %s=%s', async (name, value, of, expected) => {
    const counts = await train('rstar', '0.5', 'custom_cls', { [name]: value });
    expect([of(counts), counts.err]).toEqual([expected, '']);
  });

  it.each(['TURNWISE_STEP_BYTES', 'TURNWISE_BYTES'])(
    'stays below %s, and counts what is left out',
    async (name) => {
      const counts = await train('verl', '0.5', 'custom_cls', { [name]: '20K' });
      const bytes = readdirSync(counts.directory)
        .filter((file) => file.endsWith('.jsonl'))
        .reduce((sum, file) => sum + readFileSync(join(counts.directory, file)).length, 0);
      expect(bytes).toBeLessThan((name === 'TURNWISE_BYTES' ? 1 : 5) * 20_480);
      expect(counts.rollouts).toBeLessThan(counts.sampled);
      expect(counts.err).toMatch(/^turnwise: lost while recording: \d+ lines beyond the limit of bytes/);
    },
  );

  it.each([
    'asynchronous',
    'properties',
    'keywords',
    'overrides',
    'validation',
    'remax',
    'failing',
    'memory',
    'borrowed',
    'secrets',
    'shipped',
  ])('disturbs no trainer, and records what it should: hostile.py %s', async (check) => {
    const script = join(HERE, 'hostile.py');
    const { status, err } = await runPython(python, [script, check, newDirectory()], {});
    expect([status, err]).toEqual([0, '']);
  });

  it.each([
    ['calls', /^turnwise: could not record everything: TypeError/],
    ['changed', /^$/],
    ['threads', /^turnwise: recording is off, since its thread did not start: RuntimeError.*\n$/],
    ['tokenizer', /^turnwise: could not record everything: RuntimeError: Already borrowed\n/],
    ['pickled', /^$/],
    ['processes', /^$/],
    ['partial', /^turnwise: could not record everything: OSError: stale file handle\n/],
    ['trl', /^$/],
    ['openrlhf', /^(turnwise: could not attach to this .*: AttributeError.*\n){2}$/],
  ] as const)('never raises from a call of the recorder: hostile.py %s', async (check, message) => {
    const script = join(HERE, 'hostile.py');
    const { status, err } = await runPython(python, [script, check, newDirectory()], {});
    expect([status, err]).toEqual([0, expect.stringMatching(message)]);
  });

  it('writes a file of its own in a process that was forked', async () => {
    const directory = newDirectory();
    const code = `
import os, sys
sys.path.insert(0, ${JSON.stringify(RECORDER)})
from turnwise_recorder import Recorder
rec = Recorder(sys.argv[1], run="forked")
rec.metric(1, {"parent": 1})
rec.flush()
child = os.fork()
if child == 0:
    rec.metric(2, {"child": 2})
    rec.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
rec.metric(3, {"parent": 3})
rec.close()
`;
    const { status, err } = await runPython(python, ['-c', code, directory], {});
    expect([status, err]).toEqual([0, '']);
    const files = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
    const found = files.map((text) =>
      [...text.matchAll(/"metrics": (\{[^}]*\})/g)].map(([, metrics]) => metrics),
    );
    expect(found.sort((a, b) => a.length - b.length)).toEqual([
      ['{"child": 2}'],
      ['{"parent": 1}', '{"parent": 3}'],
    ]);
  });
});

describe.runIf(python !== '').each([
  ['release', '8'],
  ['release-first-week', '4'],
])('a log of 100 pools of rStar2-Agent under %s with world size %s', (rule, world) => {
  let place: Scratch;
  let counts: Counts;
  beforeAll(async () => {
    place = scratch();
    const directory = join(place.directory, 'logs');
    const env = {
      directory,
      TURNWISE_RULE: rule,
      SKELETON_WORLD: world,
      SKELETON_STEPS: world === '4' ? '92' : '40',
    };
    counts = await train('rstar', '0.5', 'custom_cls', env);
    const outcome = await ingestHere(place.library, [directory]);
    expect(outcome.files.flatMap(({ issues }) => issues)).toEqual([]);
  }, 300_000);
  afterAll(() => place.remove());

  it('has no wrong row in a hundred pools, several of which share a step', () => {
    expect([counts.wrong, counts.rollouts]).toEqual([[], counts.sampled]);
    expect(counts.sampled / 18).toBeGreaterThanOrEqual(100);
    expect(counts.second_pools).toBeGreaterThan(100);
  });

  it('is decided as the trainer decided: 0 decisions differ', () => {
    const groups = rows(
      place.library,
      "SELECT group_id FROM prompt_group JOIN run USING (run_id) WHERE kind = 'train'",
    );
    const db = openReader(place.library);
    let decided = 0;
    for (const { group_id: groupId } of groups) {
      const ledger = getLedger(db, { groupId: Number(groupId), basis: {} });
      expect(ledger?.recomputed.basis).toMatchObject({
        rule,
        ruleSource: 'logged',
        settings: { world_size: Number(world) },
      });
      expect(ledger?.differences.rows).toBe(0);
      for (const { logged, recomputed } of ledger?.rows ?? []) {
        expect(recomputed.kept).toBe(logged?.kept);
        decided++;
      }
    }
    db.close();
    expect(decided).toBe(counts.decisions);
  });

  it('counts the tokens of each turn', () => {
    const unknown = 'SELECT count(*) AS turns FROM turn WHERE policy_tokens IS NULL AND rollout_id > 3';
    expect(rows(place.library, unknown)).toEqual([{ turns: 0 }]);
  });

  it('places every token by the tokenizer beside the log', () => {
    const found = rows(
      place.library,
      'SELECT count(*) AS rollouts FROM rollout WHERE policy_tokens IS NOT NULL',
    );
    expect(found[0]?.['rollouts']).toBe(counts.rollouts);
    const db = openReader(place.library);
    for (const id of [1, 2, 3].map((n) => n + 3)) {
      const response = getRollout(db, id)?.response ?? '';
      const { ends = new Uint32Array(), mask = new Uint8Array() } = getTokens(db, id) ?? {};
      const sampled = Array.from(ends, (end, i) =>
        mask[i] === 1 ? response.slice(ends[i - 1] ?? 0, end) : '',
      ).join('');
      const byTools = /<\|im_start\|>user\n[\s\S]*?<\|im_start\|>assistant\n<reason>/g;
      expect(sampled).toBe(response.replaceAll(byTools, ''));
    }
    db.close();
  });
});

it.runIf(python !== '')(
  'a followed log, whose first rollouts are a validation, has its new tokens placed',
  async () => {
    const place = scratch();
    const directory = join(place.directory, 'logs');
    await train('verl', '0.5', 'custom_cls', { directory });
    const [name = ''] = readdirSync(directory).filter((file) => file.endsWith('.jsonl'));
    const path = join(directory, name);
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `${lines.slice(0, 40).join('\n')}\n`);
    expect((await ingestHere(place.library, [directory])).runKeys).toEqual(['skeleton', 'skeleton~eval']);
    writeFileSync(path, lines.join('\n'));
    await ingestHere(place.library, [directory]);
    const placed = 'SELECT count(*) AS rollouts, sum(ends IS NOT NULL) AS placed FROM token_row';
    expect(rows(place.library, placed)).toEqual([{ rollouts: 72, placed: 72 }]);
    place.remove();
  },
);

describe.runIf(python !== '')('logs of other trainers, read back', () => {
  let place: Scratch;
  beforeAll(async () => {
    place = scratch();
    for (const [name, script] of [
      ['trl', join(HERE, 'trl.py')],
      ['openrlhf', join(HERE, 'openrlhf.py')],
      ['loop', join(RECORDER, 'example_loop.py')],
    ] as const) {
      const { status, out, err } = await runPython(python, [script, join(place.directory, name)], {});
      expect([status, err]).toEqual([0, '']);
      if (name !== 'trl') continue;
      const scores = [1, 0, 0];
      const style = [null, 0.25, 0.25];
      expect(JSON.parse(out)).toEqual([scores, style, scores, style, [1], [null], "the user's own"]);
    }
    await ingestHere(
      place.library,
      ['trl', 'openrlhf', 'loop'].map((name) => join(place.directory, name)),
    );
    const v1 = join(place.directory, 'v1');
    await train('v1', '0.9', 'module', { directory: v1 });
    await ingestHere(place.library, [v1]);
  });
  afterAll(() => place.remove());
  const of = (run: string, columns: string): readonly Record<string, unknown>[] =>
    rows(
      place.library,
      `SELECT ${columns} FROM rollout r JOIN run USING (run_id) WHERE run_key = '${run}' ORDER BY r.step, ordinal`,
    );

  it('TRL: rewards, their parts, the data set’s columns, evaluation apart', () => {
    const columns = 'r.step, reward, scores, problem_id, ground_truth';
    const problem = { problem_id: 'q1', ground_truth: '42' };
    const step = (number: number) => [
      { step: number, reward: 1, scores: '{"accuracy":1}', ...problem },
      { step: number, reward: 0.5, scores: '{"accuracy":0,"style":0.25}', ...problem },
      { step: number, reward: 0.5, scores: '{"accuracy":0,"style":0.25}', ...problem },
    ];
    expect(of('trl-run', columns)).toEqual([...step(1), ...step(2)]);
    expect(of('trl-run~eval', columns)).toEqual([
      { step: 2, reward: 1, scores: '{"accuracy":1}', ...problem },
    ]);
    expect(rows(place.library, "SELECT name, step, value FROM metric WHERE name = 'loss'")).toEqual([
      { name: 'loss', step: 1, value: 0.5 },
      { name: 'loss', step: 2, value: 0.5 },
    ]);
  });

  it('OpenRLHF: correctness, advantages, and log-probabilities at their tokens', () => {
    expect(of('openrlhf-run', 'r.step, reward, is_correct, advantage, policy_tokens')).toEqual(
      [1, 2].flatMap((step) => [
        { step, reward: 1, is_correct: 1, advantage: 0.5, policy_tokens: 2 },
        { step, reward: 0, is_correct: 0, advantage: 0.5, policy_tokens: 2 },
        { step, reward: 0, is_correct: 0, advantage: 0.5, policy_tokens: 10 },
      ]),
    );
    const [first] = of('openrlhf-run', 'rollout_id');
    const db = openReader(place.library);
    // The prompt has five bytes, so the first response token is at position 4 of the shifted columns.
    expect(getTokens(db, Number(first?.['rollout_id']))?.trainerLogprob).toEqual(
      Float32Array.of(-0.5, -0.625),
    );
    db.close();
  });

  it('a loop of one’s own: decisions and entropies', () => {
    const found = of('my-loop', 'r.step, kept, mean_entropy');
    expect(found).toHaveLength(12);
    for (const { kept, mean_entropy: entropy } of found) expect(entropy).toBe(kept === 1 ? 0.5 : null);
  });

  it('verl v0.9: several outputs of a session are one rollout with all tokens', () => {
    const found = of('skeleton', 'rollout_id, response_chars, policy_tokens, reason');
    expect(found).toHaveLength(120);
    const db = openReader(place.library);
    const joined = found.filter(({ rollout_id: id }) =>
      getRollout(db, Number(id))?.response.endsWith('\na second output<|im_end|>'),
    );
    expect(joined.length).toBeGreaterThan(5);
    for (const { rollout_id: id } of joined) {
      const tokens = getTokens(db, Number(id));
      expect(tokens?.ids?.length).toBe(tokens?.count);
      expect(tokens?.ids?.[tokens.count - 1]).toBe(258);
      expect(tokens?.ends?.[tokens.count - 1]).toBe(getRollout(db, Number(id))?.response.length);
    }
    db.close();
    const reasons = new Set(found.map(({ reason }) => reason));
    expect(reasons).toEqual(
      new Set([
        null,
        'discarded_stale',
        'discarded_surplus',
        'discarded_equal_reward_all_correct',
        'discarded_equal_reward_all_wrong',
      ]),
    );
  });
});
