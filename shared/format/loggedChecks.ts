/**
 * Checks behind a reward, as logged, read from the extra fields of a rollout.
 *
 *   "reward_info": {"db_check": {"db_match": true}, "action_checks": [{"action": {…}, "action_match": true}],
 *     "env_assertions": [{"env_assertion": {…}, "met": true}], "nl_assertions": [{"nl_assertion": "…", "met": true,
 *     "justification": "…"}], "communicate_checks": [{"info": "…", "met": true}]}                       tau2-bench
 *   "info": {"reward_info": {"info": {"r_actions": 0.0}}}                                               tau-bench
 *   "info": {"reward_info": {"info": {"r_outputs": 0.0, "outputs": {"23553": false}}}}                  tau-bench
 *   "details": {"test_case_results": {"all": {"outputs": [{"test_name": "sample-01", "score": 0}]}}}     NeMo-Gym
 */
import type { RewardPart } from '../domain/outcome.ts';
import { isObject, type JsonObject, jsonText, numberOf, stringOf } from './fields.ts';

interface LoggedCheck {
  readonly name: string;
  /** Absent: the log does not say. */
  readonly isMet?: boolean;
  /** The subject of the check, or the reason of its verdict. */
  readonly text?: string;
}

export interface LoggedChecks {
  /** The extra field. */
  readonly field: string;
  readonly checks: readonly LoggedCheck[];
}

/** @returns one entry per field that has checks */
export function loggedChecks(extra: JsonObject): readonly LoggedChecks[] {
  const ofTau2 = isObject(extra['reward_info']) ? extra['reward_info'] : {};
  const info =
    isObject(extra['info']) && isObject(extra['info']['reward_info']) ? extra['info']['reward_info'] : {};
  return [
    { field: 'reward_info.db_check', checks: databaseCheck(ofTau2['db_check']) },
    {
      field: 'reward_info.env_assertions',
      checks: checksIn(ofTau2['env_assertions'], 'env_assertion', 'met'),
    },
    { field: 'reward_info.nl_assertions', checks: checksIn(ofTau2['nl_assertions'], 'nl_assertion', 'met') },
    {
      field: 'reward_info.communicate_checks',
      checks: checksIn(ofTau2['communicate_checks'], 'info', 'met'),
    },
    {
      field: 'reward_info.action_checks',
      checks: checksIn(ofTau2['action_checks'], 'action', 'action_match'),
    },
    { field: 'info.reward_info.info', checks: resultsIn(info['info']) },
    { field: 'details.test_case_results', checks: testsIn(extra['details']) },
  ].filter(({ checks }) => checks.length > 0);
}

/** Rewards with their weights: `{"correct": {"score": 1, "weight": 0.5}}` (verifiers v1, prime-rl). */
export function weightedParts({ rewards }: JsonObject): readonly RewardPart[] {
  return Object.entries(isObject(rewards) ? rewards : {}).flatMap(([name, part]) => {
    if (!isObject(part)) return [];
    const [value, weight] = [numberOf(part['score']), numberOf(part['weight'])];
    return value === undefined || weight === undefined ? [] : [{ name, value, weight }];
  });
}

/** tau2-bench multiplies the parts of its `reward_breakdown`. */
export function areMultiplied({ reward_info: info }: JsonObject): boolean {
  return isObject(info) && isObject(info['reward_breakdown']);
}

const listIn = (value: unknown): readonly JsonObject[] =>
  (Array.isArray(value) ? value : []).filter(isObject);

const metOf = (value: unknown): Pick<LoggedCheck, 'isMet'> =>
  typeof value === 'boolean' ? { isMet: value } : {};

function databaseCheck(check: unknown): readonly LoggedCheck[] {
  return isObject(check) ? [{ name: 'state of the database', ...metOf(check['db_match']) }] : [];
}

/** @param what the key of the checked thing, `met` of its result */
function checksIn(list: unknown, what: string, met: string): readonly LoggedCheck[] {
  return listIn(list).map((check) => {
    const checked = check[what];
    const isDone = isObject(checked);
    const name = isDone ? (stringOf(checked['func_name']) ?? stringOf(checked['name'])) : stringOf(checked);
    const text = isDone ? jsonText(checked['arguments'] ?? {}) : stringOf(check['justification']);
    return { name: name ?? what, ...metOf(check[met]), ...(text === undefined ? {} : { text }) };
  });
}

/**
 * Results of tau-bench: `r_actions: 0.0`, whether the state after the actions is the expected one, or `r_outputs: 0.0`
 * with `outputs: {"23553": false}`, whether the policy told the user each of these texts.
 */
function resultsIn(results: unknown): readonly LoggedCheck[] {
  if (!isObject(results)) return [];
  const outputs = isObject(results['outputs']) ? results['outputs'] : {};
  return [
    ...Object.entries(results).flatMap(([name, value]) =>
      value === 0 || value === 1 || typeof value === 'boolean' ? [{ name, isMet: Boolean(value) }] : [],
    ),
    ...Object.entries(outputs).map(([text, told]) => ({ name: 'told the user', ...metOf(told), text })),
  ];
}

function testsIn(details: unknown): readonly LoggedCheck[] {
  const groups =
    isObject(details) && isObject(details['test_case_results']) ? details['test_case_results'] : {};
  return Object.values(groups).flatMap((group) =>
    listIn(isObject(group) ? group['outputs'] : undefined).map((test) => {
      const score = numberOf(test['score']);
      const text = stringOf(test['error']) || stringOf(test['run_stderr']);
      return {
        name: stringOf(test['test_name']) ?? 'test',
        ...(score === undefined ? {} : { isMet: score > 0 }),
        ...(text ? { text } : {}),
      };
    }),
  );
}
