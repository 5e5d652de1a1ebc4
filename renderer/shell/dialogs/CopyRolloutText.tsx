/** Copies a rollout as text for a language model, with a choice of parts. */
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { PACK_SECTIONS, type PackSection } from '../../../shared/api/contract.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useDialog, useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { copyText } from '../../ui/exportText.ts';
import { counted } from '../../ui/numbers.ts';
import { TaskDialog } from './TaskDialog.tsx';
import './pack.css';

const WORDS: Readonly<Record<PackSection, string>> = {
  problem: 'problem',
  outcome: 'outcome and ground truth',
  annotations: 'labels and notes',
  reasoning: 'reasoning',
  code: 'tool calls',
  output: 'tool responses',
  answer: 'answer',
};

export function CopyRolloutText() {
  const rolloutId = useDialog('copyText')?.rolloutId;
  if (rolloutId === undefined) return null;
  return (
    <TaskDialog name="copyText" className="pack-dialog">
      {({ onDone }) => <CopyBody rolloutId={rolloutId} onDone={onDone} />}
    </TaskDialog>
  );
}

function CopyBody({ rolloutId, onDone }: { readonly rolloutId: number; readonly onDone: () => void }) {
  const [sections, setSections] = useState<readonly PackSection[]>(PACK_SECTIONS);
  const { setNotice } = useInterface.getState();
  const answer = useRequest(
    'pack.text',
    sections.length === 0 ? undefined : { rolloutId, sections: [...sections] },
    { keepPrevious: true },
  );
  const text = sections.length === 0 ? undefined : answer.data?.text;
  const flip = (section: PackSection) =>
    setSections(PACK_SECTIONS.filter((one) => (one === section) !== sections.includes(one)));
  const copy = async () => {
    if (text === undefined) return;
    const isCopied = await copyText(text);
    setNotice(
      isCopied ? `${counted(text.length, 'character')} copied` : 'The clipboard is not available here',
    );
    if (isCopied) onDone();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void copy();
      }}
    >
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Copy for a language model</h1>
        </Dialog.Title>
      </div>
      <div className="dialog-body">
        <fieldset className="pack-formats">
          <legend>With</legend>
          {PACK_SECTIONS.map((section) => (
            <label key={section}>
              <input type="checkbox" checked={sections.includes(section)} onChange={() => flip(section)} />
              {WORDS[section]}
            </label>
          ))}
        </fieldset>
        {answer.error !== null && (
          <p className="is-wrong" role="alert">
            ✕ {answer.error.message}
          </p>
        )}
        <textarea
          className="copy-preview mono"
          aria-label="What is copied"
          readOnly
          rows={14}
          value={text ?? ''}
        />
      </div>
      <div className="dialog-foot">
        <span className="muted">{text === undefined ? '' : counted(text.length, 'character')}</span>
        <span className="dialog-buttons">
          <Button onClick={onDone}>Cancel</Button>
          <Button type="submit" isPrimary disabled={text === undefined}>
            Copy
          </Button>
        </span>
      </div>
    </form>
  );
}
