import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { readMapping } from '../../../shared/format/mapped.ts';
import type { Mapping } from '../../../shared/format/mapping.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { copyText, saveText } from '../../ui/exportText.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { Modal, ModalClose } from '../../ui/Modal.tsx';
import { fileNameOf } from './mappingModel.ts';

interface MappingJsonProps {
  readonly mapping: Mapping;
  readonly onMapping: (mapping: Mapping) => void;
  readonly onClose: () => void;
}

function mappingOf(text: string): ReturnType<typeof readMapping> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
  return readMapping(value);
}

/** The mapping as JSON, to save, share or replace. */
export function MappingJson({ mapping, onMapping, onClose }: MappingJsonProps) {
  const setNotice = useInterface((state) => state.setNotice);
  const [text, setText] = useState(() => `${JSON.stringify(mapping, undefined, 2)}\n`);
  const read = mappingOf(text);
  return (
    <Modal onClose={onClose} className="dialog mapping-json">
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Mapping as JSON</h1>
        </Dialog.Title>
        <ModalClose />
      </div>
      <textarea
        className="mono"
        aria-label="Mapping as JSON"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <p className={'message' in read ? 'is-wrong' : 'dim'} role="status">
        {'message' in read
          ? `✕ ${read.message}`
          : `A mapping named ${plainLogText(read.mapping.name)}. Paste another over it, or choose a file.`}
      </p>
      <div className="dialog-foot">
        <label className="button">
          Choose a file…
          <input
            type="file"
            accept=".json,application/json"
            className="visually-hidden"
            onChange={(event) => {
              const [file] = event.target.files ?? [];
              if (file !== undefined) void file.text().then(setText);
              event.target.value = '';
            }}
          />
        </label>
        <span className="dialog-buttons">
          <Button
            onClick={() =>
              void copyText(text).then((isCopied) =>
                setNotice(isCopied ? 'Mapping copied' : 'The clipboard is not available here'),
              )
            }
          >
            Copy
          </Button>
          <Button onClick={() => saveText(fileNameOf(mapping.name), text, 'application/json')}>
            Download
          </Button>
          <Button
            isPrimary
            disabled={'message' in read}
            onClick={() => {
              if (!('mapping' in read)) return;
              onMapping(read.mapping);
              onClose();
            }}
          >
            Use this mapping
          </Button>
        </span>
      </div>
    </Modal>
  );
}
