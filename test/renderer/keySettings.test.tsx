/** Rebinding keys, without a browser: what is accepted, what is refused and why, and reset. */
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useKeyBindings } from '../../renderer/state/keyBindings.ts';
import { KeySettings } from '../../renderer/views/settings/KeySettings.tsx';

const rowOf = (id: string) =>
  screen.getAllByRole('listitem').find((item) => item.textContent?.includes(id)) ?? document.body;
const find = (words: string) =>
  fireEvent.change(screen.getByLabelText('Find a command'), { target: { value: words } });
const startRecording = () =>
  fireEvent.click(screen.getByRole('button', { name: /^Change the keys of Go to the problems/ }));

/** Sends a key to the focused element. */
function press(init: KeyboardEventInit): void {
  fireEvent.keyDown(document.activeElement ?? document.body, init);
}

beforeEach(() => {
  useKeyBindings.getState().unbindAll();
  render(<KeySettings />);
  fireEvent.click(screen.getByRole('button', { name: 'Change keys' }));
  find('place.problems');
});
afterEach(cleanup);

describe('key settings', () => {
  it('report the command that has the keys, and a command gets its own back', async () => {
    startRecording();
    press({ key: '?' });
    const alert = await within(rowOf('place.problems')).findByRole('alert');
    expect(alert.textContent).toContain('Show the keys that work here');
    fireEvent.click(within(alert).getByRole('button', { name: /^Take it from/ }));
    expect(within(rowOf('place.problems')).getByText('?').textContent).toBe('?');
    find('keys.show');
    expect(rowOf('keys.show').textContent).toContain('none');
    fireEvent.click(screen.getByRole('button', { name: 'Reset all' }));
    screen.getByText('All keys have their defaults.');
  });

  it.each([
    [{ key: 'g' }, /begins the keys of \d+ commands, such as g l/],
    [{ key: 'Tab' }, /^Tab moves the focus/],
    [{ key: 'Enter' }, /^Enter opens/],
    [{ key: 'q', altKey: true }, /^Keys with Alt/],
  ])('refuse %j with an explanation', async (init, why) => {
    startRecording();
    press(init);
    const alert = await within(rowOf('place.problems')).findByRole('alert');
    expect(alert.textContent).toMatch(why);
    screen.getByText('All keys have their defaults.');
  });
});
