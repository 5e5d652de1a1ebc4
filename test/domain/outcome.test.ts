/** Why a rollout ended: the basis of its stop reason, its reward by part, and limits. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitsIn } from '../../shared/domain/limits.ts';
import {
  answerPlace,
  contextLimit,
  limitUses,
  rewardBreakdown,
  stopBasis,
} from '../../shared/domain/outcome.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';

describe('the stop reason', () => {
  it.each([
    [{ stopReason: 'error', stopReasonSource: 'logged', stopReasonLogged: 'error' }, 'logged'],
    [{ stopReason: 'turn-limit', stopReasonSource: 'derived', stopReasonLogged: 'max_steps' }, 'derived'],
    [{ stopReason: 'answer', stopReasonSource: 'derived', stopReasonLogged: 'stop' }, 'derived'],
    [{ stopReason: 'answer', stopReasonSource: 'derived', stopReasonLogged: 'submitted' }, 'derived'],
    [{ stopReason: 'turn-limit', stopReasonSource: 'derived' }, 'derived'],
    [{ stopReasonLogged: 'user_stop' }, undefined],
    [{ stopReason: 'by moon' as 'answer', stopReasonSource: 'derived' }, undefined],
  ] as const)('has a basis: %j is %s', (ended, source) => {
    expect(stopBasis(ended)?.source).toBe(source);
  });
});

describe('the parts of a reward', () => {
  it('are a sum, a product, one part or none of these', () => {
    expect(rewardBreakdown(1.5, { a: 1, b: 0.5 })?.rule).toBe('sum');
    expect(rewardBreakdown(0, { ENV_ASSERTION: 1, ACTION: 0 }, [], true)?.rule).toBe('product');
    expect(rewardBreakdown(1, { calls: 3, right: 1 })).toMatchObject({
      rule: 'one part',
      only: 'right',
      sum: 4,
    });
    expect(rewardBreakdown(0.7, { a: 1, b: 0.5 })).toMatchObject({ rule: 'none', sum: 1.5 });
    expect(rewardBreakdown(1, { match: 'C', db_match: true })).toBeUndefined();
    expect(rewardBreakdown(undefined, { a: 1 })).toBeUndefined();
  });

  it('count with their logged weights', () => {
    const parts = fc.array(fc.record({ name: fc.string(), value: fc.integer(), weight: fc.integer() }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(parts, fc.constantFrom(0, 1), (weighted, off) => {
        const sum = weighted.reduce((total, { value, weight }) => total + value * weight, 0);
        const found = rewardBreakdown(sum + off * (1 + Math.abs(sum)), {}, weighted);
        expect(found?.sum).toBe(sum);
        expect(found?.rule === 'weighted sum').toBe(off === 0);
      }),
    );
  });
});

describe('limits', () => {
  const verl = {
    data: { max_prompt_length: 2048, max_response_length: 8192 },
    critic: { max_model_len: 7 },
    actor_rollout_ref: { rollout: { max_model_len: null, multi_turn: { max_assistant_turns: 10 } } },
  };

  it('are found by name in a configuration, without those of other models', () => {
    expect(limitsIn(verl)).toEqual([
      { kind: 'prompt', value: 2048, field: 'data.max_prompt_length' },
      { kind: 'response', value: 8192, field: 'data.max_response_length' },
      { kind: 'turns', value: 10, field: 'actor_rollout_ref.rollout.multi_turn.max_assistant_turns' },
    ]);
    expect(contextLimit(limitsIn(verl))).toEqual({
      value: 10_240,
      field: 'data.max_prompt_length + data.max_response_length',
    });
  });

  it('of a stage replace those of the run', () => {
    const [limit] = limitsIn({ limits: { max_response_tokens: 8 } }, [{ max_response_tokens: 12 }]);
    expect(limit).toEqual({ kind: 'response', value: 12, field: 'stage: max_response_tokens' });
  });

  it('are reached or not where the use is known, and left out where it is not', () => {
    const uses = limitUses(limitsIn(verl), { policyTokens: 8192, turns: 3 });
    expect(uses.map(({ limit, used, isReached }) => [limit.kind, used, isReached])).toEqual([
      ['response', 8192, true],
      ['turns', 3, false],
    ]);
    expect(limitUses(limitsIn(verl), {})).toEqual([]);
  });
});

it('finds the answer in the text of the policy, not in a tool response', () => {
  const response =
    'I guess 42.\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\nuser\n<tool_response>\n42\n</tool_response>\nassistant\nDone.';
  const { segments } = segmentResponse(response, { startsInReasoning: false });
  const place = answerPlace('42', response, segments);
  expect(place?.start).toBe(response.indexOf('42'));
  expect(answerPlace('43', response, segments)).toBeUndefined();
});
