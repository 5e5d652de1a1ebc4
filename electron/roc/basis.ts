/** The settings of a recomputation: the user's choice, otherwise the run's log, otherwise the release's defaults. */

import type { RocBasis, RocChoice } from '../../shared/api/rocRows.ts';
import {
  areStated,
  assertionOf,
  SETTING_NAMES,
  type SettingName,
  settingsOf,
  withOverride,
} from '../../shared/domain/downSampling.ts';
import { parseJson } from '../../shared/domain/parseJson.ts';

/** A choice from a request or command line, with unchecked values. */
export type UncheckedChoice = Omit<RocChoice, 'settings'> & {
  readonly settings?: Partial<Record<SettingName, boolean | number | string>>;
};

/**
 * @param config the run's logged configuration as JSON
 * @throws SettingError for an invalid value
 */
export function basisOf(config: string, choice: UncheckedChoice): RocBasis {
  const {
    settings: base,
    logged,
    unreadable,
    rule,
  } = settingsOf(parseJson(config) as Readonly<Record<string, unknown>>);
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

/** Whether the run's log or the user has set the down-sampling. */
export function isStated(basis: RocBasis): boolean {
  return areStated(basis.logged) || areStated(basis.chosen);
}
