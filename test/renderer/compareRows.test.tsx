// @vitest-environment happy-dom
/** A turn of very many parts is drawn in part, and whole on request. */
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Row } from '../../renderer/views/compare/Rows.tsx';
import { forksByRow, itemsOf } from '../../renderer/views/compare/rowModel.ts';
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
      ...{ onSelect: () => {}, onDiff: () => {} },
    };
    const drawn = () => document.querySelectorAll('.cmp-block').length;
    render(<Row item={item} context={context} />);
    expect(drawn()).toBe(200);
    fireEvent.click(screen.getByRole('button', { name: /100 more parts of this turn/ }));
    expect(drawn()).toBe(300);
  },
);
