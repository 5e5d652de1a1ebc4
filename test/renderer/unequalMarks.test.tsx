/** Every mark `≠` of the ledger says what differs, also where only the mark is read or pointed at. */
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { CountedPenalty, decisionColumn } from '../../renderer/views/group/ledgerCells.tsx';
import { ledgerEntries } from '../../renderer/views/group/ledgerModel.ts';
import { EXAMPLE, ledgerOf, rolloutsOf } from './rocSides.ts';

const PICTURE = '+0 +5 -0 -5';
afterEach(cleanup);

it('explains a logged decision that differs', () => {
  const ledger = ledgerOf(PICTURE, EXAMPLE);
  const rows = ledger.rows.map((row) => ({ ...row, logged: { kept: row.recomputed.kept !== true } }));
  const [entry] = ledgerEntries({ ...ledger, source: 'logged', rows }, rolloutsOf(PICTURE));
  if (entry === undefined) throw new Error('no rows');
  render(decisionColumn([entry], 'logged', true, false).cell(entry));
  const mark = screen.getByRole('img', { name: /^The logged decision differs from the recomputed one/ });
  expect(mark.textContent).toBe('≠');
  expect(mark.title).toMatch(/\nlogged: .*\nrecomputed: /);
});

it('explains penalties that differ', () => {
  const ledger = ledgerOf(PICTURE, EXAMPLE);
  const rows = ledger.rows.map((row) => ({
    ...row,
    disagreements: [
      {
        part: 'pErr' as const,
        between: ['text', 'typed'] as const,
        values: [0, 1] as const,
        causes: [],
      },
    ],
  }));
  const [entry] = ledgerEntries({ ...ledger, rows }, rolloutsOf(PICTURE));
  if (entry === undefined) throw new Error('no rows');
  render(<CountedPenalty entry={entry} part="pErr" />);
  const mark = screen.getByRole('img', {
    name: /^The penalties as logged, by text rules and by tool outcomes differ/,
  });
  expect(mark.title).toContain('p_err');
});
