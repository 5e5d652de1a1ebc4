/** The frame of every dialog. Closing it returns the focus to the element that had it. */
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useEffect } from 'react';
import { IconButton } from './Controls.tsx';

interface ModalProps {
  readonly isOpen?: boolean;
  readonly onClose: () => void;
  readonly className?: string;
  readonly onKeyDownCapture?: (event: KeyboardEvent) => void;
  /** Must contain a `Dialog.Title`. */
  readonly children: ReactNode;
}

export function Modal({ isOpen = true, onClose, className = 'dialog', children, ...rest }: ModalProps) {
  useEffect(rememberFocus, []);
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          className={className}
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          {...rest}
        >
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const OVERLAYS = '[role="dialog"], [role="menu"], [data-radix-focus-guard]';

/** The button in the head of a dialog. */
export function ModalClose() {
  return (
    <Dialog.Close asChild>
      <IconButton label="Close" keys="Esc">
        <X size={16} />
      </IconButton>
    </Dialog.Close>
  );
}

/**
 * The last focused element outside dialogs and menus. Dialogs open from keys, menus and other dialogs, so none knows
 * its trigger, and the focus may have left the element before the dialog mounts.
 */
let focused: HTMLElement | undefined;

const isInOverlay = ({ target }: Event): boolean =>
  target instanceof HTMLElement && target.closest(OVERLAYS) !== null;

function onFocusIn(event: FocusEvent): void {
  if (!isInOverlay(event) && event.target instanceof HTMLElement) focused = event.target;
}

/** An element that was blurred on purpose does not get the focus back. */
function onFocusOut(event: FocusEvent): void {
  if (!isInOverlay(event) && event.relatedTarget === null && document.hasFocus()) focused = undefined;
}

/** Adding the same listener twice has no effect. */
function rememberFocus(): void {
  document.addEventListener('focusin', onFocusIn);
  document.addEventListener('focusout', onFocusOut);
}

/** Does nothing if the view that the dialog opened has taken the focus. */
function returnFocus(event: Event): void {
  event.preventDefault();
  const active = document.activeElement;
  if (active === null || active === document.body) focused?.focus({ preventScroll: true });
}
