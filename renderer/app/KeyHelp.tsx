import { Dialog } from 'radix-ui';
import { useDialog, useInterface } from '../state/interface.ts';
import { Link } from '../ui/Link.tsx';
import { Modal, ModalClose } from '../ui/Modal.tsx';
import { Keys } from './Keys.tsx';
import type { Area } from './keymap.ts';
import { useBoundCommands } from './keysInForce.ts';

const AREAS: readonly Area[] = ['Everywhere', 'Lists', 'Replay', 'Label', 'Compare'];

export function KeyHelp() {
  const isOpen = useDialog('keys') !== undefined;
  const showDialog = useInterface((state) => state.showDialog);
  const commands = useBoundCommands();
  return (
    <Modal isOpen={isOpen} onClose={() => showDialog(undefined)} className="dialog keys">
      <div className="keys-head">
        <Dialog.Title asChild>
          <h1>Keys</h1>
        </Dialog.Title>
        <Link className="is-link" href="/settings" onClick={() => showDialog(undefined)}>
          Change keys
        </Link>
        <ModalClose />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be within reach of the keyboard */}
      <section className="keys-body" tabIndex={0} aria-label="Keys by area">
        {AREAS.map((area) => (
          <section key={area}>
            <h2>{area}</h2>
            <dl>
              {commands
                .filter((command) => command.area === area)
                .map((command) => (
                  <div key={command.id}>
                    <dt>{command.label}</dt>
                    <dd>
                      {command.keys.length === 0 && (
                        <span
                          className="dim"
                          title="It has no key: the command palette runs it, and the settings give it one"
                        >
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
        ))}
      </section>
    </Modal>
  );
}
