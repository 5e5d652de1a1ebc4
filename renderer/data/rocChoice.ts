/**
 * The user's Resample-on-Correct settings as part of the URL, so that a what-if can be shared.
 *
 *   basis=example          decisions are recomputed under the example script's configuration
 *   whatif=group|step|run  the panel is open, with this scope
 *   if.rule=paper          one what-if setting each: `if.pool`, `if.penalty`, and the trainer's own names
 *
 * A parameter is written only if it differs from the recomputed setting. A URL without any `if.` has no what-if.
 */
import type {
  PenaltyKind,
  RocBasis,
  RocChoice,
  RocReport,
  RunDetail,
  StepSummary,
} from '../../shared/api/contract.ts';
import { PENALTY_KINDS } from '../../shared/api/rocRows.ts';
import {
  areStated,
  type DownSamplingSettings,
  RELEASE_DEFAULTS,
  RESAMPLE_RULES,
  type ResampleRule,
  SETTING_NAMES,
  SettingError,
  type SettingName,
  settingsOf,
  withOverride,
} from '../../shared/domain/downSampling.ts';
import { type LongParams, type LongState, useLongQuery } from './useLongQuery.ts';
import { useRequest } from './useRequest.ts';

/** `examples/run_qwen3-14b_rstar2_agent_weave.sh` of the release. */
export const EXAMPLE_CHOICE: RocChoice = {
  rule: 'release',
  settings: {
    do_down_sampling: true,
    reject_equal_reward: true,
    roc_error_ratio: true,
    roc_answer_format: true,
    min_zero_reward_trace_num: 2,
    min_non_zero_reward_trace_num: 2,
    down_sample_to_n: 16,
  },
};

/** Whether a log has decisions, or a configuration that determines them. */
export function isRocLogged(
  config: RunDetail['config'],
  steps: readonly Pick<StepSummary, 'decided'>[],
): boolean {
  return steps.some(({ decided }) => decided > 0) || areStated(settingsOf(config).logged);
}

/** As `isRocLogged`, for a run. False while it is unknown. */
export function useIsRocLogged(
  run: { readonly runId: number; readonly runKey: string } | undefined,
): boolean {
  const config = useRequest('run.get', run && { runKey: run.runKey }).data?.config;
  const steps = useRequest('step.list', run && { runId: run.runId }).data;
  return config !== undefined && steps !== undefined && isRocLogged(config, steps);
}

const PREFIX = 'if.';
/** Names after the prefix: the trainer's settings, and three that are not settings of the trainer. */
export type ChoiceName = SettingName | 'rule' | 'penalty' | 'pool';
export const CHOICE_NAMES: readonly ChoiceName[] = ['rule', 'penalty', 'pool', ...SETTING_NAMES];
export const choiceParam = (name: ChoiceName): string => PREFIX + name;

/** Scope of a what-if. */
const SCOPES = ['group', 'step', 'run'] as const;
export type Scope = (typeof SCOPES)[number];

export interface UrlChoice {
  readonly basis: RocChoice;
  readonly isExample: boolean;
  /** Absent: the URL has no what-if. */
  readonly whatIf: RocChoice | undefined;
  readonly chosen: readonly ChoiceName[];
  /** Parameters with an invalid value, which are ignored. */
  readonly unreadable: readonly string[];
  /** Absent: the panel is closed. */
  readonly scope: Scope | undefined;
}

const isSetting = (name: ChoiceName): name is SettingName =>
  name !== 'rule' && name !== 'penalty' && name !== 'pool';

/** Parses one setting from the URL. Undefined if the value is invalid. */
function readSetting(name: SettingName, text: string): DownSamplingSettings[SettingName] | undefined {
  try {
    return withOverride(RELEASE_DEFAULTS, `${name}=${text}`)[name];
  } catch (error) {
    if (error instanceof SettingError) return undefined;
    throw error;
  }
}

function readRule(text: string): ResampleRule | undefined {
  return RESAMPLE_RULES.find((rule) => rule === text);
}

function readPenalty(text: string): PenaltyKind | undefined {
  return PENALTY_KINDS.find((kind) => kind === text);
}

/** The contract's limit. */
const MOST = 100_000;

function readPool(text: string): number | undefined {
  const size = /^\d+$/.test(text) ? Number(text) : 0;
  return size >= 1 && size <= MOST ? size : undefined;
}

/** Why a typed value is invalid. Undefined if it is valid. */
export function refusalOf(name: ChoiceName, text: string): string | undefined {
  if (name === 'rule') return readRule(text) === undefined ? 'unknown rule' : undefined;
  if (name === 'penalty') return readPenalty(text) === undefined ? 'unknown penalty' : undefined;
  if (name === 'pool') return readPool(text) === undefined ? 'a whole number of 1 or more' : undefined;
  try {
    withOverride(RELEASE_DEFAULTS, `${name}=${text}`);
    return undefined;
  } catch (error) {
    if (error instanceof SettingError)
      return error.message.replace(/^\S+ must be /, '').replace(/, not ".*$/, '');
    throw error;
  }
}

export function choiceOfUrl(query: URLSearchParams): UrlChoice {
  const isExample = query.get('basis') === 'example';
  const basis = isExample ? EXAMPLE_CHOICE : {};
  const settings: Partial<Record<SettingName, DownSamplingSettings[SettingName]>> = {};
  const chosen: ChoiceName[] = [];
  const unreadable: string[] = [];
  let rule: ResampleRule | undefined;
  let penalty: PenaltyKind | undefined;
  let groupSize: number | undefined;
  for (const name of CHOICE_NAMES) {
    const text = query.get(choiceParam(name));
    if (text === null) continue;
    if (refusalOf(name, text) !== undefined) {
      unreadable.push(`${name}=${text}`);
      continue;
    }
    chosen.push(name);
    if (isSetting(name)) settings[name] = readSetting(name, text);
    else if (name === 'rule') rule = readRule(text);
    else if (name === 'penalty') penalty = readPenalty(text);
    else groupSize = readPool(text);
  }
  const whatIf = chosen.length === 0 ? undefined : merged(basis, { rule, penalty, groupSize, settings });
  const scope = SCOPES.find((one) => one === query.get('whatif'));
  return { basis, isExample, whatIf, chosen, unreadable, scope };
}

interface LooseChoice {
  readonly rule: ResampleRule | undefined;
  readonly penalty: PenaltyKind | undefined;
  readonly groupSize: number | undefined;
  readonly settings: Partial<Record<SettingName, DownSamplingSettings[SettingName]>>;
}

/** Fills in the basis, because the host does not: settings that the what-if omits are those of the basis. */
function merged(basis: RocChoice, own: LooseChoice): RocChoice {
  const rule = own.rule ?? basis.rule;
  const penalty = own.penalty ?? basis.penalty;
  const groupSize = own.groupSize ?? basis.groupSize;
  // Each value was parsed for its own setting.
  const settings = { ...basis.settings, ...own.settings } as Partial<DownSamplingSettings>;
  return {
    ...(rule === undefined ? {} : { rule }),
    ...(penalty === undefined ? {} : { penalty }),
    ...(groupSize === undefined ? {} : { groupSize }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
}

/** The value of a setting before the what-if, as the URL writes it. */
export function basisText(basis: RocBasis, name: ChoiceName): string {
  if (name === 'rule') return basis.rule;
  if (name === 'penalty') return basis.penalty;
  if (name === 'pool') return basis.groupSize === undefined ? '' : String(basis.groupSize);
  return String(basis.settings[name]);
}

/** The query change that sets one setting to `text`. The basis value is removed from the URL. */
export function choiceChange(
  basis: RocBasis,
  name: ChoiceName,
  text: string,
): Readonly<Record<string, string | undefined>> {
  return { [choiceParam(name)]: text === basisText(basis, name) ? undefined : text };
}

/** The query change that removes all what-if settings. */
export function noChoice(): Readonly<Record<string, undefined>> {
  return Object.fromEntries(CHOICE_NAMES.map((name) => [choiceParam(name), undefined]));
}

/** The part of a query with the basis and the what-if. Links from a report to its groups keep it. */
export function rocQuery(query: URLSearchParams): string {
  const kept = new URLSearchParams();
  for (const [name, value] of query) {
    if (name === 'basis' || name === 'whatif' || name.startsWith(PREFIX)) kept.append(name, value);
  }
  const text = kept.toString();
  return text === '' ? '' : `?${text}`;
}

export interface ReportState extends Omit<LongState<RocReport>, 'data' | 'isFormer'> {
  /** The latest report. It may belong to other params while `isRunning`. */
  readonly report: RocReport | undefined;
}

/** @param params undefined: requests nothing */
export function useRocReport(params: LongParams<'roc.report'> | undefined): ReportState {
  const { data: answer, ...state } = useLongQuery('roc.report', params);
  return { ...state, report: answer };
}
