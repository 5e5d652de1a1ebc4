import { describe, expect, it } from 'vitest';
import { useTableLayouts } from '../../renderer/state/tableLayout.ts';
import {
  AS_THEY_CAME,
  type Column,
  cellText,
  inOrder,
  movedBefore,
  movedBy,
  rowStyleOf,
  shownColumns,
  tableTsv,
} from '../../renderer/ui/tableColumns.ts';
import { knownColumnIds } from '../../renderer/widgets/rollouts/rolloutColumns.tsx';
import { rowsById } from '../../renderer/widgets/rollouts/selectedRows.ts';
import { valueCondition, withConditionBegun } from '../../renderer/widgets/tables/useTableFilter.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { rolloutRow } from '../support/preview/previewData.ts';

const columns = ['a', 'b', 'c', 'd'].map((id) => ({ id, minWidth: 40 }));
const idsOf = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id).join('');
const NONE: ReadonlySet<string> = new Set();

describe('the columns of a table', () => {
  it('are in the user’s order, a new one after its default neighbour', () => {
    expect(idsOf(inOrder(columns, []))).toBe('abcd');
    expect(idsOf(inOrder(columns, ['d', 'a', 'b', 'c']))).toBe('dabc');
    expect(idsOf(inOrder(columns, ['d', 'b', 'gone', 'c']))).toBe('adbc');
    expect(idsOf(inOrder(columns, ['c', 'a', 'd']))).toBe('cabd');
  });

  it('are hidden, but never all of them', () => {
    const hidden = { a: true, c: true } as const;
    expect(idsOf(shownColumns(columns, { ...AS_THEY_CAME, hidden }, NONE))).toBe('bd');
    expect(idsOf(shownColumns(columns, { ...AS_THEY_CAME, hidden }, new Set(['b'])))).toBe('d');
    const all = { a: true, b: true, c: true, d: true } as const;
    expect(idsOf(shownColumns(columns, { ...AS_THEY_CAME, hidden: all }, NONE))).toBe('a');
  });

  it('include malformed calls once a row has one', () => {
    const row = rolloutRow(100);
    const ids = (malformedCalls: number | undefined) =>
      knownColumnIds([row, { ...row, malformedCalls }], NONE).has('malformedCalls');
    expect([ids(undefined), ids(0), ids(2)]).toEqual([false, false, true]);
  });

  it('include reruns once a row has one', () => {
    const row = rolloutRow(100);
    const ids = (rerun?: 'same') =>
      knownColumnIds([rerun === undefined ? row : { ...row, rerun }], NONE).has('rerun');
    expect([ids(), ids('same')]).toEqual([false, true]);
  });

  it('are moved by the pointer and by keys', () => {
    expect(movedBefore(['a', 'b', 'c'], 'c', 'a')).toEqual(['c', 'a', 'b']);
    expect(movedBefore(['a', 'b', 'c'], 'a', undefined)).toEqual(['b', 'c', 'a']);
    expect(movedBefore(['a', 'b', 'c'], 'b', 'b')).toEqual(['a', 'b', 'c']);
    expect(movedBy(['a', 'b', 'c'], 'c', -1)).toEqual(['a', 'c', 'b']);
    expect(movedBy(['a', 'b', 'c'], 'c', 1)).toEqual(['a', 'b', 'c']);
  });

  it('have the dragged width, and room for the sort arrow', () => {
    const plain = rowStyleOf(columns.slice(0, 2), {}, []);
    expect(plain.gridTemplateColumns).toBe('minmax(40px, 1fr) minmax(40px, 1fr)');
    const drawn = rowStyleOf(columns.slice(0, 2), { b: 99 }, []);
    expect(drawn.gridTemplateColumns).toBe('minmax(40px, 1fr) 99px');
    expect(drawn.minWidth - plain.minWidth).toBe(59);
    const sorted = rowStyleOf(columns.slice(0, 2), {}, [{ column: 'a', direction: 'ascending' }]);
    expect(sorted.minWidth).toBeGreaterThan(plain.minWidth);
  });

  it('are remembered by table, and restored', () => {
    const { arrange, reset } = useTableLayouts.getState();
    arrange('one', { hidden: { a: true } });
    arrange('one', { widths: { b: 70 } });
    arrange('other', { order: ['b', 'a'] });
    expect(useTableLayouts.getState().layouts['one']).toEqual({
      order: [],
      hidden: { a: true },
      widths: { b: 70 },
    });
    reset('one');
    expect(useTableLayouts.getState().layouts['one']).toBeUndefined();
    expect(useTableLayouts.getState().layouts['other']?.order).toEqual(['b', 'a']);
  });
});

interface Row {
  readonly name?: string;
  readonly share?: number;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'name',
    label: '',
    name: 'called',
    minWidth: 10,
    value: (row) => row.name,
    copiedWith: { name: 'correct', value: (row) => row.share === 1 },
    cell: () => null,
  },
  { id: 'drawing', label: 'drawing', minWidth: 10, cell: () => null },
  { id: 'share', label: 'share', unit: '%', minWidth: 10, value: (row) => row.share, cell: () => null },
];

describe('rows as TSV', () => {
  it('has names, exact values, and blanks for unknown', () => {
    expect(tableTsv(COLUMNS, [{ name: 'x', share: 1 / 3 }, { share: 1 }, {}])).toBe(
      'called\tcorrect\tshare (%)\nx\tfalse\t0.3333333333333333\n\ttrue\t1\n\tfalse\t\n',
    );
  });

  it('keeps tabs, lines and quotes inside their cell', () => {
    expect(cellText('a\tb')).toBe('"a\tb"');
    expect(cellText('one\ntwo')).toBe('"one\ntwo"');
    expect(cellText('5\'6"')).toBe('"5\'6"""');
  });

  it('makes no formula of policy text, and keeps numbers', () => {
    for (const text of ['=1+1', '@SUM(A1)', '+cmd', '-x', '\t=1']) expect(cellText(text)).toMatch(/^"?'/);
    for (const text of ['-5', '+1e3', '-.5']) expect(cellText(text)).toBe(text);
    expect(cellText(-5)).toBe('-5');
    expect(cellText(Number.NaN)).toBe('');
  });
});

describe('selected rows that are not loaded', () => {
  const ids = Uint32Array.from({ length: 1_234 }, (_, i) => 10_000 - i);

  it('are fetched in chunks, in list order, with what has arrived', async () => {
    const asked: number[] = [];
    const read: number[] = [];
    const rowsOf = rowsById(
      ids,
      async (wanted) => {
        asked.push(wanted.length);
        // The host answers in another order, and one row has been removed.
        return [...wanted].reverse().filter((id) => id !== 9_999);
      },
      (id: number) => id,
    );
    const options = { signal: new AbortController().signal, onRead: (rows: number) => read.push(rows) };
    const rows = await rowsOf(
      Array.from(ids, (_, i) => i),
      options,
    );
    expect(asked).toEqual([500, 500, 234]);
    expect(read).toEqual([500, 1_000, 1_234]);
    expect(rows).toEqual(Array.from(ids).filter((id) => id !== 9_999));
  });

  it('are not fetched once nobody waits', async () => {
    const own = new AbortController();
    let asked = 0;
    const rowsOf = rowsById(
      ids,
      async (wanted) => {
        asked += 1;
        own.abort();
        return wanted;
      },
      (id: number) => id,
    );
    const all = Array.from(ids, (_, i) => i);
    await expect(rowsOf(all, { signal: own.signal, onRead: () => undefined })).rejects.toThrow();
    expect(asked).toBe(1);
  });
});

describe('conditions from a table', () => {
  it('are valid filters, whatever a cell contains', () => {
    expect(valueCondition('turns', 3, false)).toBe('turns:3');
    expect(valueCondition('reward', -0.25, true)).toBe('not reward:-0.25');
    expect(valueCondition('kept', false, false)).toBe('kept:false');
    expect(valueCondition('advantage', undefined, false)).toBe('advantage:none');
    expect(valueCondition('advantage', undefined, true)).toBe('advantage:*');
    expect(valueCondition('prompt', 'a triangle', false)).toBeUndefined();
    for (const answer of ['42', 'a b', '5\'6"', 'x*', '(1, 2)', 'none', '*', '-1', '1e-7', 'or', 'a\\b']) {
      const condition = valueCondition('answer', answer, false) ?? '';
      expect(readFilter(condition)).toEqual({
        ok: true,
        node: { kind: 'word', field: 'answer', text: answer, isPattern: false },
      });
    }
  });

  it('numbers are compared with all their digits', () => {
    for (const value of [1 / 3, 1e-7, 1e21, -0.1]) {
      const read = readFilter(valueCondition('mean_entropy', value, false) ?? '');
      const bound = { value, isExclusive: false };
      expect(read).toEqual({
        ok: true,
        node: { kind: 'number', field: 'mean_entropy', from: bound, to: bound },
      });
    }
  });

  it('are appended to the existing filter, which keeps its meaning', () => {
    expect(withConditionBegun('', 'turns')).toBe('turns:>');
    expect(withConditionBegun('kept:true', 'answer')).toBe('kept:true answer:');
    expect(withConditionBegun('kept:true or reward:1', 'ordinal')).toBe('(kept:true or reward:1) ordinal:');
  });
});
