/** `turnwise roc` from outside: output, basis and exit codes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLE, writePoolLog } from '../roc/poolLog.ts';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  const steps = [
    { step: 1, pools: ['+e+s----', '++++++++'] },
    { step: 2, pools: ['?+e-----'] },
  ];
  await ingestHere(place.library, [writePoolLog(place, steps, EXAMPLE)]);
});
afterAll(() => place.remove());

const roc = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, ['roc', ...args, '--library', place.library]);

interface Group {
  readonly group_id: number;
  readonly step: number;
  readonly problem_id: string;
  readonly n: number;
  readonly rule: string;
  readonly rollouts: readonly Readonly<Record<string, unknown>>[];
}
const groupsOf = (out: string): readonly Group[] => JSON.parse(out) as readonly Group[];

describe('roc --json', () => {
  it('prints every group, rejected ones included, in batch order', async () => {
    const { code, out, err } = await roc('--json');
    expect(code).toBe(0);
    const groups = groupsOf(out);
    expect(groups.map(({ step, problem_id, n, rule }) => [step, problem_id, n, rule])).toEqual([
      [1, 'p0', 8, 'release'],
      [1, 'p1', 8, 'release'],
      [2, 'p0', 8, 'release'],
    ]);
    expect(Object.keys(groups[0] ?? {})).toEqual(['group_id', 'step', 'problem_id', 'n', 'rule', 'rollouts']);
    const [mixed, equal, unknown] = groups;
    expect(mixed?.rollouts[1]).toEqual({
      rollout_id: 2,
      ordinal: 1,
      reward: 1,
      p_err: 1,
      p_format: 0,
      penalty: 1,
      kept: false,
      reason: 'discarded_positive_penalty',
      inclusion: null,
      advantage: null,
    });
    expect(mixed?.rollouts.filter(({ kept }) => kept).map(({ ordinal }) => ordinal)).toEqual([0, 2, 4, 5]);
    expect(new Set(equal?.rollouts.map(({ reason }) => reason))).toEqual(
      new Set(['discarded_equal_reward_all_correct']),
    );
    expect(unknown?.rollouts[0]).toMatchObject({ reward: null, kept: null, reason: null });
    expect(err).toContain('run pools (pools), rule release (logged), penalties: text\n');
    expect(err).toContain('  down_sample_to_n = 4 (logged)\n');
    expect(err).toContain('  world_size = 1 (default)\n');
    expect(err).toContain('undecided: 1 group: a reward is unknown\n');
  });

  it('takes settings by their bare names and by the trainer’s paths', async () => {
    const { out, err } = await roc(
      ...['--json', '--step', '1', '--set', 'reject_equal_reward=False'],
      ...['--set', 'augmentation.down_sampling_config.down_sample_to_n=2', '--rule', 'release-first-week'],
    );
    const groups = groupsOf(out);
    expect(groups.map(({ rollouts }) => rollouts.filter(({ kept }) => kept).length)).toEqual([2, 2]);
    expect(groups[0]?.rule).toBe('release-first-week');
    expect(err).toContain('rule release-first-week (set)');
    expect(err).toContain('  down_sample_to_n = 2 (set)\n');
  });

  it('takes a smaller oversampling', async () => {
    const [group] = groupsOf((await roc('--json', '--step', '1', '--group-size', '6')).out);
    expect([group?.n, group?.rollouts.length]).toEqual([6, 6]);
    expect(group?.rollouts.filter(({ kept }) => kept).length).toBe(4);
    expect(await roc('--group-size', '0')).toMatchObject({ code: 2 });
  });

  it('has probabilities and no decisions under the paper’s rule', async () => {
    const [group] = groupsOf((await roc('--json', '--rule', 'paper', '--step', '1')).out);
    expect(new Set(group?.rollouts.map(({ kept }) => kept))).toEqual(new Set([null]));
    expect(group?.rollouts.map(({ inclusion }) => inclusion)).toEqual([1, 0, 1, 0, 0.5, 0.5, 0.5, 0.5]);
  });

  it('reports the assertion with which the release would stop', async () => {
    const { err } = await roc('--json', '--step', '1', '--set', 'down_sample_to_n=3');
    expect(err).toMatch(/undecided: 1 group: .* but down_sample_to_n is 3: the release stops here/);
    expect((await roc('--rule', 'paper')).out).toMatch(/ positives expected /);
  });

  it('reports the chosen penalties even where the rule ignores them', async () => {
    const settings = ['--set', 'roc_error_ratio=false', '--set', 'roc_answer_format=false'];
    const [group] = groupsOf((await roc('--json', '--step', '1', '--penalty', 'typed', ...settings)).out);
    expect(group?.rollouts[3]).toMatchObject({ p_err: 0.5, p_format: 0, penalty: 0 });
    const [logged] = groupsOf((await roc('--json', '--step', '1', '--penalty', 'logged')).out);
    expect(logged?.rollouts[3]).toMatchObject({ p_err: null, p_format: null, penalty: null, kept: null });
  });

  it('prints nothing for a missing step', async () => {
    expect(await roc('--json', '--run', 'pools', '--step', '9')).toMatchObject({ code: 1, out: '' });
  });
});

describe('roc', () => {
  it('prints a line per step', async () => {
    const { code, out } = await roc();
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['step', 'groups', 'rejected', 'rollouts', 'kept', 'positives kept', 'negatives kept', 'undecided'],
      ['1', '2', '1', '16', '4', '2 of 12', '2 of 4', '0'],
      ['2', '1', '0', '8', '0', '0 of 2', '0 of 5', '8'],
    ]);
  });

  it.each([
    [['--rule', 'nonsense'], /--rule must be one of release, release-first-week, paper/],
    [['--penalty', 'nonsense'], /--penalty must be one of logged, text, typed/],
    [['--set', 'nonsense=1'], /no setting is called "nonsense"; known settings: do_down_sampling/],
    [['--set', 'world_size=0'], /world_size must be a whole number of 1 or more/],
    [['--step', 'x'], /--step must be a whole number/],
    [['extra'], /takes no arguments/],
  ])('refuses %j as a usage error', async (args, message) => {
    const { code, out, err } = await roc(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });

  it('lists the existing runs when the requested one is missing', async () => {
    const { code, err } = await roc('--run', 'nobody');
    expect(code).toBe(1);
    expect(err).toContain('no run nobody; known runs: pools (pools, train)');
  });
});

describe('join', () => {
  it('reports the result, and explains invalid arguments', async () => {
    const join = (...args: readonly string[]): Promise<CommandRun> =>
      runHere(place.directory, ['join', ...args, '--library', place.library]);
    expect(await join('pools')).toMatchObject({ code: 2, out: '' });
    expect((await join('pools', 'nobody')).err).toContain('the library has no run nobody');
    expect((await join('pools', 'pools')).err).toContain('cannot be joined with itself');
    expect(await join('pools', 'nobody', '--undo')).toMatchObject({ code: 1, out: '' });
  });
});
