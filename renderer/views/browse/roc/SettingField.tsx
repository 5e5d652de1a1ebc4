import { RotateCcw } from 'lucide-react';
import { useId, useState } from 'react';
import { refusalOf } from '../../../data/rocChoice.ts';
import type { FieldSpec } from './settingFields.ts';

interface SettingFieldProps {
  readonly field: FieldSpec;
  readonly value: string;
  /** Chosen here, and so shown with a way back. */
  readonly isChosen: boolean;
  /** The rule in force has no part for it. */
  readonly isIdle: boolean;
  readonly onChange: (text: string) => void;
  readonly onReset: () => void;
}

/** One setting: its control, its help, and the way back to what was decided under. */
export function SettingField({ field, value, isChosen, isIdle, onChange, onReset }: SettingFieldProps) {
  const id = useId();
  const [draft, setDraft] = useState<string>();
  const refusal =
    draft === undefined || (draft === '' && field.name === 'pool') ? undefined : refusalOf(field.name, draft);
  return (
    <div
      className={isIdle ? 'setting is-idle' : 'setting'}
      title={isIdle ? `${field.help} The chosen rule has no part for it.` : field.help}
    >
      <label htmlFor={id}>{field.label}</label>
      {field.kind === 'switch' ? (
        <input
          id={id}
          type="checkbox"
          checked={value === 'true'}
          onChange={(event) => onChange(String(event.target.checked))}
        />
      ) : field.kind === 'choice' ? (
        <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
          {field.choices?.map((choice) => (
            <option key={choice.id} value={choice.id}>
              {choice.label}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          type="number"
          step={field.step}
          value={draft ?? value}
          placeholder={field.name === 'pool' ? 'all' : undefined}
          aria-invalid={refusal !== undefined}
          // What cannot be read yet (an empty field, a lone minus) stays a draft; the last good value stands.
          onChange={(event) => {
            const text = event.target.value;
            setDraft(text);
            if (text === '' ? field.name === 'pool' : refusalOf(field.name, text) === undefined)
              onChange(text);
          }}
          onBlur={() => setDraft(undefined)}
          // Back to the rows and their keys.
          onKeyDown={(event) => {
            if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur();
          }}
        />
      )}
      {isChosen ? (
        <button
          type="button"
          className="setting-reset"
          aria-label={`Reset ${field.label}`}
          title="Back to what was decided under"
          onClick={() => {
            setDraft(undefined);
            onReset();
          }}
        >
          <RotateCcw size={11} />
        </button>
      ) : (
        <span />
      )}
      {refusal !== undefined && <p className="setting-refusal">must be {refusal}</p>}
    </div>
  );
}
