/** The frame of a dialog that has something written. While that goes on, only its own button ends it. */
import { Dialog } from 'radix-ui';
import { type ReactNode, useRef } from 'react';
import { type Dialog as OpenDialog, useDialog, useInterface } from '../state/interface.ts';

interface TaskDialogProps {
  readonly name: OpenDialog['kind'];
  readonly className?: string;
  readonly children: (frame: {
    readonly onDone: () => void;
    readonly onWriting: (isWriting: boolean) => void;
  }) => ReactNode;
}

export function TaskDialog({ name, className = '', children }: TaskDialogProps) {
  const isOpen = useDialog(name) !== undefined;
  const showDialog = useInterface((state) => state.showDialog);
  const isWriting = useRef(false);
  const onDone = () => showDialog(undefined);
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && !isWriting.current && onDone()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className={`dialog ${className}`} aria-describedby={undefined}>
          {children({
            onDone,
            onWriting: (writing) => {
              isWriting.current = writing;
            },
          })}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
