/** The settings of a recomputation: chosen by the user, else logged by the run, else the release's defaults. */
import type { RocBasis, RocChoice } from '../../shared/api/rocRows.ts';
import {
  assertionOf,
  SETTING_NAMES,
  type SettingName,
  settingsOf,
  withOverride,
} from '../../shared/domain/downSampling.ts';

/** A choice from a request or command line, with unchecked values. */
export type UncheckedChoice = Omit<RocChoice, 'settings'> & {
  readonly settings?: Partial<Record<SettingName, boolean | number | string>>;
};

/**
 * @param config the run's logged configuration as JSON
 * @throws SettingError for an invalid value
 */
export function basisOf(config: string, choice: UncheckedChoice): RocBasis {
  const { settings: base, logged, unreadable, rule } = settingsOf(JSON.parse(config));
  const chosen = SETTING_NAMES.filter((name) => choice.settings?.[name] !== undefined);
  const settings = chosen.reduce(
    (before, name) => withOverride(before, `${name}=${choice.settings?.[name]}`),
    base,
  );
  const assertion = assertionOf(settings);
  const ruleInForce = choice.rule ?? rule ?? 'release';
  return {
    rule: ruleInForce,
    ruleSource: choice.rule === undefined ? (rule === undefined ? 'default' : 'logged') : 'chosen',
    // The paper defines its penalties on typed outcomes.
    penalty: choice.penalty ?? (ruleInForce === 'paper' ? 'typed' : 'text'),
    settings,
    logged,
    unreadable,
    chosen,
    ...(choice.groupSize === undefined ? {} : { groupSize: choice.groupSize }),
    ...(assertion === undefined ? {} : { assertion }),
  };
}

/** Settings of down-sampling. A run that logged none of them has no known down-sampling. */
const DECISIVE: ReadonlySet<SettingName> = new Set<SettingName>([
  'do_down_sampling',
  'reject_equal_reward',
  'roc_error_ratio',
  'roc_answer_format',
  'down_sample_to_n',
]);

/** Whether the run or the user has set the down-sampling. */
export function isStated(basis: RocBasis): boolean {
  return basis.logged.some((name) => DECISIVE.has(name)) || basis.chosen.some((name) => DECISIVE.has(name));
}
