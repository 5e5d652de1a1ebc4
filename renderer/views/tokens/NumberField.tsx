import { useState } from 'react';
import { leaveField } from '../../ui/useAutoFocus.ts';

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly onChange: (value: number) => void;
}

/** A natural number. Applied on blur or Enter, because each value causes a new request. */
export function NumberField({ label, value, least, onChange }: NumberFieldProps) {
  const [draft, setDraft] = useState<string>();
  const isBad = draft !== undefined && (!/^\d+$/.test(draft) || Number(draft) < least);
  const take = () => {
    if (draft !== undefined && !isBad && Number(draft) !== value) onChange(Number(draft));
    setDraft(undefined);
  };
  return (
    <input
      type="number"
      className="text-field number-field"
      aria-label={label}
      aria-invalid={isBad}
      min={least}
      value={draft ?? value}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take();
        if (event.key === 'Escape') setDraft(undefined);
        if (event.key === 'Enter' || event.key === 'Escape') leaveField(event.currentTarget);
      }}
    />
  );
}
