/**
 * Skeletons of trainers with the Python recorder attached; the caller chooses how many (`test/recorder`,
 * `npm run soak`).
 */
import { strict as assert } from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getLedger } from '../../electron/roc/ledger.ts';
import { openReader } from '../../electron/storage/open.ts';
import { ingestHere, rows, scratch } from './library.ts';

const RUN = join(import.meta.dirname, '..', 'recorder', 'run.py');
const isPython = (name: string, module = 'sys'): boolean =>
  spawnSync(name, ['-c', `import ${module}`]).status === 0;

/** Empty without a Python 3. */
export const python = ['python3', 'python'].find((name) => isPython(name)) ?? '';
export const withNumpy = ['python3', 'python', '/usr/bin/python3'].find((name) => isPython(name, 'numpy'));

/** Trainer, its version, and what loads the recorder. */
export type Variant = readonly [trainer: string, version: string, loader: string];

export const VARIANTS: readonly Variant[] = [
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
  ['trl', '1.13', 'callback'],
  ['openrlhf', '0.8', 'install'],
  ['openrlhf', '0.9', 'attach'],
  ['loop', '0', 'calls'],
];

/** One variant of each trainer. */
export const TRAINERS: readonly Variant[] = [
  ['rstar', '0.5', 'custom_cls'],
  ['verl', '0.7.0', 'module'],
  ['dapo', '0.6.1', 'module'],
  ['async', '0.7.1', 'module'],
  ['v1', '0.9', 'custom_cls'],
  ['trl', '1.13', 'callback'],
  ['openrlhf', '0.9', 'install'],
  ['loop', '0', 'calls'],
];

export interface Counts {
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

let root: string | undefined;
let made = 0;

/** A path that does not exist, below a directory that is removed when the process ends. */
export function newDirectory(): string {
  if (root === undefined) {
    const created = mkdtempSync(join(tmpdir(), 'turnwise-recorder-'));
    process.on('exit', () => rmSync(created, { recursive: true, force: true }));
    root = created;
  }
  return join(root, `logs-${made++}`);
}

interface Python {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export function runPython(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Python> {
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

/** Trains a skeleton; its log is compared with what it sampled. Names in capitals are variables of the environment. */
export async function train(
  [trainer, version, loader]: Variant,
  {
    directory = newDirectory(),
    command = python,
    ...env
  }: NodeJS.ProcessEnv & { directory?: string; command?: string } = {},
): Promise<Counts & { readonly err: string; readonly directory: string }> {
  const args = [RUN, trainer, loader, directory];
  const { status, out, err } = await runPython(command, args, { SKELETON_VERSION: version, ...env });
  if (status !== 0) throw new Error(err);
  return { ...(JSON.parse(out) as Counts), err, directory };
}

/** @returns the counts of a log in which every row is what the skeleton sampled */
export async function checkPools(
  variant: Variant,
  { steps, isNumpy = false }: { steps: number; isNumpy?: boolean },
): Promise<Counts> {
  const counts = await train(variant, {
    SKELETON_STEPS: String(steps),
    SKELETON_SEED: '7',
    ...(isNumpy ? { command: withNumpy ?? '', SKELETON_NUMPY: '1', SKELETON_GAE: '1' } : {}),
  });
  rmSync(counts.directory, { recursive: true });
  const { err, wrong, unknown, rollouts, sampled } = counts;
  assert.deepEqual({ err, wrong, unknown, rollouts }, { err: '', wrong: [], unknown: 0, rollouts: sampled });
  assert.ok(rollouts >= steps, `${variant} sampled ${rollouts} rollouts in ${steps} steps`);
  return counts;
}

/** TRL and loops of one's own pass texts, so that nothing is decoded. */
const DECODING = TRAINERS.filter(([trainer]) => trainer !== 'trl' && trainer !== 'loop');

export type Fault =
  | 'there is no directory'
  | 'the disk is full'
  | 'the directory is stalled'
  | 'no text can be decoded';

export const FAULTS: readonly (readonly [Fault, readonly Variant[]])[] = [
  ['there is no directory', TRAINERS],
  ['the disk is full', TRAINERS],
  ['the directory is stalled', TRAINERS],
  ['no text can be decoded', DECODING],
];

/** The training ends at its last step, and no line is garbled. */
export async function checkFault(fault: Fault, variant: Variant): Promise<void> {
  const [trainer] = variant;
  // Enough to fill the disk: rows of TRL and OpenRLHF are few and short.
  const steps = trainer === 'trl' || trainer === 'openrlhf' ? 60 : trainer === 'loop' ? 18 : 6;
  const env = { SKELETON_STEPS: String(steps), SKELETON_SEED: '5' };
  const directory = newDirectory();
  if (fault === 'there is no directory') writeFileSync(directory, '');
  const counts = await train(variant, {
    ...env,
    directory: fault === 'there is no directory' ? join(directory, 'logs') : directory,
    SKELETON_FAULT: {
      'there is no directory': '',
      'the disk is full': 'full',
      'the directory is stalled': 'stalled',
      'no text can be decoded': 'decode',
    }[fault],
  });
  assert.equal(counts.trained, trainer === 'rstar' ? steps + 1 : trainer === 'async' ? 2 * steps : steps);
  assert.doesNotMatch(counts.err, /Traceback/);
  switch (fault) {
    case 'there is no directory':
      assert.match(counts.err, /^turnwise: could not record everything: NotADirectoryError/);
      assert.ok((counts.err.match(/is off/g) ?? []).length <= 1, counts.err);
      break;
    case 'the disk is full':
      assert.match(counts.err, /turnwise: could not record everything: OSError/);
      // How many fit depends on which lines are written first.
      assert.ok(counts.rollouts > 0 && counts.rollouts < counts.sampled, `${counts.rollouts} rollouts`);
      for (const name of readdirSync(directory).filter((file) => file.endsWith('.jsonl'))) {
        const text = readFileSync(join(directory, name), 'utf8');
        assert.ok(text.endsWith('\n'));
        for (const line of text.trimEnd().split('\n')) JSON.parse(line);
      }
      break;
    case 'the directory is stalled':
      assert.deepEqual([counts.err, counts.rollouts, counts.wrong], ['', counts.sampled, []]);
      break;
    default:
      assert.equal(counts.rollouts, 0);
      assert.match(counts.err, /lost while recording: \d+ rows/);
      assert.doesNotMatch(counts.err, /is off/);
      if (trainer !== 'openrlhf') assert.equal(counts.metrics, trainer === 'async' ? 2 * steps : steps);
  }
  rmSync(directory, { recursive: true });
}

/**
 * Pools of rStar2-Agent, several of which share a step, read by Turnwise and decided again.
 *
 * @returns the pools, and the decisions that were compared
 */
export async function checkDecisions(
  rule: 'release' | 'release-first-week',
  { world, steps }: { world: number; steps: number },
): Promise<{ readonly pools: number; readonly decisions: number }> {
  const place = scratch();
  try {
    const directory = join(place.directory, 'logs');
    const counts = await train(['rstar', '0.5', 'custom_cls'], {
      directory,
      TURNWISE_RULE: rule,
      SKELETON_WORLD: String(world),
      SKELETON_STEPS: String(steps),
    });
    assert.deepEqual([counts.wrong, counts.rollouts], [[], counts.sampled]);
    assert.ok(counts.second_pools > 0);
    const { files } = await ingestHere(place.library, [directory]);
    assert.deepEqual(
      files.flatMap(({ issues }) => issues),
      [],
    );
    const training = "SELECT group_id FROM prompt_group JOIN run USING (run_id) WHERE kind = 'train'";
    const groups = rows(place.library, training);
    const db = openReader(place.library);
    let decisions = 0;
    for (const { group_id: groupId } of groups) {
      const ledger = getLedger(db, { groupId: Number(groupId), basis: {} });
      const { basis } = ledger?.recomputed ?? {};
      assert.deepEqual(
        [basis?.rule, basis?.ruleSource, basis?.settings?.world_size],
        [rule, 'logged', world],
      );
      assert.equal(ledger?.differences.rows, 0);
      for (const { logged, recomputed } of ledger?.rows ?? []) {
        assert.equal(recomputed.kept, logged?.kept);
        decisions++;
      }
    }
    db.close();
    assert.equal(decisions, counts.decisions);
    return { pools: counts.sampled / 18, decisions };
  } finally {
    place.remove();
  }
}
