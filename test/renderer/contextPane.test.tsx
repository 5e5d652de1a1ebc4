/** The context of a turn and the outcome of a rollout, as shown beside a replay. */
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { ContextPane } from '../../renderer/views/replay/ContextPane.tsx';
import { Outcome } from '../../renderer/views/replay/Outcome.tsx';
import { RedactedNote } from '../../renderer/views/replay/TurnSection.tsx';
import type { RolloutDetail } from '../../shared/api/contract.ts';
import { CONTEXT_FIELD } from '../../shared/format/loggedContext.ts';
import { drawCompared } from '../support/drawCompared.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

function drawn(facts: Partial<RolloutDetail>, row: Partial<RolloutDetail['row']> = {}): RolloutDetail {
  const detail = drawCompared(['T1 C1 R1\nA1', 'A1']).lanes[0]?.detail;
  if (detail === undefined) throw new Error('no rollout was drawn');
  return { ...detail, ...facts, row: { ...detail.row, ...row } };
}

const shownContext = (facts: Partial<RolloutDetail>, turn = 100) =>
  renderWithClient(
    createFakeClient({}),
    <ContextPane
      detail={drawn(facts)}
      heat={undefined}
      turn={turn}
      onShow={() => undefined}
      onClose={() => undefined}
    />,
  ).container;

describe('the context of a turn', () => {
  it('names the request and the limit that its length is from', () => {
    const requests = [{ field: 'events[].output.usage', tokens: 750 }];
    shownContext(
      {
        extra: { [CONTEXT_FIELD]: { requests } },
        limits: [{ kind: 'context', value: 1000, field: 'rollout.max_model_len' }],
      },
      1,
    );
    const total = screen.getByRole('region', { name: 'Length of the context' });
    expect(total.textContent).toContain('750 tokens logged');
    expect(total.textContent).toContain('Limit: 1,000 tokens (rollout.max_model_len), 75.0 % used');
    expect(within(total).getByTitle('events[].output.usage')).toBeDefined();
  });

  it('says what the log cannot tell', () => {
    const text = shownContext({ prompt: '', limits: [] }).textContent;
    expect(text).toContain('The log has no prompt.');
    expect(text).toContain('The log has no tool definitions.');
    expect(text).toContain('has no limit of the context');
  });

  it('opens the text of a part, and says how a mark is known', () => {
    const text = JSON.stringify([{ name: 'flip', description: 'turns a lamp' }], undefined, 2);
    const pane = shownContext({ extra: { [CONTEXT_FIELD]: { tools: { field: 'events[].tools', text } } } });
    const button = screen.getByRole('button', { name: /^tool definitions/ });
    fireEvent.click(button);
    expect(screen.getByRole('region', { name: 'Text of tool definitions' }).textContent).toContain(
      'turns a lamp',
    );
    expect(pane.querySelector('.context-mark.is-masked')?.getAttribute('title')).toMatch(/^derived: /);
  });

  it('marks redacted reasoning, whose length is unknown', () => {
    const redacted = [{ turn: 1, summary: 'It thought.' }];
    const pane = shownContext({ extra: { [CONTEXT_FIELD]: { redacted } } });
    const row = pane.querySelector('.context-part.is-redacted');
    expect(row?.textContent).toContain('length unknown');
    expect(row?.textContent).toContain('summary of the provider: It thought.');
    expect(row?.querySelector('.context-mark')?.getAttribute('title')).toMatch(/^logged: /);
  });
});

const shownOutcome = (
  facts: Partial<RolloutDetail>,
  row: Partial<RolloutDetail['row']> = {},
  isBlind = false,
) => {
  renderWithClient(
    createFakeClient({}),
    <Outcome detail={drawn(facts, row)} sample={undefined} isBlind={isBlind} onShow={() => undefined} />,
  );
  return screen.getByRole('region', { name: 'Outcome' });
};

describe('the outcome of a rollout', () => {
  it('says unknown where the log does not tell', () => {
    const text = shownOutcome({ toolCalls: [] }).textContent;
    expect(text).toContain('correctness unknown');
    expect(text).toContain('stopped byunknown');
    expect(text).toContain('use of limitsnot logged');
    expect(text).toContain('rewardunknown');
  });

  it('shows the checks behind a reward and how its parts make it up', () => {
    const reward_info = {
      reward_breakdown: { ENV_ASSERTION: 1, ACTION: 0 },
      db_check: { db_match: false },
      action_checks: [{ action: { name: 'book', arguments: { id: 7 } }, action_match: true }],
    };
    const outcome = shownOutcome(
      { extra: { reward_info } },
      { reward: 0, scores: '{"ENV_ASSERTION":1,"ACTION":0,"db_match":false}' },
    );
    expect(outcome.textContent).toContain('The scores add up to 1; their product is the reward.');
    const database = within(outcome).getByRole('region', { name: 'Checks of reward_info.db_check' });
    expect(database.textContent).toContain('0 of 1 met');
    expect(within(outcome).getByRole('img', { name: 'met' })).toBeDefined();
  });

  it('shows the limits that were reached with their use', () => {
    const outcome = shownOutcome(
      { limits: [{ kind: 'turns', value: 5, field: 'max_turns' }] },
      { turns: 5, stopReason: 'turn-limit', stopReasonSource: 'derived' },
    );
    expect(outcome.textContent).toContain('reached: 5 of 5 turns');
    expect(within(outcome).getByTitle('The text ends with a call that nothing answered.').textContent).toBe(
      'derived',
    );
  });

  it('hides verdicts and reward in a blind review', () => {
    const reward_info = { db_check: { db_match: true } };
    const outcome = shownOutcome(
      { extra: { reward_info } },
      { reward: 1, isCorrect: true, groundTruth: '42' },
      true,
    );
    expect(outcome.textContent).not.toMatch(/42|reward_info|database|correct$/);
    expect(within(outcome).queryByRole('region', { name: 'Reward' })).toBeNull();
  });
});

it('never shows the summary of a provider as text of the policy', () => {
  renderWithClient(createFakeClient({}), <RedactedNote summary="It thought." />);
  const note = screen.getByRole('complementary', { name: 'Redacted reasoning' });
  expect(note.textContent).toContain('reasoning redacted');
  expect(within(note).getByText('It thought.').closest('details')?.open).toBe(false);
});
