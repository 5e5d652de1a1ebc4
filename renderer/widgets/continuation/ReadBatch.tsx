import { useId } from 'react';

/** Chooses a file with the answers of a batch. */
export function ReadBatch({ onRead }: { readonly onRead: (file: File) => void }) {
  const id = useId();
  return (
    <label
      className="button"
      htmlFor={id}
      title="Read a file of answers in OpenAI's batch form, to requests that Write batch has saved"
    >
      Read batch…
      <input
        id={id}
        type="file"
        accept=".jsonl,.json,application/jsonl"
        className="visually-hidden"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) onRead(file);
          target.value = '';
        }}
      />
    </label>
  );
}
