/**
 * The frame and the path field of dialogs that write a file. During the export, only its own button closes the dialog.
 */
import { type ReactNode, useId, useRef } from 'react';
import { useClient } from '../../data/DataProvider.tsx';
import { useRequest } from '../../data/useRequest.ts';
import { type Dialog as OpenDialog, useDialog, useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { Modal } from '../../ui/Modal.tsx';

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
    <Modal isOpen={isOpen} onClose={() => !isWriting.current && onDone()} className={`dialog ${className}`}>
      {children({
        onDone,
        onWriting: (writing) => {
          isWriting.current = writing;
        },
      })}
    </Modal>
  );
}

interface PathFieldProps {
  readonly label: string;
  /** Explains how a bare name is resolved, and what happens if the file exists. */
  readonly hint: string;
  readonly path: string;
  readonly onPath: (path: string) => void;
  readonly isDisabled: boolean;
}

export function PathField({ label, hint, path, onPath, isDisabled }: PathFieldProps) {
  const id = useId();
  const client = useClient();
  const isDesktop = useRequest('host.info', {}).data?.shell === 'desktop';
  const choose = async () => {
    const chosen = await client.request('shell.saveDialog', { name: path.trim() });
    if (chosen.path !== undefined) onPath(chosen.path);
  };
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <span className="path-row">
        <input
          id={id}
          className="text-field mono"
          spellCheck={false}
          disabled={isDisabled}
          value={path}
          onChange={(event) => onPath(event.target.value)}
        />
        {isDesktop && (
          <Button disabled={isDisabled} onClick={() => void choose()}>
            Choose…
          </Button>
        )}
      </span>
      <p className="dim">{hint}</p>
    </>
  );
}

/** A file name that is valid on every system. */
export function fileName(name: string): string {
  const plain = name
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80);
  return plain === '' ? 'run' : plain;
}
