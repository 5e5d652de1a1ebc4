import { describe, expect, it } from 'vitest';
import {
  assertionOf,
  overridesOf,
  RELEASE_DEFAULTS,
  SettingError,
  settingsOf,
  withOverride,
} from '../../shared/domain/downSampling.ts';

const EXAMPLE = {
  do_down_sampling: true,
  reject_equal_reward: true,
  roc_error_ratio: true,
  roc_answer_format: true,
  min_zero_reward_trace_num: 2,
  min_non_zero_reward_trace_num: 2,
  down_sample_to_n: 16,
} as const;
const { do_down_sampling, ...EXAMPLE_CONFIG } = EXAMPLE;
const names = Object.keys(EXAMPLE);

/** Every key path of a nested configuration, joined by `separator`. */
function flat(config: object, separator: string, path: readonly string[] = []): Record<string, unknown> {
  return Object.assign(
    {},
    ...Object.entries(config).map(([key, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null
        ? flat(value, separator, [...path, key])
        : { [[...path, key].join(separator)]: value },
    ),
  );
}

describe('settingsOf', () => {
  const nested = { augmentation: { do_down_sampling, down_sampling_config: EXAMPLE_CONFIG } };

  it.each([
    ['nested', nested],
    ['flat with dots', flat(nested, '.')],
    ['flat with slashes', flat(nested, '/')],
    [
      'half flat',
      { 'augmentation.down_sampling_config': EXAMPLE_CONFIG, augmentation: { do_down_sampling } },
    ],
    ['under the free config of a run line', { name: 'a run', config: nested }],
    ['bare names', EXAMPLE],
    ['under down_sampling_config', { down_sampling_config: EXAMPLE }],
    ['under down_sampling, as the Turnwise log has them', { down_sampling: EXAMPLE }],
    [
      'as Python prints them',
      Object.fromEntries(Object.entries(EXAMPLE).map(([k, v]) => [k, v === true ? 'True' : String(v)])),
    ],
    ['with 1 for true', Object.fromEntries(Object.entries(EXAMPLE).map(([k, v]) => [k, v === true ? 1 : v]))],
  ])('reads keys %s', (_, config) => {
    const read = settingsOf(config);
    expect(read.settings).toEqual({ ...RELEASE_DEFAULTS, ...EXAMPLE });
    expect(read.logged).toEqual(names);
    expect(read.unreadable).toEqual([]);
  });

  it('has the release’s defaults if nothing is logged', () => {
    expect(settingsOf({ name: 'x', augmentation: null, down_sampling: { down_sample_to_n: null } })).toEqual({
      settings: {
        do_down_sampling: true,
        reject_equal_reward: false,
        roc_error_ratio: false,
        roc_answer_format: false,
        min_zero_reward_trace_num: -1,
        min_non_zero_reward_trace_num: -1,
        down_sample_to_n: -1,
        world_size: 1,
        paper_zero_penalty: 'clean_first',
        paper_epsilon: 0.01,
        paper_equal_reward: 'reject',
        length_weight: 0,
        repetition_weight: 0,
      },
      logged: [],
      unreadable: [],
      rule: undefined,
    });
  });

  it('honours a logged false', () => {
    const read = settingsOf({ augmentation: { do_down_sampling: 'False' } });
    expect(read.settings.do_down_sampling).toBe(false);
    expect(read.logged).toEqual(['do_down_sampling']);
  });

  it('names values that cannot be read and keeps their default', () => {
    const read = settingsOf({ down_sample_to_n: 'many', world_size: 0, roc_error_ratio: [true, false] });
    expect(read.settings).toEqual(RELEASE_DEFAULTS);
    expect(read).toMatchObject({
      logged: [],
      unreadable: ['roc_error_ratio', 'down_sample_to_n', 'world_size'],
    });
  });

  it('prefers the trainer’s own path', () => {
    const read = settingsOf({
      down_sample_to_n: 4,
      augmentation: { down_sampling_config: { down_sample_to_n: 8 } },
    });
    expect(read.settings.down_sample_to_n).toBe(8);
    const hidden = {
      down_sample_to_n: 4,
      augmentation: { down_sampling_config: { down_sample_to_n: null } },
    };
    expect(settingsOf(hidden).settings.down_sample_to_n).toBe(4);
  });

  it('multiplies nodes by processes for the world size, unless it is logged', () => {
    expect(settingsOf({ trainer: { nnodes: 2, n_gpus_per_node: '8' } })).toMatchObject({
      settings: { world_size: 16 },
      logged: ['world_size'],
    });
    expect(settingsOf({ 'trainer.nnodes': 2, 'trainer.n_gpus_per_node': 8 }).settings.world_size).toBe(16);
    expect(settingsOf({ trainer: { nnodes: 2 } }).logged).toEqual([]);
    expect(
      settingsOf({ world_size: 4, trainer: { nnodes: 2, n_gpus_per_node: 8 } }).settings.world_size,
    ).toBe(4);
  });

  it('reads the rule of a run, but only beside the settings', () => {
    expect(settingsOf({ down_sampling: { rule: 'release-first-week' } }).rule).toBe('release-first-week');
    expect(settingsOf({ down_sampling: { rule: 'mine' } }).rule).toBeUndefined();
    expect(settingsOf({ rule: 'paper' }).rule).toBeUndefined();
  });
});

describe('withOverride', () => {
  it.each([
    ['down_sample_to_n=8', { down_sample_to_n: 8 }],
    ['augmentation.down_sampling_config.down_sample_to_n=8', { down_sample_to_n: 8 }],
    ['+augmentation.down_sampling_config.roc_error_ratio=True', { roc_error_ratio: true }],
    ['augmentation.do_down_sampling=false', { do_down_sampling: false }],
    ['reject_equal_reward = 1', { reject_equal_reward: true }],
    ['min_zero_reward_trace_num=-1', { min_zero_reward_trace_num: -1 }],
    ['world_size=64', { world_size: 64 }],
    ['paper_zero_penalty=epsilon', { paper_zero_penalty: 'epsilon' }],
    ['paper_epsilon=1e-3', { paper_epsilon: 0.001 }],
    ['paper_equal_reward=sample', { paper_equal_reward: 'sample' }],
    ['length_weight=0.25', { length_weight: 0.25 }],
    ['repetition_weight=-1', { repetition_weight: -1 }],
  ])('%s', (override, changed) => {
    expect(withOverride(RELEASE_DEFAULTS, override)).toEqual({ ...RELEASE_DEFAULTS, ...changed });
  });

  it.each([
    ['nope=1', /no setting is called "nope".*do_down_sampling.*down_sample_to_n.*repetition_weight/],
    ['toString=1', /no setting is called/],
    ['down_sample_to_n', /not of the form key=value/],
    ['down_sample_to_n=1.5', /down_sample_to_n must be a whole number, not "1.5"/],
    ['down_sample_to_n=', /must be a whole number/],
    ['roc_error_ratio=maybe', /roc_error_ratio must be true or false/],
    ['world_size=0', /world_size must be a whole number of 1 or more/],
    ['paper_epsilon=0', /paper_epsilon must be a number above 0/],
    ['paper_zero_penalty=never', /must be clean_first or epsilon/],
    ['length_weight=Infinity', /length_weight must be a number/],
  ])('refuses %s', (override, message) => {
    expect(() => withOverride(RELEASE_DEFAULTS, override)).toThrow(SettingError);
    expect(() => withOverride(RELEASE_DEFAULTS, override)).toThrow(message);
  });
});

describe('overridesOf', () => {
  it('separates settings of the trainer from others', () => {
    const settings = { ...RELEASE_DEFAULTS, ...EXAMPLE, length_weight: 0.5, world_size: 8 };
    expect(overridesOf(settings)).toEqual({
      trainer: [
        'augmentation.do_down_sampling=True',
        'augmentation.down_sampling_config.reject_equal_reward=True',
        'augmentation.down_sampling_config.roc_error_ratio=True',
        'augmentation.down_sampling_config.roc_answer_format=True',
        'augmentation.down_sampling_config.min_zero_reward_trace_num=2',
        'augmentation.down_sampling_config.min_non_zero_reward_trace_num=2',
        'augmentation.down_sampling_config.down_sample_to_n=16',
      ],
      extras: ['world_size=8', 'length_weight=0.5'],
    });
    expect(overridesOf(RELEASE_DEFAULTS).extras).toEqual([]);
  });

  it('is complete: applied to the defaults, both lists restore the settings', () => {
    const settings = {
      ...RELEASE_DEFAULTS,
      ...EXAMPLE,
      do_down_sampling: false,
      paper_epsilon: 0.5,
      paper_equal_reward: 'sample',
    } as const;
    const { trainer, extras } = overridesOf(settings);
    expect([...trainer, ...extras].reduce(withOverride, RELEASE_DEFAULTS)).toEqual(settings);
  });
});

describe('assertionOf', () => {
  const minima = (zero: number, nonZero: number, n: number) =>
    assertionOf({
      ...RELEASE_DEFAULTS,
      min_zero_reward_trace_num: zero,
      min_non_zero_reward_trace_num: nonZero,
      down_sample_to_n: n,
    });

  it('speaks when both minima exceed the target', () => {
    expect(minima(9, 8, 16)).toMatch(/9 .* 8 = 17 exceed down_sample_to_n 16/);
    expect(minima(8, 8, 16)).toBeUndefined();
    expect(minima(2, 2, -1)).toBeUndefined();
    expect(minima(-1, -1, -1)).toBeUndefined();
    expect(minima(-1, -1, 16)).toBeUndefined();
  });
});
