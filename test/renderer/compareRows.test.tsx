/** Renders rows of a comparison and the line about the first different action. */
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SegmentView } from '../../renderer/data/segmentViews.ts';
import { ActionForkLine } from '../../renderer/views/compare/ActionForkLine.tsx';
import { shownOf, showsIndented } from '../../renderer/views/compare/blockModel.ts';
import { CellHead, CellText } from '../../renderer/views/compare/Cell.tsx';
import { ForkBand } from '../../renderer/views/compare/ForkBand.tsx';
import { Row } from '../../renderer/views/compare/Rows.tsx';
import { forksByRow, itemsOf, rowsOfFork } from '../../renderer/views/compare/rowModel.ts';
import { withinCost } from '../../renderer/views/compare/Texts.tsx';
import type { ActionFork } from '../../shared/api/contract.ts';
import { drawCompared } from '../support/drawCompared.ts';

afterEach(cleanup);

it.each([false, true])(
  'draws 200 of 300 segments of one turn, and the others on request (unified: %s)',
  (isUnified) => {
    const calls = Array.from({ length: 300 }, (_, call) => `T${call}`).join(' ');
    // The store remembers what was opened by the key of the comparison.
    const compared = { ...drawCompared([calls, calls]), key: `unified ${isUnified}` };
    const { items } = itemsOf(compared, { equal: 'show', show: [], flipped: new Set() });
    expect(items).toHaveLength(1);
    const [item] = items;
    if (item === undefined) throw new Error('no turn');
    const context = {
      ...{ compared, columns: [0, 1], on: 1, isUnified, isElided: false, forks: forksByRow(compared) },
      ...{ onSelect: () => {}, onGoTo: () => {}, onDiff: () => {} },
    };
    const drawn = () => document.querySelectorAll('.cmp-block').length;
    render(<Row item={item} context={context} />);
    expect(drawn()).toBe(200);
    fireEvent.click(screen.getByRole('button', { name: /100 more parts of this turn/ }));
    expect(drawn()).toBe(300);
  },
);

it.each([
  [{ outcome: 'malformed' }, '{"name": "python"', 'no closing </tool_call>'],
  [{ outcome: 'parse_error' }, '["python"]', 'not a JSON object'],
  [{ outcome: 'ok' }, '{}', undefined],
])('says above a call what was wrong with it (%j)', (call, inner, problem) => {
  const view = {
    ...{ index: 0, source: 'response', segment: { kind: 'tool-call' }, call, inner },
    outer: `<tool_call>${inner}${call.outcome === 'parse_error' ? '</tool_call>' : ''}`,
  } as unknown as SegmentView;
  const { container } = render(
    <CellHead
      view={view}
      tag=""
      shown={{ form: 'output', text: '{}', base: 0 }}
      isIndented={false}
      isMarked={false}
    />,
  );
  const shown = container.querySelector('p')?.textContent;
  if (problem === undefined) expect(shown).toBeUndefined();
  else expect(shown).toContain(problem);
});

it('separates the words of the user and the policy at a fork, and names their writers', () => {
  const compared = drawCompared(['A1 U1', 'A1 U2']);
  const context = {
    ...{ compared, columns: [0, 1], on: 1, isUnified: false, isElided: false, forks: forksByRow(compared) },
    ...{ onSelect: () => {}, onGoTo: () => {}, onDiff: () => {} },
  };
  const { container } = render(<ForkBand context={context} lanes={[1]} />);
  const labels = [...container.querySelectorAll('.writer-label')].map((each) => each.textContent);
  expect(labels).toEqual(['policy', 'user', 'policy', 'user']);
});

it.each([
  ['below both sides, if these are the policy’s', 'text', -1],
  ['above both sides, if these are words of the user', 'user', 1],
] as const)('tells which actions differ %s', (_where, kind, order) => {
  const drawn = drawCompared(['A1 U1', 'A1 U2']);
  const actionFork: ActionFork = { shared: 0, lane: { kind: 'answer', turn: 1, segment: 0, text: '7' } };
  const side = { offset: 13, turn: 1, segment: 1, kind };
  const fork = { baseline: side, lane: side };
  const lanes = drawn.comparison.lanes.map((lane) => (lane === null ? null : { ...lane, fork, actionFork }));
  const compared = { ...drawn, comparison: { ...drawn.comparison, lanes } };
  const context = {
    ...{ compared, columns: [0, 1], on: 1, isUnified: false, isElided: false, forks: forksByRow(compared) },
    ...{ onSelect: () => {}, onGoTo: () => {}, onDiff: () => {} },
  };
  const { container } = render(<ForkBand context={context} lanes={[1]} />);
  const parts = [...container.querySelectorAll('.cmp-policy-fork, .cmp-fork-side')];
  const [actions, sides] = ['cmp-policy-fork', 'cmp-fork-side'].map((name) =>
    parts.findIndex((part) => part.classList.contains(name)),
  );
  expect(Math.sign((sides ?? 0) - (actions ?? 0))).toBe(order);
});

it('says that formulas are shown as written where differences are marked', () => {
  const inner = 'so $a = 2$';
  const view = {
    ...{ index: 0, source: 'response', inner, outer: inner, hasTokens: false },
    segment: { kind: 'text', inner: { start: 0, end: inner.length } },
  } as unknown as SegmentView;
  const head = (isMarked: boolean) => (
    <CellHead view={view} tag="" shown={shownOf(view)} isIndented={false} isMarked={isMarked} />
  );
  const { rerender } = render(head(true));
  expect(screen.getByText('as written').title).toContain('The replay draws them');
  rerender(head(false));
  expect(screen.queryByText('as written')).toBeNull();
});

it('indents a response of JSON, says so, and cuts a long one', () => {
  const inner = `[${Array.from({ length: 90 }, (_, i) => i).join(', ')}]`;
  const view = {
    ...{ index: 0, source: 'response', inner, outer: inner, hasTokens: false },
    segment: { kind: 'tool-response', inner: { start: 0, end: inner.length } },
  } as unknown as SegmentView;
  const shown = shownOf(view);
  render(
    <>
      <CellHead
        view={view}
        tag=""
        shown={shown}
        isIndented={showsIndented(shown, undefined, 'b')}
        isMarked={false}
      />
      <CellText {...{ view, shown }} pair={undefined} side="b" fork={undefined} stretch="json" isElided />
    </>,
  );
  expect(screen.getByText('JSON, indented')).toBeTruthy();
  expect(screen.getByText(`${inner.length} chars`)).toBeTruthy();
  expect(screen.queryByText('88')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: /show all 92 lines/ }));
  expect(document.querySelector('.cmp-lines')?.textContent).toContain('  89');
});

it('cuts lines after a number of characters, within a line of any length', () => {
  const line = (index: number, start: number, end: number) => ({
    ...{ of: 0, line: index, start, sign: '' as const },
    pieces: [
      { start, end: start + 2 },
      { start: start + 2, end },
    ],
  });
  const lines = [line(0, 0, 10), line(1, 11, 5_000_000), line(2, 5_000_001, 5_000_009)];
  const texts = ['a'.repeat(5_000_010)];
  const within = (most: number) => withinCost(texts, lines, most).shown;
  expect(withinCost(texts, lines, 10_000_000)).toEqual({ shown: lines, cost: 5_000_007 });
  expect(within(110).map(({ pieces }) => pieces.at(-1)?.end)).toEqual([10, 111]);
  expect(within(11).map(({ pieces }) => pieces)).toEqual([lines[0]?.pieces, [{ start: 11, end: 12 }]]);
  expect(within(10)).toHaveLength(1);
});

describe('the first different action', () => {
  const drawn = drawCompared(['T1 C1 R1\nT2 A1', 'T1 C1 R1\nT3 A2']);
  const line = (actionFork?: ActionFork) => {
    const onSelect = vi.fn();
    const onGoTo = vi.fn();
    const lanes = drawn.comparison.lanes.map((lane) =>
      lane === null ? null : { ...lane, ...(actionFork === undefined ? {} : { actionFork }) },
    );
    const compared = { ...drawn, comparison: { ...drawn.comparison, lanes } };
    const context = {
      ...{ compared, columns: [0, 1], on: 1, isUnified: false, isElided: false, forks: forksByRow(compared) },
      ...{ onSelect, onGoTo, onDiff: () => {} },
    };
    const { container } = render(
      // biome-ignore lint/a11y/useKeyWithClickEvents: as the row around it, which selects itself
      // biome-ignore lint/a11y/noStaticElementInteractions: as above
      <div onClick={() => onSelect(0)}>
        <ActionForkLine context={context} index={1} letter="B" />
      </div>,
    );
    return { text: container.textContent, onSelect, onGoTo };
  };
  const answer = (text: string) => ({ kind: 'answer', turn: 2, segment: 4, text }) as const;

  it('names both actions, and leads to their row', () => {
    const { text, onSelect, onGoTo } = line({ shared: 1, baseline: answer('1'), lane: answer('2') });
    expect(text).toBe(
      'After 1 same action, they differ: the answer 1 in turn 2 of A, the answer 2 in turn 2 of B',
    );
    fireEvent.click(screen.getByRole('button', { name: 'in turn 2 of B' }));
    expect(onGoTo).toHaveBeenCalledExactlyOnceWith(1);
    expect(onSelect).not.toHaveBeenCalled();
  });

  it('leads to both actions if they are in different rows', () => {
    // The alignment has a row for turn 1 of both, and one for turn 2 of both.
    const { text, onGoTo } = line({ shared: 0, baseline: answer('1'), lane: { ...answer('2'), turn: 1 } });
    expect(text).toBe('They act differently: the answer 1 in turn 2 of A, the answer 2 in turn 1 of B');
    fireEvent.click(screen.getByRole('button', { name: 'in turn 2 of A' }));
    fireEvent.click(screen.getByRole('button', { name: 'in turn 1 of B' }));
    expect(onGoTo.mock.calls).toEqual([[1], [0]]);
  });

  it('has its rows in order, each once', () => {
    const rows = (baseline?: number, lane?: number) =>
      rowsOfFork(drawn, 1, {
        ...(baseline === undefined ? {} : { baseline: { turn: baseline } }),
        ...(lane === undefined ? {} : { lane: { turn: lane } }),
      });
    expect([rows(2, 1), rows(2, 2), rows(undefined, 2), rows()]).toEqual([[0, 1], [1], [1], []]);
  });

  it('says that a lane has no further action, or the same', () => {
    expect(line({ shared: 0, baseline: answer('1') }).text).toContain('no action in B');
    expect(line({ shared: 2 }).text).toBe('B and A do the same: 2 actions.');
    expect(line().text).toBe('');
  });
});
