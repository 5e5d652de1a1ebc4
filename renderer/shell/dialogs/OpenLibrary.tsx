/** Opens another library where there is no system dialog: a remembered one, or a path on the host. */
import { Dialog } from 'radix-ui';
import { useId, useState } from 'react';
import { useLibraries } from '../../data/otherLibraries.ts';
import { useDialog, useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { useLibraryActions } from '../useLibraryActions.ts';

export function OpenLibrary() {
  const isOpen = useDialog('openLibrary') !== undefined;
  const showDialog = useInterface((state) => state.showDialog);
  return (
    <Modal isOpen={isOpen} onClose={() => showDialog(undefined)}>
      <OpenLibraryBody onDone={() => showDialog(undefined)} />
    </Modal>
  );
}

function OpenLibraryBody({ onDone }: { readonly onDone: () => void }) {
  const id = useId();
  const { open } = useLibraryActions();
  const closed = (useLibraries() ?? []).filter(({ isOpen, isGone }) => !isOpen && isGone !== true);
  const [text, setText] = useState('');
  const path = text.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (path !== '') open.mutate({ path }, { onSuccess: onDone });
      }}
    >
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Open another library</h1>
        </Dialog.Title>
      </div>
      <div className="dialog-body">
        <label htmlFor={id}>Path of the library’s file on the machine that serves this page</label>
        <input
          id={id}
          className="text-field mono"
          list={`${id} known`}
          spellCheck={false}
          placeholder="/runs/june.turnwise"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <datalist id={`${id} known`}>
          {closed.map((library) => (
            <option key={library.id} value={library.path} />
          ))}
        </datalist>
        <p className="dim">
          A library that was opened before, or one in an allowed folder. For any other, start{' '}
          <span className="mono">turnwise serve --library A --library B</span>
        </p>
        {open.isPending && (
          <p className="waiting" role="status">
            <progress aria-label="Opening the library" /> Opening…
          </p>
        )}
        {open.error !== null && (
          <p className="is-wrong" role="alert">
            ✕ {open.error.message}
          </p>
        )}
      </div>
      <div className="dialog-foot">
        <span className="dialog-buttons">
          <Button type="button" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" isPrimary disabled={path === '' || open.isPending}>
            Open
          </Button>
        </span>
      </div>
    </form>
  );
}
