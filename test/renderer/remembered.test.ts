/** Stores restore every valid field from the browser, and no other. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { remembered } from '../../renderer/state/remembered.ts';

interface State {
  readonly theme: 'light' | 'dark';
  readonly widths: Readonly<Record<string, number>>;
  readonly isOpen: boolean;
  readonly flip: () => void;
}

const initial: State = { theme: 'light', widths: {}, isOpen: false, flip: () => undefined };
const { merge, partialize } = remembered<State>('test', {
  theme: z.enum(['light', 'dark']),
  widths: z.record(z.string(), z.number()),
});

describe('remembered state', () => {
  it('keeps the named fields only', () => {
    expect(partialize?.({ ...initial, theme: 'dark' })).toEqual({ theme: 'dark', widths: {} });
  });

  it('takes fields that fit and keeps the default of the others', () => {
    expect(merge?.({ theme: 'dark', widths: { a: 'wide' } }, initial)).toEqual({ ...initial, theme: 'dark' });
    expect(merge?.({ theme: 'sepia', widths: { a: 7 } }, initial)).toEqual({ ...initial, widths: { a: 7 } });
  });

  it('ignores unknown fields', () => {
    expect(merge?.({ isOpen: true, colour: 'red' }, initial)).toEqual(initial);
    for (const stored of [undefined, null, 'text', 7, []]) expect(merge?.(stored, initial)).toEqual(initial);
  });
});
