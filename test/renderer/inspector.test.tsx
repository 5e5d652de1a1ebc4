/** The inspector beside a replay, with values of any length and of characters that affect the text around them. */
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { codePlaces } from '../../renderer/editor/codePlaces.ts';
import { runCommand } from '../../renderer/shell/keys/commands.ts';
import { EventList } from '../../renderer/views/replay/EventList.tsx';
import { Inspector } from '../../renderer/views/replay/Inspector.tsx';
import type { RolloutDetail } from '../../shared/api/contract.ts';
import { eventsIn } from '../../shared/format/inspectEvents.ts';
import { drawCompared } from '../support/drawCompared.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

function shown(facts: Partial<RolloutDetail>, isBlind = false): HTMLElement {
  const detail = drawCompared(['A1', 'A1']).lanes[0]?.detail;
  if (detail === undefined) throw new Error('no rollout was drawn');
  return renderWithClient(
    createFakeClient({}),
    <Inspector
      detail={{ ...detail, ...facts }}
      heat={undefined}
      isBlind={isBlind}
      onShow={() => undefined}
      onShowRecord={() => undefined}
    />,
  ).container;
}

it('draws hidden characters of other fields and isolates their direction', () => {
  const fields = shown({ extra: { note: 'a\u202eb' } });
  expect(fields.querySelector('bdi .hidden-character')?.getAttribute('title')).toContain('RLO');
  expect(fields.textContent).not.toContain('\u202e');
});

it.each([
  ['another field', (text: string) => ({ extra: { note: text } }), 1_000],
  ['a user scenario', (text: string) => ({ userScenario: text }), 11_000],
])('cuts %s of 50,000 characters and says how many it has', (_what, facts, most) => {
  const { textContent } = shown(facts('שלום '.repeat(10_000)));
  expect(textContent).toContain('… 50,000 characters');
  expect(textContent.length).toBeLessThan(most);
});

it('draws at once as many other fields as the page draws quickly, and the rest when asked', () => {
  const drawn = (value: string) => {
    cleanup();
    const extra = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`field${i}`, value]));
    const names = [...shown({ extra }).querySelectorAll('.inspector-extra dt')];
    return names.length;
  };
  expect(drawn('plain '.repeat(60))).toBe(100);
  expect(drawn('中한'.repeat(200))).toBe(5);
  fireEvent.click(screen.getByText('Show 5 more'));
  expect(document.querySelectorAll('.inspector-extra dt')).toHaveLength(10);
});

it('lists the actions that a task expects instead of its ground truth', () => {
  const detail = drawCompared(['C1', 'C1']).lanes[0]?.detail;
  const groundTruth = 'cancel {"id": 7}\nuser: toggle {}';
  const fields = shown({ row: { ...(detail?.row as RolloutDetail['row']), groundTruth } });
  const section = fields.querySelector('.expected-actions');
  expect(section?.textContent).toContain('0 of 1 done');
  expect(section?.textContent).toContain('1 of the simulated user, not looked up');
  expect(section?.querySelectorAll('[aria-label="not done"]')).toHaveLength(1);
  expect(fields.textContent).not.toContain('ground truth');
});

it('places code with a few escapes, but not one with thousands', () => {
  const placed = (code: string) => codePlaces(code, `{"code": ${JSON.stringify(code)}}`, 0).length;
  expect(placed('a\n'.repeat(4_000))).toBe(4_000);
  expect(placed('a\n'.repeat(4_001))).toBe(0);
});

/** A record with 20,000 names. */
const many = (of: (i: number) => unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, of(i)]));

describe('a sample of an Inspect log', () => {
  const failure = {
    message: 'tool server gone',
    traceback: 'Traceback (most recent call last):\nRuntimeError: tool server gone',
    traceback_ansi: '\u001b[31mRuntimeError',
  };
  const extra = {
    epoch: 2,
    scores: {
      match: { value: 'C', answer: '4', explanation: 'by its name' },
      judge: {
        value: { safety: 0.9, tone: 'P' },
        explanation: '**Safe** <img src="http://127.0.0.1:9/x"> [link](https://example.org)',
        metadata: { grader: 'acme/judge-1' },
      },
    },
    error: failure,
    error_retries: [{ ...failure, message: 'tool server slow' }],
    limit: { type: 'token', limit: 512 },
    model_usage: { 'acme/tiny-1': { input_tokens: 3000, output_tokens: 12, total_tokens: 3012 } },
    working_time: 1.25,
    events: [
      { kind: 'span', name: 'solver generate', depth: 0, start: 0, seconds: 4 },
      {
        kind: 'model',
        name: 'acme/tiny-1',
        depth: 1,
        start: 0,
        seconds: 2,
        output_tokens: 12,
        reasoning_tokens: 554,
        cost: 0.0125,
        retries: 2,
      },
      { kind: 'tool', name: 'flip', depth: 1, start: 3, seconds: 1, error: 'tool server gone' },
    ],
    event_totals: { events: 3, retries: 2 },
    uuid: 'u-1',
  };

  it('shows each score, and its explanation as Markdown that loads nothing', () => {
    const fields = shown({ extra });
    const scores = within(screen.getByRole('region', { name: 'Scores' }));
    expect(scores.getByText('match').nextElementSibling?.textContent).toBe('C');
    expect(scores.getByText('judge.safety').nextElementSibling?.textContent).toBe('0.9');
    expect(scores.getByText('grader').nextElementSibling?.textContent).toBe('acme/judge-1');
    expect(scores.getByText('Safe').closest('strong')).not.toBeNull();
    expect(fields.querySelector('img, a')).toBeNull();
    expect(screen.queryByText('scores.judge')).toBeNull();
    expect(screen.getByText('uuid')).toBeDefined();
  });

  it('adds up no scores, since each scorer measures something else', () => {
    const detail = drawCompared(['A1', 'A1']).lanes[0]?.detail;
    const row = { ...(detail?.row as RolloutDetail['row']), reward: 0, scores: '{"match":0,"tone":0.25}' };
    expect(shown({ row }).textContent).toContain('The scores add up to 0.25');
    cleanup();
    const sample = shown({ row, extra }).textContent;
    expect(sample).toContain('The reward is the score of the first scorer');
    expect(sample).not.toContain('add up');
  });

  it('cuts a long explanation and shows all of it on request', () => {
    const long = { match: { value: 1, explanation: `${'word '.repeat(1_000)}end` } };
    const fields = shown({ extra: { ...extra, scores: long } });
    expect(fields.textContent).not.toContain('word end');
    fireEvent.click(screen.getByRole('button', { name: /^Show all 5,003 characters of .* match$/ }));
    expect(fields.textContent).toContain('word end');
    expect(screen.getByRole('region', { name: 'Explanation of match' }).tabIndex).toBe(0);
  });

  it('shows its error, the errors that were retried, its limit, usage and times', () => {
    shown({ extra });
    const ending = within(screen.getByRole('region', { name: 'How it ended' }));
    expect(ending.getByText('use of limits').nextElementSibling?.textContent).toMatch(
      /^ended by: token, 512/,
    );
    const error = within(screen.getByRole('region', { name: 'Error' }));
    expect(error.getByText('tool server gone')).toBeDefined();
    expect(error.getByText('Traceback').closest('details')?.open).toBe(false);
    const retries = screen.getByRole('region', { name: 'Retries' });
    expect(retries.textContent).toContain('1 earlier attempt');
    expect(retries.textContent).toContain('tool server slow');
    const sample = within(screen.getByRole('region', { name: 'Sample' }));
    expect(sample.getByText('epoch').nextElementSibling?.textContent).toBe('2');
    expect(sample.getByText('input tokens').nextElementSibling?.textContent).toBe('3,000');
    expect(sample.getByText('retried model calls').nextElementSibling?.textContent).toBe('2');
    expect(sample.getByText('working time').nextElementSibling?.textContent).toBe('1.25 s');
  });

  it('lists its events on a time axis and zooms to one', () => {
    renderWithClient(createFakeClient({}), <EventList events={eventsIn(extra)} />);
    const list = screen.getByRole('region', { name: 'Events' });
    const row = (name: RegExp) => within(list).getByRole('button', { name });
    expect(list.textContent).toContain('3 events');
    // Tokens and cost have their own line, so that they leave the name its room.
    const [time, usage] = row(/^model acme/).querySelectorAll('.event-row-facts');
    expect([time?.textContent, usage?.textContent]).toEqual([
      '2 s',
      '12 out · 554 reasoning · $0.0125 · 2 retries',
    ]);
    expect(usage?.closest('.event-row-text')).toBeNull();
    expect(row(/^model acme/).title).toMatch(
      /^model acme.*\n.*\n2 s · 12 out · 554 reasoning · \$0.0125 · 2 retries$/,
    );
    expect(row(/^✕ tool flip/).title).toBe('tool flip\n3 s after the first event\n1 s');
    const flip = row(/^✕ tool flip/);
    flip.focus();
    fireEvent.click(flip);
    expect(list.textContent).toContain('3 events');
    fireEvent.doubleClick(flip);
    expect(document.activeElement).toBe(flip);
    expect(row(/^✕ tool flip/)).toBe(flip);
    expect(list.textContent).toContain('2 events');
    act(() => void runCommand('place.up'));
    expect(list.textContent).toContain('3 events');
    fireEvent.click(row(/^Zoom to it/));
    expect(within(list).queryByRole('button', { name: /^model acme/ })).toBeNull();
    fireEvent.click(row(/^Zoom out/));
    expect(list.textContent).toContain('3 events');
  });

  it('tells the attempt, the traceback and both clocks of a failed event', () => {
    const failed = {
      ...{ kind: 'model', name: 'm', depth: 0, start: 1, seconds: 2, working_seconds: 0.5 },
      ...{ attempt: 2, error: 'Transient()', traceback: 'Traceback (most recent call last): x' },
    };
    const { container } = renderWithClient(createFakeClient({}), <EventList events={[failed]} />);
    expect(container.querySelector('.event-bar')?.className).toContain('is-failed');
    fireEvent.click(screen.getByRole('button', { name: /^✕ model m/ }));
    const chosen = screen.getByRole('region', { name: 'Chosen event' });
    expect(chosen.textContent).toContain(
      'attempt 2 · 1 s after the first event · 2 s from timestamp to completed · working time 500 ms',
    );
    expect(within(chosen).getByText('Traceback (most recent call last): x')).toBeDefined();
  });

  it('writes out the error of the focused event, also of an instant, with hidden characters as glyphs', () => {
    const instant = {
      kind: 'in\u202efo',
      name: 'n',
      depth: 0,
      start: 1,
      error: `${'x'.repeat(300)}\u202eend`,
    };
    const untimed = { kind: 'tool', name: 'late', depth: 0 };
    const { container } = renderWithClient(
      createFakeClient({}),
      <EventList events={[instant, untimed]} total={100_000} />,
    );
    expect(container.textContent).toContain('2 events, of the first 2 of 100,000');
    expect(screen.queryByRole('region', { name: 'Chosen event' })).toBeNull();
    const row = screen.getByRole<HTMLButtonElement>('button', { name: /^✕ in⟨RLO⟩fo n x+/ });
    expect(row.disabled).toBe(false);
    fireEvent.focus(row);
    expect(screen.getByRole('region', { name: 'Chosen event' }).textContent).toMatch(
      /^in⟨RLO⟩fo n✕ x{300}⟨RLO⟩end1 s after the first event$/,
    );
    const late = screen.getByRole('button', { name: /late no usable time$/ });
    expect(late.querySelector('.event-bar')).toBeNull();
    fireEvent.click(late);
    expect(screen.getByRole('region', { name: 'Chosen event' }).textContent).toContain('No time logged');
    expect(container.innerHTML).not.toContain('\u202e');
  });

  it.each([
    ['scorers', { scores: many(() => ({ value: 1 })) }, '19,980 more scorers not shown'],
    ['values of a score', { scores: { match: { value: many((i) => i) } } }, '19,980 more values not shown'],
    [
      'metadata of a score',
      { scores: { match: { value: 1, metadata: many((i) => i) } } },
      '19,980 more metadata fields not shown',
    ],
    ['models', { model_usage: many(() => ({ input_tokens: 1 })) }, '19,980 more models not shown'],
    ['counts of a model', { model_usage: { m: many((i) => i) } }, '19,980 more counts not shown'],
    ['retries', { error_retries: Array(20_000).fill(failure) }, '19,980 more attempts not shown'],
    ['other fields', { metadata: many((i) => i) }, '19,901 more fields not shown'],
  ])('shows the first of many %s, and the next ones on request', (_what, heavy, left) => {
    const fields = shown({ extra: { ...extra, ...heavy } });
    expect(fields.textContent).toContain(left);
    const before = fields.querySelectorAll('*').length;
    expect(before).toBeLessThan(2_000);
    fireEvent.click(screen.getByRole('button', { name: /^Show \d+ more$/ }));
    expect(fields.textContent).not.toContain(left);
    expect(fields.querySelectorAll('*').length).toBeGreaterThan(before + 19);
  });

  it('shows large scores whole, and hidden characters of names as glyphs, also in titles', () => {
    const scores = {
      tokens: { value: 1_234_567 },
      'a\u202eb': { value: 'x\u202ey', metadata: { 'm\u200b': 1 } },
    };
    const usage = { m: { 'n\u202e': 3 } };
    const fields = shown({ extra: { ...extra, scores, model_usage: usage } });
    expect(screen.getByText('tokens').nextElementSibling?.textContent).toBe('1,234,567');
    for (const name of ['a⟨RLO⟩b', 'm⟨ZWSP⟩', 'n⟨RLO⟩']) expect(screen.getByText(name)).toBeDefined();
    expect(fields.innerHTML).not.toMatch(/[\u202e\u200b]/);
    cleanup();
    const long = shown({ extra: { ...extra, scores: { ['L'.repeat(100_000)]: { value: 1 } } } });
    expect(long.textContent?.length).toBeLessThan(2_000);
  });

  it('leaves out times that no date can have', () => {
    const detail = drawCompared(['A1', 'A1']).lanes[0]?.detail;
    const row = { ...(detail?.row as RolloutDetail['row']), startedAt: 1e300, endedAt: 1_757_963_074 };
    shown({ extra, row });
    expect(screen.queryByText('started')).toBeNull();
    expect(screen.getByText('completed').nextElementSibling?.textContent).toContain('15 Sept 2025');
  });

  it('hides scores during blind review', () => {
    const fields = shown({ extra }, true);
    for (const hidden of ['match', 'by its name', 'tool server gone'])
      expect(fields.textContent).not.toContain(hidden);
  });

  it('leaves the fields of other logs as they are', () => {
    shown({ extra: { scores: { rouge: 0.5 }, epoch: 3, error: { message: 'x' } } });
    expect(screen.getByText('scores.rouge')).toBeDefined();
    expect(screen.queryByRole('region', { name: 'Error' })).toBeNull();
  });
});
