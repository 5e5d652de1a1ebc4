/**
 * The filter box over a library whose answers the test controls: it offers only values that fit the current
 * text.
 */
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FilterBox } from '../../renderer/widgets/filter/FilterBox.tsx';
import type { FrequentValue } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const OUTCOMES: readonly FrequentValue[] = [
  { text: 'ok_stdout', rollouts: 140 },
  { text: 'runtime_error', rollouts: 31 },
  { text: 'timeout', rollouts: 12 },
];

/** Pending answers of the library by requested prefix. */
let answers: Map<string, (values: readonly FrequentValue[]) => void>;
const box = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Filter rollouts' });
const options = () => screen.queryAllByRole('option').map((option) => option.textContent);
const press = (key: string) => fireEvent.keyDown(box(), { key });

function type(value: string): void {
  box().focus();
  fireEvent.change(box(), { target: { value, selectionStart: value.length } });
}

async function answer(prefix: string, values: readonly FrequentValue[]): Promise<void> {
  await waitFor(() => expect([...answers.keys()]).toContain(prefix));
  await act(async () => answers.get(prefix)?.(values));
}

beforeEach(() => {
  answers = new Map();
  const client = createFakeClient({
    'view.list': () => [],
    'filter.values': ({ prefix = '' }) =>
      new Promise((resolve) => answers.set(prefix, (values) => resolve({ values }))),
  });
  renderWithClient(client, <FilterBox runId={1} runKey="a-run" what="rollouts" />);
});
afterEach(cleanup);

describe('filter box', () => {
  it('offers only values of the former answer that still fit', async () => {
    type('outcome:');
    await answer('', OUTCOMES);
    await waitFor(() => expect(options()[0]).toBe('ok_stdoutsuccess · 140 rollouts'));
    type('outcome:time');
    // The library has not answered yet.
    expect(options()).toEqual(['timeouttimed out · 12 rollouts', 'runtime_error31 rollouts']);
    press('ArrowDown');
    press('Enter');
    expect(box().value).toBe('outcome:timeout');
  });

  it('shows one hint about keys at a time', () => {
    const keys = () => screen.queryAllByText('Tab', { selector: 'kbd' }).length;
    type('tool_er');
    expect(screen.getByText(/searches the texts for/).textContent).toContain('Tab completes a field name');
    expect([options().length > 0, keys()]).toEqual([true, 1]);
    type('outcome:ti');
    expect([screen.queryByText(/searches the texts for/), keys()]).toEqual([null, 1]);
  });

  it('keeps the chosen value when the answer puts others before it', async () => {
    type('outcome:');
    press('ArrowDown');
    const chosen = screen.getByRole('option', { selected: true }).querySelector('code')?.textContent ?? '';
    expect(chosen).not.toContain('timeout');
    await answer('', [{ text: 'timeout', rollouts: 150 }, ...OUTCOMES.slice(0, 2)]);
    await waitFor(() => expect(options()[0]).toBe('timeouttimed out · 150 rollouts'));
    press('Enter');
    expect(box().value).toBe(`outcome:${chosen}`);
  });

  it('offers no masked credential, which would be stored as blocks', async () => {
    type('problem_id:');
    await answer('', [
      { text: `key ${'█'.repeat(23)}`, rollouts: 9 },
      { text: 'p1', rollouts: 3 },
    ]);
    await waitFor(() => expect(options()).toContain('p13 rollouts'));
    expect(options().join()).not.toContain('█');
  });

  it('offers nothing of another field', async () => {
    type('outcome:');
    await answer('', OUTCOMES);
    await waitFor(() => expect(options()).toContain('ok_stdoutsuccess · 140 rollouts'));
    type('tool:');
    expect(options()).not.toContain('ok_stdoutsuccess · 140 rollouts');
  });
});
