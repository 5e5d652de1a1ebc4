/** The actions of a filter: save it as a view, and copy it as SQL, as a command or as a link. */

import { useQueryClient } from '@tanstack/react-query';
import { Ellipsis } from 'lucide-react';
import { Dialog, DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { shellWord } from '../../../shared/domain/shellWord.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { notSaved } from '../../data/failures.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { useInterface } from '../../state/interface.ts';
import { Button, IconButton } from '../../ui/Controls.tsx';
import { copyText } from '../../ui/exportText.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { counted } from '../../ui/numbers.ts';

/** A library from elsewhere may have thousands, with names and filters of any length. */
const MOST_VIEWS = 200;
const shortened = (text: string): string =>
  text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text;

interface FilterMenuProps {
  readonly runId: number | undefined;
  readonly runKey: string | undefined;
  /** The applied filter. '' means none. */
  readonly filter: string;
  /** Further conditions of the list. */
  readonly within: string;
  readonly onChoose: (filter: string) => void;
}

export function FilterMenu({ runId, runKey, filter, within, onChoose }: FilterMenuProps) {
  const client = useClient();
  const queries = useQueryClient();
  const setNotice = useInterface((state) => state.setNotice);
  const views = useRequest('view.list', {}).data ?? [];
  const info = useRequest('host.info', {}).data;
  const [isNaming, setNaming] = useState(false);
  const copy = async (what: string, text: string) =>
    setNotice(
      (await copyText(text))
        ? `Copied as ${what}`
        : `The clipboard is not available here: not copied as ${what}`,
    );
  const copySql = async () => {
    const { sql } = await client.request('filter.parse', {
      ...(runId === undefined ? {} : { runId }),
      filter: bothFilters(within, filter),
    });
    await copy('SQL', sql);
  };
  const copyCommand = () =>
    copy(
      'a command',
      commandLine({ filter: bothFilters(within, filter), runKey, libraryPath: info?.libraryPath }),
    );
  useCommands({
    ...(filter === '' ? {} : { 'filter.saveView': () => setNaming(true) }),
    'filter.copySql': () => void copySql(),
    'filter.copyCommand': () => void copyCommand(),
  });
  const remove = async (name: string) => {
    await client.request('view.remove', { name });
    await queries.invalidateQueries({ queryKey: ['view.list'] });
    setNotice(`View “${name}” removed`);
  };
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger asChild>
          <IconButton label="Saved views; copy the filter">
            <Ellipsis size={14} />
          </IconButton>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end" sideOffset={4} aria-label="Filter">
            {views.length > 0 && <DropdownMenu.Label className="menu-label">Saved views</DropdownMenu.Label>}
            {views.slice(0, MOST_VIEWS).map((view) => (
              <DropdownMenu.Sub key={view.name}>
                <DropdownMenu.SubTrigger>
                  {plainLogText(shortened(view.name))}{' '}
                  <code className="menu-hint">{plainLogText(shortened(view.filter))}</code>
                </DropdownMenu.SubTrigger>
                <DropdownMenu.Portal>
                  <DropdownMenu.SubContent className="menu" sideOffset={2}>
                    <DropdownMenu.Item onSelect={() => onChoose(view.filter)}>Apply</DropdownMenu.Item>
                    <DropdownMenu.Item onSelect={() => void remove(view.name)}>Remove</DropdownMenu.Item>
                  </DropdownMenu.SubContent>
                </DropdownMenu.Portal>
              </DropdownMenu.Sub>
            ))}
            {views.length > MOST_VIEWS && (
              <DropdownMenu.Label className="menu-label">
                and {counted(views.length - MOST_VIEWS, 'more view')}
              </DropdownMenu.Label>
            )}
            {views.length > 0 && <DropdownMenu.Separator />}
            {/* Opens the dialog after the menu has returned the focus, which would otherwise leave the field. */}
            <DropdownMenu.Item disabled={filter === ''} onSelect={() => setTimeout(() => setNaming(true))}>
              Save this filter as a view…
            </DropdownMenu.Item>
            <DropdownMenu.Item onSelect={() => void copySql()}>Copy as SQL</DropdownMenu.Item>
            <DropdownMenu.Item onSelect={() => void copyCommand()}>Copy as command line</DropdownMenu.Item>
            <DropdownMenu.Item
              onSelect={() => void copy('a link', window.location.href.replace(/([?&])token=[^&]*&?/, '$1'))}
            >
              Copy the link of this page
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {isNaming && (
        <SaveView filter={filter} taken={views.map(({ name }) => name)} onClose={() => setNaming(false)} />
      )}
    </>
  );
}

interface SaveViewProps {
  readonly filter: string;
  /** Names of existing views. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

/** Asks for a name and saves the filter as a view of this library. */
function SaveView({ filter, taken, onClose }: SaveViewProps) {
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
      setNotice(notSaved(error));
    }
    onClose();
  };
  return (
    <Modal onClose={onClose}>
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
    </Modal>
  );
}

/** The parameters of the equivalent shell command. */
interface Asked {
  readonly filter: string;
  readonly runKey: string | undefined;
  readonly libraryPath: string | undefined;
}

export function commandLine({ filter, runKey, libraryPath }: Asked): string {
  const parts = ['turnwise rollouts'];
  // Uses `=`, so that a value that begins with a dash is not parsed as an option.
  if (libraryPath !== undefined) parts.push(`--library=${shellWord(libraryPath)}`);
  if (runKey !== undefined) parts.push(`--run=${shellWord(runKey)}`);
  if (filter !== '') parts.push(`--filter=${shellWord(filter)}`);
  return parts.join(' ');
}
