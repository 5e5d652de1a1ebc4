import { Copy } from 'lucide-react';
import type { RocBasis } from '../../../../shared/api/contract.ts';
import { useRequest } from '../../../data/useRequest.ts';
import { useInterface } from '../../../state/interface.ts';
import { Button } from '../../../ui/Controls.tsx';
import { copyText } from '../../../ui/copyText.ts';
import { rocCommand, trainerOverrides } from './exportModel.ts';

interface CopySettingsProps {
  readonly basis: RocBasis;
  readonly runKey: string;
  readonly step: number | undefined;
}

/** The settings shown, for the trainer and for a script; what neither can express is said. */
export function CopySettings({ basis, runKey, step }: CopySettingsProps) {
  const setNotice = useInterface((state) => state.setNotice);
  const library = useRequest('host.info', {}).data?.libraryPath;
  const overrides = trainerOverrides(basis);
  const command = library === undefined ? undefined : rocCommand(basis, { library, runKey, step });
  const copy = (text: string, what: string) =>
    void copyText(text).then((isCopied) =>
      setNotice(isCopied ? `${what} copied` : 'The clipboard is not available here'),
    );
  const notes = [...overrides.notes, ...(command?.notes ?? [])];
  return (
    <section className="copy-settings" aria-label="Copy these settings">
      <h3>Copy as</h3>
      <div className="copy-buttons">
        <Button title={overrides.text} onClick={() => copy(overrides.text, 'Trainer overrides')}>
          <Copy size={12} /> Trainer overrides
        </Button>
        <Button
          title={command?.text}
          disabled={command === undefined}
          onClick={() => command !== undefined && copy(command.text, 'Command')}
        >
          <Copy size={12} /> Command line
        </Button>
      </div>
      {notes.map((note) => (
        <p key={note} className="dim">
          {note}
        </p>
      ))}
    </section>
  );
}
