/**
 * The adapters of the recorder, attached to skeletons of trainers (`skeletons/`): every line equals what the skeleton
 * sampled, computed and decided, and Turnwise reads it back. Requires Python 3; skipped with a message without it.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReader } from '../../electron/storage/open.ts';
import { getRollout } from '../../electron/storage/queries/rollout.ts';
import { getTokens } from '../../electron/storage/queries/tokens.ts';
import { runHere } from '../support/commandLine.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';
import {
  type Counts,
  checkDecisions,
  checkFault,
  checkPools,
  newDirectory,
  python,
  runPython,
  TRAINERS,
  train,
  type Variant,
  withNumpy,
} from '../support/recorded.ts';

const RECORDER = join(import.meta.dirname, '..', '..', 'shared', 'recorder');
const HERE = import.meta.dirname;
const RSTAR: Variant = ['rstar', '0.5', 'custom_cls'];
const VERL: Variant = ['verl', '0.5', 'custom_cls'];

describe.runIf(python !== '')('recorder adapters', () => {
  it.each(TRAINERS)('records what %s %s sampled, loaded by %s', async (trainer, version, loader) => {
    const counts = await checkPools([trainer, version, loader], { steps: 4 });
    if (trainer !== 'openrlhf') expect(counts.metrics).toBe(trainer === 'async' ? 8 : 4);
    if (['trl', 'openrlhf', 'loop'].includes(trainer)) return;
    const decides = ['rstar', 'dapo', 'v1'].includes(trainer);
    expect(counts.decisions > counts.kept && counts.kept > 0).toBe(decides);
    // v1 has all in the rollout's own line; the others add signals when the log-probabilities are there.
    expect(counts.signals > 0).toBe(trainer !== 'v1');
    expect(counts.validation).toBe(['rstar', 'verl'].includes(trainer) ? 3 : trainer === 'v1' ? 1 : 0);
    expect(counts.parts > 0).toBe(trainer === 'v1');
  });

  const NUMPY = TRAINERS.filter(([trainer]) => ['rstar', 'v1', 'openrlhf', 'loop'].includes(trainer));
  it.runIf(withNumpy !== undefined).each(NUMPY)(
    'records numpy columns and advantages per token alike: %s %s by %s',
    async (...variant) => {
      await checkPools(variant, { steps: 3, isNumpy: true });
    },
  );

  it.each(TRAINERS.slice(-3))('Turnwise reads every line of %s %s by %s', async (...variant) => {
    const place = scratch();
    const directory = join(place.directory, 'logs');
    const { rollouts } = await train(variant, { directory, SKELETON_STEPS: '10' });
    const { files } = await ingestHere(place.library, [directory]);
    expect(files.flatMap(({ issues }) => issues)).toEqual([]);
    const training = "SELECT count(*) AS rollouts FROM rollout JOIN run USING (run_id) WHERE kind = 'train'";
    // The outputs of a rollout are joined.
    if (variant[0] !== 'loop') expect(rows(place.library, training)).toEqual([{ rollouts }]);
    place.remove();
  });

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
    const counts = await train([trainer, version, loader], { SKELETON_FAULT: `plant:${path}` });
    const name = path.split('.').at(-1);
    expect([counts.wrong_rows, counts.wrong[0]]).toEqual([1, expect.stringMatching(`: ${name} `)]);
  });

  it('prints each adapter with the recorder in one file, which records alike', async () => {
    const printed = newDirectory();
    mkdirSync(printed);
    for (const name of ['verl', 'trl', 'openrlhf']) {
      const { out, code } = await runHere(printed, ['recorder', name]);
      expect(code).toBe(0);
      expect(out).not.toMatch(/^from turnwise_recorder/m);
      writeFileSync(join(printed, `turnwise_${name}.py`), out);
    }
    const counts = await train(RSTAR, { SKELETON_RECORDER: printed });
    expect([counts.wrong, counts.err]).toEqual([[], '']);
    expect([counts.rollouts, counts.metrics]).toEqual([counts.sampled, 4]);
  });

  it('records the configuration without what may be a credential', async () => {
    const { directory, wrong } = await train(RSTAR);
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
    const counts = await train(VERL, { SKELETON_RESUME: '2' });
    expect([counts.stages, counts.wrong_rows]).toEqual([['resumed after step 2'], 0]);
  });

  it('does nothing without TURNWISE_LOG', async () => {
    const directory = newDirectory();
    const counts = await train(['verl', '0.6.1', 'module'], { directory, TURNWISE_LOG: '' });
    expect([counts.rollouts, counts.trained, counts.err]).toEqual([0, 4, '']);
  });
});

describe.runIf(python !== '')('faults of the recorder', () => {
  // Each fault with two trainers, and each trainer once; `npm run soak` has all.
  it.each([
    ['there is no directory', 'rstar'],
    ['there is no directory', 'trl'],
    ['the disk is full', 'verl'],
    ['the disk is full', 'loop'],
    ['the directory is stalled', 'dapo'],
    ['the directory is stalled', 'v1'],
    ['no text can be decoded', 'async'],
    ['no text can be decoded', 'openrlhf'],
  ] as const)('trains on when %s: %s', async (fault, trainer) => {
    const variant = TRAINERS.find(([name]) => name === trainer);
    await checkFault(fault, variant ?? RSTAR);
  });

  it('refuses a relative directory with the reason', async () => {
    const counts = await train(RSTAR, { TURNWISE_LOG: 'logs/turnwise' });
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
    const counts = await train(RSTAR, { [name]: value });
    expect([of(counts), counts.err]).toEqual([expected, '']);
  });

  it.each(['TURNWISE_STEP_BYTES', 'TURNWISE_BYTES'])(
    'stays below %s, and counts what is left out',
    async (name) => {
      const counts = await train(VERL, { [name]: '20K' });
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
    ['queue', /^(turnwise: .* takes lines more slowly than they come; some are dropped and counted\n){5}/],
    ['exits', /^turnwise: could not record everything: SystemExit.*\nturnwise: recording is off: no text\n/],
    ['processes', /^$/],
    ['partial', /^turnwise: could not record everything: OSError: stale file handle\n/],
    ['unpacked', /^turnwise: could not record everything: ZeroDivisionError/],
    ['removed', /^(turnwise: .* was removed\. A new file begins\n){2}$/],
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

describe.runIf(python !== '')('a log of rStar2-Agent, in which pools share a step', () => {
  it.each([
    ['release', 8, 6],
    ['release-first-week', 4, 8],
  ] as const)('is decided as by the trainer under %s with world size %i', async (rule, world, steps) => {
    const { pools, decisions } = await checkDecisions(rule, { world, steps });
    expect(pools).toBeGreaterThan(steps);
    expect(decisions).toBe(pools * 18);
  });

  let place: Scratch;
  let counts: Counts;
  beforeAll(async () => {
    place = scratch();
    const directory = join(place.directory, 'logs');
    counts = await train(RSTAR, { directory });
    await ingestHere(place.library, [directory]);
  });
  afterAll(() => place.remove());

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
    await train(VERL, { directory });
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
    await train(['v1', '0.9', 'module'], { directory: v1 });
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
