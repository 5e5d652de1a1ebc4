/** A dialog that closes returns the focus, whatever it was opened from. */
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { Modal } from '../../renderer/ui/Modal.tsx';

afterEach(cleanup);

/** One dialog leads to another, as the palette does. */
function Page() {
  const [open, setOpen] = useState<'first' | 'second'>();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the window's keys
    <div onKeyDown={(event) => event.key === 'k' && setOpen('first')}>
      <button type="button">Charts</button>
      <button type="button">Field</button>
      <Modal isOpen={open === 'first'} onClose={() => setOpen(undefined)}>
        <Dialog.Title>First</Dialog.Title>
        <button type="button" onClick={() => setOpen('second')}>
          Go on
        </button>
      </Modal>
      <Modal isOpen={open === 'second'} onClose={() => setOpen(undefined)}>
        <Dialog.Title>Second</Dialog.Title>
        <button type="button">Save</button>
      </Modal>
    </div>
  );
}

const button = (name: string) => screen.getByRole('button', { name });
const focusedText = () => document.activeElement?.textContent;

function openFrom(name: string): void {
  act(() => button(name).focus());
  fireEvent.keyDown(button(name), { key: 'k' });
}

const close = () => fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' });

describe('Modal', () => {
  it('returns the focus to the element that had it when a key opened it', async () => {
    render(<Page />);
    openFrom('Charts');
    await waitFor(() => expect(focusedText()).toBe('Go on'));
    close();
    await waitFor(() => expect(focusedText()).toBe('Charts'));
  });

  it('returns it after a second dialog that the first one opened', async () => {
    render(<Page />);
    openFrom('Field');
    await waitFor(() => expect(focusedText()).toBe('Go on'));
    fireEvent.click(button('Go on'));
    await waitFor(() => expect(focusedText()).toBe('Save'));
    close();
    await waitFor(() => expect(focusedText()).toBe('Field'));
  });

  it('leaves the focus where it is when the page took it meanwhile', async () => {
    render(<Page />);
    openFrom('Charts');
    await waitFor(() => expect(focusedText()).toBe('Go on'));
    close();
    act(() => screen.getByText('Field').focus());
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(focusedText()).toBe('Field');
  });
});
