/** A field of a form. A text that is too long for one, in a library of somebody else, is shown and not edited. */
import type { InputHTMLAttributes } from 'react';
import { LogText } from './LogText.tsx';
import { fitsField } from './LongText.tsx';

interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly value: string;
}

export function TextField({ value, ...others }: TextFieldProps) {
  return fitsField(value) ? <input type="text" value={value} {...others} /> : <LogText text={value} />;
}
