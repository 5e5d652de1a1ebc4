/**
 * Settings of down-sampling: the released trainer's keys and defaults, choices that the paper leaves open,
 * and what-if settings.
 *
 * Source: `rstar2_agent/config/rstar2_agent_trainer.yaml` and `_down_sample_batch` of
 * `rstar2_agent_ray_trainer.py` (shared/domain/DOMAIN.md#settings).
 */

/**
 * `release`: since 5 September 2025. `release-first-week`: before that date. `paper`: §2.2.3 of the paper.
 */
export const RESAMPLE_RULES = ['release', 'release-first-week', 'paper'] as const;
export type ResampleRule = (typeof RESAMPLE_RULES)[number];

export const RULE_NAMES: Readonly<Record<ResampleRule, string>> = {
  release: 'release',
  'release-first-week': 'release, first week',
  paper: 'paper',
};

const PAPER_ZERO_PENALTIES = ['clean_first', 'epsilon'] as const;
const PAPER_EQUAL_REWARDS = ['reject', 'sample'] as const;

export interface DownSamplingSettings {
  readonly do_down_sampling: boolean;
  readonly reject_equal_reward: boolean;
  readonly roc_error_ratio: boolean;
  readonly roc_answer_format: boolean;
  readonly min_zero_reward_trace_num: number;
  readonly min_non_zero_reward_trace_num: number;
  /** Rollouts kept per group. 0 or less: no resampling, only the rejection of equal rewards. */
  readonly down_sample_to_n: number;
  /** Trainer processes. A batch is truncated to a multiple of it; 1: no truncation. */
  readonly world_size: number;
  /**
   * The weight 1/p of a rollout without penalty, which the paper does not define. `clean_first`: infinite, so
   * these are taken before all others, uniformly. `epsilon`: every weight is 1/(p + `paper_epsilon`).
   */
  readonly paper_zero_penalty: (typeof PAPER_ZERO_PENALTIES)[number];
  /** Above 0. Used only if `paper_zero_penalty` is `epsilon`. */
  readonly paper_epsilon: number;
  /**
   * Groups of equal rewards, which the paper's Eq. 6 does not mention. `reject`: §4.3 mentions rejecting
   * problems of pass rate 1, whose advantages are 0 anyway. `sample`: treated like any other group.
   */
  readonly paper_equal_reward: (typeof PAPER_EQUAL_REWARDS)[number];
  /** What-if: penalty per unit of a row's `length`. The trainer has no such key. */
  readonly length_weight: number;
  /** What-if: penalty per unit of a row's `repetition`. The paper tried it and it hurt (§4.3.1). */
  readonly repetition_weight: number;
}

/**
 * The release's defaults (shared/domain/DOMAIN.md#settings), except that `do_down_sampling` is true. The
 * release's false would decide nothing, and a recomputation asks what down-sampling would do. A logged false
 * is honoured (`settingsOf`).
 */
export const RELEASE_DEFAULTS: DownSamplingSettings = {
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
};

export type SettingName = keyof DownSamplingSettings;

/** An override that names no setting or has an invalid value. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
  /** A failure code of the API. */
  readonly code = 'refused';
}

// ── settings ────────────────────────────────────────────────────────────────────────────────────

interface Setting {
  /** Completes the sentence "… must be". */
  readonly expected: string;
  /** Returns undefined for an invalid value. */
  readonly read: (value: unknown) => boolean | number | string | undefined;
  /** Path in the trainer's configuration. Absent: the trainer does not have the setting. */
  readonly trainerPath?: 'augmentation' | 'augmentation.down_sampling_config';
}

/** Spellings in YAML 1.1, which the trainer's configuration uses, and in Python's output. */
const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);

function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = String(value).trim().toLowerCase();
  return TRUE.has(word) ? true : FALSE.has(word) ? false : undefined;
}

function readNumber(value: unknown): number | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function readWhole(value: unknown): number | undefined {
  const number = readNumber(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

const oneOf = (words: readonly string[]): Setting => ({
  expected: words.join(' or '),
  read: (value) => words.find((word) => word === value),
});
const atLeast = (read: (value: unknown) => number | undefined, isAllowed: (value: number) => boolean) => {
  return (value: unknown): number | undefined => {
    const number = read(value);
    return number !== undefined && isAllowed(number) ? number : undefined;
  };
};

const BOOLEAN: Setting = { expected: 'true or false', read: readBoolean };
const WHOLE: Setting = { expected: 'a whole number', read: readWhole };
const NUMBER: Setting = { expected: 'a number', read: readNumber };
const IN_CONFIG = 'augmentation.down_sampling_config' as const;

/** In the order of the trainer's configuration; the trainer's own settings first. */
const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  do_down_sampling: { ...BOOLEAN, trainerPath: 'augmentation' },
  reject_equal_reward: { ...BOOLEAN, trainerPath: IN_CONFIG },
  roc_error_ratio: { ...BOOLEAN, trainerPath: IN_CONFIG },
  roc_answer_format: { ...BOOLEAN, trainerPath: IN_CONFIG },
  min_zero_reward_trace_num: { ...WHOLE, trainerPath: IN_CONFIG },
  min_non_zero_reward_trace_num: { ...WHOLE, trainerPath: IN_CONFIG },
  down_sample_to_n: { ...WHOLE, trainerPath: IN_CONFIG },
  world_size: { expected: 'a whole number of 1 or more', read: atLeast(readWhole, (value) => value >= 1) },
  paper_zero_penalty: oneOf(PAPER_ZERO_PENALTIES),
  paper_epsilon: { expected: 'a number above 0', read: atLeast(readNumber, (value) => value > 0) },
  paper_equal_reward: oneOf(PAPER_EQUAL_REWARDS),
  length_weight: NUMBER,
  repetition_weight: NUMBER,
};

const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);
export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS).filter(isSettingName);

// ── from a logged configuration ─────────────────────────────────────────────────────────────────

export interface LoggedSettings {
  /** The release's defaults for settings that are not logged. */
  readonly settings: DownSamplingSettings;
  /** Bare names of logged settings, in the order of the settings. */
  readonly logged: readonly SettingName[];
  /** Bare names of settings whose logged value is invalid; their default applies. */
  readonly unreadable: readonly SettingName[];
  /** The rule that the run logged. */
  readonly rule: ResampleRule | undefined;
}

/**
 * From the trainer's own path to the loosest. `down_sampling` is the key in the Turnwise log's `run` line.
 */
const PLACES = [
  'augmentation.down_sampling_config.',
  'augmentation.',
  'down_sampling_config.',
  'down_sampling.',
  '',
] as const;

/**
 * @param config a run's logged configuration: nested, or flat with dotted or slashed keys (as in MLflow), or
 *   bare names; at the top level or under `config`. `world_size` may also be `trainer.nnodes` ×
 *   `trainer.n_gpus_per_node`. Booleans may be logged as true, "True" or 1.
 */
export function settingsOf(config: Readonly<Record<string, unknown>>): LoggedSettings {
  const found = new Map<SettingName, boolean | number | string>();
  const unreadable: SettingName[] = [];
  for (const name of SETTING_NAMES) {
    const value = loggedValue(config, name) ?? (name === 'world_size' ? worldSizeOf(config) : undefined);
    if (value === undefined) continue;
    const read = SETTINGS[name].read(value);
    if (read === undefined) unreadable.push(name);
    else found.set(name, read);
  }
  const rule = loggedValue(config, 'rule');
  return {
    settings: { ...RELEASE_DEFAULTS, ...Object.fromEntries(found) },
    logged: [...found.keys()],
    unreadable,
    rule: RESAMPLE_RULES.find((known) => known === rule),
  };
}

/** Settings that determine down-sampling. If a run logged none of them, its down-sampling is unknown. */
const DECISIVE: ReadonlySet<SettingName> = new Set<SettingName>([
  'do_down_sampling',
  'reject_equal_reward',
  'roc_error_ratio',
  'roc_answer_format',
  'down_sample_to_n',
]);

/** Whether these logged settings determine the down-sampling of a run. */
export const areStated = (names: readonly SettingName[]): boolean => names.some((name) => DECISIVE.has(name));

/** undefined: not logged, or logged as null. */
function loggedValue(config: Readonly<Record<string, unknown>>, name: string): unknown {
  for (const place of PLACES) {
    // A bare `rule` at the top level may have any other meaning.
    if (place === '' && name === 'rule') continue;
    for (const root of ['', 'config.']) {
      const value = valueAt(config, `${root}${place}${name}`.split('.'));
      if (value !== undefined && value !== null) return value;
    }
  }
  return undefined;
}

function worldSizeOf(config: Readonly<Record<string, unknown>>): number | undefined {
  const trainer = (name: string): number | undefined =>
    readWhole(valueAt(config, ['trainer', name]) ?? valueAt(config, ['config', 'trainer', name]));
  const nodes = trainer('nnodes');
  const perNode = trainer('n_gpus_per_node');
  return nodes === undefined || perNode === undefined ? undefined : nodes * perNode;
}

/** The value at a path; any part of the path may be joined into one flat key. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  if (path.length === 0) return value;
  if (!isRecord(value)) return undefined;
  for (let taken = path.length; taken > 0; taken--) {
    for (const separator of taken > 1 ? ['.', '/'] : ['.']) {
      const key = path.slice(0, taken).join(separator);
      if (!Object.hasOwn(value, key)) continue;
      const found = valueAt(value[key], path.slice(taken));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// ── overrides ───────────────────────────────────────────────────────────────────────────────────

const PREFIX = /^\+{0,2}(?:augmentation\.)?(?:down_sampling_config\.)?/;

/**
 * @param override `key=value`; the key bare or with the trainer's path before it
 * @throws SettingError naming the known keys, or the valid values
 */
export function withOverride(settings: DownSamplingSettings, override: string): DownSamplingSettings {
  const { name, value } = settingOverride(override);
  return { ...settings, [name]: value };
}

export interface SettingOverride {
  readonly name: SettingName;
  readonly value: boolean | number | string;
}

/** Like `withOverride`, but returns the override without applying it. */
export function settingOverride(override: string): SettingOverride {
  const equals = override.indexOf('=');
  if (equals < 0) throw new SettingError(`"${override}" is not of the form key=value`);
  const name = override.slice(0, equals).trim().replace(PREFIX, '');
  if (!isSettingName(name)) {
    throw new SettingError(`no setting is called "${name}"; known settings: ${SETTING_NAMES.join(', ')}`);
  }
  const text = override.slice(equals + 1).trim();
  const value = SETTINGS[name].read(text);
  if (value === undefined)
    throw new SettingError(`${name} must be ${SETTINGS[name].expected}, not "${text}"`);
  return { name, value };
}

export interface Overrides {
  /** Arguments for the trainer's command line: `augmentation.do_down_sampling=True`, … */
  readonly trainer: readonly string[];
  /** `key=value` for settings that the trainer does not have and that differ from their default. */
  readonly extras: readonly string[];
}

/** Every setting of the trainer, and separately those that it would reject. */
export function overridesOf(settings: DownSamplingSettings): Overrides {
  const trainer: string[] = [];
  const extras: string[] = [];
  for (const name of SETTING_NAMES) {
    const value = settings[name];
    const path = SETTINGS[name].trainerPath;
    // Python's spelling, as in the release's example script.
    const text = typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value);
    if (path !== undefined) trainer.push(`${path}.${name}=${text}`);
    else if (value !== RELEASE_DEFAULTS[name]) extras.push(`${name}=${text}`);
  }
  return { trainer, extras };
}

/**
 * The assertion with which the release stops before it processes any group: both minima together exceed the
 * target. undefined if it holds, or if nothing is resampled.
 */
export function assertionOf(settings: DownSamplingSettings): string | undefined {
  const { min_zero_reward_trace_num: zero, min_non_zero_reward_trace_num: nonZero } = settings;
  const target = settings.down_sample_to_n;
  if (target <= 0 || zero + nonZero <= target) return undefined;
  return `min_zero_reward_trace_num ${zero} + min_non_zero_reward_trace_num ${nonZero} = ${zero + nonZero} exceed down_sample_to_n ${target}: the release stops here`;
}
