import { expect, it } from 'vitest';
import { loggedChecks } from '../../shared/format/loggedChecks.ts';

it.each([
  [
    'tau-bench, by the state after the actions',
    { info: { reward_info: { info: { r_actions: 0, gt_data_hash: 'a1' } } } },
    [{ field: 'info.reward_info.info', checks: [{ name: 'r_actions', isMet: false }] }],
  ],
  [
    'tau-bench, by what the user was told',
    { info: { reward_info: { info: { r_outputs: 0, outputs: { '23553': false, '42': true } } } } },
    [
      {
        field: 'info.reward_info.info',
        checks: [
          { name: 'r_outputs', isMet: false },
          { name: 'told the user', isMet: true, text: '42' },
          { name: 'told the user', isMet: false, text: '23553' },
        ],
      },
    ],
  ],
  [
    'tau2-bench',
    {
      reward_info: {
        db_check: { db_match: true },
        action_checks: [{ action: { name: 'toggle', arguments: { on: 1 } }, action_match: false }],
      },
    },
    [
      { field: 'reward_info.db_check', checks: [{ name: 'state of the database', isMet: true }] },
      {
        field: 'reward_info.action_checks',
        checks: [{ name: 'toggle', isMet: false, text: '{"on":1}' }],
      },
    ],
  ],
  [
    'NeMo-Gym',
    { details: { test_case_results: { all: { outputs: [{ test_name: 's1', score: 0, error: 'late' }] } } } },
    [{ field: 'details.test_case_results', checks: [{ name: 's1', isMet: false, text: 'late' }] }],
  ],
  ['a log without checks', { info: { reward_info: null }, reward_info: 3 }, []],
])('reads the checks of %s', (_, extra, checks) => {
  expect(loggedChecks(extra)).toEqual(checks);
});
