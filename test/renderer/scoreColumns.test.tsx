/** Columns of scores in a list of rollouts. */
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Score, ScoreNote, scoreColumns, scoreNames } from '../../renderer/widgets/rollouts/scoreColumns.tsx';
import type { RolloutRow } from '../../shared/api/contract.ts';
import { drawCompared } from '../support/drawCompared.ts';

afterEach(cleanup);

function rowWith(scores: object): RolloutRow {
  const row = drawCompared(['A1', 'A1']).lanes[0]?.detail.row;
  if (row === undefined) throw new Error('no rollout was drawn');
  return { ...row, scores: JSON.stringify(scores) };
}

it('has a column for each of the first names only, in the order in which they were seen', () => {
  const rows = Array.from({ length: 40 }, (_, i) => rowWith({ [`s${i}`]: i }));
  const names = scoreNames(rows, []);
  expect(names).toHaveLength(40);
  expect(scoreNames(rows.slice(3), names)).toBe(names);
  expect(scoreColumns(names).map(({ label }) => label)).toEqual(names.slice(0, 30));
});

it('says how many scores have no column', () => {
  const names = Array.from({ length: 32 }, (_, i) => `s${i}`);
  expect(render(<ScoreNote names={names} />).container.textContent).toContain('2 more scores');
  cleanup();
  expect(render(<ScoreNote names={names.slice(2)} />).container.textContent).toBe('');
});

it('draws hidden characters of a name and of a value as glyphs, also in the title', () => {
  const row = rowWith({ 'a\u202eb': 'x\u200by' });
  const [column] = scoreColumns(scoreNames([row], []));
  expect(column?.label).toBe('a⟨RLO⟩b');
  expect(column?.value?.(row)).toBe('x\u200by');
  const { container } = render(<div>{column?.cell(row)}</div>);
  expect(container.querySelector('[title="x⟨ZWSP⟩y"]')).not.toBeNull();
  expect(container.innerHTML).not.toContain('\u200b');
});

it('shows a large whole number whole', () => {
  expect(render(<Score value={1_234_567} />).container.textContent).toBe('1,234,567');
});
