import { describe, expect, it } from 'vitest';
import { inTab, lookedAt, tabOf } from '../../renderer/views/alike/AlikeView.tsx';
import { codeFileName, codeStateOf, codeTitle } from '../../renderer/widgets/CodeState.tsx';
import { alikePath, counterpart } from '../../renderer/widgets/useAlike.ts';
import type { AlikeRollout, RolloutDetail } from '../../shared/api/contract.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';

const other = (ordinal: number, extra: Partial<AlikeRollout> = {}): AlikeRollout => ({
  rolloutId: ordinal,
  groupId: 1,
  groupKey: 'p7',
  step: 3,
  ordinal,
  runKey: 'demo',
  isSibling: true,
  sharedPrefixChars: 10,
  sharedTurns: 0,
  textLikeness: 0.5,
  ...extra,
});

describe('find alike', () => {
  it('takes the first of the list that went the other way', () => {
    const list = [other(0), other(1, { isCorrect: true }), other(2, { isCorrect: false })];
    expect(counterpart(true, list)?.ordinal).toBe(2);
    expect(counterpart(false, list)?.ordinal).toBe(1);
    expect(counterpart(true, list.slice(0, 2))).toBeUndefined();
  });

  it('shows siblings first, if any', () => {
    expect(tabOf(null, true)).toBe('siblings');
    expect(tabOf(null, false)).toBe('all');
    expect(tabOf('wrong', true)).toBe('wrong');
    expect(tabOf('nonsense', true)).toBe('siblings');
  });

  it('counts unknown correctness on neither side', () => {
    const unknown = other(0, { isSibling: false });
    expect((['siblings', 'wrong', 'right', 'all'] as const).map((tab) => inTab(tab, unknown))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('shows how many were considered of how many', () => {
    expect(lookedAt({ rollouts: [], considered: 255, total: 415 })).toContain('255 of 415 other rollouts');
    const many = lookedAt({ rollouts: [other(1)], considered: 511, total: 1_959 });
    expect(many).toMatch(/^511 of 1,959 other .*; 1,448 were not\. The 1 most similar are listed\.$/);
    expect(lookedAt({ rollouts: [], considered: 31, total: 31 })).toContain('All 31 other rollouts');
    expect(lookedAt({ rollouts: [], considered: 1, total: 1 })).toContain('The one other rollout');
  });

  it('leads to the rollout, in its own run', () => {
    expect(alikePath(other(5, { runKey: 'a b' }))).toBe('/run/a%20b/step/3/group/p7/rollout/5');
  });
});

const call = (code: string): string =>
  `<tool_call>\n${JSON.stringify({ name: 'python', arguments: { code } })}\n</tool_call><|im_end|>\n`;

function detailOf(hasSteps: boolean): RolloutDetail {
  const response = `${call('x = 1')}${call('print(2)')}`;
  const { segments, toolCalls } = segmentResponse(response, { startsInReasoning: false });
  const shell = {
    row: { step: 3, groupKey: 'p/7', ordinal: 12 },
    run: { name: 'my run', hasSteps },
    response,
    segments,
    toolCalls,
  };
  // Only the code of the rollout is used here.
  return shell as unknown as RolloutDetail;
}

describe('code state', () => {
  it('names run, step, group and rollout', () => {
    expect(codeTitle(detailOf(true))).toBe('my run · step 3 · p/7 · #12');
    expect(codeTitle(detailOf(false))).toBe('my run · p/7 · #12');
    expect(codeFileName(detailOf(true), 'py')).toBe('my-run-step-3-p-7-12.py');
  });

  it('has a script of one cell, of all up to one, and of all', () => {
    const detail = detailOf(true);
    const state = codeStateOf(detail);
    const [first, second] = detail.toolCalls.map(({ callSegment }) => callSegment);
    expect(state.cells).toBe(2);
    expect(codeStateOf(detail)).toBe(state);
    expect(state.cellScript(second ?? -1)).toContain('print(2)');
    expect(state.cellScript(second ?? -1)).not.toContain('x = 1');
    expect(state.scriptTo(first ?? -1)).not.toContain('print(2)');
    expect(state.scriptTo(second ?? -1)).toBe(state.script());
    expect(state.script().split('\n')[0]).toBe('# my run · step 3 · p/7 · #12');
    expect(JSON.parse(state.notebook()).cells).toHaveLength(3);
    expect(state.cellScript(999)).toBeUndefined();
    expect(state.hasCell(999)).toBe(false);
  });
});
