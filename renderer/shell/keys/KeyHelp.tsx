import { Dialog } from 'radix-ui';
import { useState } from 'react';
import type { Taxonomy } from '../../../shared/domain/annotate/taxonomy.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useDialog, useInterface } from '../../state/interface.ts';
import { Link } from '../../ui/Link.tsx';
import { Modal, ModalClose } from '../../ui/Modal.tsx';
import { counted } from '../../ui/numbers.ts';
import { canRun } from './commands.ts';
import { KeyOf, Keys } from './Keys.tsx';
import { AREAS, type Command } from './keymap.ts';
import { useBoundCommands } from './keysInForce.ts';

export function KeyHelp() {
  const isOpen = useDialog('keys') !== undefined;
  const showDialog = useInterface((state) => state.showDialog);
  const close = () => showDialog(undefined);
  return (
    <Modal isOpen={isOpen} onClose={close} className="dialog keys">
      <KeyHelpBody onClose={close} />
    </Modal>
  );
}

function KeyHelpBody({ onClose }: { readonly onClose: () => void }) {
  const bound = useBoundCommands();
  // The view under the dialog does not change while it is open.
  const [commands] = useState(() => commandsHere(bound));
  const { taxonomy } = useRequest('taxonomy.get', {}).data ?? {};
  const here = taxonomy === undefined ? commands : withLabelNames(commands, taxonomy);
  const [wanted, setWanted] = useState('');
  const words = wanted.toLowerCase().split(/\s+/);
  // Commands without a key are run from the palette. The list shows them only while searching.
  const listed = wanted === '' ? here.filter(({ keys }) => keys.length > 0) : here;
  const shown = listed.filter(({ label, area, keys }) => {
    const text = [label, area, ...keys].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <>
      <div className="keys-head">
        <Dialog.Title asChild>
          <h1>Keys</h1>
        </Dialog.Title>
        <span className="dim">that work here</span>
        <input
          className="text-field"
          aria-label="Find a key or command"
          placeholder="Find a key or command"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
        <Link className="is-link" href="/settings" onClick={onClose}>
          Change keys
        </Link>
        <Link className="is-link" href="/glossary" onClick={onClose}>
          Glossary
        </Link>
        <ModalClose />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be focusable to be scrolled by keys */}
      <section className="keys-body" tabIndex={0} aria-label="Keys by place">
        {shown.length === 0 && <p role="status">No key or command here matches “{wanted}”.</p>}
        {AREAS.map((area) => {
          const rows = shown.filter((command) => command.area === area);
          if (rows.length === 0) return null;
          return (
            <section key={area}>
              <h2>{area}</h2>
              <dl>
                {rows.map((command) => (
                  <div key={command.id}>
                    <dt>{command.label}</dt>
                    <dd>
                      {command.keys.length === 0 && (
                        <span className="dim" title="No key. Run it from the command palette.">
                          palette
                        </span>
                      )}
                      {command.keys.map((keys) => (
                        <Keys key={keys} keys={keys} />
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
        {here.length > listed.length && (
          <p className="dim keys-more">
            {counted(here.length - listed.length, 'command')} without a key: find them above, or in the
            palette <KeyOf command="palette.show" />
          </p>
        )}
      </section>
    </>
  );
}

/** Keys of labels are named by their labels. Those without a label are left out. */
function withLabelNames(commands: readonly Command[], { labels }: Taxonomy): readonly Command[] {
  return commands.flatMap((command) => {
    const [, key] = /^label\.(\d)$/.exec(command.id) ?? [];
    if (key === undefined) return [command];
    const label = labels.find((one) => one.key === key);
    return label === undefined ? [] : [{ ...command, label: `Label ${label.name}: add or remove` }];
  });
}

/** Commands that can run now, each with its effective keys: a key belongs to its first runnable command. */
function commandsHere(commands: readonly Command[]): readonly Command[] {
  const runnable = commands.filter(({ id }) => canRun(id));
  return runnable
    .map((command) => ({
      ...command,
      keys: command.keys.filter((keys) => runnable.find((other) => other.keys.includes(keys)) === command),
    }))
    .filter(({ keys, isMotion }) => keys.length > 0 || !isMotion);
}
