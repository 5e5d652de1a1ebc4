import { useQueryClient } from '@tanstack/react-query';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { useClient } from '../../data/DataProvider.tsx';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';

interface SaveViewProps {
  readonly filter: string;
  /** Names of the views there are. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

/** Asks for the name under which a filter is kept in this library. */
export function SaveView({ filter, taken, onClose }: SaveViewProps) {
  const client = useClient();
  const queries = useQueryClient();
  const setNotice = useInterface((state) => state.setNotice);
  const [name, setName] = useState('');
  const trimmed = name.trim();
  const save = async () => {
    try {
      await client.request('view.save', { name: trimmed, filter });
      await queries.invalidateQueries({ queryKey: ['view.list'] });
      setNotice(`View “${trimmed}” saved in this library`);
    } catch (error) {
      setNotice(`Not saved: ${error instanceof Error ? error.message : String(error)}`);
    }
    onClose();
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <Dialog.Title className="dialog-title">Save this filter as a view</Dialog.Title>
          <form
            className="save-view"
            onSubmit={(event) => {
              event.preventDefault();
              if (trimmed !== '') void save();
            }}
          >
            <code>{filter}</code>
            <input
              className="text-field"
              aria-label="Name of the view"
              placeholder="Name"
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            {taken.includes(trimmed) && <p role="status">A view of this name is replaced.</p>}
            <div className="save-view-buttons">
              <Button onClick={onClose}>Cancel</Button>
              <Button isPrimary type="submit" disabled={trimmed === ''}>
                Save
              </Button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
