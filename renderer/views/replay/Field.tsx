/** A label and its value in the inspector. */
import type { ReactNode } from 'react';
import type { Provenance } from '../../../shared/domain/model.ts';
import { plainLogText } from '../../ui/LogText.tsx';

/** UTF-16 units of a label, which may be a name from the log. */
const LONGEST_LABEL = 200;

interface FieldProps {
  readonly label: string;
  readonly source?: Provenance;
  readonly children: ReactNode;
}

/** Renders nothing without a value: an unknown field is not listed. */
export function Field({ label, source, children }: FieldProps) {
  if (children === undefined || children === '' || children === false) return null;
  return (
    <div>
      <dt>{plainLogText(label, LONGEST_LABEL)}</dt>
      <dd>
        {children}
        {source !== undefined && (
          <small title={source === 'logged' ? 'written by the trainer' : 'derived by Turnwise'}>
            {source}
          </small>
        )}
      </dd>
    </div>
  );
}
