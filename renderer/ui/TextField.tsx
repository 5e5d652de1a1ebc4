/** A field of a form. A text that is too long for one, in a library of somebody else, is shown and not edited. */
import type { InputHTMLAttributes } from 'react';
import { LogText } from './LogText.tsx';
import { fitsField } from './LongText.tsx';

/** In letters. A longer text that somebody pastes would take the field away before it is saved. */
const LONGEST = 2_000;

interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly value: string;
}

export function TextField({ value, ...others }: TextFieldProps) {
  if (fitsField(value)) return <input type="text" maxLength={LONGEST} value={value} {...others} />;
  return (
    <span className="field-text">
      <LogText text={value} longest={40} />
    </span>
  );
}
