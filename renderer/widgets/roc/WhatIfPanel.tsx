import { Copy, RotateCcw, X } from 'lucide-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import type { RocBasis } from '../../../shared/api/contract.ts';
import {
  basisText,
  type ChoiceName,
  choiceChange,
  choiceParam,
  noChoice,
  refusalOf,
  type Scope,
  type UrlChoice,
} from '../../data/rocChoice.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { keyed, keyOf } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { Button, IconButton, Segmented } from '../../ui/Controls.tsx';
import { copyText } from '../../ui/exportText.ts';
import { counted } from '../../ui/numbers.ts';
import { leaveField, useAutoFocus } from '../../ui/useAutoFocus.ts';
import { rocCommand, trainerOverrides } from './exportModel.ts';
import { FIELD_GROUPS, type FieldSpec, isIdle } from './settingFields.ts';
import './roc.css';

interface WhatIfPanelProps {
  readonly runKey: string;
  readonly step: number | undefined;
  /** The settings the what-if is compared with. Undefined while loading. */
  readonly basis: RocBasis | undefined;
  /** The complete settings as the host resolved them. Undefined: no what-if. */
  readonly whatIfBasis: RocBasis | undefined;
  readonly choice: UrlChoice;
  readonly scopes: readonly { readonly id: Scope; readonly label: string }[];
  readonly scope: Scope;
  /** The results, shown above the settings. */
  readonly children: ReactNode;
}

/** The settings of a what-if and their effects. The URL holds all of them. */
export function WhatIfPanel(props: WhatIfPanelProps) {
  const { runKey, step, basis, whatIfBasis, choice, scopes, scope, children } = props;
  const [query, setQuery] = useUrlQuery();
  const panel = useRef<HTMLElement>(null);
  // Focus the panel, so that the next Tab moves into it rather than to the end of the rows.
  useAutoFocus(panel);
  const assertion = whatIfBasis?.assertion;
  const rule = choice.whatIf?.rule ?? basis?.rule ?? 'release';
  const textOf = (name: ChoiceName) =>
    (choice.chosen.includes(name) ? query.get(choiceParam(name)) : undefined) ??
    (basis === undefined ? '' : basisText(basis, name));
  return (
    <aside ref={panel} className="what-if" aria-label="What if" tabIndex={-1}>
      <header>
        <h2>What if</h2>
        {scopes.length > 1 && (
          <Segmented
            label="Scope"
            chosen={scope}
            onChoose={(chosen) => setQuery({ whatif: chosen })}
            choices={scopes}
          />
        )}
        <IconButton
          label="Close the what-if panel"
          keys={keyOf('whatIf.flip')}
          onClick={() => setQuery({ whatif: undefined })}
        >
          <X size={15} />
        </IconButton>
      </header>
      <div className="what-if-body">
        <div className="what-if-outcome">{children}</div>
        {assertion !== undefined && scope !== 'group' && <p className="is-wrong">✕ {assertion}</p>}
        {choice.unreadable.length > 0 && (
          <p className="is-wrong">✕ Ignored in this address, invalid value: {choice.unreadable.join(', ')}</p>
        )}
        {FIELD_GROUPS.map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            {group.fields
              .filter((field) => !(field.name.startsWith('paper_') && isIdle(field, rule)))
              .map((field) => (
                <SettingField
                  key={field.name}
                  field={field}
                  value={textOf(field.name)}
                  isChosen={choice.chosen.includes(field.name)}
                  isIdle={isIdle(field, rule)}
                  onChange={(text) => basis !== undefined && setQuery(choiceChange(basis, field.name, text))}
                  onReset={() => setQuery({ [choiceParam(field.name)]: undefined })}
                />
              ))}
          </section>
        ))}
        {basis !== undefined && (
          <CopySettings
            basis={whatIfBasis ?? basis}
            runKey={runKey}
            step={scope === 'run' ? undefined : step}
          />
        )}
      </div>
      <footer>
        <Button
          disabled={choice.chosen.length === 0}
          onClick={() => setQuery(noChoice())}
          title={keyed('Reset to the logged settings', 'whatIf.reset')}
        >
          Reset
        </Button>
        <span className="dim">
          {choice.chosen.length === 0
            ? 'nothing changed'
            : `${counted(choice.chosen.length, 'setting')} changed`}
        </span>
      </footer>
    </aside>
  );
}

interface SettingFieldProps {
  readonly field: FieldSpec;
  readonly value: string;
  /** Whether the user changed it. Then it can be reset. */
  readonly isChosen: boolean;
  /** Whether the chosen rule ignores it. */
  readonly isIdle: boolean;
  readonly onChange: (text: string) => void;
  readonly onReset: () => void;
}

/** One setting: its control, its help, and a button that resets it. */
function SettingField({ field, value, isChosen, isIdle, onChange, onReset }: SettingFieldProps) {
  const id = useId();
  const [draft, setDraft] = useState<string>();
  const refusal =
    draft === undefined || (draft === '' && field.name === 'pool') ? undefined : refusalOf(field.name, draft);
  return (
    <div
      className={isIdle ? 'setting is-idle' : 'setting'}
      title={isIdle ? `${field.help} The chosen rule does not use it.` : field.help}
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
          // Invalid input (an empty field, a lone minus) stays a draft, and the last valid value remains in effect.
          onChange={(event) => {
            const text = event.target.value;
            setDraft(text);
            if (text === '' ? field.name === 'pool' : refusalOf(field.name, text) === undefined)
              onChange(text);
          }}
          onBlur={() => setDraft(undefined)}
          // Returns the focus to the rows and their key bindings.
          onKeyDown={(event) => {
            if (event.key === 'Escape' || event.key === 'Enter') leaveField(event.currentTarget);
          }}
        />
      )}
      {isChosen ? (
        <button
          type="button"
          className="setting-reset"
          aria-label={`Reset ${field.label}`}
          title="Reset to the logged settings"
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

interface CopySettingsProps {
  readonly basis: RocBasis;
  readonly runKey: string;
  readonly step: number | undefined;
}

/** Copies the settings as trainer overrides and as a command. Lists what these cannot express. */
function CopySettings({ basis, runKey, step }: CopySettingsProps) {
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
