import { type ReactNode, useId } from 'react';
import { type ContinuationForm, NUMBER_FIELDS } from './continuationModel.ts';
import './continuation.css';

interface SamplingFieldsProps<F extends ContinuationForm> {
  readonly form: F;
  readonly onChange: (form: F) => void;
  /** Labels of fields that have another meaning here. */
  readonly labels?: { readonly [K in keyof ContinuationForm]?: string };
  /** Fields before these. */
  readonly children?: ReactNode;
}

/** How continuations are sampled and graded. */
export function SamplingFields<F extends ContinuationForm>(props: SamplingFieldsProps<F>) {
  const { form, onChange, labels, children } = props;
  const id = useId();
  return (
    <div className="continuation-fields">
      {children}
      {NUMBER_FIELDS.map(({ name, label }) => (
        <span key={name}>
          <label htmlFor={id + name}>{labels?.[name] ?? label}</label>
          <input
            id={id + name}
            className="text-field"
            inputMode="decimal"
            value={form[name]}
            onChange={({ target }) => onChange({ ...form, [name]: target.value })}
          />
        </span>
      ))}
      <span>
        <label htmlFor={`${id}stop`}>Stop texts, one per line</label>
        <textarea
          id={`${id}stop`}
          className="text-field mono"
          rows={1}
          spellCheck={false}
          value={form.stop}
          onChange={({ target }) => onChange({ ...form, stop: target.value })}
        />
      </span>
      <span>
        <label htmlFor={`${id}pattern`}>Answer pattern (regex)</label>
        <input
          id={`${id}pattern`}
          className="text-field mono"
          placeholder="ground truth"
          spellCheck={false}
          value={form.pattern}
          onChange={({ target }) => onChange({ ...form, pattern: target.value })}
        />
      </span>
    </div>
  );
}
